import { Agent, ScriptedModel, ToolCall } from "@durable-agents/agent"
import type { Journal, Programs, Runs } from "@durable-agents/core"
import { Approval, CurrentStep, Program, Step, Timer } from "@durable-agents/core"
import { Duration, Effect, Layer, Schedule, Schema } from "effect"
import { AiError, Tool, Toolkit } from "effect/ai"
import { killSelf } from "./KillingStore.ts"
import type { Ledger } from "./Ledger.ts"

/** What a child process is to do, and when it is to die. */
export interface Orders {
  readonly file: string
  readonly ledger: string
  readonly scenario: string
  /** Executes this run; without it, works as a daemon until it is told to stop. */
  readonly runId?: string
  /** Dies when it writes this event. */
  readonly atSeq?: number
  readonly when?: "before" | "after"
  /** Dies after the effect of this name and before its record. */
  readonly inGapOf?: string
  readonly concurrency?: number
}

export interface Scenario {
  readonly start: (runs: Runs["Service"]) => ReturnType<Runs["Service"]["start"]>
  /** What a process needs to execute it. */
  readonly layer: (ledger: Ledger, orders: Orders) => Layer.Layer<never, never, Programs>
  /** The effects of an undisturbed run. */
  readonly effects: ReadonlyArray<string>
}

const dieInGap = (orders: Orders, name: string) =>
  Effect.andThen(Effect.sync(() => orders.inGapOf === name ? killSelf() : undefined), Effect.yieldNow)

/** One effect in the world, of the operation around it. */
type Act = (name: string) => Effect.Effect<string, never, CurrentStep>

const scenario = (
  name: string,
  effects: ReadonlyArray<string>,
  body: (act: Act) => Effect.Effect<string, string, Journal>
): Scenario => {
  const program = Program.make(name, { input: Schema.String, output: Schema.String, error: Schema.String })
  return {
    effects,
    start: (runs) => runs.start(program, "go"),
    layer: (ledger, orders) =>
      program.toLayer(() =>
        body((name) =>
          Effect.tap(
            Effect.map(CurrentStep, ({ idempotencyKey }) => ledger.call(idempotencyKey, name)),
            dieInGap(orders, name)
          )
        )
      )
  }
}

const step = (key: string, effect: Effect.Effect<string, string, CurrentStep>, retry?: Schedule.Schedule<unknown>) =>
  effect.pipe(
    Step.run(key, { output: Schema.String, error: Schema.String, ...(retry === undefined ? {} : { retry }) }),
    Effect.catchTag("BudgetExceeded", Effect.die)
  )

/** Three steps in a row, one of which is refused twice before it goes through. */
const sequence = scenario("sequence", ["charge", "ship", "thank"], (act) =>
  Effect.gen(function*() {
    yield* step("charge", act("charge"))
    const ship = Effect.flatMap(
      CurrentStep,
      ({ attempt }) => attempt < 3 ? Effect.fail("the carrier is busy") : act("ship")
    )
    yield* step("ship", ship, Schedule.spaced("20 millis"))
    return yield* step("thank", act("thank"))
  }))

/** Three steps side by side, then one more. */
const parallel = scenario("parallel", ["east", "north", "sum", "west"], (act) =>
  Effect.andThen(
    Step.forEach(
      ["north", "east", "west"],
      { key: (name) => name, concurrency: "unbounded" },
      (name) => step("visit", act(name))
    ),
    step("sum", act("sum"))
  ))

/** A step, a person, a short sleep, a step. */
const approval = scenario("approval", ["prepare", "release"], (act) =>
  Effect.gen(function*() {
    yield* step("prepare", act("prepare"))
    const decision = yield* Approval.request("may-release", { subject: "Release it?" })
    yield* Timer.sleep("breath", "30 millis")
    return decision._tag + (yield* step("release", act("release")))
  }))

const Refund = Tool.make("refund", {
  parameters: Schema.Struct({ order: Schema.String, cents: Schema.Natural }),
  success: Schema.String,
  dependencies: [ToolCall],
  needsApproval: ({ cents }) => cents > 5000
}).annotate(Tool.Idempotent, true)

const Look = Tool.make("look", { parameters: Schema.Struct({ order: Schema.String }), success: Schema.String })
  .annotate(Tool.Readonly, true)

const Tools = Toolkit.make(Refund, Look)

const agent = (name: string, effects: ReadonlyArray<string>, script: ScriptedModel.Script): Scenario => {
  const Support = Agent.make(name, { instructions: "You handle refunds.", toolkit: Tools })
  return {
    effects,
    start: (runs) => runs.start(Support, "Refund them."),
    layer: (ledger, orders) =>
      Support.layer.pipe(Layer.provide([
        ScriptedModel.layer(script),
        Tools.toLayer(Tools.of({
          look: ({ order }) => Effect.succeed(`${order} arrived broken`),
          refund: Effect.fnUntraced(function*({ order }) {
            const { idempotencyKey } = yield* ToolCall
            const receipt = ledger.call(idempotencyKey, order)
            yield* dieInGap(orders, order)
            return receipt
          })
        }))
      ]))
  }
}

/** One call a turn: a refused model call, a look, a refund that a person allows, the answer. */
const oneByOne = agent("one-by-one", ["A-1"], [
  [
    ScriptedModel.failure(new AiError.RateLimitError({ retryAfter: Duration.millis(10) })),
    ScriptedModel.toolCall("look", { order: "A-1" })
  ],
  ScriptedModel.toolCall("refund", { order: "A-1", cents: 6400 }),
  "Refunded A-1."
])

/** Three refunds and a look in one turn. */
const together = agent("together", ["B-1", "B-2", "B-3"], [
  ScriptedModel.toolCalls([
    { name: "refund", params: { order: "B-1", cents: 100 } },
    { name: "look", params: { order: "B-2" } },
    { name: "refund", params: { order: "B-2", cents: 200 } },
    { name: "refund", params: { order: "B-3", cents: 300 } }
  ]),
  "Refunded all three."
])

export const scenarios: Readonly<Record<string, Scenario>> = {
  sequence,
  parallel,
  approval,
  "one-by-one": oneByOne,
  together
}
