import { Agent, Guardrails, ScriptedModel, Verify } from "@durable-agents/agent"
import { Limits, Program, type Recorded, RunEvent, type RunId, Runs } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schedule, Schema, Stream } from "effect"
import { AiError } from "effect/ai"
import { approve, Clerk, deny, execute, Kit, processOf, start, world } from "./fixtures.ts"

const { failure, toolCall, toolCalls } = ScriptedModel

/** A conversation with everything that a prompt can be made of. */
const script: ScriptedModel.Script = [
  [
    failure(new AiError.InternalProviderError({ description: "down" })),
    toolCalls([
      { name: "read", params: { page: "1" } },
      { name: "pay", params: { order: "A", cents: 6000 } },
      { name: "nonsense", params: { a: 1 } },
      { name: "read", params: { page: 2 } },
      { name: "send", params: { to: "sam" } }
    ])
  ],
  toolCalls([
    { name: "pay", params: { order: "B", cents: 7000 } },
    { name: "pay", params: { order: "C", cents: 8000 } }
  ]),
  toolCall("read", { page: "3" }, { finishReason: "length" }),
  toolCall("read", { page: "4" }),
  "Done."
]

const tools = world({
  read: (page) => page === "4" ? Effect.fail({ missing: page }) : Effect.succeed({ text: "x".repeat(70_000) })
})

/** Tries a failed model call again at once. */
const Hasty = Agent.make("clerk", { instructions: "You are a clerk.", toolkit: Kit, retry: Schedule.forever })

const hasty = processOf(Hasty.layer, Layer.merge(ScriptedModel.layer(script), tools.layer))

const logOf = (runId: RunId) => Effect.flatMap(Runs, (runs) => Stream.runCollect(runs.events(runId)))

/** What differs, by the keys of model calls. */
const differing = (log: ReadonlyArray<Recorded>, options: Parameters<typeof Verify.prompts>[1] = {}) =>
  Verify.prompts(log, options).flatMap(({ key, rebuilt, recorded }) => rebuilt === recorded ? [] : [key])

/** The log is whole, and so is everything that it was at any time. */
const assertWhole = (log: ReadonlyArray<Recorded>, prompts: number) => {
  assert.strictEqual(Verify.prompts(log).length, prompts)
  for (let length = 0; length <= log.length; length++) assert.deepStrictEqual(differing(log.slice(0, length)), [])
}

/** Plays it to its end, in three executions. */
const whole = Effect.gen(function*() {
  const runId = yield* start(Hasty, "Do it.")
  yield* execute(runId)
  yield* approve(runId, "turn-1/call-2/approval", { order: "A", cents: 1 })
  yield* execute(runId)
  yield* deny(runId, "turn-2/call-1/approval", "not this time")
  yield* approve(runId, "turn-2/call-2/approval")
  assert.strictEqual((yield* execute(runId)).output, "Done.")
  return yield* logOf(runId)
})

