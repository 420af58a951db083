import { MaxOutputTokens } from "@durable-agents/core"
import { Dialect, OpenAi } from "@durable-agents/openai"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Predicate, Redacted, Schema, Stream } from "effect"
import { LanguageModel, type Prompt, Tool, Toolkit } from "effect/ai"
import { HttpClient, HttpClientResponse } from "effect/http"
import { readFileSync } from "node:fs"
import { chunk, sse } from "./bytes.ts"
import { at, completion, listAt } from "./server.ts"

interface Sent {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

const keptOf = (prompt: Prompt.RawInput = "Hi.") => ({
  prompt,
  disableToolCallResolution: true,
  toolCallValidation: "deferred"
} as const)

const answered = JSON.stringify(completion({ content: "{\"total\":3}" }))
const streamedAnswer = sse([chunk({ content: "ok" }, {}, { finish_reason: "stop" }), "[DONE]"])

/** What is sent when a model of this base URL is used. */
const sentBy = <A, E>(
  baseUrl: string,
  use: Effect.Effect<A, E, LanguageModel.LanguageModel>,
  options: Partial<OpenAi.Options> = {}
) =>
  Effect.gen(function*() {
    const sent: Array<Sent> = []
    const client = HttpClient.make((request, url) =>
      Effect.sync(() => {
        const { body, headers } = request
        const text = body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : "{}"
        const json: unknown = JSON.parse(text)
        sent.push({ url: url.href, headers, body: json })
        return HttpClientResponse.fromWeb(
          request,
          new Response(at(json, "stream") === true ? streamedAnswer : answered)
        )
      })
    )
    yield* use
      .pipe(Effect
        .provide(OpenAi.layer({ model: "m", baseUrl, ...options })
          .pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, client)))))
    assert.strictEqual(sent.length, 1)
    return sent[0] ?? (yield* Effect.die("nothing was sent"))
  })

const generate = LanguageModel.generateText(keptOf())
const streamIt = Stream.runDrain(LanguageModel.streamText(keptOf()))
const [openai, mistral, deepSeek, groq, gemini, openRouter, local] = [
  "https://api.openai.com/v1",
  "https://api.mistral.ai/v1",
  "https://api.deepseek.com",
  "https://api.groq.com/openai/v1",
  "https://generativelanguage.googleapis.com/v1beta/openai/",
  "https://openrouter.ai/api/v1",
  "http://localhost:8000/v1"
] as const

describe("Dialect.of", () => {
  it("goes by the host", () => {
    const of = (url: string) => Dialect.of(new URL(url)).provider
    assert.deepStrictEqual([openai, mistral, deepSeek, groq, gemini, openRouter, local].map(of), [
      "openai",
      "mistral_ai",
      "deepseek",
      "groq",
      "gcp.gemini",
      "openrouter",
      "openai"
    ])
    assert.strictEqual(of("https://me.openai.azure.com/openai/v1"), "azure.ai.openai")
    assert.strictEqual(Dialect.of(new URL("https://api.openai.com.example.org")), Dialect.compatible)
    assert.strictEqual(Dialect.of(new URL("https://notapi.openai.com")), Dialect.compatible)
  })
})

describe("docs/guide/models.md", () => {
  const page = readFileSync(new URL("../../../docs/guide/models.md", import.meta.url), "utf8")

  it("names the dialect that a base URL has", () => {
    const rows = Array.from(page.matchAll(/^\| [^|]+ \| `(https?:[^`]+)` \| `(\w+)` \|$/gm))
    assert.isAtLeast(rows.length, 14)
    const byName: ReadonlyMap<string, unknown> = new Map(Object.entries(Dialect))
    for (const [, url = "", name = ""] of rows) assert.strictEqual(Dialect.of(new URL(url)), byName.get(name), url)
    const named = new Set(rows.map(([, , name]) => byName.get(name ?? "")))
    for (const [host, dialect] of Dialect.hosts) assert.isTrue(named.has(dialect), host)
  })

  it("names every part of a dialect", () => {
    for (const part of Object.keys(Dialect.compatible)) {
      if (part !== "provider") assert.match(page, new RegExp(`^\\| \`${part}\` \\|`, "m"))
    }
  })
})

