import { OpenAi } from "@durable-agents/openai"
import * as FakeProvider from "@durable-agents/testing/FakeProvider"
import { Effect, Layer, Predicate } from "effect"
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
  Effect.map(FakeProvider.make(script), ({ baseUrl, requests, until }) => ({
    url: baseUrl,
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
export const say = FakeProvider.respond

/** A completion with this message. */
export const completion = (message: unknown, more: object = {}, choice: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_700_000_000,
  model: "gpt-test-2026",
  choices: [{ index: 0, message, finish_reason: "stop", ...choice }],
  usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
  ...more
})

export const hello = say(200, completion({ role: "assistant", content: "Hello." }))

/** The model of an endpoint, over fetch. */
export const modelOf = (server: Pick<Server, "url">, options: Partial<OpenAi.Options> = {}) =>
  OpenAi.layer({ model: "gpt-test", baseUrl: server.url, ...options }).pipe(Layer.provide(FetchHttpClient.layer))

type Parts = ReadonlyArray<Response.Part<Record<string, Tool.Any>>>

/** Asks once, the way an agent does. */
export const ask = (server: Pick<Server, "url">, options: Partial<OpenAi.Options> = {}): Effect.Effect<
  Parts,
  AiError.AiError
> =>
  LanguageModel.generateText({
    prompt: "Hi.",
    disableToolCallResolution: true,
    toolCallValidation: "deferred"
  }).pipe(
    Effect.map(({ content }) => content as Parts),
    Effect.provide(modelOf(server, options))
  )
