/**
 * Eyes on what a process says of itself: spans, logs and metrics, kept apart from those of everything else in this process.
 */
import { Context, Effect, Layer, Logger, Metric, References, Tracer } from "effect"

/**
 * What has been measured: `name{label=value,…}` with the value, or of a histogram with how many values it got.
 *
 * @category models
 * @since 0.1.0
 */
export type Measured = Readonly<Record<string, number | bigint>>

/**
 * @category models
 * @since 0.1.0
 */
export interface Observer {
  /** Every span, in the order in which they began. */
  readonly spans: ReadonlyArray<Tracer.NativeSpan>
  readonly named: (name: string) => ReadonlyArray<Tracer.NativeSpan>
  /** Every log line as JSON: message, cause and annotations. */
  readonly logs: ReadonlyArray<string>
  /** Waits until a line has been logged. */
  readonly said: (line: RegExp) => Effect.Effect<void>
  /** The metrics of durable agents, without that prefix of their names. */
  readonly measured: () => Measured
  /** Everything that was seen, as one text to search for what must not be there. */
  readonly text: () => string
  /** What is to be observed must be built over it. */
  readonly layer: Layer.Layer<never>
}

/**
 * One observer, of as many processes as are built over its layer.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (): Observer => {
  const registry: ReturnType<typeof Metric.MetricRegistry.defaultValue> = new Map()
  const spans: Array<Tracer.NativeSpan> = []
  const logs: Array<string> = []
  const waiting = new Set<() => void>()
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const logger = Logger.make(({ cause, fiber, message }) => {
    const annotations = fiber.getRef(References.CurrentLogAnnotations)
    logs.push(JSON.stringify({ message, cause: String(cause), annotations }))
    for (const look of waiting) look()
  })
  const measured = () => measuredIn(registry)
  return {
    spans,
    named: (name) => spans.filter((span) => span.name === name),
    logs,
    said: (line) =>
      Effect.callback((resume) => {
        const look = () => {
          if (!logs.some((log) => line.test(log))) return
          waiting.delete(look)
          resume(Effect.void)
        }
        waiting.add(look)
        look()
        return Effect.sync(() => waiting.delete(look))
      }),
    measured,
    text: () => JSON.stringify([logs, measured(), spans.map(seen)], plain),
    layer: Layer.mergeAll(
      Layer.succeed(Tracer.Tracer, tracer),
      Layer.succeed(Metric.MetricRegistry, registry),
      Logger.layer([logger], { mergeWithExisting: true })
    )
  }
}

const measuredIn = (registry: ReturnType<typeof Metric.MetricRegistry.defaultValue>): Measured =>
  Object.fromEntries(Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry)).flatMap((metric) => {
    const { unit: _, ...labels } = metric.attributes ?? {}
    const name = metric.id.replace("durable_agents_", "")
    const key = `${name}{${Object.entries(labels).map((label) => label.join("=")).join(",")}}`
    if (metric.type === "Gauge") return [[key, metric.state.value]]
    return metric.type === "Counter" || metric.type === "Histogram" ? [[key, metric.state.count]] : []
  }))

const seen = ({ attributes, events, name, status }: Tracer.NativeSpan) => [
  name,
  Array.from(attributes),
  events,
  status._tag === "Ended" ? [String(status.exit), status.exit] : []
]

const plain = (_: string, value: unknown): unknown => typeof value === "bigint" ? `${value}` : value
