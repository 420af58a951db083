import { Approval, CurrentStep, Program, Signal, Step, Timer } from "@durable-agents/core"
import { Postgres } from "@durable-agents/postgres"
import { everyPrefix, People, Signals } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { emptied, sharedSchema, url } from "./fixtures/database.ts"

const schema = sharedSchema()

/** Empty tables for each trial; every process connects anew. */
const stores = Effect.as(emptied(schema), Postgres.layer({ url, schema, maxConnections: 2, clock: "context" }))

const Order = Program.make("order", { input: Schema.String, output: Schema.String })

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

describe("a program on PostgreSQL, killed at every instant", () => {
  it.effect("ends the same, with one effect for each key", () =>
    Effect.gen(function*() {
      const trials = yield* everyPrefix({ ...scenario, stores })
      assert.isAtLeast(trials, 16)
    }), 120_000)
})
