import type { RunId } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, type Redacted, Result, Schedule, Scope } from "effect"
import { byHand, byHandAs, emptied, newDatabase, sharedSchema } from "./fixtures/database.ts"
import { step } from "./fixtures/events.ts"
import { claim, eventsOf, lengthOf, start, storeOn, upTo } from "./fixtures/stores.ts"

const schema = sharedSchema()
const store = Effect.flatMap(emptied(schema), (name) => storeOn(name))
const together = { concurrency: "unbounded" } as const
const signal = { _tag: "SignalReceived", name: "paid", payload: null } as const

/** In how many transactions the events of these runs were written, their starts apart. */
const transactions = (runIds: ReadonlyArray<RunId>) =>
  Effect.gen(function*() {
    const sql = yield* byHand
    const rows = yield* sql`
      select distinct xmin::text from ${sql(schema)}.events where seq > 0 and run_id::text in ${sql.in(runIds)}`
    return rows.length
  })

describe("appends that wait at the same moment", () => {
  it.live("share one commit, and each gets its own answer", () =>
    Effect.gen(function*() {
      const on = yield* store
      const runIds = yield* Effect.forEach(upTo(64), () => start(on), together)
      const answers = yield* Effect.forEach(
        runIds,
        (runId, i) => Effect.result(on.store.append(runId, { expected: i % 8, epoch: 1, events: [step, step] })),
        together
      )
      assert.deepStrictEqual(
        answers.map((answer) => Result.isSuccess(answer) ? answer.success.seq : answer.failure._tag),
        upTo(64).map((i) => i % 8 === 0 ? "SequenceConflict" : i % 8 === 1 ? 3 : "StoreError")
      )
      assert.strictEqual(yield* transactions(runIds), 1)
      const times = answers.flatMap((answer) => Result.isSuccess(answer) ? [answer.success.at] : [])
      assert.strictEqual(new Set(times).size, 1)
    }))

  it.live("are at most 256 and about a mebibyte, however many wait", () =>
    Effect.gen(function*() {
      const on = yield* store
      const many = yield* Effect.forEach(upTo(600), () => start(on), together)
      yield* Effect.forEach(
        many,
        (runId) => on.store.append(runId, { expected: 1, epoch: 1, events: [step] }),
        together
      )
      assert.strictEqual(yield* transactions(many), 3)
      const large = { ...step, output: "x".repeat(300_000) }
      const few = yield* Effect.forEach(upTo(8), () => start(on), together)
      yield* Effect.forEach(
        few,
        (runId) => on.store.append(runId, { expected: 1, epoch: 1, events: [large] }),
        together
      )
      assert.strictEqual(yield* transactions(few), 3)
    }))

  it.live("do not suffer when one of them cannot be stored (PG-5)", () =>
    Effect.gen(function*() {
      const on = yield* store
      const sql = yield* byHand
      yield* sql.unsafe(`create function ${schema}.refuse() returns trigger language plpgsql as
        $$ begin raise exception 'I do not want this'; end $$`)
      yield* sql.unsafe(`create trigger refuse before insert on ${schema}.events
        for each row when (new.payload::text like '%guilty%') execute function ${schema}.refuse()`)
      const runIds = yield* Effect.forEach(upTo(21), () => start(on), together)
      const answers = yield* Effect.forEach(runIds, (runId, i) =>
        Effect.result(on.store.append(runId, {
          expected: 1,
          epoch: 1,
          events: [step, { ...step, output: i % 10 === 7 ? "guilty" : "innocent" }]
        })), together)
      yield* sql.unsafe(`drop function ${schema}.refuse() cascade`)
      assert.deepStrictEqual(answers.flatMap((answer, i) => Result.isFailure(answer) ? [i] : []), [7, 17])
      const refused = answers[7]
      assert.isTrue(refused !== undefined && Result.isFailure(refused) && refused.failure._tag === "StoreError")
      assert.deepStrictEqual(
        yield* Effect.forEach(runIds, (runId) => lengthOf(on, runId)),
        upTo(21).map((i) => i % 10 === 7 ? 1 : 3)
      )
    }))

  it.live("are stored before the store closes, and later ones are refused (D55)", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const on = yield* Scope.provide(store, scope)
      const runIds = yield* Effect.forEach(upTo(20), () => start(on), together)
      const appends = yield* Effect.forEach(runIds, (runId) =>
        Effect.forkChild(on.store.append(runId, { expected: 1, events: [step] }), { startImmediately: true }))
      yield* Scope.close(scope, Exit.void)
      const ends = yield* Effect.forEach(appends, (fiber) =>
        Fiber.join(fiber))
      assert.deepStrictEqual(ends.map(({ seq }) => seq), upTo(20).map(() => 2))
      assert.strictEqual((yield* Effect.flip(start(on)))._tag, "StoreError")
      const again = yield* storeOn(schema)
      assert.deepStrictEqual(yield* Effect.forEach(runIds, (id) => lengthOf(again, id)), upTo(20).map(() => 2))
    }))
})

