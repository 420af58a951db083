import { Approval, CurrentStep, Program, Signal, Step, Timer } from "@durable-agents/core"
import { Sqlite } from "@durable-agents/sqlite"
import { everyPrefix, People, Signals, twoWorkers } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "durable-agents-"))),
  (created) => Effect.sync(() => rmSync(created, { recursive: true, force: true }))
)

/** An empty file for each trial; every process opens it anew. */
const stores = Effect.map(folder, (created) => Sqlite.layer({ file: join(created, "runs.db"), clock: "context" }))

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

describe("a program on SQLite", () => {
  it.effect("ends the same when it is killed at any instant, with one effect for each key", () =>
    Effect.gen(function*() {
      const trials = yield* everyPrefix({ ...scenario, stores })
      assert.isAtLeast(trials, 16)
    }))

  it.effect("ends the same by two workers", () =>
    Effect.gen(function*() {
      const races = yield* twoWorkers({ ...scenario, stores, stride: 3, races: 9 })
      assert.isAtLeast(races, 12)
    }))

  it.effect("is not taken for one that waits, if its store goes by another clock", () =>
    Effect.gen(function*() {
      const host = Effect.map(folder, (created) => Sqlite.layer({ file: join(created, "runs.db") }))
      const error = yield* Effect.flip(everyPrefix({ ...scenario, stores: host }))
      assert.include(error.message, "`clock: \"context\"` of Sqlite.layer")
    }))
})
