/**
 * A company directory, as programs have to live with it: its records are a file of its own, it honours idempotency keys, and it
 * is often too busy to answer.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { DatabaseSync } from "node:sqlite"

/** The directory did not do what it was asked; the same request may succeed later. */
export class DirectoryBusy extends Schema.TaggedError<DirectoryBusy>()("DirectoryBusy", { request: Schema.String }) {
  override get message() {
    return `the directory is too busy to ${this.request}`
  }
}

/** Knows the accounts of employees. */
export class Directory extends Context.Service<Directory, {
  readonly accounts: (employee: string) => Effect.Effect<ReadonlyArray<string>, DirectoryBusy>
  /** Disables an account once per key, and returns the number of the change. A repeated key gets the first number again. */
  readonly disable: (employee: string, account: string, key: string) => Effect.Effect<string, DirectoryBusy>
}>()("example/Directory") {
  /** Over records that somebody else opened. */
  static readonly layerOf = (records: DatabaseSync): Layer.Layer<Directory> =>
    Layer.sync(Directory, () => over(records))

  /** Over a file. */
  static readonly layer = (file: string): Layer.Layer<Directory> =>
    Layer.effect(
      Directory,
      Effect.map(
        Effect.acquireRelease(Effect.sync(() => open(file)), (records) => Effect.sync(() => records.close())),
        over
      )
    )
}

/** Opens records; `:memory:` is a directory that lives as long as the object. */
export const open = (file: string): DatabaseSync => {
  const records = new DatabaseSync(file, { timeout: 5_000 })
  records.exec(`
    create table if not exists requests (request text not null);
    create table if not exists changes (key text primary key, employee text not null, account text not null);
  `)
  return records
}

/** One change of the records. */
export interface Change {
  readonly employee: string
  readonly account: string
}

/** Every change that was made, by account. */
export const changes = (records: DatabaseSync): ReadonlyArray<Change> =>
  Changes(records.prepare("select employee, account from changes order by account").all())

const over = (records: DatabaseSync): Directory["Service"] => {
  /** How often somebody has asked for this, this time included. */
  const ask = (request: string): number => {
    records.prepare("insert into requests (request) values (?)").run(request)
    return Count(records.prepare("select count(*) as count from requests where request = ?").get(request)).count
  }
  const answer = <A>(request: string, f: () => A): Effect.Effect<A, DirectoryBusy> =>
    Effect.suspend(() =>
      ask(request) <= (busyFor.get(request) ?? 0)
        ? Effect.fail(new DirectoryBusy({ request }))
        : Effect.sync(f)
    )
  return {
    accounts: (employee) => answer(`list the accounts of ${employee}`, () => ["mail", "vpn", "wiki"]),
    disable: (employee, account, key) =>
      answer(`disable ${account} of ${employee}`, () => {
        records
          .prepare("insert or ignore into changes (key, employee, account) values (?, ?, ?)")
          .run(key, employee, account)
        return `CH-${Row(records.prepare("select rowid as number from changes where key = ?").get(key)).number}`
      })
  }
}

/** How many requests it takes until the directory answers. */
const busyFor = new Map([["list the accounts of sam", 2], ["disable wiki of sam", 1]])

const Count = Schema.decodeUnknownSync(Schema.Struct({ count: Schema.Int }))
const Row = Schema.decodeUnknownSync(Schema.Struct({ number: Schema.Int }))
const Changes = Schema
  .decodeUnknownSync(Schema.Array(Schema.Struct({ employee: Schema.String, account: Schema.String })))
