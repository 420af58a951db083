import type { RunId } from "@durable-agents/core"
import { Postgres } from "@durable-agents/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted, Result, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import { byHand, emptied, sharedSchema, url } from "./fixtures/database.ts"
import { step } from "./fixtures/events.ts"
import { proxyTo } from "./fixtures/proxy.ts"
import { claim, eventsOf, lengthOf, start, type Store, storeOn, upTo } from "./fixtures/stores.ts"

const schema = sharedSchema()
const together = { concurrency: "unbounded" } as const
const signal = { _tag: "SignalReceived", name: "paid", payload: null } as const

/** A store behind a proxy, and one that is not disturbed. */
const disturbed = (options: Partial<Postgres.Options> = {}) =>
  Effect.gen(function*() {
    yield* emptied(schema)
    const proxy = yield* proxyTo(url)
    return {
      proxy,
      on: yield* storeOn(schema, { url: proxy.url, ...options }),
      calm: yield* storeOn(schema)
    }
  })

const tagsOf = (on: Store, runId: RunId) =>
  Effect.map(eventsOf(on, runId), (events) => events.map(({ event }) => event._tag))

describe("a connection that breaks while an append is being stored", () => {
  it.live("leaves it stored once, whoever wrote it, and nobody takes it for somebody else's (PG-3)", () =>
    Effect.gen(function*() {
      const { calm, on, proxy } = yield* disturbed({ listen: false })
      const runId = yield* start(on)
      yield* proxy.muteAnswerTo("charge")
      const worker = yield* Effect.forkChild(on.store.append(runId, { expected: 1, epoch: 4, events: [step, step] }))
      yield* proxy.answered
      yield* proxy.cut
      assert.strictEqual((yield* Fiber.join(worker)).seq, 3)
      assert.deepStrictEqual(yield* tagsOf(calm, runId), ["RunStarted", "StepCompleted", "StepCompleted"])
    }))

  it.live("leaves a group of them stored once, the conflicts among them told, and decisions apart that look alike (PG-3)", () =>
    Effect.gen(function*() {
      const { calm, on, proxy } = yield* disturbed({ listen: false })
      const runIds = yield* Effect.forEach(upTo(12), () => start(on), together)
      // Somebody else's decision of the same content: it must not be taken for the one whose answer is lost.
      yield* Effect.forEach(runIds.slice(0, 4), (runId) => calm.store.append(runId, { expected: 1, events: [signal] }))
      yield* proxy.muteAnswerTo("paid")
      const appends = yield* Effect.forkChild(Effect.forEach(
        runIds,
        (runId, i) =>
          Effect
            .result(on.store.append(runId, { expected: 1, ...(i % 2 === 0 ? {} : { epoch: 1 }), events: [signal] })),
        together
      ))
      yield* proxy.answered
      yield* proxy.cut
      const answers = yield* Fiber.join(appends)
      assert.deepStrictEqual(
        answers.map((answer) => Result.isSuccess(answer) ? answer.success.seq : answer.failure._tag),
        upTo(12).map((i) => i < 4 ? "SequenceConflict" : 2)
      )
      assert.deepStrictEqual(yield* Effect.forEach(runIds, (runId) => lengthOf(calm, runId)), upTo(12).map(() => 2))
    }))

  it.live("does not lose what a claim took: it is taken again, as a lease that was not given back (PG-3)", () =>
    Effect.gen(function*() {
      const { on, proxy } = yield* disturbed({ listen: false })
      const runIds = yield* Effect.forEach(upTo(5), () => start(on), together)
      yield* proxy.muteAnswerTo("left_behind")
      const claims = yield* Effect.forkChild(claim(on, "w1"))
      yield* proxy.answered
      yield* proxy.cut
      const claimed = yield* Fiber.join(claims)
      assert.sameMembers(claimed.map(({ runId }) => runId), [...runIds])
      assert.deepStrictEqual(claimed.map(({ epoch, expired }) => [epoch, expired]), upTo(5).map(() => [2, true]))
      assert.deepStrictEqual(yield* claim(on, "w1"), [])
    }))
})

describe("a database that does not answer", () => {
  it.live(
    "fails a read within its time-out, and works again as soon as it answers (PG-2)",
    () =>
      Effect.gen(function*() {
        const { on, proxy } = yield* disturbed({
          listen: false,
          statementTimeout: "100 millis",
          retryFor: "200 millis"
        })
        const runId = yield* start(on)
        yield* proxy.silence
        const refused = yield* Effect.flip(lengthOf(on, runId))
        assert.strictEqual(refused._tag, "StoreError")
        yield* proxy.resume
        assert.strictEqual(yield* lengthOf(on, runId), 1)
      }),
    60_000
  )

  it.live("is waited for as long as is asked, by appends that are then stored (PG-1)", () =>
    Effect.gen(function*() {
      const { on, proxy } = yield* disturbed()
      const runIds = yield* Effect.forEach(upTo(20), () => start(on), together)
      const sql = yield* byHand
      for (const round of upTo(5)) {
        const appends = yield* Effect.forkChild(Effect.forEach(runIds, (runId) =>
          on.store.append(runId, { expected: 1 + round, epoch: 1, events: [step] }), together))
        yield* proxy.cut
        yield* sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'durable-agents' and query like ${`%${schema}%`} and pid <> pg_backend_pid()`
        yield* Fiber.join(appends)
      }
      assert.deepStrictEqual(
        yield* Effect.forEach(runIds, (runId) =>
          lengthOf(on, runId)),
        upTo(20).map(() =>
          6
        )
      )
    }), 60_000)
})

describe("interruption at any moment", () => {
  it.live(
    "leaves no connection in a transaction, and none that is lost to the pool (PG-4)",
    () =>
      Effect.gen(function*() {
        const name = yield* emptied(schema)
        const on = yield* storeOn(name, { maxConnections: 2, applicationName: `${name}-pg4` })
        const runIds = yield* Effect.forEach(upTo(10), () => start(on), together)
        for (const round of upTo(60)) {
          const fiber = yield* Effect.forkChild(
            Effect.all([
              ...runIds.map((runId) => lengthOf(on, runId)),
              ...runIds.map((runId) =>
                Effect.result(on.store.append(runId, { expected: 1, epoch: 1, events: [step] }))
              ),
              claim(on, `w${round}`, 1),
              on.index.list()
            ], together),
            { startImmediately: true }
          )
          yield* Effect.sleep(round / 10)
          yield* Fiber.interrupt(fiber)
        }
        yield* Effect.forEach(runIds, (runId) => lengthOf(on, runId), together)
        const sql = yield* byHand
        const states = yield* sql`
        select state from pg_stat_activity where application_name = ${`${name}-pg4`} and state like 'idle in%'`
        assert.deepStrictEqual(states, [])
      }),
    60_000
  )
})
