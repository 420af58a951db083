/**
 * What `Quotas` promises.
 */
import { EventStore, NextRunId, Quotas } from "@durable-agents/core"
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { type Register, StoreControl } from "./StoreUnderTest.ts"

/** A quota that no other test has. */
const scene = Effect.gen(function*() {
  const quotas = yield* Quotas
  const control = yield* StoreControl
  const namespace = `contract-${yield* yield* NextRunId}`
  const about = (holder: string, quota = "mails") => ({ namespace, quota, holder })
  const reserve = (holder: string, amount = "1", most = "3", quota = "mails", windowMillis = 60_000) =>
    quotas.reserve({ ...about(holder, quota), amount, most, windowMillis })
  return { about, control, quotas, reserve }
})

/**
 * Registers the contract of quotas.
 *
 * @category contracts
 * @since 0.1.0
 */
export const quotaContract = ({ law, test }: Register): void => {
  test(
    "permits exactly as much as there is, in decimals, to many who ask at once",
    Effect.gen(function*() {
      const { reserve } = yield* scene
      const all = yield* Effect.forEach(
        Array.from({ length: 24 }, (_, index) => `holder-${index}`),
        (holder) => reserve(holder, "0.10", "0.70"),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(all.filter(({ granted }) => granted), 7)
      const refused = all.filter(({ granted }) => !granted)
      assert.isTrue(refused.every(({ open, used }) => used === "0.7" && open.length === 7))
    })
  )

  test(
    "counts what is asked for again once, by what was asked last, and nothing of what was refused",
    Effect.gen(function*() {
      const { reserve } = yield* scene
      assert.deepStrictEqual(yield* reserve("a", "2"), { granted: true, used: "2", open: [] })
      assert.deepStrictEqual(yield* reserve("a", "2"), { granted: true, used: "2", open: [] })
      assert.deepStrictEqual(yield* reserve("a", "3"), { granted: true, used: "3", open: [] })
      assert.deepStrictEqual(yield* reserve("a", "4"), { granted: false, used: "0", open: [] })
      assert.deepStrictEqual(yield* reserve("b"), { granted: false, used: "3", open: ["a"] })
      assert.deepStrictEqual(yield* reserve("a", "1"), { granted: true, used: "1", open: [] })
      assert.isTrue((yield* reserve("b", "2")).granted)
    })
  )

  test(
    "counts what is open however old it is, what has happened for as long as it says, and what was freed not at all",
    Effect.gen(function*() {
      const { about, control, quotas, reserve } = yield* scene
      yield* reserve("a")
      yield* reserve("b")
      yield* reserve("c")
      yield* control.advance(600_000)
      assert.deepStrictEqual(yield* reserve("d"), { granted: false, used: "3", open: ["a", "b", "c"] })
      yield* quotas.settle(about("a"))
      assert.isTrue((yield* reserve("d")).granted)
      yield* quotas.settle({ ...about("b"), at: 1 })
      assert.isTrue((yield* reserve("e")).granted)
      // Settled once, it stays so.
      yield* quotas.settle({ ...about("nobody"), at: 1 })
      assert.deepStrictEqual((yield* reserve("f")).open, ["c", "d", "e"])
    })
  )

  test(
    "lets what has happened run out, and knows quotas apart",
    Effect.gen(function*() {
      const { about, control, quotas, reserve } = yield* scene
      const { granted } = yield* reserve("a", "3")
      assert.isTrue(granted)
      assert.isTrue((yield* reserve("a", "3", "3", "others")).granted)
      const now = yield* Effect.flatMap(EventStore, ({ now }) => now)
      yield* quotas.settle({ ...about("a"), at: now })
      yield* quotas.settle(about("a"))
      yield* control.advance(30_000)
      assert.deepStrictEqual(yield* reserve("b"), { granted: false, used: "3", open: [] })
      yield* control.advance(31_000)
      assert.deepStrictEqual(yield* reserve("b"), { granted: true, used: "1", open: [] })
      assert.isFalse((yield* reserve("b", "1", "3", "others")).granted)
    })
  )

  law(
    "is never over its most, whatever is asked, freed and settled",
    {
      runs: 20,
      size: 12,
      values: Schema.Array(Schema.Struct({
        holder: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 })),
        cents: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 400 })),
        end: Schema.Literals(["nothing", "free", "settle"])
      }))
    },
    (steps) =>
      Effect.gen(function*() {
        const { about, quotas, reserve } = yield* scene
        const held = new Map<number, { cents: number; open: boolean }>()
        const now = yield* Effect.flatMap(EventStore, ({ now }) => now)
        for (const { cents, end, holder } of steps) {
          const others = Array.from(held).reduce((sum, [other, one]) => other === holder ? sum : sum + one.cents, 0)
          const { granted } = yield* reserve(String(holder), (cents / 100).toFixed(2), "5")
          assert.strictEqual(granted, others + cents <= 500)
          if (granted) held.set(holder, { cents, open: held.get(holder)?.open ?? true })
          if (end === "nothing") continue
          yield* quotas.settle({ ...about(String(holder)), ...(end === "settle" ? { at: now } : {}) })
          const own = held.get(holder)
          if (own?.open !== true) continue
          if (end === "free") held.delete(holder)
          else held.set(holder, { ...own, open: false })
        }
      })
  )
}
