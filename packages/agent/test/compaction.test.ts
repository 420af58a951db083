import { Agent, AgentError, Guardrails, ModelPlan, RecordedModel, ScriptedModel, Verify } from "@durable-agents/agent"
import { Limits, MemoryStore, Program, type Recorded, type RunId, Runs } from "@durable-agents/core"
import { everyPrefix } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, ExecutionPlan, Layer, Schema, Stream } from "effect"
import { AiError, Prompt, Tool, Toolkit } from "effect/ai"
import * as Compaction from "../src/Compaction.ts"
import * as SummaryPrompt from "../src/SummaryPrompt.ts"
import * as Transcript from "../src/Transcript.ts"
import { execute, executeUntil, lines, only, processOf, requests, start } from "./fixtures.ts"

const Look = Tool.make("look", { parameters: Schema.Struct({ page: Schema.String }), success: Schema.String })
  .annotate(Tool.Readonly, true)
const Tools = Toolkit.make(Look)
const pages = Tools.toLayer({ look: ({ page }) => Effect.succeed(`page ${page} ${"x".repeat(3000)}`) })

const above = 5000
const bound = above * 4
const options = { instructions: "You read.", toolkit: Tools }
const Reader = Agent.make("reader", { ...options, compaction: { above, keepTurns: 2 } })
const Plain = Agent.make("reader", options)

const turns = 14
const script: ScriptedModel.Script = [
  ...Array.from({ length: turns }, (_, index) => ScriptedModel.toolCall("look", { page: `${index + 1}` })),
  "Read."
]

const around = (model: Parameters<typeof ScriptedModel.layer>[0] = script) =>
  Layer.merge(ScriptedModel.layer(model), pages)

const logOf = (runId: RunId) => Effect.flatMap(Runs, (runs) => Stream.runCollect(runs.events(runId)))

const play = (agent: typeof Reader = Reader) =>
  Effect.gen(function*() {
    const runId = yield* start(agent, "Read all pages.")
    const view = yield* execute(runId)
    const log = yield* logOf(runId)
    return { runId, view, log, events: log.map(({ event }) => event) }
  })

const assertWhole = (log: ReadonlyArray<Recorded>) => {
  for (let length = log.length; length > 0; length -= 5) {
    for (const { key, rebuilt, recorded } of Verify.prompts(log.slice(0, length))) {
      assert.strictEqual(rebuilt, recorded, key)
    }
  }
}

/** A model that is asked for summaries, and answers these; anything else is as scripted. */
const summarising = (summary: (turn: number) => ScriptedModel.Reply | string) => (request: ScriptedModel.Request) =>
  request.purpose === "compaction"
    ? summary(request.turn)
    : request.turn > turns
    ? "Read."
    : ScriptedModel.toolCall("look", { page: `${request.turn}` })

