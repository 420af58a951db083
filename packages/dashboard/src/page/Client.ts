/**
 * The API as the page calls it, and its refusals in words.
 */
import { Api } from "@durable-agents/server/Api"
import { Effect } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"

/**
 * A client of the server that this page came from. The token goes into a header, never into an address.
 */
export const make = (token: string | undefined): Client =>
  Effect.runSync(HttpApiClient.make(Api, {
    baseUrl: new URL(".", location.href).href.replace(/\/$/, ""),
    transformClient: HttpClient.mapRequest((request) =>
      token === undefined ? request : HttpClientRequest.bearerToken(request, token)
    )
  }).pipe(Effect.provide(FetchHttpClient.layer)))

export type Client = HttpApiClient.ForApi<typeof Api>

type Errors<Call> = Call extends (...args: infer _Args) => Effect.Effect<infer _A, infer E, infer _R> ? E : never

/** Whatever a call can fail with. */
export type Failure =
  | Errors<Client["runs"]["start"]>
  | Errors<Client["runs"]["get"]>
  | Errors<Client["runs"]["approve"]>
  | Errors<Client["runs"]["deny"]>
  | Errors<Client["runs"]["cancel"]>
  | Errors<Client["desk"]["me"]>

/** What happened, for the person who asked. */
export const words = (failure: Failure): string => {
  switch (failure._tag) {
    case "HttpClientError":
      return failure.response === undefined
        ? "The server cannot be reached."
        : `The server answered in a way that this page does not understand (${failure.response.status}).`
    case "SchemaError":
      return "The server answered in a way that this page does not understand. Load the page again; it may be older than the server."
    case "ApprovalNotPendingProblem": {
      const { decision, runStatus } = failure
      const stands = decision === undefined
        ? `It does not wait for a decision any more; the run is ${runStatus}.`
        : `${decision.actor.id} has already ${decision.decision === "granted" ? "approved" : "denied"} it${
          decision.reason === undefined || decision.reason === "" ? "" : `: “${decision.reason}”`
        }. That decision stands.`
      return `Your decision was not recorded. ${stands}`
    }
    case "RunClosedProblem":
      return `Nothing was recorded: the run is ${failure.runStatus}.`
    default:
      return failure.detail === undefined || failure.detail === ""
        ? `${failure.title}.`
        : `${failure.title}: ${failure.detail}`
  }
}
