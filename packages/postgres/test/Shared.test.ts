import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { shared } from "../src/Shared.ts"

/** An effect that counts how often it begins, and waits to be let go. */
const counted = Effect.sync(() => {
  const gate = Deferred.makeUnsafe<void>()
  let begun = 0
  const effect = Effect.suspend(() => {
    begun += 1
    return Effect.as(Deferred.await(gate), begun)
  })
  return { asked: shared(effect), begun: () => begun, open: Deferred.succeed(gate, undefined) }
})

describe("shared", () => {
  it.effect("begins once for all who ask at the same moment", () =>
    Effect.gen(function*() {
      const { asked, begun, open } = yield* counted
      yield* open
      const answers = yield* Effect.replicateEffect(asked, 20, { concurrency: "unbounded" })
      assert.deepStrictEqual(answers, Array.from({ length: 20 }, () => 1))
      assert.strictEqual(begun(), 1)
    }))

  it.effect("begins again for who asks after it has begun, also if it has not ended", () =>
    Effect.gen(function*() {
      const { asked, begun, open } = yield* counted
      const first = yield* Effect.forkChild(asked)
      yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => begun() === 1 }))
      const second = yield* Effect.forkChild(asked)
      yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => begun() === 2 }))
      yield* open
      assert.deepStrictEqual([yield* Fiber.join(first), yield* Fiber.join(second)], [1, 2])
    }))

  it.effect("goes on for the others although the one who asked first is interrupted", () =>
    Effect.gen(function*() {
      const { asked, begun, open } = yield* counted
      const [first, second] = [yield* Effect.forkChild(asked), yield* Effect.forkChild(asked)]
      yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => begun() === 1 }))
      yield* Fiber.interrupt(first)
      yield* open
      assert.strictEqual(yield* Fiber.join(second), 1)
    }))

  it.effect("fails for all, and is asked anew afterwards", () =>
    Effect.gen(function*() {
      let times = 0
      const asked = shared(Effect.suspend(() => {
        times += 1
        return Effect.fail(times)
      }))
      const both = yield* Effect.all([Effect.exit(asked), Effect.exit(asked)], { concurrency: "unbounded" })
      assert.deepStrictEqual(both, [Exit.fail(1), Exit.fail(1)])
      assert.deepStrictEqual(yield* Effect.exit(asked), Exit.fail(2))
    }))
})
