/**
 * The border of the API: bodies are read within limits and must be JSON in UTF-8; what does not fit is answered in words.
 */
import { ByteSize, Effect, Layer, Result, SchemaIssue } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { Border } from "./Identity.ts"
import {
  BadRequestProblem,
  InternalProblem,
  InvalidRequestProblem,
  TooLargeProblem,
  UnavailableProblem,
  UnsupportedProblem
} from "./Problem.ts"
import { ServerSettings } from "./Settings.ts"

/**
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Border> = Layer.effect(
  Border,
  Effect.gen(function*() {
    const { answer, bodyBytes, bodyDepth } = yield* ServerSettings
    const tooLarge = new TooLargeProblem({ detail: `A body may have ${bodyBytes} bytes` })

    /** Reads the body ahead of the endpoint, which finds it read. */
    const readBody = Effect.fnUntraced(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (request.method !== "POST") return
      const problem = mediaProblem(request.headers)
      if (problem !== undefined) return yield* new UnsupportedProblem({ detail: problem })
      if (Number(request.headers["content-length"] ?? 0) > bodyBytes) return yield* tooLarge
      const bytes = yield* request.arrayBuffer.pipe(
        Effect.provideService(HttpServerRequest.MaxBodySize, ByteSize.bytes(bodyBytes)),
        // Who is too slow is refused by the listener, which can answer while the body is being read.
        Effect.catchTag("HttpServerError", ({ reason }) =>
          Effect.andThen(
            closing,
            Effect.fail(reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
              ? tooLarge
              : new BadRequestProblem({ detail: "The body ended early" }))
          ))
      )
      const text = yield* Effect.mapError(
        Effect.fromResult(Result.try(() => utf8.decode(bytes))),
        () => new BadRequestProblem({ detail: "The body is not UTF-8" })
      )
      if (isDeeper(text, bodyDepth)) {
        return yield* new InvalidRequestProblem({ detail: `A body may be nested ${bodyDepth} levels deep` })
      }
    })

    return Border.of((httpEffect) =>
      Effect.timeoutOrElse(httpEffect, {
        duration: answer,
        orElse: () => Effect.fail(new UnavailableProblem({ detail: "The server was too slow to answer" }))
      }).pipe(
        (answered) => Effect.andThen(readBody(), answered),
        Effect.catch((error) =>
          !HttpApiError.HttpApiSchemaError.is(error)
            ? Effect.fail(error)
            : error.kind === "Body" || error.kind === "ResponseHeaders"
            ? Effect.die(error)
            : Effect.fail(unfit(error))
        ),
        Effect.catchDefect((defect) =>
          HttpServerResponse.isHttpServerResponse(defect) || HttpServerRespondable.isRespondable(defect)
            ? Effect.die(defect)
            : Effect.andThen(
              Effect.logError("A request failed", defect),
              Effect.fail(new InternalProblem({ detail: "What happened is in the server's log" }))
            )
        )
      )
    )
  })
)

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** What is left of the request is not read, so no other one can follow on its connection. */
const closing = HttpEffect.appendPreResponseHandler((_, response) =>
  Effect.succeed(HttpServerResponse.setHeader(response, "connection", "close"))
)

const mediaProblem = (headers: Readonly<Record<string, string | undefined>>): string | undefined => {
  const type = headers["content-type"]?.toLowerCase().trim() ?? "application/json"
  const encoding = headers["content-encoding"]?.toLowerCase().trim()
  if (encoding !== undefined && encoding !== "identity") return `\`Content-Encoding: ${short(encoding)}\` is not read`
  const [name, ...parameters] = type.split(";").map((part) => part.trim())
  return name === "application/json" && !parameters.some((one) => /^charset\b(?!\s*=\s*"?utf-?8"?$)/.test(one))
    ? undefined
    : `\`Content-Type: ${short(type)}\` is not read; send \`application/json\``
}

const short = (text: string): string => text.slice(0, 100)

/** Whether arrays and objects are nested deeper than this. Counts brackets outside of strings; what is not JSON is found later. */
const isDeeper = (json: string, levels: number): boolean => {
  let depth = 0
  let quoted = false
  for (let index = 0; index < json.length; index++) {
    const unit = json[index]
    if (quoted) {
      if (unit === "\\") index++
      else if (unit === "\"") quoted = false
    } else if (unit === "\"") quoted = true
    else if (unit === "[" || unit === "{") {
      depth++
      if (depth > levels) return true
    } else if (unit === "]" || unit === "}") depth--
  }
  return false
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const unfit = ({ cause, kind }: HttpApiError.HttpApiSchemaError): InvalidRequestProblem => {
  const errors = issuesOf(cause.issue).issues.slice(0, 20).map(({ message, path = [] }) => ({
    path: [
      kind.toLowerCase(),
      ...path.slice(0, 20).map((part) => {
        const key = typeof part === "object" ? part.key : part
        return typeof key === "number" ? key : short(String(key))
      })
    ],
    message: message.length > 300 ? `${message.slice(0, 300).toWellFormed()}…` : message.toWellFormed()
  }))
  const [first] = errors
  return new InvalidRequestProblem({
    detail: first === undefined ? "The request does not fit" : `${first.path.join(".")}: ${first.message}`,
    errors
  })
}
