/**
 * The API as a server of its own, or as routes in a server of yours.
 */
import type { RunIndex, RunQueue } from "@durable-agents/core"
import { AccessToken, AccessTokens, EventStore, Namespace, Runs, type StoreError } from "@durable-agents/core"
import { NodeHttpServer } from "@effect/platform-node"
import { Deferred, Duration, Effect, Layer, Schema } from "effect"
import { HttpRouter, type HttpServer, type HttpServerError, HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiScalar, OpenApi } from "effect/http-api"
import type { Server as NodeServer } from "node:http"
import * as Access from "./Access.ts"
import { Api } from "./Api.ts"
import * as BorderHttp from "./BorderHttp.ts"
import { type Definition, Definitions } from "./Definitions.ts"
import * as DeskHttp from "./DeskHttp.ts"
import * as Envelope from "./Envelope.ts"
import { Draining, tails } from "./FeedHttp.ts"
import { Folds } from "./Folds.ts"
import * as HealthHttp from "./HealthHttp.ts"
import * as Listener from "./Listener.ts"
import * as RunsHttp from "./RunsHttp.ts"
import { ServerSettings } from "./Settings.ts"

type Stores = EventStore | RunQueue | RunIndex | AccessTokens

/**
 * The server would have been open to other machines without asking anybody for a token.
 *
 * @category errors
 * @since 0.1.0
 */
export class OpenToAll extends Schema.TaggedError<OpenToAll>("@durable-agents/server/OpenToAll")("OpenToAll", {
  host: Schema.String
}) {
  override get message() {
    return `The server would listen on \`${this.host}\`, which other machines reach, and there is no token: create one first`
  }
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The programs that can be started. */
  readonly programs?: ReadonlyArray<Definition>
}

/** Of logs whose states are kept for the next look, in characters. */
const keptLength = 16_000_000

/**
 * What answers the endpoints, for `HttpApiBuilder.layer` of an API that has those of `Api` and your own: `Api.add(Mine)`.
 *
 * @category layers
 * @since 0.1.0
 */
export const handlers = (options: Options = {}) =>
  Layer.mergeAll(RunsHttp.layer, DeskHttp.layer, HealthHttp.layer).pipe(
    Layer.provide([Access.layer, BorderHttp.layer, tails, Folds.layer(keptLength)]),
    Layer.provide(Runs.layer),
    Layer.provide(Definitions.layer(options.programs ?? []))
  )

/**
 * All endpoints, `/openapi.json` and the page `/docs`, for a router of your own; below a path if there is a `prefix`.
 *
 * **Gotchas**
 *
 * Everybody needs a token, unless you provide `LocalUser`. Limits on headers and on idle connections are those of your server.
 *
 * @category layers
 * @since 0.1.0
 */
export const routes = (options: Options & { readonly prefix?: `/${string}` } = {}) => {
  const { prefix } = options
  // Who reads the definition is told where it is answered.
  const api: typeof Api = prefix === undefined ? Api : Api.annotate(OpenApi.Servers, [{ url: prefix }])
  const all = Layer.merge(
    Layer.provide(HttpApiBuilder.layer(api, { openapiPath: "/openapi.json" }), handlers(options)),
    reference(api)
  )
  return prefix === undefined ? all : Layer.provide(
    all,
    Layer.effect(HttpRouter.HttpRouter, Effect.map(HttpRouter.HttpRouter, (router) => router.prefixed(prefix)))
  )
}

/** The page brings its script; nothing is fetched from anywhere else. */
const reference = (api: typeof Api) =>
  Layer.provide(
    HttpApiScalar.layer(api, { path: "/docs", scalar: { withDefaultFonts: false } }),
    Layer.effect(
      HttpRouter.HttpRouter,
      Effect.map(HttpRouter.HttpRouter, (router) => ({
        ...router,
        add: (method, path, handler, options) =>
          router.add(
            method,
            path,
            Effect.map(handler as Effect.Effect<HttpServerResponse.HttpServerResponse>, (page) =>
              HttpServerResponse.setHeader(
                page,
                "content-security-policy",
                "default-src 'none'; connect-src 'self'; font-src data:; img-src 'self' data:; " +
                  "script-src 'unsafe-inline'; style-src 'unsafe-inline'; worker-src blob:; frame-ancestors 'none'"
              )),
            options
          )
      }))
    )
  )