describe("an agent whose conversation gets long", () => {
  it.live("has older turns summarised, and goes on with prompts below the bound", () =>
    Effect.gen(function*() {
      const { events, log, view } = yield* play()
      assert.strictEqual(view.output, "Read.")
      const asked = only(events, "LLMCallRequested")
      const compactions = asked.filter(({ key }) => key.endsWith("/compaction"))
      assert.isAtLeast(compactions.length, 2)
      for (const { estimatedTokens, key } of asked) {
        if (key.endsWith("/model")) assert.isAtMost(estimatedTokens, above, key)
      }
      assert.isTrue(compactions.every(({ compaction }) => compaction !== undefined && compaction.replaces > 0))
      assert.strictEqual(only(events, "ToolCallCompleted").length, turns)
      assertWhole(log)

      const all = yield* requests
      const last = lines(all.at(-1)?.prompt)
      assert.deepStrictEqual(last.slice(0, 2), ["system: You read.", "user: Read all pages."])
      const turn = compactions.at(-1)?.turn
      assert.include(last[2], "it reports, and gives no instructions")
      assert.include(last[2], `(What was before turn ${turn}.)`)
      const calls = last.filter((line) => line.startsWith("call ")).map((line) => line.split(" ")[1])
      const results = last.filter((line) => line.startsWith("result ")).map((line) => line.split(" ")[1])
      assert.deepStrictEqual(calls, results)
      assert.strictEqual(last.find((line) => line.startsWith("call "))?.includes(`"${(turn ?? 0) - 2}"`), true)

      const summaries = all.filter(({ purpose }) => purpose === "compaction")
      assert.isTrue(summaries.every(({ tools }) => tools.length === 0))
      const second = lines(summaries[1]?.prompt).join("\n")
      assert.include(second, `(What was before turn ${compactions[0]?.turn}.)`)
      assert.include(second, "Read all pages.")
    }).pipe(Effect.provide(processOf(Reader.layer, around()))))

  it.live("is told nothing of a summary that is longer than its share", () =>
    Effect.gen(function*() {
      const { events, log } = yield* play()
      for (const { estimatedTokens, key } of only(events, "LLMCallRequested")) {
        if (key.endsWith("/model")) assert.isAtMost(estimatedTokens, above, key)
      }
      assertWhole(log)
    }).pipe(Effect.provide(processOf(Reader.layer, around(summarising(() => "\"\n\u0001".repeat(50_000)))))))

  it.live("costs a turn for each summary", () =>
    Effect.gen(function*() {
      const runId = yield* start(Reader, "Read all pages.", { budget: { turns: 6 } })
      const { failure, usage } = yield* execute(runId)
      assert.deepInclude(failure, { limit: "turns", used: "6" })
      assert.strictEqual(usage.turns, 6)
      assertWhole(yield* logOf(runId))
    }).pipe(Effect.provide(processOf(Reader.layer, around()))))

  it.live("ends, and says why, when there is no summary", () =>
    Effect.forEach(
      [
        [ScriptedModel.failure(new AiError.InvalidRequestError({ description: "no" })), "no"],
        [" ", "no summary (`stop`)"],
        [ScriptedModel.text("Hm.", { finishReason: "content-filter" }), "no summary (`content-filter`)"]
      ] as const,
      ([reply, why]) =>
        Effect.gen(function*() {
          const { log, view } = yield* play()
          assert.strictEqual(view.status, "Failed")
          assert.deepInclude(view.failure, { _tag: "CompactionFailed" })
          assert.include(view.reason, why)
          assertWhole(log)
        }).pipe(Effect.provide(processOf(Reader.layer, around(summarising(() => reply)))))
    ))

  it.live("ends when a summary cannot help, without asking for one", () => {
    const Wordy = Agent.make("reader", { ...options, instructions: "w".repeat(11_000), compaction: { above } })
    return Effect.gen(function*() {
      const { events, view } = yield* play(Wordy)
      assert.deepInclude(view.failure, { _tag: "TranscriptTooLong", allowed: bound })
      assert.include(view.reason, "the instructions and the goal alone")
      assert.isFalse(events.some((event) => event._tag === "LLMCallRequested" && event.compaction !== undefined))
    }).pipe(Effect.provide(processOf(Wordy.layer, around())))
  })

  it.live("goes by what is recorded, whatever its settings have become", () => {
    const memory = MemoryStore.memory()
    const end = (agent: typeof Reader) => processOf(agent.layer, around(summarising(() => "Later.")), memory)
    return Effect.gen(function*() {
      const asked = yield* Deferred.make<void>()
      const runId = yield* Effect.gen(function*() {
        const runId = yield* start(Reader, "Read all pages.")
        yield* executeUntil(runId, asked)
        return runId
      }).pipe(Effect.provide(processOf(
        Reader.layer,
        around((request) =>
          request.turn < 9
            ? summarising(() => "So far.")(request)
            : Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
        ),
        memory
      )))
      // Without the setting: what was summarised stays, and nothing more is.
      const view = yield* Effect.provide(execute(runId), end(Plain))
      assert.strictEqual(view.output, "Read.")
      const log = yield* Effect.provide(logOf(runId), end(Plain))
      assertWhole(log)
      const summaries = only(log.map(({ event }) => event), "LLMCallRequested").filter(({ compaction }) =>
        compaction !== undefined
      )
      assert.isAtLeast(summaries.length, 1)
      assert.isTrue(summaries.every(({ turn }) => turn <= 9))
      yield* Effect.provide(execute(runId), end(Reader))
      assert.strictEqual((yield* Effect.provide(logOf(runId), end(Reader))).length, log.length)
    })
  })

  it.live("is played again from its log, summaries included", () =>
    Effect.gen(function*() {
      const { log } = yield* play().pipe(Effect.provide(processOf(Reader.layer, around())))
      const recording = RecordedModel.fromEvents(log)
      const again = yield* play()
        .pipe(Effect.provide(processOf(Reader.layer, Layer.merge(RecordedModel.layer(recording), pages))))
      assert.strictEqual(again.view.output, "Read.")
      assert.deepStrictEqual(RecordedModel.fromEvents(again.log), recording)
    }))

  it.live("does so inside a program", () => {
    const Outer = Program.make("outer", { input: Schema.String, output: Schema.String, error: AgentError })
    const layer = Outer.toLayer((goal) => Reader.run("read", goal).pipe(Effect.catchTag("BudgetExceeded", Effect.die)))
    return Effect.gen(function*() {
      const runId = yield* start(Outer, "Read all pages.")
      assert.strictEqual((yield* execute(runId)).output, "Read.")
      const log = yield* logOf(runId)
      assert.isTrue(log.some(({ event }) => "key" in event && `${event.key}`.match(/^read\/turn-\d+\/compaction$/)))
      assertWhole(log)
    }).pipe(Effect.provide(processOf(layer, around())))
  })

  it.effect("ends the same killed at every instant", () => {
    const Short = Agent.make("reader", { ...options, compaction: { above: 2000, keepTurns: 1 } })
    const short: ScriptedModel.Script = [
      ScriptedModel.toolCall("look", { page: "1" }),
      ScriptedModel.toolCall("look", { page: "2" }),
      ScriptedModel.toolCall("look", { page: "3" }),
      "Read."
    ]
    return everyPrefix({
      program: Short,
      input: "Read all pages.",
      world: () => null,
      layer: () => Short.layer.pipe(Layer.provide(around(short))),
      effects: () => []
    })
  })

  it.live("is not summarised unless that is asked for", () =>
    Effect.gen(function*() {
      const { failure } = (yield* play(Plain)).view
      assert.deepInclude(failure, { _tag: "TranscriptTooLong", allowed: 30_000 })
    }).pipe(
      Effect.provide(processOf(Plain.layer, around())),
      Effect.provideService(Limits, { ...Limits.defaultValue(), transcriptLength: 30_000 })
    ))

  it("refuses settings that leave no room", () => {
    assert.throws(() => Agent.make("reader", { ...options, compaction: { above: 10 } }))
    assert.throws(() => Agent.make("reader", { ...options, compaction: { above, keepTurns: -1 } }))
  })
})

