import { DatabaseSync } from "node:sqlite"

/**
 * A backend in a file of its own: counts every call, and makes one effect for each idempotency key.
 */
export class Ledger {
  readonly #database: DatabaseSync

  constructor(file: string) {
    this.#database = new DatabaseSync(file, { timeout: 10_000 })
    this.#database.exec(`
      pragma journal_mode = wal;
      create table if not exists attempts (key text not null, name text not null, pid integer not null);
      create table if not exists effects (key text primary key, name text not null)
    `)
  }

  /** One call under a key; the answer to a repeated call is that of the first. */
  call(key: string, name: string): string {
    this.#database.prepare("insert into attempts values (?, ?, ?)").run(key, name, process.pid)
    this.#database.prepare("insert or ignore into effects values (?, ?)").run(key, name)
    return `${name}-${key.slice(0, 8)}`
  }

  attempts(): ReadonlyArray<{ readonly key: string; readonly name: string; readonly pid: number }> {
    return this.#database.prepare("select key, name, pid from attempts").all().map(({ key, name, pid }) => ({
      key: String(key),
      name: String(name),
      pid: Number(pid)
    }))
  }

  /** Names of the effects, sorted, each as often as it happened. */
  effects(): ReadonlyArray<string> {
    return this.#database.prepare("select name from effects order by name").all().map(({ name }) => String(name))
  }

  close(): void {
    this.#database.close()
  }
}