/**
 * A server that answers the API.
 *
 * **Details**
 *
 * On a loopback address, requests without a token act as `localUser` for as long as the store has no token. Any other address
 * needs one to begin with: `OpenToAll`. When the layer's scope closes, nothing new is taken, feeds end, and requests that are being
 * answered go on for `ServerSettings.grace`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <E = never>(
  options: Options & {
    readonly port: number
    /** Default `127.0.0.1`. */
    readonly host?: string
    /** Default `local`. */
    readonly localUser?: string
    /** More routes of the same server, such as a page. */
    readonly beside?: Layer.Layer<never, E, HttpRouter.HttpRouter>
  }
): Layer.Layer<HttpServer.HttpServer, E | OpenToAll | StoreError | HttpServerError.ServeError, Stores> =>
  Layer.unwrap(Effect.gen(function*() {
    const { beside = Layer.empty, host = "127.0.0.1", localUser = "local", port } = options
    const settings = yield* ServerSettings
    const isLocal = loopback.test(host)
    if (!isLocal) yield* wantToken(host)
    const draining = yield* Deferred.make<void>()
    const servers = new Set<NodeServer>()
    const listener = NodeHttpServer.layer(() => {
      const server = Listener.make(settings)
      servers.add(server)
      return server
    }, { host, port, gracefulShutdownTimeout: settings.grace })
    const served = HttpRouter.serve(Layer.mergeAll(Envelope.layer, routes(options), beside), {
      disableLogger: true,
      disableListenLog: true,
      // What stands in front may go by paths: each thing has one.
      routerConfig: { maxParamLength: 1024, caseSensitive: true, ignoreDuplicateSlashes: false }
    })
    // Built last, so it ends first: then everything goes on that has begun, but nothing that would go on for ever.
    const drain = Layer.effectDiscard(Effect.addFinalizer(() =>
      Effect.andThen(
        Deferred.succeed(draining, undefined),
        Effect.sync(() => {
          for (const server of servers) endConnections(server, settings.grace)
        })
      )
    ))
    return drain.pipe(
      Layer.provideMerge(served),
      Layer.provideMerge(listener),
      Layer.provide([
        Layer.succeed(Draining, draining),
        Layer.succeed(Access.LocalUser, isLocal ? localUser : undefined)
      ])
    )
  }))

/**
 * Ends each connection once nothing is asked on it, and all of them after the grace. One whose feed has ended would be kept for the next
 * request, and the server would wait for it.
 */
const endConnections = (server: NodeServer, grace: Duration.Input): void => {
  const looking = setInterval(() => server.closeIdleConnections(), idleLookMillis).unref()
  const millis = Duration.toMillis(Duration.fromInputUnsafe(grace))
  const ending = setTimeout(() => server.closeAllConnections(), Math.min(millis, longestTimeout)).unref()
  server.once("close", () => {
    clearInterval(looking)
    clearTimeout(ending)
  })
}

const idleLookMillis = 20
/** What a timer of Node can wait; it takes more for nothing. */
const longestTimeout = 2 ** 31 - 1

const loopback = /^(localhost|127(\.\d{1,3}){3}|::1)$/i

const wantToken = Effect.fnUntraced(function*(host: string) {
  const tokens = yield* (yield* AccessTokens).list(yield* Namespace)
  const now = yield* (yield* EventStore).now
  if (!tokens.some((token) => AccessToken.isLive(token, now))) return yield* new OpenToAll({ host })
})
