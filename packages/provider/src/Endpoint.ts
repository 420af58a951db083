/**
 * The HTTP side of a model: one request, its answer or its events read up to a bound, and nothing of its secrets in what is
 * reported.
 */
import { Clock, Context, Duration, Effect, Record, Redacted, Result, Schema, type Scope, type Stream } from "effect"
import { AiError } from "effect/ai"
import type { HttpClientResponse } from "effect/http"
import { FetchHttpClient, Headers, HttpClient, type HttpClientError, HttpClientRequest } from "effect/http"
import * as EventStream from "./EventStream.ts"
import * as Pieces from "./Pieces.ts"
import * as RetryAfter from "./RetryAfter.ts"
import * as Secrets from "./Secrets.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly url: URL
  /** Without one, or with a blank one, no header for it is sent. */
  readonly apiKey: Redacted.Redacted | undefined
  /** The header that takes the key by itself; by default it is a bearer token. */
  readonly keyHeader?: string | undefined
  /** Further headers, which replace those of equal names. Redacted values are kept out of errors and traces. */
  readonly headers: Secrets.Headers
  /** From the first byte sent to the last received, of streams as well. */
  readonly timeout: Duration.Duration
  /** How long the endpoint may take until its answer begins, which is when its headers come. Default: `timeout`. */
  readonly firstByteTimeout?: Duration.Duration | undefined
  /** How long an answer that has begun may be silent, streams as well; any byte is a sign of life. Default: `timeout`. */
  readonly idleTimeout?: Duration.Duration | undefined
  /** In bytes without compression, of streams as well. */
  readonly maxResponseBytes: number
  /** Of one event of a stream, in UTF-16 code units. Default 1 MiB. */
  readonly maxEventLength?: number | undefined
  /** Headers that name the request, the first that is there counts. Default `x-request-id` and `request-id`. */
  readonly requestIdHeaders?: ReadonlyArray<string> | undefined
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

export type { Event } from "./EventStream.ts"

/**
 * What an endpoint answers when it is asked for a stream: events under a success; anything else is an answer as to `post`.
 *
 * @category models
 * @since 0.1.0
 */
export type Opened =
  | { readonly _tag: "Answer"; readonly answer: Answer }
  | {
    readonly _tag: "Events"
    /** To be run once. Fails if the connection breaks, stays silent, or goes beyond a bound, after the events before that. */
    readonly events: Stream.Stream<EventStream.Event, AiError.AiErrorReason>
    /** An answer with this text, such as the data of an event, for a judgement. */
    readonly answerOf: (text: string) => Answer
  }

/**
 * @category models
 * @since 0.1.0
 */
export interface Endpoint {
  /** Sends one request and reads its answer; fails if there is none in time. */
  readonly post: (body: Schema.Json) => Effect.Effect<Answer, AiError.AiErrorReason>
  /** Sends one request and waits for the beginning of its answer. The connection is closed with the scope. */
  readonly open: (body: Schema.Json) => Effect.Effect<Opened, AiError.AiErrorReason, Scope.Scope>
}

/**
 * Where a path is below a base URL, which may end in a slash and may have a query.
 *
 * @category constructors
 * @since 0.1.0
 */
export const urlBelow = (base: string | URL, path: string): Result.Result<URL, Schema.SchemaError> =>
  Result.map(decodeBase(`${base}`.trim()), (valid) => {
    const url = new URL(valid)
    url.pathname = `${url.pathname.replace(/\/+$/, "")}/${path}`
    return url
  })

const decodeBase = Schema
  .decodeResult(Schema.String.check(Schema.makeFilter((base) =>
    (/^https?:/i.test(base) && URL.canParse(base))
    || "the base URL of a model must be a whole http or https URL, such as `https://api.openai.com/v1`"
  )))

