import type { RunId, RunStatus, RunSummary } from "@durable-agents/core"
import { Budget, EventStore, NextRunId } from "@durable-agents/core"
import { Postgres } from "@durable-agents/postgres"
import type { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Option, Schedule, Stream } from "effect"
import { make } from "../src/Postgres.ts"
import { byHand, byHandAs, dropRole, newName, newSchema, urlOf } from "./fixtures/database.ts"
import { completed, started, step } from "./fixtures/events.ts"
import { fileOf, type Names, statementsOf } from "./fixtures/page.ts"
import { partition } from "./fixtures/partition.ts"
import { claim, eventsOf, lengthOf, start, type Store, storeOn, upTo } from "./fixtures/stores.ts"

const runAll = (sql: PgClient.PgClient, statements: ReadonlyArray<string>) =>
  Effect.forEach(statements, (statement) => sql.unsafe<Record<string, unknown>>(statement))

/** A store that is set up as the guide has it: its owner creates the tables, and gives the others their rights. */
const setUp = Effect.fnUntraced(function*(options: { readonly isPartitioned?: boolean } = {}) {
  const schema = yield* newSchema
  const [owner, worker, reader, retention] = [newName(), newName(), newName(), newName()]
  const names = { schema, owner, worker, reader, retention } satisfies Names
  const [creation = [], grants = []] = statementsOf("Roles", names)
  yield* Effect.acquireRelease(
    Effect.scoped(Effect.flatMap(byHand, (sql) => runAll(sql, creation))),
    () => Effect.forEach([retention, reader, worker, owner], dropRole)
  )
  assert.strictEqual(yield* Postgres.migrate({ url: urlOf(owner), schema }), "created")
  const sql = yield* byHandAs(urlOf(owner))
  if (options.isPartitioned === true) yield* partition(sql, schema)
  yield* runAll(sql, grants)
  return names
})

const summaryOf = (runId: RunId, status: RunStatus): RunSummary => ({
  runId,
  namespace: "default",
  program: "mail",
  programVersion: "1",
  status,
  labels: { tenant: "acme" },
  requestedBy: started.requestedBy,
  startedAt: 0,
  updatedAt: 0,
  seq: 1,
  wakeAt: null,
  waits: status === "AwaitingApproval"
    ? [{ kind: "approval", key: "ship", since: 0, subject: "Ship it?" }]
    : [],
  usage: Budget.noUsage
})

/** Starts a run that is what its summary says, and not due. */
const startAs = Effect.fnUntraced(function*({ store }: Pick<Store, "store">, status: RunStatus) {
  const runId = yield* yield* NextRunId
  const summary = summaryOf(runId, status)
  yield* store.append(runId, { expected: 0, events: [started], next: { wakeAt: null, summary } })
  return runId
})

/** The log as a worker writes it on some day. */
const logOn = (day: string, { schema, worker }: { readonly schema: string; readonly worker: string }) =>
  Effect.gen(function*() {
    const client = yield* byHandAs(urlOf(worker))
    const settings = { schema, migrate: false, listen: false }
    const services = yield* make(client, settings, (sql) => sql`${day}::timestamptz(3)`)
    return { store: Context.get(services, EventStore) }
  })

/** The runs that have rows, table by table. */
const rowsOf = (sql: PgClient.PgClient, schema: string) =>
  Effect.forEach(["events", "runs", "run_summaries", "run_labels", "pending_approvals"], (table) =>
    Effect.map(
      sql.unsafe<{ id: string }>(`select distinct run_id::text as id from ${schema}.${table} order by id`),
      (rows) => [table, rows.map(({ id }) => id)] as const
    ))

