import { OpenAi } from "@durable-agents/openai"
import { Deferred, Effect, Layer, Predicate } from "effect"
import type { Scope } from "effect"
import type { AiError, Response, Tool } from "effect/ai"
import { LanguageModel } from "effect/ai"
import { FetchHttpClient } from "effect/http"
import type { IncomingHttpHeaders, ServerResponse } from "node:http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** One request as it came over the wire. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

export interface Server {
  /** Without a slash at its end. */
  readonly url: string
  readonly requests: ReadonlyArray<Seen>
  /** The first request has come; its connection was closed before it was answered in full. */
  readonly asked: Effect.Effect<void>
  readonly dropped: Effect.Effect<void>
}

/** What stands at a place in JSON. */
export const at = (json: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((value, key) => Predicate.hasProperty(value, `${key}`) ? value[`${key}`] : undefined, json)

/** The list that stands there. */
export const listAt = (json: unknown, ...path: ReadonlyArray<string | number>): ReadonlyArray<unknown> => {
  const list = at(json, ...path)
  return Array.isArray(list) ? list : []
}

/** An endpoint on this machine that answers as it is told. */
export const serve = (
  answer: (response: ServerResponse, nth: number) => void
): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.gen(function*() {
    const requests: Array<Seen> = []
    const asked = yield* Deferred.make<void>()
    const dropped = yield* Deferred.make<void>()
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8")
        const { headers, method = "", url = "" } = request
        requests.push({ method, path: url, headers, body: text === "" ? undefined : JSON.parse(text) })
        Deferred.doneUnsafe(asked, Effect.void)
        answer(response, requests.length)
      })
      response.on("close", () => {
        if (!response.writableFinished) Deferred.doneUnsafe(dropped, Effect.void)
      })
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.callback<void>((resume) => {
          server.closeAllConnections()
          server.close(() => resume(Effect.void))
        })
    )
    const { port } = server.address() as AddressInfo
    return {
      url: `http://127.0.0.1:${port}/v1`,
      requests,
      asked: Deferred.await(asked),
      dropped: Deferred.await(dropped)
    }
  })

/** Answers every request with this status and body. */
export const say = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {}
) =>
(response: ServerResponse): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body))
}

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
