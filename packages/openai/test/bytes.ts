import { OpenAi } from "@durable-agents/openai"
import { Effect, Layer, Stream } from "effect"
import type { AiError, Response as AiResponse } from "effect/ai"
import { LanguageModel, Prompt } from "effect/ai"
import { HttpClient, HttpClientResponse } from "effect/http"

/** A body in these pieces. */
export const bodyOf = (pieces: ReadonlyArray<Uint8Array>): ReadableStream<Uint8Array> => {
  const rest = [...pieces]
  return new ReadableStream({
    pull: (controller) => {
      const next = rest.shift()
      if (next === undefined) controller.close()
      else controller.enqueue(next)
    }
  }, { highWaterMark: 0 })
}

/** The same bytes in pieces that end at these places. */
export const cut = (bytes: Uint8Array, at: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const places = [0, ...at.map((one) => one % (bytes.length + 1)).toSorted((one, other) => one - other), bytes.length]
  return places.slice(1).map((end, nth) => bytes.subarray(places[nth] ?? 0, end))
}

/** The data of these events, as a server sends it. */
export const sse = (events: ReadonlyArray<unknown>): string =>
  events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("")

/** A chunk that adds this to the message of the first choice. */
export const chunk = (delta: unknown, more: object = {}, choice: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_700_000_000,
  model: "gpt-test-2026",
  choices: [{ index: 0, delta, finish_reason: null, ...choice }],
  ...more
})

export const done = "[DONE]"

const modelOn = (body: () => ReadableStream<Uint8Array> | string, options: Partial<OpenAi.Options>) =>
  OpenAi.layer({ model: "gpt-test", baseUrl: "https://models.example/v1", ...options })
    .pipe(Layer.provide(Layer.succeed(
      HttpClient.HttpClient,
      HttpClient.make((request) => Effect.sync(() => HttpClientResponse.fromWeb(request, new Response(body()))))
    )))

const unresolved = {
  prompt: "Hi.",
  disableToolCallResolution: true,
  toolCallValidation: "deferred"
} as const

/** The parts of a stream with these bytes, and how it failed if it did. */
export const streamed = (
  pieces: ReadonlyArray<Uint8Array>,
  options: Partial<OpenAi.Options> = {}
): Effect.Effect<{ readonly parts: ReadonlyArray<AiResponse.AnyPart>; readonly error: AiError.AiError | undefined }> =>
  Effect.gen(function*() {
    const parts: Array<AiResponse.AnyPart> = []
    const error = yield* LanguageModel.streamText(unresolved).pipe(
      Stream.runForEach((part) => Effect.sync(() => void parts.push(part as AiResponse.AnyPart))),
      Effect.as(undefined),
      Effect.catch((error) => Effect.succeed(error as AiError.AiError))
    )
    return { parts, error }
  }).pipe(Effect.provide(modelOn(() => bodyOf(pieces), options)))

/** The parts of a stream of these events. */
export const streamedEvents = (events: ReadonlyArray<unknown>, options?: Partial<OpenAi.Options>) =>
  streamed([new TextEncoder().encode(sse(events))], options)

/** The parts of this completion as one answer. */
export const generated = (completion: unknown, options: Partial<OpenAi.Options> = {}) =>
  LanguageModel.generateText(unresolved).pipe(
    Effect.map(({ content }) => content as ReadonlyArray<AiResponse.AnyPart>),
    Effect.provide(modelOn(() => JSON.stringify(completion), options))
  )

/**
 * What an answer is in the end: its reasoning, its texts and its calls, who gave it, how it ended and what it used. One piece does
 * not say what of these came first.
 */
export const assembled = (parts: ReadonlyArray<AiResponse.AnyPart>): unknown => {
  const said = Prompt.fromResponseParts(parts).content.flatMap<Prompt.Part>(({ content }) =>
    typeof content === "string" ? [] : content
  )
  const kinds = ["reasoning", "text", "tool-call"].map((kind) => said.filter(({ type }) => type === kind))
  const end = parts.filter(({ type }) => type === "response-metadata" || type === "finish")
  return JSON.parse(JSON.stringify({ kinds, count: said.length, end }))
}
