/**
 * `durable-agents serve`: answers the HTTP API of a store until it is told to stop.
 */
import { AccessToken, AccessTokens, EventStore, Namespace, StoreMetrics } from "@durable-agents/core"
import { Config, Effect, Layer, Option } from "effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { userInfo } from "node:os"
import type { Definition } from "../App.ts"
import * as AppModule from "../AppModule.ts"
import * as Daemon from "../Daemon.ts"
import * as Exporting from "../Exporting.ts"
import { CannotListen } from "../Failure.ts"
import * as Output from "../Output.ts"
import * as Printable from "../Printable.ts"
import * as Store from "../Store.ts"

/**
 * @category commands
 * @since 0.1.0
 */
export const serve = Command
  .make("serve", {
    app: AppModule.flag.pipe(Flag.optional),
    store: Store.flag,
    host: Flag.String("host").pipe(
      Flag.withMetavar("ADDRESS"),
      Flag
        .withDescription("The address to listen on; the default is 127.0.0.1. Any other one than this machine's own needs a token"),
      Flag.withDefault("127.0.0.1")
    ),
    port: Flag.Int("port").pipe(
      Flag.filter((port) => port >= 0 && port <= 65_535, () => "a number from 0 to 65535"),
      Flag.withDescription("The port to listen on; the default is 8787, and 0 is any that is free"),
      Flag.withDefault(8787)
    ),
    user: Flag.String("user").pipe(
      Flag.withMetavar("NAME"),
      Flag
        .withDescription("Who requests without a token act as, on this machine and as long as there are no tokens; the default is in " +
          "DURABLE_AGENTS_ACTOR, then the user of the system"),
      Flag.withFallbackConfig(Config.String("DURABLE_AGENTS_ACTOR")),
      Flag.optional
    ),
    json: Output.json
  }, ({ app, host, json, port, store, user }) =>
    Effect.gen(function*() {
      yield* Daemon.endAtSecondSignal
      const loaded = Option.isSome(app) ? Option.some(yield* AppModule.load(app.value)) : Option.none()
      const programs: ReadonlyArray<Definition> = Option.match(loaded, {
        onNone: () => [],
        onSome: ({ app }) => app.programs
      })
      const settings = Option.match(loaded, { onNone: () => Layer.empty, onSome: AppModule.settings })
      const localUser = Option.getOrElse(user, () => userInfo().username)
      // Other commands are not to wait for what only this one needs.
      const { Server } = yield* Effect.promise(() => import("@durable-agents/server"))
      const { Dashboard } = yield* Effect.promise(() => import("@durable-agents/dashboard"))
      const { HttpServer } = yield* Effect.promise(() => import("effect/http"))
      // Whoever asks for /metrics has the store looked at; a collector asks nobody.
      const waiting = (yield* Exporting.isOn)
        ? StoreMetrics.layer({ programs: programs.map(({ name }) => name) })
        : Layer.empty
      const listening = Effect.gen(function*() {
        const { address } = yield* HttpServer.HttpServer
        const url = HttpServer.formatAddress(address)
        yield* Output.print([json ? Printable.jsonText(JSON.stringify({ url })) : url])
        yield* Effect
          .logInfo(`Answers on ${url} for ${Store.show(store)}; ${
            known(programs)
          }. The page is at ${url}/, the API at ${url}/docs`)
        if (!(yield* hasToken)) {
          yield* Effect.logInfo(`There are no tokens: whoever is on this machine acts as ${localUser}`)
        }
        return yield* Effect.onInterrupt(Effect.never, () => Effect.logInfo("Stops: lets requests end"))
      })
      return yield* listening.pipe(
        Effect.provide(waiting.pipe(
          Layer.provideMerge(Server.layer({ host, port, programs, localUser, beside: Dashboard.routes() })),
          Layer.provideMerge(Store.layer(store, "execute")),
          Layer.provideMerge(settings)
        )),
        Effect.catchTag(
          "ServeError",
          ({ cause }) =>
            new CannotListen({ host, port, detail: cause instanceof Error ? cause.message : String(cause) })
        )
      )
    }).pipe(
      Effect.onInterrupt(() =>
        Effect.andThen(Effect.logInfo("Stopped"), Effect.sync(() => void (process.exitCode = 0)))
      ),
      Effect.scoped,
      Effect.provide(Exporting.layer)
    ))
  .pipe(
    Command
      .withDescription("Answers the HTTP API, and with it a page at /, until it is stopped: start runs of the app, decide, look, follow. Executes nothing; the app is loaded for " +
        "its definitions only, and without one no run can be started. SIGTERM and SIGINT let requests end; a second one ends it at once. " +
        "Start as many as you like on one store."),
    Command.withShortDescription("Answer the HTTP API, and serve the page"),
    Command.withExamples([
      { command: "durable-agents serve --app ./app.ts --store sqlite:runs.db" },
      { command: "durable-agents serve --app @acme/agents --host 0.0.0.0 --port 80" }
    ])
  )

const known = (programs: ReadonlyArray<Definition>): string =>
  programs.length === 0
    ? "no run can be started without --app"
    : `starts ${programs.map(({ name }) => name).join(", ")}`

const hasToken = Effect.gen(function*() {
  const tokens = yield* (yield* AccessTokens).list(yield* Namespace)
  const now = yield* (yield* EventStore).now
  return tokens.some((token) => AccessToken.isLive(token, now))
})