describe("Verify.prompts", () => {
  it.live("builds every prompt of an agent anew, at any time of its log", () =>
    Effect.gen(function*() {
      const log = yield* whole
      assertWhole(log, 6)
      const [first, second] = Verify.prompts(log)
      assert.deepStrictEqual([first?.attempt, second?.attempt], [1, 2])
      assert.strictEqual(first?.rebuilt, second?.rebuilt)
    }).pipe(Effect.provide(hasty)))

  it.live("finds every change of what a prompt is made of", () =>
    Effect.gen(function*() {
      const log = yield* whole
      const last = Verify.prompts(log).at(-1)?.seq ?? 0
      let changed = 0
      for (const recorded of log.slice(0, last)) {
        const other = tampered(recorded.event)
        if (other === undefined) continue
        changed += 1
        const found = differing(log.map((each) => each === recorded ? { ...recorded, event: other } : each))
        assert.isAbove(found.length, 0, `${recorded.seq} ${recorded.event._tag}`)
      }
      assert.strictEqual(changed, 15)
    }).pipe(Effect.provide(hasty)))

  it.live("finds an outcome that is missing, or that comes after it was told", () =>
    Effect.gen(function*() {
      const log = yield* whole
      const asked = Verify.prompts(log).find(({ key }) => key === "turn-2/model")?.seq ?? 0
      for (const recorded of log.slice(0, asked)) {
        if (recorded.event._tag !== "ToolCallCompleted") continue
        const without = log.filter((each) => each !== recorded)
        const rest = ["turn-2/model", "turn-3/model", "turn-4/model", "turn-5/model"]
        assert.deepStrictEqual(differing(without), rest)
        assert.deepStrictEqual(differing([...without, { ...recorded, seq: log.length }]), rest)
      }
    }).pipe(Effect.provide(hasty)))

  it.live("needs the limit on results under which the run was executed", () => {
    const shownBytes = 1_000
    return Effect.gen(function*() {
      const log = yield* whole
      assert.isAbove(differing(log).length, 0)
      assert.deepStrictEqual(differing(log, { shownBytes }), [])
    }).pipe(
      Effect.provide(hasty),
      Effect.provideService(Limits, { ...Limits.defaultValue(), shownBytes })
    )
  })

  it.live("covers agents inside programs, each by what it was told", () => {
    const Desk = Program.make("desk", {
      input: Schema.String,
      output: Schema.Array(Schema.String),
      error: Schema.Unknown
    })
    const layer = Desk.toLayer((order) =>
      Effect.all([Clerk.run("first", `Refund ${order}.`), Clerk.run("second", "Write to sam.")], { concurrency: 2 })
    )
    const scripted = ScriptedModel.layer(({ path, turn }) =>
      turn === 1 ? toolCall(path === "first" ? "read" : "send", path === "first" ? { page: "1" } : { to: "sam" }) : path
    )
    return Effect.gen(function*() {
      const runId = yield* start(Desk, "A-1")
      assert.deepStrictEqual((yield* execute(runId)).output, ["first", "second"])
      const log = yield* logOf(runId)
      assertWhole(log, 4)
      const retold = log.map((recorded): Recorded =>
        recorded.event._tag === "StepCompleted" && recorded.event.key === "first/start"
          ? { ...recorded, event: { ...recorded.event, output: { ...Object(recorded.event.output), goal: "Other." } } }
          : recorded
      )
      assert.deepStrictEqual(differing(retold), ["first/turn-1/model", "first/turn-2/model"])
      const untold = log.filter(({ event }) => !("key" in event) || event.key !== "second/start")
      assert.deepStrictEqual(differing(untold), ["second/turn-1/model", "second/turn-2/model"])
    }).pipe(Effect.provide(processOf(layer, Layer.merge(scripted, world().layer))))
  })

  it.live("covers answers that were sent back, and results that were withheld", () => {
    const Judge = Agent.make("judge", {
      instructions: "You judge.",
      toolkit: Kit,
      output: Schema.Struct({ cause: Schema.String })
    })
    const guardrails = Guardrails.layer({
      guardrails: [{
        name: "own",
        result: ({ arguments: args }) =>
          Effect.succeed(JSON.stringify(args).includes("2")
            ? [{ rule: "odd", action: "BLOCK", message: "it looks odd" }]
            : [])
      }]
    })
    const scripted = ScriptedModel.layer([
      toolCalls([{ name: "read", params: { page: "1" } }, { name: "read", params: { page: "2" } }]),
      "It is the disk.",
      toolCall("final_answer", { reason: "disk" }),
      toolCall("final_answer", { cause: "disk" })
    ])
    return Effect.gen(function*() {
      const runId = yield* start(Judge, "What is it?")
      assert.deepStrictEqual((yield* execute(runId)).output, { cause: "disk" })
      const log = yield* logOf(runId)
      assertWhole(log, 4)
      const shown = log.filter(({ event }) => event._tag !== "GuardrailTriggered" || event.layer !== "L2_tool_result")
      assert.deepStrictEqual(differing(shown), ["turn-2/model", "turn-3/model", "turn-4/model"])
    }).pipe(Effect
      .provide(processOf(Judge.layer.pipe(Layer.provide(guardrails)), Layer.merge(scripted, world().layer))))
  })

  it("has nothing to say about logs without an agent, and never fails", () => {
    assert.deepStrictEqual(Verify.prompts([]), [])
    const runId = "0198c0de-7a3b-7c4d-8e5f-0123456789ab" as RunId
    const odd = ["turn-1/model", "a/turn-1/model", "turn-2/model", "model", "turn-x/model", "a/turn-1/models"]
    const log = odd.map((key, seq): Recorded => ({
      runId,
      seq,
      at: 0,
      event: RunEvent.RunEvent.cases.LLMCallRequested.make({
        key,
        attempt: 1,
        idempotencyKey: "",
        turn: 1,
        model: "m",
        promptDigest: "sha256:0",
        messageCount: 1,
        estimatedTokens: 1
      })
    }))
    assert.deepStrictEqual(differing(log), ["turn-1/model", "a/turn-1/model"])
  })
})

/** The same event with another value in it that a model is shown; undefined if there is none. */
const tampered = (event: RunEvent.RunEvent): RunEvent.RunEvent | undefined => {
  switch (event._tag) {
    case "RunStarted":
      return { ...event, systemPrompt: `${event.systemPrompt} Be quick.` }
    case "LLMCallCompleted":
      return { ...event, parts: [{ type: "text", text: "Wait." }, ...event.parts] }
    case "ToolCallCompleted":
      return { ...event, result: { text: "other" } }
    case "ToolCallFailed":
      return { ...event, error: "it was something else" }
    case "ApprovalGranted":
      return event.arguments === undefined
        ? { ...event, arguments: { order: "C", cents: 2 } }
        : { ...event, arguments: {} }
    case "ApprovalDenied":
      return { ...event, reason: "never" }
    default:
      return undefined
  }
}
