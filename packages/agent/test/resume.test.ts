import { Agent, ScriptedModel, ToolCall, ToolPolicy } from "@durable-agents/agent"
import { Program, Step } from "@durable-agents/core"
import { everyPrefix, People, twoWorkers } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, pipe, Schedule, Schema } from "effect"
import { AiError, Tool, Toolkit } from "effect/ai"

/** A backend that honours idempotency keys, and that can be told to refuse. */
class Backend {
  readonly byKey = new Map<string, string>()
  readonly effects: Array<string> = []
  readonly calls: Array<string> = []

  act(key: string, what: string): string {
    this.calls.push(what)
    const known = this.byKey.get(key)
    if (known !== undefined) return known
    this.byKey.set(key, what)
    this.effects.push(what)
    return what
  }
}

class Busy extends Schema.TaggedError<Busy>()("Busy", { name: Schema.String }) {}

const Parameters = Schema.Struct({ name: Schema.String })

const Look = Tool.make("look", { parameters: Parameters, success: Schema.String }).annotate(Tool.Readonly, true)

const Pay = Tool.make("pay", {
  parameters: Schema.Struct({ name: Schema.String, cents: Schema.Natural }),
  success: Schema.Struct({ paid: Schema.String }),
  dependencies: [ToolCall],
  needsApproval: ({ cents }) => cents > 5000
}).annotate(Tool.Idempotent, true)

const Call = pipe(
  Tool.make("call", { parameters: Parameters, success: Schema.String, failure: Busy, dependencies: [ToolCall] })
    .annotate(
      Tool.Idempotent,
      true
    ),
  ToolPolicy.retry(Schedule.spaced("1 minute").pipe(Schedule.upTo({ times: 3 })))
)

const Tools = Toolkit.make(Look, Pay, Call)

const toolsOf = (backend: Backend) => {
  let refusals = 0
  return Tools.toLayer(Tools.of({
    look: ({ name }) => Effect.succeed(`${name} is fine`),
    pay: Effect.fnUntraced(function*({ name }) {
      const { idempotencyKey } = yield* ToolCall
      return { paid: backend.act(idempotencyKey, `pay ${name}`) }
    }),
    call: Effect.fnUntraced(function*({ name }) {
      const { idempotencyKey, attempt } = yield* ToolCall
      if (attempt === 1 && refusals++ === 0) return yield* new Busy({ name })
      return backend.act(idempotencyKey, `call ${name}`)
    })
  }))
}

const Worker = Agent.make("worker", { instructions: "Work.", toolkit: Tools })

const agentOf = (script: ScriptedModel.Script) => (backend: Backend) =>
  Worker.layer.pipe(Layer.provide([ScriptedModel.layer(script), toolsOf(backend)]))

const decide = People.decide(
  ({ arguments: args }) => JSON.stringify(args).includes("mallory") ? People.deny("not them") : undefined,
  People.approve
)

const scenario = (script: ScriptedModel.Script) => ({
  program: Worker,
  input: "Do it.",
  world: () => new Backend(),
  layer: agentOf(script),
  effects: (backend: Backend) => [...backend.effects].sort(),
  outside: decide
})

const survives = (script: ScriptedModel.Script) => everyPrefix(scenario(script))

const rateLimit = ScriptedModel.failure(new AiError.RateLimitError({ retryAfter: Duration.seconds(30) }))

describe("an agent killed at every instant", () => {
  it.effect("ends the same with one call a turn, a refused model call, and an approval", () =>
    Effect.gen(function*() {
      const trials = yield* survives([
        [rateLimit, ScriptedModel.toolCall("look", { name: "ann" })],
        ScriptedModel.toolCall("pay", { name: "ann", cents: 9000 }),
        "Paid."
      ])
      assert.isAtLeast(trials, 16)
    }))

  it.effect("ends the same with many calls in a turn: reads together, effects in order, one gated, one denied (WR-9)", () =>
    survives([
      ScriptedModel.toolCalls([
        { name: "look", params: { name: "a" } },
        { name: "pay", params: { name: "b", cents: 100 } },
        { name: "pay", params: { name: "c", cents: 9000 } },
        { name: "look", params: { name: "d" } },
        { name: "pay", params: { name: "mallory", cents: 9000 } },
        { name: "pay", params: { name: "e", cents: 200 } }
      ]),
      "Done."
    ]))

  it.effect("ends the same when a tool is busy at first and is tried again later", () =>
    survives([ScriptedModel.toolCall("call", { name: "zoe" }), "Called."]))

  it.effect("ends the same with unknown tools, bad arguments and reused call ids", () =>
    survives([
      ScriptedModel.toolCalls([
        { name: "nothing", params: {}, id: "same" },
        { name: "pay", params: { name: 7 }, id: "same" },
        { name: "pay", params: { name: "b", cents: 100 }, id: "same" }
      ]),
      ScriptedModel.toolCall("pay", { name: "b", cents: 100 }, { id: "same" }),
      "Done."
    ]))

  it.effect("ends the same inside another program", () => {
    const Outer = Program.make("outer", { input: Schema.String, output: Schema.String, error: Schema.String })
    return everyPrefix({
      program: Outer,
      input: "go",
      world: () => new Backend(),
      layer: (backend) =>
        Outer.toLayer(() =>
          Effect.gen(function*() {
            const before = yield* Effect.succeed("before").pipe(Step.run("before", { output: Schema.String }))
            const notes = yield* Effect.all([Worker.run("one", "First."), Worker.run("two", "Second.")], {
              concurrency: "unbounded"
            }).pipe(Effect.catchTags({
              ModelFailed: Effect.die,
              NoAnswer: Effect.die,
              TranscriptTooLong: Effect.die,
              CompactionFailed: Effect.die,
              GuardrailBlocked: Effect.die
            }))
            return [before, ...notes].join()
          })
        ).pipe(Layer.provide([
          ScriptedModel.layer(({ path, turn }) =>
            turn === 1 ? ScriptedModel.toolCall("pay", { name: path, cents: 100 }) : `Paid for ${path}.`
          ),
          toolsOf(backend)
        ])),
      effects: (backend) => [...backend.effects].sort(),
      outside: decide
    })
  })
})

describe("an agent that two workers execute", () => {
  it.effect("calls model and tools as one would, and both are told the same end (WR-2)", () =>
    twoWorkers(scenario([
      [
        rateLimit,
        ScriptedModel.toolCalls([
          { name: "look", params: { name: "ann" } },
          { name: "pay", params: { name: "ann", cents: 9000 } },
          { name: "pay", params: { name: "mallory", cents: 9000 } }
        ])
      ],
      ScriptedModel.toolCall("call", { name: "zoe" }),
      "Paid."
    ])))
})
