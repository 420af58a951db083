/**
 * The API as the page calls it, and its refusals in words.
 */
import { Api } from "@durable-agents/server/Api"
import { Clock, Effect } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { spaced, who } from "./Text.ts"

/** What became of a request, for whoever watches the connection. */
export type Contact = "answered" | "unreachable" | "signedOut"

/**
 * A client of the server that this page came from. The token goes into a header, never into an address. `tell` hears of every
 * request.
 */
export const make = (token: string | undefined, tell: (contact: Contact, at: number) => void = () => {}): Client => {
  const hear = (contact: Contact) => Effect.map(Clock.currentTimeMillis, (at) => tell(contact, at))
  return Effect.runSync(HttpApiClient.make(Api, {
    baseUrl: new URL(".", location.href).href.replace(/\/$/, ""),
    transformClient: (client) =>
      client.pipe(
        HttpClient.mapRequest((request) =>
          token === undefined ? request : HttpClientRequest.bearerToken(request, token)
        ),
        HttpClient.tap(({ status }) => hear(status === 401 ? "signedOut" : "answered")),
        HttpClient.tapError((error) => hear(isUnreachable(error) ? "unreachable" : "answered"))
      )
  }).pipe(Effect.provide(FetchHttpClient.layer)))
}

export type Client = HttpApiClient.ForApi<typeof Api>

type Errors<Call> = Call extends (...args: infer _Args) => Effect.Effect<infer _A, infer E, infer _R> ? E : never

/** Whatever a call can fail with. */
export type Failure =
  | Errors<Client["runs"]["start"]>
  | Errors<Client["runs"]["get"]>
  | Errors<Client["runs"]["approve"]>
  | Errors<Client["runs"]["deny"]>
  | Errors<Client["runs"]["cancel"]>
  | Errors<Client["runs"]["signal"]>
  | Errors<Client["runs"]["resolve"]>
  | Errors<Client["runs"]["fork"]>
  | Errors<Client["desk"]["me"]>

/** Whether nobody answered. */
export const isUnreachable = (failure: Failure): boolean =>
  failure._tag === "HttpClientError" && failure.response === undefined

/** Whether it may have been recorded all the same; what was refused for what it says is sent as another one. */
export const mayBeRecorded = ({ _tag }: Failure): boolean =>
  _tag === "HttpClientError" || _tag === "InternalProblem" || _tag === "UnavailableProblem"

/** What happened, for the person who asked; of something that was sent, also whether it may have been recorded. */
export const words = (failure: Failure, wasSent = false): string => {
  switch (failure._tag) {
    case "HttpClientError":
      return isUnreachable(failure)
        ? `The server cannot be reached.${
          wasSent ? " Whether this was recorded is not known. Send it again: it counts once." : ""
        }`
        : `The server answered in a way that this page does not understand (${failure.response?.status ?? ""}).`
    case "SchemaError":
      return "The server answered in a way that this page does not understand. Load the page again; it may be older than the server."
    case "ApprovalNotPendingProblem": {
      const { decision, runStatus } = failure
      const stands = decision === undefined
        ? `It does not wait for a decision any more; the run is ${spaced(runStatus)}.`
        : `${who(decision.actor)} has already ${decision.decision === "granted" ? "approved" : "denied"} it${
          decision.reason === undefined || decision.reason === "" ? "" : `: “${decision.reason}”`
        }. That decision stands.`
      return `Your decision was not recorded. ${stands}`
    }
    case "RunClosedProblem":
      return `Nothing was recorded: the run is ${spaced(failure.runStatus)}.`
    case "AlreadySettledProblem":
      return "Nothing was recorded: this has its outcome already, and the first one stands."
    case "WaitClosedProblem":
      return "Nothing was recorded: the run does not wait for this any more."
    case "RunNotFoundProblem":
      return "There is no such run."
    case "UnauthenticatedProblem":
      return "You are not signed in any more. Nothing was recorded."
    default:
      return failure.detail === undefined || failure.detail === ""
        ? `${failure.title}.`
        : `${failure.title}: ${failure.detail}`
  }
}

/** Names one thing that is sent. Browsers make UUIDs only for pages that came over an encrypted connection or from the own machine. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")
