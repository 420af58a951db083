/**
 * Spans and logs without content: what a run was asked, what it answered, what its tools were given and gave back stays in its log,
 * unless somebody says otherwise. And the links between spans of one run in different processes, through what its log says of them.
 */
import { Cause, Context, Effect, Exit, identity, Layer, Logger, Option, Predicate, Tracer } from "effect"

/**
 * Whether prompts, answers, arguments, results and the words of errors may stand in spans, and in logs that are sent away. Default:
 * they may not.
 *
 * **Gotchas**
 *
 * Whoever reads the traces then reads what is in the logs of runs. Models are shown as `ModelBoundary` lets through, so what that
 * masks stays masked there.
 *
 * @category references
 * @since 0.1.0
 */
export const Content = Context.Reference<boolean>("@durable-agents/core/Telemetry/Content", {
  defaultValue: () => false
})

/**
 * Whether anybody sees the spans of this context.
 *
 * @category tracing
 * @since 0.1.0
 */
export const isTraced = (context: Context.Context<never>): boolean =>
  Context.get(context, Tracer.Tracer) !== Tracer.nativeTracer

/**
 * A span as the header `traceparent` says it.
 *
 * @category tracing
 * @since 0.1.0
 */
export const traceparentOf = ({ sampled, spanId, traceId }: Tracer.AnySpan): string =>
  `00-${traceId.padStart(32, "0")}-${spanId.padStart(16, "0")}-${sampled ? "01" : "00"}`

/**
 * The `traceparent` of the span around this that somebody sees: the nearest one under a tracer, otherwise the nearest one that came
 * from outside.
 *
 * @category tracing
 * @since 0.1.0
 */
export const currentTraceparent: Effect.Effect<string | undefined> = Effect.withFiber((fiber) => {
  let span = Context.getOrUndefined(fiber.context as Context.Context<Tracer.ParentSpan>, Tracer.ParentSpan)
  if (!isTraced(fiber.context)) {
    while (span?._tag === "Span") span = Option.getOrUndefined(span.parent)
  }
  return Effect.succeed(span === undefined ? undefined : traceparentOf(span))
})

const traceparent = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/

/**
 * The span that a `traceparent` names; nothing if it is none.
 *
 * @category tracing
 * @since 0.1.0
 */
export const spanOf = (text: string | undefined): Option.Option<Tracer.ExternalSpan> => {
  const found = traceparent.exec(text ?? "")
  const [, traceId = "", spanId = "", flags = ""] = found ?? []
  return found === null || /^0*$/.test(traceId) || /^0*$/.test(spanId)
    ? Option.none()
    : Option.some(Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }))
}

/**
 * What an attempt is called in traces.
 *
 * @category models
 * @since 0.1.0
 */
export interface SpanFields {
  readonly name: string
  readonly attributes?: Readonly<Record<string, unknown>>
}

/**
 * Runs an effect in a span of its own if there is a tracer, and says in it whether the attempt failed, and of what kind that was.
 *
 * @category tracing
 * @since 0.1.0
 */
export const spanned = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  fieldsOf: () => SpanFields,
  failureOf: (exit: Exit.Exit<A, E>) => string | undefined
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    if (!isTraced(fiber.context)) return effect
    const { attributes, name } = fieldsOf()
    return Effect.useSpan(name, { attributes: { ...attributes } }, (span) =>
      Effect.withParentSpan(
        Effect.onExit(effect, (exit) =>
          Effect.sync(() => {
            const failure = failureOf(exit)
            if (failure !== undefined) span.attribute("error.type", failure)
          })),
        span,
        { captureStackTrace: false }
      ))
  })

/**
 * The kind of an error, without its words.
 *
 * @category errors
 * @since 0.1.0
 */
export const kindOf = (error: unknown): string =>
  Predicate.hasProperty(error, "_tag") && Predicate.isString(error._tag)
    ? error._tag
    : error instanceof Error
    ? error.name
    : "Error"

