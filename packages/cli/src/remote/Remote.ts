/**
 * A server as the site of runs.
 */
import { type ListOptions, RunIndex, RunNotFound, Runs, summarize } from "@durable-agents/core"
import { Status } from "@durable-agents/server/Api"
import { Effect, Layer, Option, type Redacted, Schema, Struct } from "effect"
import { wrong } from "../Failure.ts"
import * as ServerAddress from "../ServerAddress.ts"
import { Site } from "../Site.ts"
import * as RemoteRuns from "./RemoteRuns.ts"
import * as ServerClient from "./ServerClient.ts"

/**
 * Nothing is asked before a command asks.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  address: ServerAddress.ServerAddress,
  token: Option.Option<Redacted.Redacted>
): Layer.Layer<Runs | RunIndex | Site> =>
  Layer.unwrap(Effect.map(ServerClient.make(address, token), (server) => {
    const runs = RemoteRuns.make(server)
    return Layer.mergeAll(
      Layer.succeed(Runs, runs),
      Layer.succeed(RunIndex, index(server, runs)),
      Layer.succeed(Site, site(server, address))
    )
  }))

const isStatus = Schema.is(Status)

const index = ({ client, ofQuestion }: ServerClient.ServerClient, runs: Runs["Service"]) =>
  RunIndex.of({
    get: (runId) =>
      runs.state(runId).pipe(
        Effect.map(({ state }) => Option.fromNullishOr(summarize(state))),
        Effect.catchTag("RunNotFound", () => Effect.succeedNone)
      ),
    list: ({ labels, status, ...options }: ListOptions = {}) =>
      client.runs.list({
        query: {
          ...Struct.omit(options, ["namespace"]),
          ...(labels === undefined ? {} : { label: Object.entries(labels).map(([name, value]) => `${name}=${value}`) }),
          ...(isStatus(status) ? { status } : {})
        }
      }).pipe(Effect.catchTags(ofQuestion("list"))),
    pendingApprovals: (options = {}) =>
      client.desk.approvals({ query: Struct.omit(options, ["namespace"]) })
        .pipe(Effect.catchTags(ofQuestion("pendingApprovals")))
  })

const site = ({ client, ofQuestion }: ServerClient.ServerClient, address: ServerAddress.ServerAddress) =>
  Site.of({
    now: (runId) =>
      Effect.map(
        client.runs.get({ params: { runId } }).pipe(
          Effect.catchTag("RunNotFoundProblem", () => new RunNotFound({ runId })),
          Effect.catchTags(ofQuestion("now"))
        ),
        ({ now }) => now
      ),
    explain: ({ runId }) =>
      Effect.map(
        client.runs.explain({ params: { runId } }).pipe(
          Effect.catchTag("RunNotFoundProblem", () => new RunNotFound({ runId })),
          Effect.catchTags(ofQuestion("explain"))
        ),
        Struct.omit(["program", "runId"])
      ),
    actor: Effect.fnUntraced(function*(given) {
      const { name } = yield* client.desk.me().pipe(Effect.catchTags(ofQuestion("me")))
      return Option.isNone(given) || given.value === name
        ? name
        : yield* wrong(`The server records who its token is of, \`${name}\`: leave the other name out`)
    }),
    isNamed: Effect.succeed(true),
    command: (command) => ServerAddress.withArgument(command, address),
    executes: false
  })