describe("the roles of the guide", () => {
  it.live("let a worker execute runs, without a right to change or delete events or to touch the tables (check 8)", () =>
    Effect.gen(function*() {
      const { schema, worker } = yield* setUp()
      const on = yield* storeOn(schema, { url: urlOf(worker), migrate: false })
      const runId = yield* start(on)
      const owner = yield* on.nextOwner
      const [{ epoch } = { epoch: 0 }] = yield* claim(on, owner)
      yield* on.store.append(runId, { expected: 1, epoch, events: [step, completed], next: { release: owner } })
      yield* on.queue.retire(owner)
      assert.strictEqual(yield* lengthOf(on, runId), 3)
      const sql = yield* byHandAs(urlOf(worker))
      yield* sql`set durable_agents.retention = 'on'`
      for (
        const change of [
          "update $.events set type = 'x'",
          "delete from $.events",
          "truncate $.events",
          "alter table $.events disable trigger all",
          "create table $.other ()",
          "insert into $.access_tokens default values",
          "update $.access_tokens set revoked_at = null"
        ]
      ) {
        const refused = yield* Effect.flip(sql.unsafe(change.replace("$", schema)))
        assert.match(String(refused.reason.cause), /permission denied|must be owner/, change)
      }
      // A store that is up to date opens without that right, too.
      yield* storeOn(schema, { url: urlOf(worker), maxConnections: 1, listen: false })
    }))

  it.live("let a reader list, read and follow runs, and change nothing", () =>
    Effect.gen(function*() {
      const { reader, schema, worker } = yield* setUp()
      yield* Effect.scoped(Effect.flatMap(byHand, (sql) =>
        sql.unsafe(`alter role ${reader} set default_transaction_read_only = on`)))
      const on = yield* storeOn(schema, { url: urlOf(worker), migrate: false })
      const looking = yield* storeOn(schema, { url: urlOf(reader), migrate: false, retryFor: 0 })
      const waiting = yield* startAs(on, "AwaitingApproval")
      const runId = yield* start(on)
      yield* claim(on, "w1")

      assert.strictEqual(Option.getOrThrow(yield* looking.index.get(waiting)).status, "AwaitingApproval")
      assert.deepStrictEqual(
        (yield* looking.index.list()).items.map((run) =>
          run.runId
        ),
        [waiting]
      )
      assert.lengthOf((yield* looking.index.pendingApprovals()).items, 1)
      assert.strictEqual(Option.getOrThrow(yield* looking.queue.holder(runId)).owner, "w1")
      const followed = yield* Effect.forkChild(Stream.runCollect(looking.store.changes(runId)))
      yield* on.store.append(runId, { expected: 1, epoch: 1, events: [step, completed] })
      assert.deepStrictEqual(yield* Fiber.join(followed), yield* eventsOf(on, runId))

      const refused = yield* Effect.flip(looking.store.append(waiting, { expected: 1, events: [step] }))
      assert.strictEqual(refused._tag, "StoreError")
    }))
})

describe("grants.sql", () => {
  it("says what the guide says", () => {
    const names = { schema: "durable_agents" }
    assert.deepStrictEqual(fileOf("grants.sql", names), statementsOf("Roles", names)[1])
  })
})

describe("delete_runs.sql", () => {
  it.live("deletes the runs that it is given, whole, if they have ended and nobody holds them, and no other", () =>
    Effect.gen(function*() {
      const names = yield* setUp()
      const { retention, schema, worker } = names
      const on = yield* storeOn(schema, { url: urlOf(worker), migrate: false, listen: false })
      const ended = yield* startAs(on, "Completed")
      const other = yield* startAs(on, "Completed")
      const waiting = yield* startAs(on, "AwaitingApproval")
      const held = yield* start(on)
      yield* claim(on, "w1")
      const sql = yield* byHandAs(urlOf(retention))
      const results = yield* runAll(sql, fileOf("delete_runs.sql", names, { runs: [ended, waiting, held].join() }))
      assert.deepStrictEqual(results.flat(), [{ run_id: ended }])
      assert.deepStrictEqual(
        yield* Effect.forEach([ended, other, waiting, held], (runId) => lengthOf(on, runId)),
        [0, 1, 1, 1]
      )
    }))
})

describe("the connections of a process", () => {
  it.live("are those of its pool, one more for who follows logs, and two more for a worker", () =>
    Effect.gen(function*() {
      const { schema, worker } = yield* setUp()
      const applicationName = schema.slice(0, 20)
      const on = yield* storeOn(schema, { url: urlOf(worker), migrate: false, maxConnections: 1, applicationName })
      const sql = yield* byHand
      const connections = Effect.map(
        sql`select from pg_stat_activity where application_name = ${applicationName}`,
        (rows) => rows.length
      )
      const become = (count: number) =>
        Effect.repeat(connections, { until: (now) => now === count, schedule: Schedule.spaced("10 millis") })
      const work = Effect.forEach(upTo(20), () => start(on), { concurrency: "unbounded" })
      const [runId] = yield* work
      assert.strictEqual(yield* connections, 1)
      if (runId === undefined) return

      const following = yield* Effect.forkChild(Stream.runDrain(on.store.changes(runId)))
      yield* work
      yield* become(2)
      yield* Fiber.interrupt(following)
      yield* on.nextOwner
      yield* become(3)
      yield* work
      assert.strictEqual(yield* connections, 3)
    }))
})

