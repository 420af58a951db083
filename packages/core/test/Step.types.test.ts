// What must not compile is not wanted to pass the diagnostics either.
// @effect-diagnostics missingEffectError:off
// @effect-diagnostics missingEffectContext:off
import { Step } from "@durable-agents/core"
import { describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

describe("Step.run", () => {
  it("does not compile when a failure has no codec", () => {
    const fails = Effect.fail("no") as Effect.Effect<string, string>
    // @ts-expect-error a failure that cannot be recorded
    void fails.pipe(Step.run("a", { output: Schema.String }))
    // @ts-expect-error the codec covers another failure
    void fails.pipe(Step.run("a", { output: Schema.String, error: Schema.Finite }))
    // @ts-expect-error an idempotency key is that of an operation
    const outside: Effect.Effect<string> = Step.idempotencyKey
    void outside
    void fails.pipe(Step.run("a", { output: Schema.String, error: Schema.String }))
    void Step.idempotencyKey.pipe(Step.run("a", { output: Schema.String }))
  })
})
