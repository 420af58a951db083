/**
 * The least that any system on Postgres must do: append what has happened together with what is next, and wait for the commit.
 *
 * No runtime: the `pg` driver, prepared statements, the table of our store without what checks it.
 */
import { Client } from "pg"

/**
 * @category models
 * @since 0.1.0
 */
export interface Row {
  readonly runId: string
  readonly seq: number
  readonly type: string
  /** JSON */
  readonly payload: string
}

/**
 * Stores rows; done when they are committed.
 *
 * @category models
 * @since 0.1.0
 */
export type Append = (rows: ReadonlyArray<Row>) => Promise<void>

const tableIn = (schema: string): string => `
  create table ${schema}.events (
    run_id uuid not null,
    seq integer not null,
    epoch integer,
    created_at timestamptz(3) not null,
    append_id uuid,
    type text not null,
    payload json not null,
    primary key (run_id, seq)
  ) with (
    autovacuum_freeze_min_age = 0,
    autovacuum_vacuum_insert_threshold = 50000,
    autovacuum_vacuum_insert_scale_factor = 0.02,
    autovacuum_analyze_threshold = 1000
  )`

/**
 * @category constructors
 * @since 0.1.0
 */
export const connect = async (url: string): Promise<Client> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  return client
}

/**
 * @category constructors
 * @since 0.1.0
 */
export const createTable = async (client: Client, schema: string): Promise<void> => {
  await client.query(`create schema ${schema}`)
  await client.query(tableIn(schema))
}

/**
 * One append after the other, on one connection.
 *
 * @category constructors
 * @since 0.1.0
 */
export const alone = (client: Client, schema: string): Append => async (rows) => {
  const places = rows.map((_, row) => `($${row * 4 + 1}, $${row * 4 + 2}, 1, now(), $${row * 4 + 3}, $${row * 4 + 4})`)
  await client.query({
    name: `append-${rows.length}`,
    text: `insert into ${schema}.events (run_id, seq, epoch, created_at, type, payload) values ${places.join()}`,
    values: rows.flatMap(({ payload, runId, seq, type }) => [runId, seq, type, payload])
  })
}

/**
 * Appends that wait at the same moment share one statement and one commit; as many commits in flight as there are connections.
 *
 * @category constructors
 * @since 0.1.0
 */
export const shared = (clients: ReadonlyArray<Client>, schema: string): Append => {
  const free = [...clients]
  let waiting: Array<
    { readonly rows: ReadonlyArray<Row>; readonly done: () => void; readonly fail: (why: unknown) => void }
  > = []
  let planned = false

  const send = (): void => {
    planned = false
    const client = waiting.length > 0 ? free.pop() : undefined
    if (client === undefined) return
    const group = waiting.splice(0, 256)
    // Of multi-row inserts through this driver the cheapest: one text, and no quoting of what is JSON already.
    const records = group.flatMap(({ rows }) => rows).map(({ payload, runId, seq, type }) =>
      `{"r":"${runId}","s":${seq},"t":"${type}","p":${payload}}`
    )
    client.query({
      name: "append",
      text: `insert into ${schema}.events (run_id, seq, epoch, created_at, type, payload)
        select r, s, 1, now(), t, p from json_to_recordset($1) as a (r uuid, s int, t text, p json)`,
      values: [`[${records.join()}]`]
    }).then(() => group.forEach(({ done }) => done()), (why) => group.forEach(({ fail }) => fail(why)))
      .finally(() => {
        free.push(client)
        plan()
      })
    plan()
  }

  /** Lets everyone ask who is about to. */
  const plan = (): void => {
    if (planned || waiting.length === 0 || free.length === 0) return
    planned = true
    setImmediate(send)
  }

  return (rows) =>
    new Promise((done, fail) => {
      waiting.push({ rows, done, fail })
      plan()
    })
}
