/**
 * `durable-agents worker`: executes due runs until it is told to stop.
 */
import { Programs, StoreMetrics, Worker } from "@durable-agents/core"
import { Effect, Layer, Option } from "effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as AppModule from "../AppModule.ts"
import * as Daemon from "../Daemon.ts"
import * as Exporting from "../Exporting.ts"
import { CannotListen } from "../Failure.ts"
import * as FlagValue from "../FlagValue.ts"
import * as ListenAddress from "../ListenAddress.ts"
import * as Log from "../Log.ts"
import * as Store from "../Store.ts"

/**
 * @category commands
 * @since 0.1.0
 */
export const worker = Command
  .make("worker", {
    app: AppModule.flag,
    store: Store.flag,
    concurrency: Flag.Int("concurrency").pipe(
      Flag.filter((runs) => runs >= 1 && runs <= 10_000, () => "a number from 1 to 10000"),
      Flag.withDescription("How many runs at a time; the default is 8"),
      Flag.withDefault(8)
    ),
    lease: FlagValue.flag("lease", FlagValue.atLeast("1s")).pipe(
      Flag.withMetavar("DURATION"),
      Flag.withDescription("How long a silent worker keeps its runs; the default is that of the app, or 30s"),
      Flag.optional
    ),
    poll: FlagValue.flag("poll", FlagValue.atLeast("10ms")).pipe(
      Flag.withMetavar("DURATION"),
      Flag.withDescription("How often to look for due runs when nothing wakes the worker; the default is 1s"),
      Flag.optional
    ),
    limits: Flag.KeyValuePair("limit").pipe(
      Flag.mapEffect(FlagValue.amounts("limit")),
      Flag.withMetavar("PROGRAM=N"),
      Flag.withDescription("How many runs of one program at a time; may be given more than once"),
      Flag.optional
    ),
    untilIdle: Flag.Boolean("until-idle").pipe(
      Flag.withoutNegation,
      Flag.withDescription("End when nothing is due and nothing is being executed here, as for cron"),
      Flag.withDefault(false)
    ),
    metrics: ListenAddress.flag("metrics").pipe(
      Flag
        .withDescription("Where to answer /metrics, for Prometheus, and /health; without a host only to this machine. The default is nowhere"),
      Flag.optional
    ),
    json: Flag.Boolean("json").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Say what it does as JSON, one object a line, on standard error as well"),
      Flag.withDefault(false)
    )
  }, ({ app, concurrency, json, lease, limits, metrics, poll, store, untilIdle }) =>
    Effect.gen(function*() {
      yield* Daemon.endAtSecondSignal
      const loaded = yield* AppModule.load(app)
      const AppLayer = yield* Effect.promise(() => import("../AppLayer.ts"))
      const beside = Layer.merge(yield* answering(metrics), yield* waiting(loaded))
      const options = {
        concurrency,
        progress: "Info" as const,
        failures: "Warn" as const,
        ...FlagValue.given(lease, (lease) => ({ lease })),
        ...FlagValue.given(limits, (limits) => ({ limits })),
        ...FlagValue.given(poll, (poll) => ({ poll }))
      }
      const work = Effect.gen(function*() {
        const { idle, owner } = yield* Worker.Worker
        const names = (yield* Programs).names().join(", ")
        yield* Effect.logInfo(`Worker ${owner} on ${Store.show(store)} executes ${names}; ${concurrency} at a time`)
        yield* untilIdle
          ? idle
          : Effect.onInterrupt(Effect.never, () => Effect.logInfo("Stops: lets operations in flight end"))
      })
      yield* Effect.provide(
        work,
        beside.pipe(
          Layer.provideMerge(Worker.layer(options)),
          Layer.provideMerge(AppLayer.layer(loaded, store)),
          Layer.provide(AppModule.settings(loaded))
        )
      )
      yield* Effect.logInfo("Nothing is due")
    }).pipe(
      Effect.onInterrupt(() =>
        // Ending in an orderly way is what a daemon was asked for.
        Effect.andThen(Effect.logInfo("Stopped"), Effect.sync(() => void (process.exitCode = 0)))
      ),
      Effect.scoped,
      Effect.provide(Exporting.layer),
      (effect) => json ? Effect.provide(effect, Log.layerJson) : effect
    ))
  .pipe(
    Command
      .withDescription("Executes runs as they become due, many at a time, until it is stopped, and says on standard error what it does. SIGTERM and " +
        "SIGINT drain it: nothing new is begun, operations in flight get the grace time and are recorded, all runs are given back. " +
        "A second signal ends it at once. Start as many as you like on one store."),
    Command.withShortDescription("Execute due runs"),
    Command.withExamples([
      { command: "durable-agents worker --app ./app.ts --store sqlite:runs.db" },
      { command: "durable-agents worker --app @acme/agents --concurrency 32 --lease 1min --poll 500ms" },
      { command: "durable-agents worker --app ./app.ts --limit refund=2 --limit report=1" },
      { command: "durable-agents worker --app ./app.ts --until-idle" },
      { command: "durable-agents worker --app ./app.ts --metrics 9464" }
    ])
  )

/** An HTTP server is loaded only by who wants one. */
const answering = Effect.fnUntraced(function*(address: Option.Option<ListenAddress.Address>) {
  if (Option.isNone(address)) return Layer.empty
  const MetricsServer = yield* Effect.promise(() => import("../MetricsServer.ts"))
  const { host, port } = address.value
  return Layer.catchTag(MetricsServer.layer(address.value), "ServeError", ({ cause }) => {
    const detail = cause instanceof Error ? cause.message : String(cause)
    return Layer.effectDiscard(new CannotListen({ host, port, detail }))
  })
})

/** Whoever asks for /metrics has the store looked at; a collector asks nobody. */
const waiting = Effect.fnUntraced(function*({ app }: AppModule.Loaded) {
  return (yield* Exporting.isOn) ? StoreMetrics.layer({ programs: app.programs.map(({ name }) => name) }) : Layer.empty
})
