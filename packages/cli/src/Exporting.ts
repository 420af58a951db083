/**
 * Sending spans, metrics and logs to a collector, as the environment says: the variables are those of OpenTelemetry. Only commands
 * that execute or serve may use it, and what it takes to send is loaded only where something is to be sent.
 */
import { Telemetry } from "@durable-agents/core"
import { Config, ConfigProvider, Effect, Exit, Layer, Scope } from "effect"
import * as CliError from "effect/cli/CliError"

const signals = ["TRACES", "METRICS", "LOGS"] as const

/** What the environment says of a variable; an empty one counts as none. */
const said = (name: string): Effect.Effect<string | undefined> =>
  Effect.map(Effect.orDie(Config.withDefault(Config.String(name), "")), (text) => text.trim() === "" ? undefined : text)

const isTrue = (text: string | undefined): boolean => text?.toLowerCase() === "true"

/**
 * Whether the environment names a collector.
 *
 * @category settings
 * @since 0.1.0
 */
export const isOn: Effect.Effect<boolean> = Effect.gen(function*() {
  if (isTrue(yield* said("OTEL_SDK_DISABLED"))) return false
  const endpoints = yield* Effect.all([
    said("OTEL_EXPORTER_OTLP_ENDPOINT"),
    said("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
    said("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"),
    said("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT")
  ])
  return endpoints.some((endpoint) => endpoint !== undefined)
})

/** How long the end of a process may wait for a collector, for all that is still to be sent. */
const lastMillis = 3_000

/**
 * Sends what is said below it to the collector that the environment names; nothing, if it names none. A collector that does not
 * answer costs what is sent to it, and nothing else: no run waits for it, and the end of the process no longer than 3 seconds.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<never, CliError.CliError> = Layer.unwrap(Effect.gen(function*() {
  if (!(yield* isOn)) return Layer.empty
  const isJson = yield* protocol
  const content = isTrue(yield* said("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"))
  const provider = yield* withDefaults
  const { make } = yield* Effect.promise(() => import("./Otlp.ts"))
  // What is no number is refused with all the others.
  const timeoutMillis = Number.parseInt((yield* said("OTEL_EXPORTER_OTLP_TIMEOUT")) ?? "10000", 10)
  return ended(Telemetry.layer(make({ isJson, timeoutMillis })).pipe(
    Layer.provideMerge(Layer.succeed(Telemetry.Content, content)),
    Layer.provide(Layer.succeed(ConfigProvider.ConfigProvider, provider)),
    Layer.catchCause(() => Layer.effectDiscard(Effect.fail(unusable)))
  ))
}))

/** Says of no value what it is: headers hold tokens. */
const unusable = new CliError.ValidationError({
  message: "What OTEL_ variables hold cannot be used: endpoints are URLs, headers and resource attributes lists of " +
    "name=value with % escapes, times whole milliseconds"
})

const protocol = Effect.gen(function*() {
  const name = (yield* said("OTEL_EXPORTER_OTLP_PROTOCOL")) ?? "http/protobuf"
  if (name === "http/json" || name === "http/protobuf") return name === "http/json"
  return yield* new CliError.ValidationError({
    message: "OTEL_EXPORTER_OTLP_PROTOCOL can be http/protobuf or http/json here; collectors take them on port 4318"
  })
})

/** What an endpoint is for need not be said again, nor who sends; which process it is, nobody else knows. */
const withDefaults = Effect.gen(function*() {
  const attributes = (yield* said("OTEL_RESOURCE_ATTRIBUTES")) ?? ""
  const has = (attribute: string) => attributes.split(",").some((entry) => entry.trim().startsWith(`${attribute}=`))
  const instance = has("service.instance.id") ? [] : [`service.instance.id=${globalThis.crypto.randomUUID()}`]
  const known = [...attributes.split(",").filter((entry) => entry.trim() !== ""), ...instance]
  const own: Record<string, string> = { OTEL_RESOURCE_ATTRIBUTES: known.join(",") }
  const service = yield* said("OTEL_SERVICE_NAME")
  if (service === undefined && !has("service.name")) own["OTEL_SERVICE_NAME"] = "durable-agents"
  for (const signal of signals) {
    if ((yield* said(`OTEL_${signal}_EXPORTER`)) === undefined) own[`OTEL_${signal}_EXPORTER`] = "otlp"
  }
  const around = yield* ConfigProvider.ConfigProvider
  return ConfigProvider.orElse(ConfigProvider.fromEnv({ env: own }), around)
})

/** The three signals end side by side, and together within the time that there is. */
const ended = <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.effectContext(Effect.gen(function*() {
    const scope = yield* Scope.make("parallel")
    yield* Effect.addFinalizer(() =>
      Scope.close(scope, Exit.void).pipe(Effect.interruptible, Effect.timeoutOption(lastMillis), Effect.ignore)
    )
    return yield* Scope.provide(Layer.build(layer), scope)
  }))
