/**
 * A typed client of the server, and what its answers mean when it does not do what it is asked.
 */
import { InvalidRequest, StoreError } from "@durable-agents/core"
import { Api, type InvalidRequestProblem } from "@durable-agents/server/Api"
import { Effect, Option, type Redacted, Schema, SchemaIssue } from "effect"
import { FetchHttpClient, HttpClient, type HttpClientError, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { ServerFailure } from "../Failure.ts"
import * as ServerAddress from "../ServerAddress.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface ServerClient extends Answers {
  readonly client: HttpApiClient.ForApi<typeof Api>
}

/**
 * Asks nothing yet.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  address: ServerAddress.ServerAddress,
  token: Option.Option<Redacted.Redacted>
): Effect.Effect<ServerClient> =>
  HttpApiClient.make(Api, {
    baseUrl: address.url,
    transformResponse: Effect.tapError((error) =>
      Effect.sync(() => void (Schema.isSchemaError(error) && alien.add(error)))
    ),
    ...Option.match(token, {
      onNone: () => ({}),
      onSome: (token) => ({ transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(token)) })
    })
  }).pipe(
    Effect.map((client) => ({ client, ...answersOf(ServerAddress.show(address), Option.isSome(token)) })),
    Effect.provide(FetchHttpClient.layer)
  )

/** Answers that do not fit the definition. Other such errors are of requests, which were not sent. */
const alien = new WeakSet<object>()

interface Said {
  readonly detail?: string | undefined
  readonly title: string
}

type Answers = ReturnType<typeof answersOf>

const answersOf = (server: string, hasToken: boolean) => {
  const failed = (operation: string, kind: ServerFailure["kind"], detail: string) =>
    new StoreError({ operation, detail, cause: new ServerFailure({ server, kind, detail }) })

  /** For `Effect.catchTags`: what any request may be answered with. */
  const ofAny = (operation: string) => {
    const fail = (kind: ServerFailure["kind"], detail: string) => Effect.fail(failed(operation, kind, detail))
    const answered = ({ detail, title }: Said) => fail("failed", `answered: ${detail ?? title}`)
    const isAlien = () => fail("failed", "does not answer as a server of this version does")
    return {
      BadRequestProblem: answered,
      InternalProblem: answered,
      TooLargeProblem: answered,
      UnsupportedProblem: answered,
      UnavailableProblem: ({ detail, title }: Said) => fail("away", `cannot do this at the moment: ${detail ?? title}`),
      ForbiddenProblem: ({ detail, title }: Said) => fail("forbidden", `does not permit this: ${detail ?? title}`),
      UnauthenticatedProblem: () =>
        fail(
          "unauthenticated",
          hasToken ? "does not know the token in DURABLE_AGENTS_TOKEN" : "wants a token: set DURABLE_AGENTS_TOKEN"
        ),
      HttpClientError: ({ reason }: HttpClientError.HttpClientError) =>
        reason._tag === "TransportError" ? fail("away", `cannot be reached: ${causeOf(reason.cause)}`) : isAlien(),
      SchemaError: (error: Schema.SchemaError): Effect.Effect<never, InvalidRequest | StoreError> =>
        alien.has(error) ? isAlien() : Effect.fail(unfit(error))
    }
  }

  /** For lists and questions, whose services know no other failure than the store's. */
  const ofQuestion = (operation: string) => ({
    ...ofAny(operation),
    SchemaError: (error: Schema.SchemaError) =>
      Effect.catchTag(
        ofAny(operation).SchemaError(error),
        "InvalidRequest",
        ({ message }) => Effect.fail(failed(operation, "failed", `does not take this: ${message}`))
      ),
    InvalidRequestProblem: ({ detail, title }: Said) =>
      Effect.fail(failed(operation, "failed", `answered: ${detail ?? title}`))
  })

  return { failed, ofAny, ofQuestion }
}

/**
 * The field that the server took offence at.
 *
 * @category handlers
 * @since 0.1.0
 */
export const ofInvalid = ({ detail, errors, title }: InvalidRequestProblem) => {
  const [first] = errors ?? []
  const path = first?.path.slice(1).join(".") ?? ""
  return Effect.fail(first === undefined || path === ""
    ? new InvalidRequest({ field: "request", detail: detail ?? title })
    : new InvalidRequest({ field: path, detail: first.message }))
}

/** What was not sent, since the server would refuse it. */
const unfit = ({ issue }: Schema.SchemaError): InvalidRequest => {
  const [first] = issuesOf(issue).issues
  const path = (first?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".")
  return new InvalidRequest({ field: path === "" ? "request" : path, detail: first?.message ?? "does not fit" })
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** `fetch` says what happened in the causes of its error, of which the innermost knows best. */
const causeOf = (error: unknown): string => {
  const { cause, code, message } = Object(error)
  return cause !== undefined && cause !== null
    ? causeOf(cause)
    : typeof message === "string" && message !== ""
    ? message
    : String(code ?? "nobody answers")
}