/**
 * **Gotchas**
 *
 * HTTP clients have limits of their own; fetch and undici wait 5 minutes for the headers, and for each piece of a body.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (http: HttpClient.HttpClient, options: Options): Endpoint => {
  const { maxEventLength = 1024 * 1024, maxResponseBytes, timeout, url } = options
  const idle = options.idleTimeout ?? Duration.infinity
  const requestIds = options.requestIdHeaders ?? ["x-request-id", "request-id"]
  const { username } = url
  const address = `${url.origin}${url.pathname}`
  const apiKey = options.apiKey === undefined ? "" : Redacted.value(options.apiKey).trim()
  const { keyHeader } = options
  const headers: Secrets.Headers = keyHeader === undefined || apiKey === ""
    ? options.headers
    : { [keyHeader]: Redacted.make(apiKey), ...options.headers }
  const hide = Secrets.hiding([
    apiKey,
    ...Secrets.inUrl(url),
    ...Secrets.secretHeaders(headers).map(([, value]) => value)
  ])
  const unreachable = (description: string) =>
    new AiError.NetworkError({ reason: "TransportError", method: "POST", url: address, description: hide(description) })
  const torn = (error: HttpClientError.HttpClientError) => unreachable(wordsOf(error))
  const late = unreachable(`no answer within ${Duration.format(timeout)}`)
  const silent = unreachable(`nothing came for ${Duration.format(idle)}`)
  const first = options.firstByteTimeout ?? timeout
  const slow = unreachable(`no answer has begun within ${Duration.format(first)}`)
  const request = HttpClientRequest.post(`${address}${url.search}`).pipe(
    // As a user and a password, which fetch would refuse in a URL.
    username === ""
      ? (same) => same
      : HttpClientRequest.basicAuth(Secrets.decoded(username), Secrets.decoded(url.password)),
    apiKey === "" || keyHeader !== undefined ? (same) => same : HttpClientRequest.bearerToken(apiKey)
  )
  const client = HttpClient.withScope(http)

  const send = (body: Schema.Json, accept: string) =>
    client
      .execute(request.pipe(
        HttpClientRequest.accept(accept),
        HttpClientRequest.setHeaders(Record.map(headers, Secrets.revealed)),
        HttpClientRequest.bodyText(JSON.stringify(body), "application/json")
      ))
      .pipe(
        Effect.updateContext<Scope.Scope, Scope.Scope>(secretly(headers)),
        Effect.catchTag("HttpClientError", (error) => Effect.fail(torn(error))),
        Duration.isLessThan(first, timeout)
          ? Effect.timeoutOrElse({ duration: first, orElse: () => Effect.fail(slow) })
          : (same) => same
      )

  const headOf = (response: HttpClientResponse.HttpClientResponse) =>
    Effect.map(Clock.currentTimeMillis, (now) => ({
      status: response.status,
      retryAfter: RetryAfter.ofHeaders(response.headers, response.status, now),
      requestId: hide(requestIds.map((name) => response.headers[name.toLowerCase()]).find((id) =>
        id !== undefined
      ) ?? ""),
      keyed: apiKey !== ""
    }))

  const isSuccess = ({ status }: HttpClientResponse.HttpClientResponse) => status >= 200 && status <= 299

  const piecesOf = (
    response: HttpClientResponse.HttpClientResponse,
    limits: Pick<Pieces.Options, "idle" | "deadline">
  ) =>
    Pieces.make(response, {
      ...limits,
      maxBytes: isSuccess(response) ? maxResponseBytes : Math.min(maxResponseBytes, maxErrorBytes),
      onSilence: (limit) => limit === "idle" ? silent : late,
      onTorn: (error) => isSuccess(response) ? torn(error) : undefined
    })

  const inTime = <A, R>(effect: Effect.Effect<A, AiError.AiErrorReason, R>) =>
    Effect.timeoutOrElse(effect, { duration: timeout, orElse: () => Effect.fail(late) })

  return {
    post: (body) =>
      Effect.gen(function*() {
        const response = yield* send(body, "application/json")
        const head = yield* headOf(response)
        const pieces = yield* piecesOf(response, { idle, deadline: undefined })
        const text = yield* restOf("", pieces)
        return { ...head, text, whole: pieces.whole(), reported: hide(text) }
      }).pipe(Effect.scoped, inTime),

    open: (body) =>
      Effect.gen(function*() {
        const clock = yield* Clock.Clock
        const deadline = Duration.isFinite(timeout)
          ? clock.monotonicTimeNanosUnsafe() + Duration.toNanosUnsafe(timeout)
          : undefined
        const response = yield* inTime(send(body, "text/event-stream, application/json"))
        const head = yield* headOf(response)
        const pieces = yield* piecesOf(response, { idle, deadline })
        const begin = isSuccess(response) ? yield* beginningOf(pieces) : ""
        const answerOf = (text: string): Answer => ({ ...head, text, whole: pieces.whole(), reported: hide(text) })
        if (!isSuccess(response) || !EventStream.beginsLikeOne(begin)) {
          return { _tag: "Answer", answer: answerOf(yield* restOf(begin, pieces)) }
        }
        const tooLarge = (what: string) =>
          new AiError.InvalidOutputError({
            description: `HTTP ${response.status}: ${what}`,
            metadata: { failure: { kind: "malformed-output" } }
          })
        return { _tag: "Events", events: EventStream.make(begin, pieces, { maxEventLength, tooLarge }), answerOf }
      })
  }
}

/** Enough of an error to read its code. */
const maxErrorBytes = 64 * 1024

/** The text up to the first piece that is not blank, which tells events from other answers. */
const beginningOf = ({ next }: Pieces.Pieces): Effect.Effect<string, AiError.AiErrorReason> =>
  Effect.gen(function*() {
    let text = ""
    while (text.trim() === "") {
      const piece = yield* next
      if (piece === undefined) return text
      text += piece
    }
    return text
  })

const restOf = (first: string, { next }: Pieces.Pieces): Effect.Effect<string, AiError.AiErrorReason> =>
  Effect.gen(function*() {
    const texts = [first]
    for (let piece = yield* next; piece !== undefined; piece = yield* next) texts.push(piece)
    return texts.join("")
  })

/** Requests are made once, so redirects are not followed, and the headers that are secret here are so in traces. */
const secretly = (headers: Secrets.Headers) => <R>(context: Context.Context<R>): Context.Context<R> =>
  Context.add(
    Context.add(context, FetchHttpClient.RequestInit, {
      ...Context.getOrUndefined(context, FetchHttpClient.RequestInit),
      redirect: "manual"
    }),
    Headers.CurrentRedactedNames,
    [...Context.get(context, Headers.CurrentRedactedNames), ...Secrets.secretHeaders(headers).map(([name]) => name)]
  )

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
