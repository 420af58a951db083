/**
 * The layers that send by OTLP over HTTP. Loads an HTTP client.
 */
import { Cause, Duration, Effect, Layer, References } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { Otlp, type OtlpExporter, OtlpSerialization } from "effect/observability"

/** More requests at a time mean that the collector does not keep up: what is to be sent is dropped rather than kept. */
const mostAtOnce = 8

/**
 * Spans, metrics and logs, to where `OTEL_EXPORTER_OTLP_ENDPOINT` and the other variables say.
 *
 * @category layers
 * @since 0.1.0
 */
export const make = ({ isJson, timeoutMillis }: {
  readonly isJson: boolean
  /** How long the collector may take to answer a request. */
  readonly timeoutMillis: number
}): Layer.Layer<OtlpExporter.Flusher> =>
  Otlp.layerFromConfig().pipe(Layer.provide([
    isJson ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf,
    Layer.provide(client(timeoutMillis), FetchHttpClient.layer)
  ]))

/** A request ends in time, whatever the collector does. */
const client = (timeoutMillis: number) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.gen(function*() {
      const base = yield* HttpClient.HttpClient
      let underWay = 0
      let isTaken = true
      const note = (taken: boolean) =>
        Effect.suspend(() => {
          const isNews = taken !== isTaken
          isTaken = taken
          if (!isNews) return Effect.void
          const said = taken
            ? Effect.logInfo("The collector takes what is sent again")
            : Effect
              .logWarning("The collector does not take what is sent: spans, metrics and logs are dropped until it does")
          return Effect.provideService(said, References.CurrentLogAnnotations, {})
        })
      return HttpClient.transformResponse(base, (request) =>
        Effect.suspend(() => {
          if (underWay >= mostAtOnce) return Effect.die("the collector does not keep up")
          underWay += 1
          return request.pipe(
            Effect.timeoutOrElse({
              duration: Duration.millis(timeoutMillis),
              orElse: () => Effect.die("no answer in time")
            }),
            Effect.tap(({ status }) => note(status < 400)),
            Effect.onError((cause) => Cause.hasInterruptsOnly(cause) ? Effect.void : note(false)),
            Effect.ensuring(Effect.sync(() => {
              underWay -= 1
            }))
          )
        }))
    })
  )
