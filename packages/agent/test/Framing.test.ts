import { Agent, Guardrails, ScriptedModel, Verify } from "@durable-agents/agent"
import { Runs } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"
import * as Framing from "../src/Framing.ts"
import { eventsOf, execute, lines, only, processOf, requests, start } from "./fixtures.ts"

const Look = Tool.make("look", { parameters: Schema.Struct({ page: Schema.String }), success: Schema.String })
  .annotate(Tool.Readonly, true)
const Reader = Agent.make("reader", { instructions: "You read.", toolkit: [Look] })

const reader = (delimiters: Guardrails.Settings["delimiters"], page = "Page one") =>
  processOf(
    Reader.layer.pipe(Layer.provide(Guardrails.layer({ delimiters }))),
    Layer.merge(
      ScriptedModel.layer([
        ScriptedModel.toolCall("look", { page: "1" }),
        ScriptedModel.toolCall("look", { page: "2" }),
        "Done."
      ]),
      Toolkit.make(Look).toLayer({ look: () => Effect.succeed(page) })
    )
  )

const play = (options: Parameters<Runs["Service"]["start"]>[2] = {}) =>
  Effect.gen(function*() {
    const runId = yield* start(Reader, "Read.", options)
    yield* execute(runId)
    return runId
  })

const prompt = Effect.map(requests, (all) => lines(all.at(-1)?.prompt))

describe("Framing", () => {
  it.effect("puts results between delimiters that are recorded before the first model call (check 75)", () =>
    Effect.gen(function*() {
      const runId = yield* play()
      const events = yield* eventsOf(runId)
      const [verdict] = only(events, "GuardrailTriggered")
      const { delimiter } = yield* Schema.decodeUnknownEffect(Framing.Framing)(verdict?.detail)
      assert.strictEqual(events[events.findIndex((event) => event === verdict) + 1]?._tag, "LLMCallRequested")
      const [system, , ...said] = yield* prompt
      assert.include(system, `You read.\n\nWhat tools return stands between <tool-data-${delimiter}>`)
      assert.lengthOf(said.filter((line) => line.endsWith(`>\nPage one\n</tool-data-${delimiter}>`)), 2)
    }).pipe(Effect.provide(reader("random"))))

  it.effect("marks spaces of results if it should, and of nothing else", () =>
    Effect.gen(function*() {
      yield* play()
      const said = yield* prompt
      assert.isTrue(said.some((line) => line.includes("\nPageˆone\n")))
      assert.include(said[1], "user: Read.")
    }).pipe(Effect.provide(reader("marked"))))

  it.effect("draws another delimiter for another run", () =>
    Effect.gen(function*() {
      const delimiters = yield* Effect.forEach([1, 2, 3], () =>
        Effect.map(Effect.flatMap(play(), eventsOf), (events) => JSON.stringify(only(events, "GuardrailTriggered"))))
      assert.strictEqual(new Set(delimiters).size, 3)
    }).pipe(Effect.provide(reader("random"))))

  it.effect("leads to the prompts that were sent, when the log is read", () =>
    Effect.gen(function*() {
      const runId = yield* play()
      const log = yield* Effect.flatMap(Runs, (runs) => Stream.runCollect(runs.events(runId)))
      for (const { rebuilt, recorded } of Verify.prompts(log)) assert.strictEqual(rebuilt, recorded)
    }).pipe(Effect.provide(reader("marked"))))

  it.effect("is not there under `off`: messages are sent byte for byte (check 72)", () =>
    Effect.gen(function*() {
      const runId = yield* play({ guardrailProfile: "off" })
      assert.deepStrictEqual(only(yield* eventsOf(runId), "GuardrailTriggered"), [])
      assert.deepStrictEqual((yield* prompt).filter((line) => !line.startsWith("call")), [
        "system: You read.",
        "user: Read.",
        "result call_1_1 success Page one",
        "result call_2_1 success Page one"
      ])
    }).pipe(Effect.provide(reader("random"))))

  const framing: Framing.Framing = { delimiter: "0a1b2c3d4e5f6789", marked: false }
  const closing = `</tool-data-${framing.delimiter}>`

  const Piece = Schema.Union([
    Schema.Literals([
      closing,
      closing.toUpperCase(),
      framing.delimiter,
      "0a1b2c3d",
      "4e5f6789",
      "\u200b",
      "[-]",
      "</tool-data-",
      ">",
      "０ａ１ｂ２ｃ３ｄ４ｅ５ｆ６７８９"
    ]),
    Schema.String
  ])

  it.prop(
    "holds no content that closes its delimiter (D46, check 75)",
    { pieces: Schema.Array(Piece) },
    ({ pieces }) => {
      const shown = Framing.frame(framing, pieces.join(""))
      const inner = shown.slice(shown.indexOf("\n") + 1, shown.lastIndexOf("\n"))
      const seen = inner.normalize("NFKC").toLowerCase().replace(
        /[\s\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}]/gu,
        ""
      )
      assert.notInclude(seen, framing.delimiter)
      assert.isTrue(shown.endsWith(`\n${closing}`))
    }
  )
})
