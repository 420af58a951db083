/**
 * The HTTP side of a model: one request, its answer read up to a bound, and nothing of its secrets in what is reported.
 */
import { Clock, Context, Duration, Effect, Option, Record, Redacted, Result, Schema, Stream } from "effect"
import { AiError } from "effect/ai"
import type { HttpClientResponse } from "effect/http"
import { FetchHttpClient, Headers, HttpClient, type HttpClientError, HttpClientRequest } from "effect/http"

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly url: URL
  readonly apiKey: Redacted.Redacted | undefined
  readonly headers: Readonly<Record<string, string | Redacted.Redacted>>
  readonly timeout: Duration.Duration
  readonly maxResponseBytes: number
}

/**
 * What an endpoint answered, whatever its status.
 *
 * @category models
 * @since 0.1.0
 */
export interface Answer {
  readonly status: number
  /** The body as text, bytes that are no UTF-8 replaced. */
  readonly text: string
  /** Whether that is all of it: the rest of a body beyond the bound is not read. */
  readonly whole: boolean
  /** The body without our secrets, for reports: some endpoints repeat what they were sent. */
  readonly reported: string
  readonly retryAfter: Duration.Duration | undefined
  /** The provider's name for the request; blank if it gave none. */
  readonly requestId: string
  /** Whether a key was sent. */
  readonly keyed: boolean
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Endpoint {
  /** Sends one request and reads its answer; fails if there is none in time. */
  readonly post: (body: Schema.Json) => Effect.Effect<Answer, AiError.AiErrorReason>
}

/**
 * Where chat completions are below a base URL, which may end in a slash and may have a query.
 *
 * @category constructors
 * @since 0.1.0
 */
export const urlOf = (base: string | URL): Result.Result<URL, Schema.SchemaError> =>
  Result.map(decodeBase(`${base}`.trim()), (valid) => {
    const url = new URL(valid)
    url.pathname = `${url.pathname.replace(/\/+$/, "")}/chat/completions`
    return url
  })

const decodeBase = Schema
  .decodeResult(Schema.String.check(Schema.makeFilter((base) =>
    (/^https?:/i.test(base) && URL.canParse(base))
    || "the base URL of a model must be a whole http or https URL, such as `https://api.openai.com/v1`"
  )))

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = (http: HttpClient.HttpClient, options: Options): Endpoint => {
  const { maxResponseBytes, timeout, url } = options
  const { password, username } = url
  const address = `${url.origin}${url.pathname}`
  const apiKey = options.apiKey === undefined ? "" : Redacted.value(options.apiKey).trim()
  const hide = hiding([
    apiKey,
    ...[password, url.search].flatMap((secret) => [secret, decoded(secret)]),
    ...Array.from(url.searchParams).flatMap(([name, value]) => /key|secret|sig|token/i.test(name) ? [value] : []),
    ...secretHeaders(options.headers).map(([, value]) => value)
  ])
  const unreachable = (description: string) =>
    new AiError.NetworkError({ reason: "TransportError", method: "POST", url: address, description: hide(description) })
  const request = HttpClientRequest.post(`${address}${url.search}`).pipe(
    HttpClientRequest.acceptJson,
    // As a user and a password, which fetch would refuse in a URL.
    username === "" ? (same) => same : HttpClientRequest.basicAuth(decoded(username), decoded(password)),
    apiKey === "" ? (same) => same : HttpClientRequest.bearerToken(apiKey),
    HttpClientRequest.setHeaders(Record.map(options.headers, revealed))
  )
  const client = HttpClient.withScope(http)

  return {
    post: (body) =>
      Effect.gen(function*() {
        const response = yield* client
          .execute(HttpClientRequest.bodyText(request, JSON.stringify(body), "application/json"))
        const { text, whole } = yield* response.status > 299
          ? textOf(response, Math.min(maxResponseBytes, maxErrorBytes), () => Effect.void)
          : textOf(response, maxResponseBytes, Effect.fail)
        return {
          status: response.status,
          text,
          whole,
          reported: hide(text),
          retryAfter: retryAfter(response.headers, yield* Clock.currentTimeMillis),
          requestId: hide(response.headers["x-request-id"] ?? ""),
          keyed: apiKey !== ""
        }
      }).pipe(
        Effect.scoped,
        Effect.updateContext(secretly(options.headers)),
        Effect.catchTag("HttpClientError", (error) => Effect.fail(unreachable(wordsOf(error)))),
        Effect.timeoutOrElse({
          duration: timeout,
          orElse: () => Effect.fail(unreachable(`no answer within ${Duration.format(timeout)}`))
        })
      )
  }
}

/** Enough of an error to read its code. */
const maxErrorBytes = 64 * 1024

/** The body up to a bound, beyond which nothing is read. `onTorn` says what becomes of a body that ends too early. */
const textOf = <E>(
  response: HttpClientResponse.HttpClientResponse,
  maxBytes: number,
  onTorn: (error: HttpClientError.HttpClientError) => Effect.Effect<void, E>
): Effect.Effect<{ readonly text: string; readonly whole: boolean }, E> =>
  Effect.suspend(() => {
    const decoder = new TextDecoder()
    let text = ""
    let bytes = 0
    return response.stream.pipe(
      Stream.runForEachWhile((chunk) => {
        bytes += chunk.length
        if (bytes <= maxBytes) text += decoder.decode(chunk, { stream: true })
        return Effect.succeed(bytes <= maxBytes)
      }),
      Effect.catch((error) => error.reason._tag === "EmptyBodyError" ? Effect.void : onTorn(error)),
      Effect.map(() => ({ text: text + decoder.decode(), whole: bytes <= maxBytes }))
    )
  })

/** Requests are made once, so redirects are not followed, and the headers that are secret here are so in traces. */
const secretly = (headers: Options["headers"]) => (context: Context.Context<never>): Context.Context<never> =>
  Context.add(
    Context.add(context, FetchHttpClient.RequestInit, {
      ...Context.getOrUndefined(context, FetchHttpClient.RequestInit),
      redirect: "manual"
    }),
    Headers.CurrentRedactedNames,
    [...Context.get(context, Headers.CurrentRedactedNames), ...secretHeaders(headers).map(([name]) => name)]
  )

const secretHeaders = (headers: Options["headers"]): ReadonlyArray<readonly [name: string, value: string]> =>
  Object.entries(headers).flatMap(([name, value]) =>
    Redacted.isRedacted(value) ? [[name.toLowerCase(), revealed(value)] as const] : []
  )

const decoded = (encoded: string): string =>
  Result.getOrElse(Result.try(() => decodeURIComponent(encoded)), () => encoded)

const revealed = (value: string | Redacted.Redacted): string =>
  Redacted.isRedacted(value) ? Redacted.value(value) : value

/** Takes secrets out of a text, also as they stand in JSON. What is shorter than 4 characters is none. */
const hiding = (secrets: ReadonlyArray<string>) => {
  const forms = secrets.filter((secret) => secret.length >= 4)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
    .toSorted((one, other) => other.length - one.length)
  return (text: string): string => forms.reduce((hidden, form) => hidden.replaceAll(form, "…"), text)
}

/** When to ask again: by the milliseconds of OpenAI and Azure, or the standard's seconds or date. Never at once. */
const retryAfter = (headers: Headers.Headers, now: number): Duration.Duration | undefined => {
  const millis = headers["retry-after-ms"] ?? ""
  const delay = /^\d{1,15}$/.test(millis)
    ? Option.some(Duration.millis(Number(millis)))
    : Option.map(
      Result.getSuccess(Headers.parseRetryAfter(headers["retry-after"] ?? "")),
      (parsed) => Headers.retryAfterDelay(parsed, now)
    )
  return Option.getOrUndefined(Option.filter(delay, Duration.isPositive))
}

/** What went wrong below, without the request: the messages along the causes, innermost last. */
const wordsOf = ({ reason }: HttpClientError.HttpClientError): string => {
  const words = [reason._tag === "DecodeError" ? "the answer ended too early" : reason.description ?? ""]
  let cause: unknown = reason.cause
  for (let depth = 0; depth < 5 && cause instanceof Error; depth++) {
    words.push("code" in cause && !cause.message.includes(`${cause.code}`)
      ? `${cause.code} ${cause.message}`
      : cause.message)
    cause = cause.cause
  }
  return words.map((word) => word.trim()).filter((word) => word !== "").join(": ").slice(0, 500)
}