/** Four processes that claim, append, release, retire and decide, all at the same 60 runs. */
const commotion = Effect.fnUntraced(function*(url: Redacted.Redacted) {
  const stores = yield* Effect.forEach(
    upTo(4),
    () => storeOn(schema, { url, maxConnections: 6, applicationName: schema })
  )
  const [first] = stores
  if (first === undefined) return
  const runIds = yield* Effect.forEach(upTo(60), () => start(first), together)
  const signals = new Map(runIds.map((runId) => [runId, 0]))

  const decide = (i: number, runId: RunId) => {
    const on = stores[i % 4] ?? first
    return Effect.gen(function*() {
      yield* on.store.append(runId, { expected: yield* lengthOf(on, runId), events: [signal] })
      signals.set(runId, (signals.get(runId) ?? 0) + 1)
    }).pipe(Effect.retry({ while: ({ _tag }) => _tag === "SequenceConflict" }))
  }

  const work = (on: typeof first, owner: string) =>
    Effect.gen(function*() {
      for (const round of upTo(12)) {
        const claims = yield* claim(on, owner, 15)
        yield* on.queue.heartbeat({ owner, leaseMillis: 60_000 })
        yield* Effect.forEach(claims, ({ epoch, runId, seq }) =>
          Effect.gen(function*() {
            let expected = seq
            for (const _ of upTo(3)) {
              const stored = yield* Effect.result(on.store.append(runId, { expected, epoch, events: [step, step] }))
              expected = Result.isSuccess(stored) ? stored.success.seq : yield* lengthOf(on, runId)
            }
            if (round % 4 !== 3) yield* on.queue.release({ owner, runId, epoch, seq: expected, wakeAt: 0 })
          }), together)
        if (round % 4 === 3) yield* on.queue.retire(owner)
      }
    })

  yield* Effect.all([
    ...stores.map((on, i) => work(on, `owner-${i}`)),
    ...upTo(4).map((i) => Effect.forEach(runIds, (runId) => decide(i, runId), { concurrency: 10 }))
  ], together)

  for (const runId of runIds) {
    const events = yield* eventsOf(first, runId)
    assert.deepStrictEqual(events.map(({ seq }) => seq), upTo(events.length))
    assert.strictEqual(events.filter(({ event }) => event._tag === "SignalReceived").length, signals.get(runId))
  }
}, Effect.scoped)

describe("everything at once, by four processes", () => {
  it.live("deadlocks nowhere, loses nothing, and leaves every log without a gap", () =>
    Effect.gen(function*() {
      const { url } = yield* newDatabase
      const sql = yield* byHandAs(url)
      const deadlocks = sql`select deadlocks::text as count from pg_stat_database where datname = current_database()`
      const before = yield* deadlocks
      yield* commotion(url)
      // What a connection has counted is known when it has ended.
      yield* Effect.repeat(sql`select from pg_stat_activity where application_name = ${schema}`, {
        until: (rows) => rows.length === 0,
        schedule: Schedule.spaced("10 millis")
      })
      assert.deepStrictEqual(yield* deadlocks, before)
    }), 60_000)
})