/** As providers refuse a prompt that is too long for their model. */
const tooLong = ScriptedModel.failure(new AiError.InvalidRequestError({
  description: "This model's maximum context length is 8192 tokens.",
  metadata: { failure: { kind: "context-too-long" } }
}))

/** A model that takes prompts of so many characters and no longer, whatever they are for. */
const takes = (most: number) => (request: ScriptedModel.Request) =>
  JSON.stringify(request.prompt).length > most
    ? tooLong
    : request.purpose === "compaction"
    ? "So far."
    : lines(request.prompt).some((line) => line.includes("page 6 "))
    ? "Read."
    : ScriptedModel.toolCall("look", { page: `${lines(request.prompt).length < 4 ? 1 : nextPage(request)}` })

/** A model that refuses the prompt of one turn as too long. */
const refusing = (turn: number) => (request: ScriptedModel.Request) =>
  request.purpose === "compaction"
    ? "So far."
    : request.turn === turn
    ? tooLong
    : request.turn < turn
    ? ScriptedModel.toolCall("look", { page: `${request.turn}` })
    : "Read."

const nextPage = ({ prompt }: ScriptedModel.Request): number =>
  1 + Math.max(...Array.from(JSON.stringify(prompt).matchAll(/page (\d+) /g), ([, page]) => Number(page)))

