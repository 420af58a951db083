import { Agent, ScriptedModel, ToolCall } from "@durable-agents/agent"
import { Runs, Runtime } from "@durable-agents/core"
import { Postgres } from "@durable-agents/postgres"
import { everyPrefix, People, runProgram, type Scenario } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { byHand, emptied, sharedSchema, url } from "./fixtures/database.ts"

const schema = sharedSchema()
const stores = Effect.as(emptied(schema), Postgres.layer({ url, schema, maxConnections: 2, clock: "context" }))

/** Keys that databases like to sort, numbers in forms that they like to change, and text that they like to escape. */
const odd = {
  zebra: 1,
  a: [0, -0.5, 1e21, 1e-7, 9007199254740991],
  "10": { "2": true, "1": null },
  "ключ": "\u2028 \"quoted\" \\ 👩‍👩‍👧"
}

const Look = Tool.make("look", {
  parameters: Schema.Struct({ query: Schema.Json }),
  success: Schema.Json
}).annotate(Tool.Readonly, true)

const Pay = Tool.make("pay", {
  parameters: Schema.Struct({ name: Schema.String, details: Schema.Json }),
  success: Schema.Json,
  dependencies: [ToolCall],
  needsApproval: true
}).annotate(Tool.Idempotent, true)

const Tools = Toolkit.make(Look, Pay)
const Clerk = Agent.make("clerk", { instructions: "You pay.", toolkit: Tools })

const script: ScriptedModel.Script = [
  ScriptedModel.toolCalls([
    { name: "look", params: { query: odd } },
    { name: "pay", params: { name: "ann", details: odd } },
    { name: "pay", params: { name: "ann", details: odd } },
    { name: "look", params: { query: [odd, 1.5] } }
  ]),
  ScriptedModel.toolCall("look", { query: "again" }),
  "Paid."
]

const handlers = (ledger: Map<string, string>) =>
  Tools.toLayer({
    look: ({ query }) => Effect.succeed({ found: query, odd }),
    pay: Effect.fnUntraced(function*({ details, name }) {
      const { idempotencyKey } = yield* ToolCall
      ledger.set(idempotencyKey, name)
      return { details, paid: name }
    })
  })

const scenario = {
  program: Clerk,
  input: "Pay ann.",
  world: () => new Map<string, string>(),
  layer: (ledger: Map<string, string>) =>
    Clerk.layer.pipe(Layer.provide([ScriptedModel.layer(script), handlers(ledger)])),
  effects: (ledger: Map<string, string>) => Array.from(ledger.values()),
  outside: People.after("1 hour", People.approve)
}

/** The digests of what the model was shown at each turn, and the keys and arguments under which tools were called. */
const shown = (where: Pick<Scenario<never, never, never, never>, "stores">) =>
  Effect.map(runProgram({ ...scenario, ...where }), ({ log, view }) => {
    assert.strictEqual(view.status, "Completed")
    return log.flatMap(({ event }) =>
      event._tag === "LLMCallRequested"
        ? [event.promptDigest]
        : event._tag === "ToolCallRequested"
        ? [JSON.stringify(event.arguments)]
        : event._tag === "ToolCallCompleted"
        ? [JSON.stringify(event.result)]
        : []
    )
  })

describe("an agent on PostgreSQL", () => {
  it.effect("is shown, and shows its tools, the same as on any other store, also after it rested", () =>
    Effect.gen(function*() {
      const expected = yield* shown({})
      assert.lengthOf(expected, 3 + 5 + 5)
      assert.deepStrictEqual(yield* shown({ stores }), expected)
    }))

  it.effect(
    "ends the same when it is killed at every instant: each call has its own key, and keeps it (EO-1, EV-3, EV-4, WR-9)",
    () =>
      Effect.gen(function*() {
        const trials = yield* everyPrefix({ ...scenario, stores })
        assert.isAtLeast(trials, 16)
      }),
    120_000
  )

  it.live(
    "holds no connection and no transaction while models think: one connection is enough for 20 of them (PG-6)",
    () =>
      Effect.gen(function*() {
        const name = yield* emptied(schema)
        const thinking = yield* Deferred.make<void>()
        const answer = yield* Deferred.make<void>()
        let asked = 0
        const model = ScriptedModel.layer(() =>
          Effect.suspend(() => ++asked === 20 ? Deferred.succeed(thinking, undefined) : Effect.void).pipe(
            Effect.andThen(Deferred.await(answer)),
            Effect.andThen(ScriptedModel.text("Paid."))
          )
        )
        const Process = Clerk.layer.pipe(
          Layer.provideMerge(Runtime.layer),
          Layer.provide([model, handlers(new Map())]),
          Layer.provideMerge(Postgres.layer({ url, schema, maxConnections: 1, applicationName: `${name}-models` }))
        )
        yield* Effect.gen(function*() {
          const runs = yield* Runs
          const runtime = yield* Runtime
          const runIds = yield* Effect.forEach(
            Array.from({ length: 20 }),
            () => runs.start(Clerk, "Pay ann."),
            { concurrency: "unbounded" }
          )
          const fiber = yield* Effect
            .forkChild(Effect.forEach(runIds, (runId) => runtime.execute(runId), { concurrency: "unbounded" }))
          yield* Deferred.await(thinking)
          const sql = yield* byHand
          const busy =
            sql`select pid from pg_stat_activity where application_name = ${`${name}-models`} and state <> 'idle'`
          yield* Effect.repeat(busy, { until: (rows) => rows.length === 0 })
          // The advisory lock is the sign of life of the process.
          const locks = yield* sql`
          select locktype, mode from pg_locks join pg_stat_activity using (pid)
          where application_name = ${`${name}-models`} and locktype <> 'advisory'`
          assert.deepStrictEqual(locks, [])
          const states = yield* Effect.forEach(runIds, (runId) => runs.state(runId))
          assert.deepStrictEqual(new Set(states.map(({ status }) => status)), new Set(["Running"]))
          yield* Deferred.succeed(answer, undefined)
          for (const { output } of yield* Fiber.join(fiber)) assert.strictEqual(output, "Paid.")
        }).pipe(Effect.provide(Process))
      }),
    60_000
  )
})
