import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { emptied, sharedSchema } from "./fixtures/database.ts"
import { step } from "./fixtures/events.ts"
import { claim, eventsOf, start, storeOn, upTo } from "./fixtures/stores.ts"

const schema = sharedSchema()
const store = Effect.flatMap(emptied(schema), (name) => storeOn(name))
const signal = { _tag: "SignalReceived", name: "paid", payload: null } as const

describe("a claim", () => {
  it.live("brings a short log, and no long or large one", () =>
    Effect.gen(function*() {
      const on = yield* store
      const lengths = yield* Effect.forEach([
        [step],
        upTo(31).map(() => ({ ...step, output: null })),
        upTo(32).map(() => ({ ...step, output: null })),
        [{ ...step, output: Array.from({ length: 4_000 }, () => Math.random()).join() }]
      ], (events) =>
        Effect.gen(function*() {
          const runId = yield* start(on)
          yield* on.store.append(runId, { expected: 1, epoch: 1, events })
          const [claimed] = yield* claim(on, "worker")
          return claimed?.log?.length
        }))
      assert.deepStrictEqual(lengths, [2, 32, undefined, undefined])
    }))

  it.live("brings every decision that its run is not due for again", () =>
    Effect.gen(function*() {
      const on = yield* store
      const runIds = yield* Effect.forEach(upTo(60), () => start(on))
      const decide = (runId: typeof runIds[number]) => on.store.append(runId, { expected: 1, events: [signal] })
      const [, claims] = yield* Effect.all([
        Effect.forEach(runIds, decide, { concurrency: 8 }),
        Effect.map(Effect.forEach(upTo(20), () => claim(on, "worker", 3)), (claims) => claims.flat())
      ], { concurrency: 2 })
      assert.lengthOf(claims, 60)
      yield* Effect.forEach(claims, ({ epoch, log = [], runId, seq }) =>
        on.queue.release({ owner: "worker", runId, epoch, seq: log.length || seq, wakeAt: null }), { concurrency: 8 })
      const again = new Set((yield* claim(on, "worker")).map(({ runId }) =>
        runId
      ))
      for (const { log, runId, seq } of claims) {
        const known = log?.length ?? seq
        assert.strictEqual(again.has(runId), known < (yield* eventsOf(on, runId)).length, runId)
      }
    }))
})