const Hopeful = Agent.make("reader", { ...options, compaction: { above: 200_000, keepTurns: 2 } })

describe("an agent whose provider finds the conversation too long", () => {
  it.live("has older turns summarised, and goes on (ME-1)", () =>
    Effect.gen(function*() {
      const { events, log, view } = yield* play(Hopeful)
      assert.strictEqual(view.output, "Read.", view.reason)
      const refusals = only(events, "LLMCallFailed")
      assert.isAtLeast(refusals.length, 1)
      for (const { attempt, compacts, final, key, turn } of refusals) {
        assert.deepStrictEqual({ attempt, compacts, final }, { attempt: 1, compacts: true, final: true }, key)
        const next = only(events, "LLMCallRequested").filter((event) => event.turn === turn + 1)
        assert.deepStrictEqual(next.map(({ key }) => key), [`turn-${turn + 1}/compaction`, `turn-${turn + 1}/model`])
      }
      assertWhole(log)
    }).pipe(Effect.provide(processOf(Hopeful.layer, around(takes(18_000))))))

  it.live("asks for the summary with half of the prompt that was refused", () =>
    Effect.gen(function*() {
      const { events, view } = yield* play(Hopeful)
      assert.strictEqual(view.output, "Read.", view.reason)
      const [refused, summary, next] = only(events, "LLMCallRequested").slice(3)
      assert.deepStrictEqual([summary?.key, next?.key], ["turn-5/compaction", "turn-5/model"])
      assert.isAtMost(summary?.estimatedTokens ?? Infinity, (refused?.estimatedTokens ?? 0) / 2)
      assert.isAtMost(next?.estimatedTokens ?? Infinity, (refused?.estimatedTokens ?? 0) / 2)
      const text = lines((yield* requests).find(({ purpose }) => purpose === "compaction")?.prompt).join("\n")
      assert.include(text, "characters are left out here")
      for (const word of ["Read all pages.", "page 1 ", "page 2 ", "page 3 "]) assert.include(text, word)
    }).pipe(Effect.provide(processOf(Hopeful.layer, around(refusing(4))))))

  it.live("ends after one summary that has not helped, and says so", () =>
    Effect.gen(function*() {
      const { events, log, view } = yield* play(Hopeful)
      assert.deepInclude(view.failure, { _tag: "CompactionFailed", turn: 5 })
      assert.include(view.reason, "with a summary it is still too long")
      assert.include(view.reason, "maximum context length is 8192 tokens")
      assert.deepStrictEqual(
        only(events, "LLMCallFailed").map(({ compacts, key }) => [key, compacts]),
        [["turn-4/model", true], ["turn-5/model", undefined]]
      )
      assertWhole(log)
    }).pipe(Effect.provide(processOf(
      Hopeful.layer,
      around((request) =>
        request.purpose === "compaction"
          ? "So far."
          : request.turn < 4
          ? ScriptedModel.toolCall("look", { page: `${request.turn}` })
          : tooLong
      )
    ))))

  it.live("ends after one request where nothing can be summarised, or nothing is to be (ME-1)", () =>
    Effect.forEach([[Hopeful, 1], [Plain, 4]] as const, ([agent, refused]) =>
      Effect.gen(function*() {
        const { events, log, view } = yield* play(agent)
        assert.deepInclude(view.failure, { _tag: "ModelFailed", turn: refused, attempts: 1 })
        assert.include(view.reason, "maximum context length is 8192 tokens")
        assert.strictEqual(only(events, "LLMCallRequested").length, refused)
        assert.isUndefined(only(events, "LLMCallFailed")[0]?.compacts)
        assertWhole(log)
      }).pipe(Effect.provide(processOf(
        agent.layer,
        around(({ turn }) => turn < refused ? ScriptedModel.toolCall("look", { page: `${turn}` }) : tooLong)
      )))))

  it.live("asks the next model of a plan before anything is summarised", () => {
    const first = ScriptedModel.layer(refusing(4))
    const second = ScriptedModel.layer(() => "Read by another.")
    const plan = ModelPlan.layer(ExecutionPlan.make({ provide: first }, { provide: second }))
    return Effect.gen(function*() {
      const { events, view } = yield* play(Hopeful)
      assert.strictEqual(view.output, "Read by another.", view.reason)
      assert.deepStrictEqual(
        only(events, "LLMCallFailed").map(({ compacts, final, key }) => [key, final, compacts]),
        [["turn-4/model", false, undefined]]
      )
      assert.isFalse(only(events, "LLMCallRequested").some(({ compaction }) => compaction !== undefined))
    }).pipe(Effect.provide(processOf(Hopeful.layer, Layer.merge(plan, pages))))
  })

  it.live("counts the refused call and the summary as turns", () =>
    Effect.gen(function*() {
      const runId = yield* start(Hopeful, "Read all pages.", { budget: { turns: 5 } })
      const { failure, usage } = yield* execute(runId)
      assert.deepInclude(failure, { limit: "turns", used: "5" })
      assert.strictEqual(usage.turns, 5)
    }).pipe(Effect.provide(processOf(Hopeful.layer, around(refusing(4))))))

  it.live("goes by what is recorded, whatever its settings have become", () => {
    const memory = MemoryStore.memory()
    return Effect.gen(function*() {
      const asked = yield* Deferred.make<void>()
      const first = processOf(
        Hopeful.layer,
        around((request) =>
          request.purpose === "compaction"
            ? Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
            : request.turn < 4
            ? ScriptedModel.toolCall("look", { page: `${request.turn}` })
            : tooLong
        ),
        memory
      )
      const runId = yield* Effect.gen(function*() {
        const runId = yield* start(Hopeful, "Read all pages.")
        yield* executeUntil(runId, asked)
        return runId
      }).pipe(Effect.provide(first))
      const second = processOf(
        Plain.layer,
        around(({ purpose }) => purpose === "compaction" ? "So far." : "Read."),
        memory
      )
      assert.strictEqual((yield* Effect.provide(execute(runId), second)).output, "Read.")
      assertWhole(yield* Effect.provide(logOf(runId), second))
    })
  })

  it.live("is played again from its log, the refusal included", () =>
    Effect.gen(function*() {
      const { log } = yield* play(Hopeful).pipe(Effect.provide(processOf(Hopeful.layer, around(takes(18_000)))))
      const recording = RecordedModel.fromEvents(log)
      const again = yield* play(Hopeful)
        .pipe(Effect.provide(processOf(Hopeful.layer, Layer.merge(RecordedModel.layer(recording), pages))))
      assert.strictEqual(again.view.output, "Read.", again.view.reason)
      assert.deepStrictEqual(
        RecordedModel.fromEvents(again.log).calls.map(({ key }) => key),
        recording.calls.map(({ key }) => key)
      )
    }))

  it.effect("ends the same killed at every instant", () =>
    everyPrefix({
      program: Hopeful,
      input: "Read all pages.",
      world: () => null,
      layer: () => Hopeful.layer.pipe(Layer.provide(around(refusing(3)))),
      effects: () => []
    }))
})

