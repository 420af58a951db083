/**
 * The runs that processes die in: one program for each shape that a run can have.
 */
import { Agent, ScriptedModel, ToolCall, ToolPolicy } from "@durable-agents/agent"
import type { Journal, Programs, Runs } from "@durable-agents/core"
import { Approval, CurrentStep, Program, Signal, Step, Timer } from "@durable-agents/core"
import { Duration, Effect, Layer, Schedule, Schema } from "effect"
import { AiError, Tool, Toolkit } from "effect/ai"
import type { Operation } from "./Ledger.ts"

/**
 * The world, as one process reaches it.
 *
 * @category models
 * @since 0.1.0
 */
export interface World {
  /** Makes an effect. */
  readonly act: (operation: Operation, name: string) => Effect.Effect<string>
  /** Changes nothing. */
  readonly ask: (operation: Operation, name: string) => Effect.Effect<void>
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Canonical {
  readonly name: string
  /** Starts a run; the same key gives the same run. */
  readonly start: (runs: Runs["Service"], startKey: string) => ReturnType<Runs["Service"]["start"]>
  /** What a process needs to execute it. */
  readonly layer: (world: World) => Layer.Layer<never, never, Programs>
  /** Whether somebody is asked for an approval. */
  readonly asks: boolean
  /** Whether its events have one order, as long as nobody outside decides. */
  readonly order: "one" | "any"
}

type Shape = Partial<Pick<Canonical, "asks" | "order">>

/** One effect in the world, by the operation around it. */
type Act = (name: string) => Effect.Effect<string, never, CurrentStep>

const canonical = (
  name: string,
  body: (act: Act) => Effect.Effect<string, string, Journal>,
  { asks = false, order = "one" }: Shape = {}
): Canonical => {
  const program = Program.make(name, { input: Schema.String, output: Schema.String, error: Schema.String })
  return {
    name,
    asks,
    order,
    start: (runs, startKey) => runs.start(program, "go", { startKey }),
    layer: (world) =>
      program.toLayer(() => body((name) => Effect.flatMap(CurrentStep, (step) => world.act(step, name))))
  }
}

const step = (key: string, effect: Effect.Effect<string, string, CurrentStep>, retry?: Schedule.Schedule<unknown>) =>
  effect.pipe(
    Step.run(key, { output: Schema.String, error: Schema.String, ...(retry === undefined ? {} : { retry }) }),
    Effect.catchTag("BudgetExceeded", Effect.die)
  )

/** Ten steps, one after the other. */
const steps = canonical("steps", (act) =>
  Effect.map(
    Effect.forEach(Array.from({ length: 10 }, (_, index) => `parcel-${index}`), (name) => step(name, act(name))),
    (receipts) => receipts.join(", ")
  ))

/** A step that is refused twice before it goes through. */
const retries = canonical("retries", (act) =>
  Effect.gen(function*() {
    const ship = Effect.flatMap(
      CurrentStep,
      ({ attempt }) => attempt < 3 ? Effect.fail("the carrier is busy") : act("ship")
    )
    yield* step("ship", ship, Schedule.spaced("20 millis"))
    return yield* step("thank", act("thank"))
  }))

/** Steps side by side, then one more. */
const parallel = canonical("parallel", (act) =>
  Effect.andThen(
    Step.forEach(
      ["north", "east", "west"],
      { key: (name) => name, concurrency: "unbounded" },
      (name) => step("visit", act(name))
    ),
    step("sum", act("sum"))
  ), { order: "any" })

/** A step, a person, and what was decided. */
const approval = canonical("approval", (act) =>
  Effect.gen(function*() {
    yield* step("prepare", act("prepare"))
    const decision = yield* Approval.request("may-release", { subject: "Release it?" })
    return decision._tag === "Denied" ? decision._tag : yield* step("release", act("release"))
  }), { asks: true })

/** A timer, then a signal, each with a step behind it. */
const waits = canonical("waits", (act) =>
  Effect.gen(function*() {
    yield* Timer.sleep("breath", "60 millis")
    yield* step("remind", act("remind"))
    const paid = yield* Signal.receive("paid")
    return `${yield* step("book", act("book"))}, paid ${JSON.stringify(paid)}`
  }))

/** Chance may let one call's worker die any number of times, so no death counts as the last attempt. */
const untiring = ToolPolicy.attempts(Infinity)

const Refund = untiring(Tool.make("refund", {
  parameters: Schema.Struct({ order: Schema.String, cents: Schema.Natural }),
  success: Schema.String,
  dependencies: [ToolCall],
  needsApproval: ({ cents }) => cents > 5000
}).annotate(Tool.Idempotent, true))

const Look = untiring(Tool.make("look", {
  parameters: Schema.Struct({ order: Schema.String }),
  success: Schema.String,
  dependencies: [ToolCall]
}).annotate(Tool.Readonly, true))

const Tools = Toolkit.make(Refund, Look)

/** What the model says in a turn, at each attempt; it is shown the names of what it was told before. */
type Turn = (told: ReadonlyArray<string>) => ReadonlyArray<ScriptedModel.Reply>

const agent = (name: string, script: ReadonlyArray<Turn>, { asks = false, order = "one" }: Shape = {}): Canonical => {
  const Support = Agent.make(name, {
    instructions: "You handle refunds.",
    toolkit: Tools,
    retry: Schedule.spaced("20 millis")
  })
  const model = (world: World) =>
    ScriptedModel.layer(({ attempt, prompt, runId, turn }) => {
      const replies = script[turn - 1]?.(results(prompt)) ?? []
      const key = `turn-${turn}/model`
      return Effect.andThen(
        world.ask({ runId, key, attempt, idempotencyKey: `${runId}/${key}` }, key),
        replies[Math.min(attempt, replies.length) - 1] ?? ScriptedModel.text("")
      )
    })
  return {
    name,
    asks,
    order,
    start: (runs, startKey) => runs.start(Support, "Refund them.", { startKey }),
    layer: (world) =>
      Support.layer.pipe(Layer.provide([
        model(world),
        Tools.toLayer(Tools.of({
          look: ({ order }) =>
            Effect.as(Effect.flatMap(ToolCall, (call) => world.ask(call, `look ${order}`)), `${order} is broken`),
          refund: ({ order }) => Effect.flatMap(ToolCall, (call) => world.act(call, order))
        }))
      ]))
  }
}

/** The results of calls that the model is shown, oldest first. */
const results = (prompt: ScriptedModel.Request["prompt"]): ReadonlyArray<string> =>
  prompt.content.flatMap((message) =>
    message.role === "tool"
      ? message.content.flatMap((part) => part.type === "tool-result" ? [JSON.stringify(part.result)] : [])
      : []
  )

const answer: Turn = (told) => [ScriptedModel.text(`Done: ${told.join(", ")}`)]

/** One call a turn: a refused model call, a look, a refund that a person decides about, the answer. */
const oneByOne = agent("one-by-one", [
  () => [
    ScriptedModel.failure(new AiError.RateLimitError({ retryAfter: Duration.millis(10) })),
    ScriptedModel.toolCall("look", { order: "A-1" })
  ],
  () => [ScriptedModel.toolCall("refund", { order: "A-1", cents: 6400 })],
  answer
], { asks: true })

/** Several calls in one turn. */
const together = agent("together", [
  () => [
    ScriptedModel.toolCalls([
      { name: "refund", params: { order: "B-1", cents: 100 } },
      { name: "look", params: { order: "B-2" } },
      { name: "refund", params: { order: "B-2", cents: 200 } },
      { name: "refund", params: { order: "B-3", cents: 300 } }
    ])
  ],
  answer
], { order: "any" })

/**
 * A turn in which some calls are done and some under way while a person is asked about another one.
 *
 * @category values
 * @since 0.1.0
 */
export const mixed = agent("mixed", [
  () => [
    ScriptedModel.toolCalls([
      { name: "refund", params: { order: "C-1", cents: 100 } },
      { name: "refund", params: { order: "C-2", cents: 6400 } },
      { name: "look", params: { order: "C-3" } },
      { name: "refund", params: { order: "C-3", cents: 300 } }
    ])
  ],
  answer
], { asks: true, order: "any" })

/**
 * All of them.
 *
 * @category values
 * @since 0.1.0
 */
export const all: ReadonlyArray<Canonical> = [steps, retries, parallel, approval, waits, oneByOne, together, mixed]
