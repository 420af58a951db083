import { RunId } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as Leases from "../src/Leases.ts"

const runId = RunId.make("0198a3f2-0000-7000-8000-000000000001")
const first = { runId, epoch: 1 }
const second = { runId, epoch: 2 }

describe("what a process knows of its leases", () => {
  it("is not changed by a late word on an earlier lease of the same run", () => {
    const leases = Leases.make()
    leases.give("w1", [first])
    leases.give("w1", [second])
    leases.takeBack("w1", first)
    assert.deepStrictEqual(leases.of("w1"), [second])
    leases.takeBack("w1", second)
    assert.deepStrictEqual(leases.of("w1"), [])
  })

  it.effect("is compared with what the database has only if nobody asked for leases meanwhile", () =>
    Effect.gen(function*() {
      const leases = Leases.make()
      assert.deepStrictEqual(leases.compare("w1")([first]), [first])
      leases.give("w1", [first])
      assert.deepStrictEqual(leases.compare("w1")([first]), [])
      assert.deepStrictEqual(leases.compare("w1")([second]), [second])
      const answer = yield* Deferred.make<void>()
      const early = leases.compare("w1")
      const asking = yield* Effect.forkChild(leases.together("w1", Deferred.await(answer)), { startImmediately: true })
      const late = leases.compare("w1")
      assert.deepStrictEqual(early([second]), [])
      yield* Deferred.succeed(answer, undefined)
      yield* Fiber.join(asking)
      assert.deepStrictEqual([early([second]), late([second])], [[], []])
      assert.deepStrictEqual(leases.compare("w1")([second]), [second])
    }))

  it.effect("is given up only while nobody asks, and others ask side by side", () =>
    Effect.gen(function*() {
      const leases = Leases.make()
      const answers = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
      const asked = yield* Effect.forEach(
        answers,
        (answer) => Effect.forkChild(leases.together("w1", Deferred.await(answer)), { startImmediately: true })
      )
      let isAlone = false
      const alone = yield* Effect.forkChild(leases.alone("w1", Effect.sync(() => (isAlone = true))))
      yield* leases.alone("w2", Effect.void)
      yield* Deferred.succeed(answers[1], undefined)
      yield* Effect.yieldNow
      assert.isFalse(isAlone)
      yield* Deferred.succeed(answers[0], undefined)
      yield* Fiber.join(alone)
      yield* Effect.forEach(asked, Fiber.join)
      assert.isTrue(isAlone)
    }))
})