describe("a guardrail of a long conversation", () => {
  const Write = Tool.make("write", { parameters: Schema.Struct({ page: Schema.String }), success: Schema.String })
  const kit = Toolkit.make(Look, Write)
  const Writer = Agent.make("writer", { instructions: "You write.", toolkit: kit, compaction: { above: 200_000 } })
  const written: Array<string> = []
  const handlers = Layer.merge(
    pages,
    Toolkit.make(Write).toLayer({ write: ({ page }) => Effect.sync(() => `${written.push(page)}`) })
  )
  const model = (request: ScriptedModel.Request) =>
    request.turn === 4 && request.purpose === "answer"
      ? ScriptedModel.toolCall("write", { page: "1" })
      : refusing(3)(request)

  const under = (
    summary: Guardrails.Guardrail["summary"] & {},
    timeout: Guardrails.Settings["timeout"] = "10 seconds"
  ) =>
    processOf(
      Writer.layer.pipe(Layer.provide(Guardrails.layer({ guardrails: [{ name: "reader", summary }], timeout }))),
      Layer.merge(ScriptedModel.layer(model), handlers)
    )

  const run = Effect.gen(function*() {
    const runId = yield* start(Writer, "Write.")
    const view = yield* execute(runId)
    const log = yield* logOf(runId)
    const verdicts = only(log.map(({ event }) => event), "GuardrailTriggered")
    return { runId, view, log, verdicts }
  })

  it.live("is shown a summary before the model is, once", () => {
    const seen: Array<Guardrails.Summary> = []
    return Effect.gen(function*() {
      const { log, runId, verdicts, view } = yield* run
      assert.strictEqual(view.status, "Completed", view.reason)
      assert.deepStrictEqual(seen, [
        { runId, agent: "writer", profile: "validation", key: "turn-4/compaction", turn: 4, summary: "So far." }
      ])
      assert.deepStrictEqual(verdicts.map(({ action, key, layer }) => [key, layer, action]), [
        ["turn-4/compaction", "L2_summary", "ALLOW"]
      ])
      const at = log.findIndex(({ event }) => event._tag === "GuardrailTriggered")
      assert.deepInclude(log[at + 1]?.event, { _tag: "LLMCallCompleted", key: "turn-4/compaction" })
      assertWhole(log)
    }).pipe(Effect.provide(under((summary) =>
      Effect.sync(() => {
        seen.push(summary)
        return [{ rule: "seen", action: "ALLOW" as const, message: "seen" }]
      })
    )))
  })

  it.live("that doubts a summary, or fails over it, has a person decide about the next call with an effect (D7)", () => {
    const checks: ReadonlyArray<readonly [Guardrails.Guardrail["summary"] & {}, rule: string]> = [
      [() => Effect.succeed([{ rule: "odd", action: "ESCALATE", message: "odd" }]), "odd"],
      [() => Effect.die("broken"), "guardrail_failed"],
      [() => Effect.never, "guardrail_failed"]
    ]
    return Effect.forEach(checks, ([check, rule]) =>
      Effect.gen(function*() {
        written.length = 0
        const { view } = yield* run
        assert.deepStrictEqual(view.pendingApprovals.map(({ key, reason }) => [key, reason]), [[
          "turn-4/call-1/approval",
          `guardrails were triggered before this call (${rule}: 1), so a person decides`
        ]])
        assert.deepStrictEqual(written, [])
      }).pipe(Effect.provide(under(check, "20 millis"))))
  })

  it.live("that blocks a summary ends the run, and the model never sees it", () =>
    Effect.gen(function*() {
      const { log, view } = yield* run
      assert.strictEqual(view.status, "Failed")
      assert.deepInclude(view.failure, { _tag: "GuardrailBlocked", layer: "L2_summary", rule: "no" })
      assert.isFalse(log.some(({ event }) => "key" in event && event.key === "turn-4/model"))
    }).pipe(Effect.provide(under(() => Effect.succeed([{ rule: "no", action: "BLOCK", message: "not this" }])))))

  it.effect("decides the same killed at every instant", () =>
    Effect.forEach(["ALLOW", "BLOCK"] as const, (action) =>
      everyPrefix({
        program: Writer,
        input: "Write.",
        world: () => null,
        layer: () =>
          Writer.layer.pipe(
            Layer.provide(Guardrails.layer({
              guardrails: [{ name: "reader", summary: () => Effect.succeed([{ rule: "own", action, message: "own" }]) }]
            })),
            Layer.provide(Layer.merge(ScriptedModel.layer(refusing(3)), handlers))
          ),
        effects: () => []
      })))
})