describe("a request to Azure", () => {
  it.effect("names deployment and API version in its URL, and the key in its own header", () =>
    Effect.gen(function*() {
      const apiKey = Redacted.make("azure-secret")
      for (const end of ["", "/"]) {
        const { headers, url } = yield* sentBy(
          `https://me.openai.azure.com/openai/deployments/gpt-4o${end}?api-version=2024-10-21`,
          generate,
          { apiKey }
        )
        assert.strictEqual(
          url,
          "https://me.openai.azure.com/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21"
        )
        assert.deepStrictEqual([headers["api-key"], headers["authorization"]], ["azure-secret", undefined])
      }
      const newer = yield* sentBy("https://me.openai.azure.com/openai/v1/", generate, { apiKey })
      assert.strictEqual(newer.url, "https://me.openai.azure.com/openai/v1/chat/completions")
      const gateway = yield* sentBy("https://gateway.example/azure", generate, { apiKey, dialect: Dialect.azure })
      assert.strictEqual(gateway.headers["api-key"], "azure-secret")
      // A token of Entra ID.
      const token = yield* sentBy("https://me.openai.azure.com/openai/v1", generate, {
        headers: { authorization: Redacted.make("Bearer e1") }
      })
      assert.deepStrictEqual([token.headers["api-key"], token.headers["authorization"]], [undefined, "Bearer e1"])
    }))
})

describe("the most tokens of an answer", () => {
  const fieldsOf = (url: string, most: number | undefined, parameters?: Schema.JsonObject) =>
    Effect.map(
      sentBy(url, Effect.provideService(generate, MaxOutputTokens, most), { parameters }),
      ({ body }) => [at(body, "max_tokens"), at(body, "max_completion_tokens")]
    )

  it.effect("are asked for under the endpoint's name for them, the smaller number of several", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* fieldsOf(openai, 500), [undefined, 500])
      assert.deepStrictEqual(yield* fieldsOf(mistral, 500), [500, undefined])
      assert.deepStrictEqual(yield* fieldsOf(local, 500), [500, undefined])
      assert.deepStrictEqual(yield* fieldsOf(local, undefined), [undefined, undefined])
      assert.deepStrictEqual(yield* fieldsOf(openai, undefined, { max_tokens: 300 }), [undefined, 300])
      assert.deepStrictEqual(yield* fieldsOf(openai, 500, { max_completion_tokens: 300 }), [undefined, 300])
      assert.deepStrictEqual(yield* fieldsOf(openai, 200, { max_completion_tokens: 300 }), [undefined, 200])
      const old = yield* sentBy(openai, Effect.provideService(generate, MaxOutputTokens, 5), {
        dialect: { maxTokens: "max_tokens" }
      })
      assert.strictEqual(at(old.body, "max_tokens"), 5)
    }))
})

describe("parameters", () => {
  it.effect("are sent as they are", () =>
    Effect.gen(function*() {
      const parameters = { temperature: 0.2, reasoning_effort: "low", reasoning: { effort: "low" }, stop: ["a"] }
      const { body } = yield* sentBy(local, generate, { parameters })
      for (const [name, value] of Object.entries(parameters)) assert.deepStrictEqual(at(body, name), value)
    }))

  it.effect("that the layer sends itself, or that are no JSON, are a defect", () =>
    Effect.gen(function*() {
      for (const parameters of [{ stream: true }, { n: 2 }, { messages: [] }, { temperature: Number.NaN }]) {
        const exit = yield* Effect.exit(sentBy(local, generate, { parameters }))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause), JSON.stringify(parameters))
      }
    }))
})

describe("a streaming request", () => {
  it.effect("asks for usage where that is known, and not where it is refused", () =>
    Effect.gen(function*() {
      const options = (url: string) => Effect.map(sentBy(url, streamIt), ({ body }) => at(body, "stream_options"))
      assert.deepStrictEqual(yield* options(openai), { include_usage: true })
      assert.deepStrictEqual(yield* options(local), { include_usage: true })
      assert.isUndefined(yield* options(mistral))
      const { body } = yield* sentBy(local, generate)
      assert.deepStrictEqual([at(body, "stream"), at(body, "stream_options")], [undefined, undefined])
    }))
})

