import { Agent, ModelDeltas, ScriptedModel } from "@durable-agents/agent"
import { Approval, MemoryStore, Program, RunEvent, RunIndex, Runs, Runtime } from "@durable-agents/core"
import { EncryptedPayloads, MaskedModel } from "@durable-agents/guardrails"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, Result, Schema, Stream } from "effect"
import { LanguageModel, Tool, Toolkit } from "effect/ai"

const Find = Tool.make("find", { parameters: Schema.Struct({ name: Schema.String }), success: Schema.String })
const Send = Tool.make("send", {
  parameters: Schema.Struct({ to: Schema.String, text: Schema.String }),
  success: Schema.String
})
const Kit = Toolkit.make(Find, Send)
const Clerk = Agent.make("clerk", { instructions: "Escalate to boss@example.com.", toolkit: Kit })

const secret = "npm_0O7Wqrm1LNzEQV0hclPAWFAKEq9uTW2iSHrJ"
const goal = `Write to jane@example.org with the token ${secret}.`

/** What stands for the first address, and for the token, in what the model was sent. */
const placeholderOf = (prompt: string, kind: string, at = 0): string =>
  Array.from(new Set(prompt.match(new RegExp(`\\[${kind}_[0-9a-f.]+\\]`, "g"))))[at] ?? "none"

const play = (options: MaskedModel.Options) => {
  const memory = MemoryStore.memory()
  const prompts: Array<string> = []
  const sent: Array<unknown> = []
  const script = ScriptedModel.layer(({ prompt, turn }) => {
    const text = JSON.stringify(prompt.content)
    prompts.push(text)
    if (turn === 1) return ScriptedModel.toolCall("find", { name: "Jane" })
    return turn === 2
      ? ScriptedModel.toolCall("send", {
        to: placeholderOf(text, "EMAIL", 1),
        text: `Here: ${placeholderOf(text, "SECRET")}`
      })
      : ScriptedModel.text(`Sent to ${placeholderOf(text, "EMAIL", 1)}.`)
  })
  const tools = Kit.toLayer({
    find: () => Effect.succeed("Jane: jane@example.org, card 4242 4242 4242 4242"),
    send: (call) => Effect.sync(() => (sent.push(call), "sent to jane@example.org"))
  })
  const layer = Clerk.layer.pipe(
    Layer.provide(MaskedModel.layer(options)),
    Layer.provideMerge(Runtime.layer),
    Layer.provideMerge(Runs.layer),
    Layer.provide([MemoryStore.layerOf(memory), script, tools])
  )
  return Effect.gen(function*() {
    const runs = yield* Runs
    const runtime = yield* Runtime
    const runId = yield* runs.start(Clerk, goal)
    const view = yield* runtime.execute(runId)
    return { view, prompts, sent, stored: JSON.stringify(memory.runs.get(runId)?.events) }
  }).pipe(Effect.provide(layer))
}

describe("MaskedModel.layer", () => {
  it.effect("sends no value in any direction, and gives them back to tools and people (check 73, D40, D41, D42, H20, GR-1)", () =>
    Effect.gen(function*() {
      const { prompts, sent, view } = yield* play({ key: Redacted.make("installation") })
      assert.lengthOf(prompts, 3)
      for (const prompt of prompts) {
        for (const value of ["jane@example.org", "boss@example.com", "4242", secret]) assert.notInclude(prompt, value)
      }
      assert.strictEqual(placeholderOf(prompts[0] ?? "", "EMAIL", 1), placeholderOf(prompts[2] ?? "", "EMAIL", 1))
      assert.strictEqual(view.output, "Sent to jane@example.org.")
      assert.lengthOf(sent, 1)
      assert.deepInclude(sent[0], { to: "jane@example.org" })
      // A secret goes into no tool unless that is allowed.
      assert.notInclude(JSON.stringify(sent), secret)
    }))

  it.effect("restores by tool and kind as it is told", () =>
    Effect.gen(function*() {
      const { sent } = yield* play({
        restore: (kind, tool) => tool === undefined || (tool === "send" && kind === "secret")
      })
      assert.deepInclude(sent[0], { text: `Here: ${secret}` })
      assert.notInclude(JSON.stringify(sent), "jane@example.org")
    }))
})