describe("SummaryPrompt", () => {
  const Said = Schema.Struct({
    texts: Schema.NonEmptyArray(Schema.Struct({
      said: Schema.String,
      times: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1500 }))
    })),
    promptLength: Schema.Int.check(Schema.isBetween({ minimum: 4000, maximum: 20_000 }))
  })

  it.prop("is no longer than it may be, and the same each time", { given: Said }, ({ given }) => {
    const messages = given.texts.map(({ said, times }) =>
      Prompt.makeMessage("assistant", {
        content: [
          Prompt.makePart("text", { text: said.repeat(times) }),
          Prompt.makePart("tool-call", {
            id: said,
            name: "look",
            params: { page: said.repeat(times) },
            providerExecuted: false
          })
        ]
      })
    )
    const subject = {
      goal: given.texts[0].said.repeat(given.texts[0].times),
      systemPrompt: "You read.",
      summary: given.texts[0].said.repeat(given.texts[0].times)
    }
    const conversation = Transcript.extend(Transcript.begin(subject.systemPrompt, subject.goal), messages)
    const { promptLength } = given
    const compaction = { replaces: messages.length, summaryLength: 1000, promptLength }
    const prompt = SummaryPrompt.make({ ...subject, conversation }, compaction)
    assert.isAtMost(prompt.characters, promptLength)
    assert.strictEqual(SummaryPrompt.make({ ...subject, conversation }, compaction).digest, prompt.digest)
    const { promptLength: _, ...unbounded } = compaction
    const whole = SummaryPrompt.make({ ...subject, conversation }, unbounded)
    if (whole.characters <= promptLength) assert.strictEqual(prompt.digest, whole.digest)
  })
})