describe("an object", () => {
  it.effect("is asked for by its schema in words where the endpoint does not take one", () =>
    Effect.gen(function*() {
      const schema = Schema.Struct({ total: Schema.Finite })
      const ask = LanguageModel.generateObject({ prompt: "How many?", schema, objectName: "a count" })
      const { body } = yield* sentBy(deepSeek, ask)
      assert.deepStrictEqual(at(body, "response_format"), { type: "json_object" })
      assert.include(`${at(body, "messages", 1, "content")}`, "\"total\"")
      const told = yield* sentBy(openai, ask)
      assert.strictEqual(at(told.body, "response_format", "json_schema", "name"), "a_count")
      assert.strictEqual(listAt(told.body, "messages").length, 1)
    }))
})

const call = (id: string, name: string, params: unknown, openai: Schema.JsonObject = {}) =>
  ({ type: "tool-call", id, name, params, options: { openai } }) as const

const result = (id: string) => ({ type: "tool-result", id, name: "f", isFailure: false, result: "ok" }) as const

const conversation = (
  content: ReadonlyArray<ReturnType<typeof call> | Prompt.ReasoningPartEncoded>
): Prompt.RawInput => [
  { role: "user", content: "Hi." },
  { role: "assistant", content: [...content] },
  { role: "tool", content: content.flatMap((part) => part.type === "tool-call" ? [result(part.id)] : []) }
]

const messagesOf = (url: string, prompt: Prompt.RawInput) =>
  Effect.map(sentBy(url, LanguageModel.generateText(keptOf(prompt))), ({ body }) => listAt(body, "messages"))

describe("what is sent back", () => {
  const thought = (text: string, openai: Schema.JsonObject): Prompt.ReasoningPartEncoded => ({
    type: "reasoning",
    text,
    options: { openai }
  })

  const backOf = (url: string, ...parts: ReadonlyArray<Prompt.ReasoningPartEncoded>) =>
    Effect.map(messagesOf(url, conversation([...parts, call("c", "f", {})])), ([, message]) => {
      const { content: _, role: __, tool_calls: ___, ...back } = Predicate.isObject(message)
        ? message as Record<string, unknown>
        : {}
      return back
    })

  it.effect("is reasoning, to endpoints that want it and under the name that it came with (MR-12)", () =>
    Effect.gen(function*() {
      const content = thought("Hm.", { field: "reasoning_content" })
      const reasoning = thought("Hm.", { field: "reasoning" })
      assert.deepStrictEqual(yield* backOf(deepSeek, content), { reasoning_content: "Hm." })
      assert.deepStrictEqual(yield* backOf(deepSeek, thought("", { field: "reasoning_content" })), {
        reasoning_content: ""
      })
      assert.deepStrictEqual(yield* backOf(deepSeek, content, content), { reasoning_content: "Hm.Hm." })
      assert.deepStrictEqual(yield* backOf(local, content), { reasoning_content: "Hm." })
      assert.deepStrictEqual(yield* backOf(local, reasoning), { reasoning: "Hm." })
      for (const url of [openai, groq, mistral, gemini]) {
        assert.deepStrictEqual(yield* backOf(url, content, reasoning), {}, url)
      }
      assert.deepStrictEqual(yield* backOf(local, thought("Hm.", { field: "thinking" })), {})
      assert.deepStrictEqual(
        yield* backOf(local, { type: "reasoning", text: "Hm.", options: { anthropic: { a: 1 } } }),
        {}
      )
    }))

  it.effect("is OpenRouter's details as they were, and not the text beside them (MR-12)", () =>
    Effect.gen(function*() {
      const details = [{ type: "reasoning.encrypted", data: "x", id: "r", index: 0 }]
      const part = thought("Hm.", { field: "reasoning", details })
      assert.deepStrictEqual(yield* backOf(openRouter, part), { reasoning_details: details })
      assert.deepStrictEqual(yield* backOf(groq, part), {})
    }))

  it.effect("is LiteLLM's blocks of thinking beside their text (MR-12)", () =>
    Effect.gen(function*() {
      const blocks = [{ type: "thinking", thinking: "Hm.", signature: "s" }, { type: "redacted_thinking", data: "x" }]
      const part = thought("Hm.", { field: "reasoning_content", blocks })
      assert.deepStrictEqual(yield* backOf(local, part), { reasoning_content: "Hm.", thinking_blocks: blocks })
      assert.deepStrictEqual(yield* backOf(deepSeek, part), { reasoning_content: "Hm." })
      for (const url of [openai, openRouter, groq]) assert.deepStrictEqual(yield* backOf(url, part), {}, url)
    }))

  it.effect("is the signature of a call of Gemini (MR-12)", () =>
    Effect.gen(function*() {
      const extra_content = { google: { thought_signature: "s" } }
      const prompt = conversation([call("c", "f", {}, { extra_content })])
      const extraOf = (url: string) =>
        Effect.map(messagesOf(url, prompt), ([, message]) => at(message, "tool_calls", 0, "extra_content"))
      assert.deepStrictEqual(yield* extraOf(gemini), extra_content)
      assert.isUndefined(yield* extraOf(openai))
    }))
})

