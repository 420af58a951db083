import { Anthropic } from "@durable-agents/anthropic"
import * as FakeProvider from "@durable-agents/testing/FakeProvider"
import { Effect, Layer, Predicate, Stream } from "effect"
import type { Scope } from "effect"
import type { AiError, Response, Tool } from "effect/ai"
import { LanguageModel } from "effect/ai"
import { FetchHttpClient } from "effect/http"

export interface Server {
  /** Without a slash at its end. */
  readonly url: string
  readonly requests: ReadonlyArray<FakeProvider.Request>
  /** The first request has come; its connection was closed before it was answered in full. */
  readonly asked: Effect.Effect<void>
  readonly dropped: Effect.Effect<void>
}

/** An endpoint on this machine that answers as it is told. */
export const serve = (script: FakeProvider.Script): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.map(FakeProvider.make(script), ({ url, requests, until }) => ({
    url,
    requests,
    asked: until(({ requests }) => requests.length > 0),
    dropped: until(({ requests }) => requests.some(({ outcome }) => outcome === "left"))
  }))

/** What stands at a place in JSON. */
export const at = (json: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((value, key) => Predicate.hasProperty(value, `${key}`) ? value[`${key}`] : undefined, json)

/** The list that stands there. */
export const listAt = (json: unknown, ...path: ReadonlyArray<string | number>): ReadonlyArray<unknown> => {
  const list = at(json, ...path)
  return Array.isArray(list) ? list : []
}

/** Answers every request with this status and body. */
export const say = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {}
): FakeProvider.Behaviour => FakeProvider.respond(status, body, { "request-id": "req_1", ...headers })

/** A message with these blocks. */
export const message = (content: unknown, more: object = {}) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-test-2026",
  content,
  stop_reason: "end_turn",
  stop_sequence: null,
  stop_details: null,
  usage: { input_tokens: 9, output_tokens: 4, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  ...more
})

export const text = (text: string) => ({ type: "text", text, citations: null })
export const toolUse = (id: string, name: string, input: unknown) => ({ type: "tool_use", id, name, input })

export const hello = say(200, message([text("Hello.")]))

/** Events as the API writes them. */
export const sse = (events: ReadonlyArray<{ readonly type: string; readonly [key: string]: unknown }>): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")

/** Answers every request with a stream that ends, unless it is to do otherwise. */
export const streams = (body: string | Uint8Array, more: FakeProvider.Behaviour = {}): FakeProvider.Behaviour => ({
  ...say(200, body, { "content-type": "text/event-stream" }),
  ...more
})

/** The events of a message: pieces between its start and its end. */
export const events = (
  pieces: ReadonlyArray<{ readonly type: string; readonly [key: string]: unknown }>,
  { delta = {}, usage = {} }: { readonly delta?: object; readonly usage?: object } = {}
) => [
  {
    type: "message_start",
    message: message([], {
      stop_reason: null,
      usage: { input_tokens: 9, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
    })
  },
  { type: "ping" },
  ...pieces,
  {
    type: "message_delta",
    delta: { stop_reason: "end_turn", stop_sequence: null, stop_details: null, container: null, ...delta },
    usage: { output_tokens: 4, ...usage }
  },
  { type: "message_stop" }
]

export const begins = (index: number, content_block: object) => ({ type: "content_block_start", index, content_block })
export const adds = (index: number, delta: object) => ({ type: "content_block_delta", index, delta })
export const stops = (index: number) => ({ type: "content_block_stop", index })

/** The model of an endpoint, over fetch. */
export const modelOf = (server: Pick<Server, "url">, options: Partial<Anthropic.Options> = {}) =>
  Anthropic.layer({ model: "claude-test", baseUrl: server.url, ...options }).pipe(Layer.provide(FetchHttpClient.layer))

type Parts = ReadonlyArray<Response.Part<Record<string, Tool.Any>>>
type StreamParts = ReadonlyArray<Response.StreamPart<Record<string, Tool.Any>>>

const likeAnAgent = { prompt: "Hi.", disableToolCallResolution: true, toolCallValidation: "deferred" } as const

/** Asks once, the way an agent does. */
export const ask = (
  server: Pick<Server, "url">,
  options: Partial<Anthropic.Options> = {}
): Effect.Effect<Parts, AiError.AiError> =>
  LanguageModel.generateText(likeAnAgent).pipe(
    Effect.map(({ content }) => content as Parts),
    Effect.provide(modelOf(server, options))
  )

/** The same in pieces, and how they ended. */
export const listen = (
  server: Pick<Server, "url">,
  options: Partial<Anthropic.Options> = {}
): Effect.Effect<{ readonly parts: StreamParts; readonly error: AiError.AiError | undefined }> =>
  Effect.suspend(() => {
    const parts: Array<Response.StreamPart<Record<string, Tool.Any>>> = []
    return LanguageModel.streamText(likeAnAgent).pipe(
      Stream.runForEach((part) => Effect.sync(() => void parts.push(part as StreamParts[number]))),
      Effect.provide(modelOf(server, options)),
      Effect.match({
        onFailure: (error) => ({ parts, error }),
        onSuccess: () => ({ parts, error: undefined })
      })
    )
  })