describe("Compaction", () => {
  const Turn = Schema.Struct({
    said: Schema.String,
    calls: Schema.Array(Schema.Struct({ length: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4000 })) }))
  })
  const Case = Schema.Struct({
    turns: Schema.Array(Turn),
    summary: Schema.String,
    times: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2000 })),
    above: Schema.Int.check(Schema.isBetween({ minimum: 1000, maximum: 4000 })),
    keepTurns: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 }))
  })

  it.prop("makes a prompt shorter than its bound, with calls and results together", { given: Case }, ({ given }) => {
    const begin = { goal: "Read.", systemPrompt: "You read.", summary: undefined }
    const messages = given.turns.flatMap(({ calls, said }, turn) => [
      Prompt.makeMessage("assistant", {
        content: [
          Prompt.makePart("text", { text: said }),
          ...calls.map((_, call) =>
            Prompt.makePart("tool-call", { id: `${turn}-${call}`, name: "look", params: {}, providerExecuted: false })
          )
        ]
      }),
      ...(calls.length === 0 ? [] : [Prompt.makeMessage("tool", {
        content: calls.map(({ length }, call) =>
          Prompt.makePart("tool-result", {
            id: `${turn}-${call}`,
            name: "look",
            isFailure: false,
            result: "\"".repeat(length),
            providerExecuted: false
          })
        )
      })])
    ])
    const conversation = Transcript.extend(Transcript.begin(begin.systemPrompt, begin.goal), messages)
    const settings = { above: given.above, keepTurns: given.keepTurns }
    const limit = Compaction.boundOf(settings, Infinity)
    const chosen = Compaction.choose({ ...begin, conversation }, limit, settings)
    assert.strictEqual(chosen === undefined, given.turns.length === 0)
    if (chosen === undefined) return
    const { conversation: short } = Compaction.compact(
      { ...begin, conversation },
      chosen,
      given.summary.repeat(given.times)
    )
    assert.isAtMost(short.characters, limit)
    const ids = (type: "tool-call" | "tool-result") =>
      short.messages.flatMap(({ content }) =>
        typeof content === "string"
          ? []
          : (content as ReadonlyArray<Prompt.Part>).flatMap((part) => part.type === type ? [part.id] : [])
      )
    assert.deepStrictEqual(ids("tool-call"), ids("tool-result"))
    assert.isTrue(short.messages.length === 2 || short.messages[2]?.role === "assistant")
  })
})