describe("calls of the conversation so far", () => {
  it.effect("have ids that the endpoint takes, each its own, and the same in every request (MR-7)", () =>
    Effect.gen(function*() {
      const ids = ["call_1_1", "abc123DEF", "", "functions.f:0", "x".repeat(41), "call_1_1é"]
      const prompt = conversation(ids.map((id) => call(id, "f", {})))
      const sentIds = (url: string, given = prompt) =>
        Effect.map(messagesOf(url, given), (messages) => {
          const calls = listAt(messages[1], "tool_calls").map((one) => `${at(one, "id")}`)
          assert.deepStrictEqual(messages.slice(2).map((one) => `${at(one, "tool_call_id")}`), calls)
          assert.strictEqual(new Set(calls).size, calls.length)
          return calls
        })
      assert.deepStrictEqual(yield* sentIds(local), ids)
      const strict = yield* sentIds(mistral)
      assert.strictEqual(strict[1], "abc123DEF")
      for (const id of strict) assert.match(id, /^[A-Za-z0-9]{9}$/)
      const kept = yield* sentIds(openai)
      assert.deepStrictEqual([...kept.slice(0, 2), kept[3]], [ids[0], ids[1], ids[3]])
      for (const id of kept) assert.isAtMost(id.length, 40)
      const shorter = yield* sentIds(mistral, conversation(ids.slice(0, 4).map((id) => call(id, "f", {}))))
      assert.deepStrictEqual(shorter, strict.slice(0, 4))
    }))

  it.effect("have names that endpoints take, and the text of an object as arguments (MR-2, MR-3, MR-4, MR-13)", () =>
    Effect.gen(function*() {
      const calls = [
        call("a", "functions.f", { x: 1 }),
        call("b", "", "{\"x\":"),
        call("c", "ü".repeat(70), [1]),
        call("d", "f", null),
        call("e", "f", 7)
      ]
      const [, message] = yield* messagesOf(local, conversation(calls))
      assert.deepStrictEqual(
        listAt(message, "tool_calls").map((one) => [at(one, "function", "name"), at(one, "function", "arguments")]),
        [["functions_f", "{\"x\":1}"], ["unknown", "{}"], ["_".repeat(64), "{}"], ["f", "{}"], ["f", "{}"]]
      )
    }))

  it.effect("of tools whose names no endpoint takes cannot come about: they are refused without a request (MR-13)", () =>
    Effect.gen(function*() {
      for (const name of ["a.b", "x".repeat(65)]) {
        const kit = Toolkit.make(Tool.make(name, { success: Schema.String }))
        const error = yield* Effect.flip(sentBy(
          local,
          LanguageModel.generateText({ prompt: "Hi.", toolkit: kit, disableToolCallResolution: true })
            .pipe(Effect.provide(kit.toLayer({ [name]: () => Effect.succeed("") } as never)))
        ))
        assert.strictEqual(error.reason._tag, "InvalidRequestError")
        assert.include(error.message, "1 to 64 letters")
      }
    }))
})
