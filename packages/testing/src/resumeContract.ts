/**
 * The promise that a program ends the same wherever it is killed, as a suite of tests over a store.
 */
import type { EventStore, RunIndex, RunQueue, StoreError } from "@durable-agents/core"
import { Approval, CurrentStep, Program, Signal, Step, Timer } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import type { Layer, Scope } from "effect"
import { Effect, Schema } from "effect"
import { everyPrefix } from "./everyPrefix.ts"
import * as People from "./People.ts"
import * as Signals from "./Signals.ts"
import { twoWorkers } from "./twoWorkers.ts"

const Order = Program.make("order", { input: Schema.String, output: Schema.String })

/** Steps at once, an approval, a signal and a week. */
const scenario = {
  program: Order,
  input: "A-8891",
  world: () => new Map<string, string>(),
  layer: (ledger: Map<string, string>) => {
    const step = (key: string) =>
      Effect.flatMap(CurrentStep, ({ idempotencyKey }) =>
        Effect.sync(() => {
          ledger.set(idempotencyKey, key)
          return key
        })).pipe(Step.run(key, { output: Schema.String }), Effect.orDie)
    return Order.toLayer(() =>
      Effect.gen(function*() {
        const both = yield* Effect.all([step("reserve"), step("weigh")], { concurrency: "unbounded" })
        const decision = yield* Approval.request("ship", { subject: "Ship it?" })
        const paid = yield* Signal.receive("paid")
        yield* Timer.sleep("a-week", "7 days")
        return [...both, decision._tag, paid, yield* step("ship-it")].join()
      })
    )
  },
  effects: (ledger: Map<string, string>) => Array.from(ledger.values()).sort(),
  outside: [People.after("1 hour", People.approve), Signals.send("paid", 6400)]
}

/**
 * Registers a program that is killed at every instant, as a suite of vitest.
 *
 * **Details**
 *
 * `stores` gives empty stores that go by the clock of the context; every process of a trial opens them anew. With `races`, two
 * workers also run the program against each other, at least that many times. `timeoutMillis` is the limit of one test, 120 seconds by default.
 *
 * @category contracts
 * @since 0.1.0
 */
export const resumeContract = (
  name: string,
  stores: Effect.Effect<Layer.Layer<EventStore | RunQueue | RunIndex, StoreError>, never, Scope.Scope>,
  options: { readonly races?: number; readonly timeoutMillis?: number } = {}
): void => {
  const { races = 0, timeoutMillis = 120_000 } = options
  describe(`a program on ${name}`, () => {
    it.effect(
      "ends the same when it is killed at any instant, with one effect for each key",
      () =>
        Effect.gen(function*() {
          assert.isAtLeast(yield* everyPrefix({ ...scenario, stores }), 16)
        }),
      timeoutMillis
    )

    if (races > 0) {
      it.effect("ends the same by two workers", () =>
        Effect.gen(function*() {
          assert.isAtLeast(yield* twoWorkers({ ...scenario, stores, stride: 3, races }), races)
        }), timeoutMillis)
    }
  })
}