/** The same kinds of errors, without words and stacks: both may hold what was given to a tool. */
const bare = <E>(cause: Cause.Cause<E>): Cause.Cause<unknown> =>
  Cause.fromReasons(cause.reasons.map((reason) =>
    Cause.isFailReason(reason)
      ? Cause.makeFailReason(bareError(reason.error))
      : Cause.isDieReason(reason)
      ? Cause.makeDieReason(bareError(reason.defect))
      : reason
  ))

const bareError = (error: unknown): Error => {
  const kind = kindOf(error)
  return Object.defineProperties(new Error(kind), {
    name: { value: kind },
    stack: { value: kind }
  })
}

const withoutContentTracers = new WeakSet<Tracer.Tracer>([Tracer.nativeTracer])

/** Of requests, what a tool sends may be in their addresses and headers. */
const isContent = (name: string): boolean => name === "url.query" || /^http\.(request|response)\.header\./.test(name)

const withoutContent = (name: string, value: unknown): unknown =>
  name === "url.full" && Predicate.isString(value) ? value.replace(/[?#].*$/s, "") : value

/**
 * The same tracer, whose spans say of what kind an error was and not its words, and of requests neither query nor headers. Log
 * lines do not become events of spans: they have words, and a run has many. Attributes that code sets by itself stay.
 *
 * @category tracing
 * @since 0.1.0
 */
export const contentFreeTracer = (tracer: Tracer.Tracer): Tracer.Tracer => {
  if (withoutContentTracers.has(tracer)) return tracer
  const { context } = tracer
  const made = Tracer.make({
    ...(context === undefined ? {} : { context }),
    span: (options) => {
      const span = tracer.span(options)
      const attribute = span.attribute.bind(span)
      const end = span.end.bind(span)
      const event = span.event.bind(span)
      // The same object: tracers know their own spans by their class.
      span.attribute = (name, value) => isContent(name) ? undefined : attribute(name, withoutContent(name, value))
      span.end = (endTime, exit) => end(endTime, Exit.isFailure(exit) ? Exit.failCause(bare(exit.cause)) : Exit.void)
      span.event = (name, startTime, attributes) =>
        attributes !== undefined && "effect.logLevel" in attributes ? undefined : event(name, startTime, attributes)
      return span
    }
  })
  withoutContentTracers.add(made)
  return made
}

/**
 * The same logger, which is told only the first of the things that a line says, and of causes only the kinds. This package puts
 * words of strangers second.
 *
 * @category logging
 * @since 0.1.0
 */
export const contentFreeLogger = <Output>(logger: Logger.Logger<unknown, Output>): Logger.Logger<unknown, Output> =>
  Logger.make((options) =>
    logger.log({
      ...options,
      message: Array.isArray(options.message) ? options.message.slice(0, 1) : options.message,
      cause: bare(options.cause)
    })
  )

/**
 * Keeps content from what a layer sends away, unless `Content` lets it pass: from the tracer that it sets, and from the loggers
 * that it adds to those that are there.
 *
 * **Example**
 *
 * ```ts
 * import { Telemetry } from "@durable-agents/core"
 * import { Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 * import { Otlp } from "effect/observability"
 *
 * const Exported = Otlp.layerJson({ baseUrl: "http://127.0.0.1:4318", resource: { serviceName: "refunds" } })
 *
 * const Telemetries = Telemetry.layer(Exported).pipe(Layer.provide(FetchHttpClient.layer))
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <A, E, R>(exported: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.effectContext(Effect.gen(function*() {
    const around = yield* Effect.context<never>()
    const built = yield* Layer.build(exported)
    if (yield* Content) return built
    const before = Context.get(around, Logger.CurrentLoggers)
    // What the layer does not set stays as it is around it.
    const loggers = Context.getOrUndefined(built, Logger.CurrentLoggers)
    const tracer = Context.getOrUndefined(built, Tracer.Tracer)
    return built.pipe(
      loggers === undefined ? identity : Context.add(
        Logger.CurrentLoggers,
        new Set(Array.from(loggers, (logger) => before.has(logger) ? logger : contentFreeLogger(logger)))
      ),
      tracer === undefined ? identity : Context.add(Tracer.Tracer, contentFreeTracer(tracer))
    )
  }))