describe("a streamed answer under MaskedModel", () => {
  /** What listeners were told of a text that the model says in pieces of two characters. */
  const told = (options: MaskedModel.Options) => {
    const texts: Array<string> = []
    const model = Layer.effect(
      LanguageModel.LanguageModel,
      LanguageModel.make({
        generateText: () => Effect.die("it is streamed"),
        streamText: ({ prompt }) => {
          const text = `Ask ${placeholderOf(JSON.stringify(prompt.content), "EMAIL")}, or [nobody] at all [`
          return Stream.fromIterable([
            { type: "text-start" as const, id: "1" },
            ...(text.match(/[^]{1,2}/g) ?? []).map((delta) => ({ type: "text-delta" as const, id: "1", delta })),
            { type: "text-end" as const, id: "1" },
            {
              type: "finish" as const,
              reason: "stop" as const,
              usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
            }
          ])
        }
      })
    )
    const Speaker = Agent.make("speaker", { instructions: "Speak.", stream: true })
    const layer = Speaker.layer.pipe(
      Layer.provide(MaskedModel.layer(options)),
      Layer.provideMerge(Runtime.layer),
      Layer.provideMerge(Runs.layer),
      Layer.provide([MemoryStore.layer, model]),
      Layer.provide(Layer.succeed(
        ModelDeltas.Listeners,
        new Set([(delta: ModelDeltas.Delta) => void (delta._tag === "Text" && texts.push(delta.text))])
      ))
    )
    return Effect.gen(function*() {
      const runs = yield* Runs
      const runId = yield* runs.start(Speaker, "Who is jane@example.org?")
      const { output } = yield* Effect.flatMap(Runtime, (runtime) => runtime.execute(runId))
      return { output, texts }
    }).pipe(Effect.provide(layer))
  }

  it.effect("is told with placeholders, unless it is to be restored: then never with a piece of one", () =>
    Effect.gen(function*() {
      const masked = yield* told({})
      assert.match(masked.texts.join(""), /^Ask \[EMAIL_[0-9a-f]{8}\], or \[nobody\] at all \[$/)
      assert.strictEqual(masked.output, "Ask jane@example.org, or [nobody] at all [")
      const restored = yield* told({ deltas: "restored" })
      assert.strictEqual(restored.texts.join(""), "Ask jane@example.org, or [nobody] at all [")
      assert.isFalse(restored.texts.some((text) => text.includes("EMAIL")))
      const kept = yield* told({ deltas: "restored", restore: () => false })
      assert.match(kept.texts.join("|"), /\|\[EMAIL_[0-9a-f]{8}\]/)
    }))
})

const base64 = (byte: number) => Redacted.make(Buffer.alloc(32, byte).toString("base64"))

const started: RunEvent.RunEvent = {
  _tag: "StepCompleted",
  key: "a",
  attempt: 1,
  output: { to: "jane@example.org", list: [1, null] }
}

describe("EncryptedPayloads", () => {
  const codecOf = (options: EncryptedPayloads.Options) => Result.getOrThrow(EncryptedPayloads.codec(options))

  it.effect("keeps values out of the store, and reads what was stored under older keys or none", () =>
    Effect.gen(function*() {
      const first = codecOf({ current: "a", keys: { a: base64(1) } })
      const both = codecOf({ current: "b", keys: { a: base64(1), b: base64(2) } })
      const stored = yield* first.encode(started)
      assert.notInclude(JSON.stringify(stored), "jane")
      assert.isTrue(Schema.is(RunEvent.RunEvent)(stored))
      assert.deepStrictEqual(yield* both.decode(stored), started)
      assert.deepStrictEqual(yield* both.decode(yield* both.encode(started)), started)
      assert.deepStrictEqual(yield* both.decode(started), started)
    }))

  it.effect("names the key that is missing, and refuses what was changed in the store", () =>
    Effect.gen(function*() {
      const first = codecOf({ current: "a", keys: { a: base64(1) } })
      const other = codecOf({ current: "b", keys: { b: base64(2) } })
      const stored = yield* first.encode(started)
      assert.include((yield* Effect.flip(other.decode(stored))).message, "`a`")
      const moved: RunEvent.RunEvent = {
        _tag: "SignalReceived",
        name: "x",
        payload: stored._tag === "StepCompleted" ? stored.output : null
      }
      assert.include((yield* Effect.flip(first.decode(moved))).message, "`SignalReceived.payload`")
      const wrong = codecOf({ current: "a", keys: { a: base64(3) } })
      assert.notInclude((yield* Effect.flip(wrong.decode(stored))).message, "jane")
    }))

  it.effect("keeps values out of lists too, and shows them to who has the keys", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const Ask = Program.make("ask", { input: Schema.String, output: Schema.String })
      const process = (options: EncryptedPayloads.Options) =>
        Ask.toLayer((who) =>
          Effect.map(
            Approval.request("send", { subject: `Send to ${who}`, reason: `${who} asked` }),
            ({ _tag }) => _tag
          )
        ).pipe(
          Layer.provideMerge(Runtime.layer),
          Layer.provideMerge(Layer.orDie(EncryptedPayloads.layerSummaries(options))),
          Layer.provideMerge(MemoryStore.layerOf(memory))
        )
      const one = { current: "1", keys: { "1": base64(1) } }
      const stored = () => JSON.stringify(Array.from(memory.runs.values(), ({ summary }) => summary))
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runtime = yield* Runtime
        const index = yield* RunIndex
        const runId = yield* runs.start(Ask, "jane@example.org", { labels: { team: "support" } })
        yield* runtime.execute(runId)
        assert.notInclude(stored(), "jane@example.org")
        assert.include(stored(), "support")
        const [entry] = (yield* index.pendingApprovals()).items
        assert.deepInclude(entry?.approval, { subject: "Send to jane@example.org", reason: "jane@example.org asked" })
        const [listed] = (yield* index.list({ labels: { team: "support" } })).items
        assert.deepStrictEqual(listed?.waits, Option.getOrThrow(yield* index.get(runId)).waits)
        yield* runs.approve(runId, { approval: "send", actor: "dana@example.com" })
        assert.strictEqual((yield* runtime.execute(runId)).output, "Granted")
        yield* runs.start(Ask, "joe@example.org")
      }).pipe(Effect.provide(process(one)))
      const missing = yield* Effect.flip(Effect.provide(
        Effect.gen(function*() {
          const runs = yield* Runs
          const runId = yield* runs.start(Ask, "ann@example.org")
          yield* Effect.flatMap(Runtime, (runtime) => runtime.execute(runId))
          return yield* Effect.flatMap(RunIndex, (index) => index.get(runId)).pipe(Effect.provide(Layer.provide(
            EncryptedPayloads.layerSummaries(one),
            MemoryStore.layerOf(memory)
          )))
        }),
        process({ current: "2", keys: { "2": base64(2) } })
      ))
      assert.include(missing.message, "the key `2` is needed")
    }))

  it("refuses keys that are none", () => {
    assert.isTrue(Result.isFailure(EncryptedPayloads.codec({ current: "a", keys: { a: Redacted.make("short") } })))
    assert.isTrue(Result.isFailure(EncryptedPayloads.codec({ current: "b", keys: { a: base64(1) } })))
  })
})
