import { Endpoint } from "@durable-agents/provider"
import { Duration, Effect, type Redacted } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

/** A body that ends with what is done when all pieces were taken. */
export const bodyOf = (
  pieces: ReadonlyArray<string | Uint8Array>,
  atEnd: (controller: ReadableStreamDefaultController<Uint8Array>) => void = (controller) => controller.close(),
  onCancel: () => void = () => {}
): ReadableStream<Uint8Array> => {
  const rest = pieces.map((piece) => typeof piece === "string" ? new TextEncoder().encode(piece) : piece)
  return new ReadableStream({
    pull: (controller) => {
      const next = rest.shift()
      if (next === undefined) atEnd(controller)
      else controller.enqueue(next)
    },
    cancel: onCancel
  }, { highWaterMark: 0 })
}

export const client = (respond: () => Response, onAbort: () => void = () => {}) =>
  HttpClient.make((request, _, signal) =>
    Effect.sync(() => {
      signal.addEventListener("abort", onAbort)
      return HttpClientResponse.fromWeb(request, respond())
    })
  )

export const endpoint = (
  respond: () => Response,
  options: Partial<Endpoint.Options> & { readonly apiKey?: Redacted.Redacted | undefined } = {},
  onAbort?: () => void
): Endpoint.Endpoint =>
  Endpoint.make(client(respond, onAbort), {
    url: new URL("https://models.example/v1/chat"),
    apiKey: undefined,
    headers: {},
    timeout: Duration.minutes(10),
    maxResponseBytes: 1024 * 1024,
    ...options
  })