describe("the retention of the guide", () => {
  for (const isPartitioned of [false, true]) {
    it.live(
      `deletes the runs that ended before its time, with all their rows, and nothing else${
        isPartitioned ? ", of partitioned tables" : ""
      }`,
      () =>
        Effect.gen(function*() {
          const names = yield* setUp({ isPartitioned })
          const { retention, schema, worker } = names
          const inJune = yield* logOn("2025-06-01", names)
          const sinceThen = yield* logOn("2026-02-01", names)
          const end = ({ store }: Pick<Store, "store">, runId: RunId) =>
            store.append(runId, {
              expected: 1,
              epoch: 1,
              events: [step, completed],
              next: { wakeAt: null, summary: summaryOf(runId, "Completed") }
            })
          const old = yield* Effect.forEach(upTo(12), () => startAs(inJune, "Pending"))
          yield* Effect.forEach(old, (runId) => end(inJune, runId))
          const waiting = yield* startAs(inJune, "AwaitingApproval")
          const endedSince = yield* startAs(inJune, "Sleeping")
          // Its summary says what its log does not.
          const unfinished = yield* startAs(inJune, "Completed")
          yield* end(sinceThen, endedSince)

          const sql = yield* byHandAs(urlOf(retention))
          const [retain = []] = statementsOf("Retention", names)
          const deleted = Effect.map(runAll(sql, retain), (results) =>
            results.flat().map(({ deleted }) => Number(deleted)))
          const before = yield* rowsOf(sql, schema)

          // What somebody else works with is left for the next time.
          const other = yield* byHand
          const [held] = old
          yield* other.withTransaction(Effect.gen(function*() {
            yield* other`select from ${other(schema)}.runs where run_id = ${held ?? ""}::uuid for update`
            assert.deepStrictEqual(yield* deleted, [11])
          }))
          assert.deepStrictEqual(yield* deleted, [1])
          assert.deepStrictEqual(yield* deleted, [0])

          const isGone = (runId: string) =>
            old.some((one) => one === runId)
          assert.deepStrictEqual(
            yield* rowsOf(sql, schema),
            before.map(([table, runIds]) => [table, runIds.filter((runId) => !isGone(runId))] as const)
          )
          const on = yield* storeOn(schema, { url: urlOf(worker), migrate: false, listen: false })
          assert.deepStrictEqual(
            yield* Effect.forEach([waiting, endedSince, unfinished], (runId) => lengthOf(on, runId)),
            [1, 3, 1]
          )
          // The id is free again: the same start key makes it once more.
          if (held !== undefined) yield* on.store.append(held, { expected: 0, events: [started] })

          const refused = yield* Effect.flip(sql.unsafe(`delete from ${schema}.events`))
          assert.include(String(refused.reason.cause), "never changed")
        })
    )
  }
})

describe("the queries of the guide", () => {
  it.live("show a reader what waits, who works, and how the tables are", () =>
    Effect.gen(function*() {
      const names = yield* setUp({ isPartitioned: true })
      const { reader, schema, worker } = names
      const on = yield* storeOn(schema, { url: urlOf(worker), migrate: false, listen: false })
      yield* Effect.forEach(upTo(5), () => start(on))
      yield* startAs(on, "AwaitingApproval")
      yield* claim(on, "alive", 2)
      yield* on.queue.claim({ owner: "dead", leaseMillis: 0, namespace: "default", programs: ["mail"], limit: 1 })
      yield* Effect.scoped(Effect.flatMap(byHand, (sql) => sql.unsafe(`grant pg_monitor to ${reader}`)))
      const sql = yield* byHandAs(urlOf(reader))
      const queries = statementsOf("What to watch", names).flat()
      assert.lengthOf(queries, 7)
      const [due = [], leases = [], open = [], tables = [], connections = [], oldest, commits = []] = yield* runAll(
        sql,
        queries
      )
      assert.deepStrictEqual(
        due.map(({ namespace, program, waiting }) => [namespace, program, waiting]),
        [["default", "mail", 2]]
      )
      assert.isAtLeast(Number(due[0]?.["oldest_seconds"]), 0)
      assert.deepStrictEqual(leases.map(({ alive, runs, worker }) => [worker, runs, alive]), [
        ["alive", 2, true],
        ["dead", 1, false]
      ])
      assert.deepStrictEqual(open.map(({ runs, status }) => [status, runs]), [["AwaitingApproval", 1]])
      assert.isTrue(tables.some(({ bytes, table }) => table === "events_0" && Number(bytes) > 0))
      assert.isTrue(connections.some(({ application_name }) => application_name === "durable-agents"))
      assert.isDefined(oldest)
      assert.isAbove(Number(commits[0]?.["commits"]), 0)
    }))
})
