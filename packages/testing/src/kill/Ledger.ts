/**
 * A backend in a file of its own, as the world outside a store: writes down every call, and makes one effect for each idempotency
 * key.
 */
import { DatabaseSync } from "node:sqlite"

/**
 * One operation as it shows itself to the world.
 *
 * @category models
 * @since 0.1.0
 */
export interface Operation {
  readonly runId: string
  readonly key: string
  readonly attempt: number
  readonly idempotencyKey: string
}

/**
 * One call that the backend got.
 *
 * @category models
 * @since 0.1.0
 */
export interface Call extends Operation {
  /** What was asked for. */
  readonly name: string
  /** The process that called. */
  readonly worker: string
}

/**
 * A time in which a process did not get to anything, in milliseconds since 1970.
 *
 * @category models
 * @since 0.1.0
 */
export interface Pause {
  readonly worker: string
  readonly from: number
  readonly to: number
}

/**
 * Opened by every process that uses it.
 *
 * @category models
 * @since 0.1.0
 */
export class Ledger {
  readonly #database: DatabaseSync
  readonly #worker: string

  constructor(file: string, worker: string) {
    this.#worker = worker
    this.#database = new DatabaseSync(file, { timeout: 10_000 })
    this.#database.exec(`
      pragma journal_mode = wal;
      pragma synchronous = normal;
      create table if not exists calls (
        run_id text not null, key text not null, attempt integer not null, idempotency_key text not null, name text not null,
        worker text not null
      );
      create table if not exists effects (idempotency_key text primary key, run_id text not null, name text not null);
      create table if not exists deaths (run_id text not null);
      create table if not exists pauses (worker text not null, began integer not null, ended integer not null)
    `)
  }

  /** A question: it changes nothing, and is written down. */
  ask({ attempt, idempotencyKey, key, runId }: Operation, name: string): void {
    this.#database.prepare("insert into calls values (?, ?, ?, ?, ?, ?)")
      .run(runId, key, attempt, idempotencyKey, name, this.#worker)
  }

  /** An effect, unless its key has one already; the answer to a repeated call is that to the first. */
  act(operation: Operation, name: string): string {
    this.ask(operation, name)
    this.#database.prepare("insert or ignore into effects values (?, ?, ?)")
      .run(operation.idempotencyKey, operation.runId, name)
    return `receipt for ${name}`
  }

  /** The process dies in the middle of this run. */
  dies(runId: string): void {
    this.#database.prepare("insert into deaths values (?)").run(runId)
  }

  pause(from: number, to: number): void {
    this.#database.prepare("insert into pauses values (?, ?, ?)").run(this.#worker, from, to)
  }

  calls(): ReadonlyArray<Call> {
    return this.#database.prepare("select * from calls").all().map((row) => ({
      runId: String(row["run_id"]),
      key: String(row["key"]),
      attempt: Number(row["attempt"]),
      idempotencyKey: String(row["idempotency_key"]),
      name: String(row["name"]),
      worker: String(row["worker"])
    }))
  }

  /** What happened to the world by each run: names, sorted, each as often as it happened. */
  effects(): ReadonlyMap<string, ReadonlyArray<string>> {
    const rows = this.#database.prepare("select run_id, name from effects order by run_id, name").all()
    const made = new Map<string, Array<string>>()
    for (const row of rows) {
      const runId = String(row["run_id"])
      const names = made.get(runId) ?? []
      made.set(runId, names)
      names.push(String(row["name"]))
    }
    return made
  }

  /** How many processes have died in the middle of each run. */
  deaths(): ReadonlyMap<string, number> {
    const rows = this.#database.prepare("select run_id, count(*) as deaths from deaths group by run_id").all()
    return new Map(rows.map((row) => [String(row["run_id"]), Number(row["deaths"])]))
  }

  pauses(): ReadonlyArray<Pause> {
    return this.#database.prepare("select * from pauses").all().map((row) => ({
      worker: String(row["worker"]),
      from: Number(row["began"]),
      to: Number(row["ended"])
    }))
  }

  close(): void {
    this.#database.close()
  }
}
