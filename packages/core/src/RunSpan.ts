/**
 * What the span of an execution has around it, what is around its program, and which spans it links to.
 */
import { Context, Effect, Option, References, Tracer } from "effect"
import { Allowances, Journal, Path } from "./Journal.ts"
import type { Claim } from "./RunQueue.ts"
import type { RunState } from "./RunState.ts"
import * as Telemetry from "./Telemetry.ts"

/**
 * What all of an owner's runs have around them: no run of another program, no span of whoever built it, no content in spans.
 *
 * @category contexts
 * @since 0.1.0
 */
export const contextOf: Effect.Effect<Context.Context<never>> = Effect.gen(function*() {
  const context = Context.omit(Journal, Path, Allowances, Tracer.ParentSpan)(yield* Effect.context<never>())
  const tracer = Context.get(context, Tracer.Tracer)
  return tracer === Tracer.nativeTracer || Context.get(context, Telemetry.Content)
    ? context
    : Context.add(context, Tracer.Tracer, Telemetry.contentFreeTracer(tracer))
})

/**
 * The same for one run: spans have its execution around them, and logs say whose they are.
 *
 * @category contexts
 * @since 0.1.0
 */
export const within = (
  context: Context.Context<never>,
  { program, runId }: Claim,
  span: Tracer.Span
): Context.Context<never> =>
  context.pipe(
    Context.add(Tracer.ParentSpan, span),
    Context.add(References.CurrentLogAnnotations, {
      ...Context.get(context, References.CurrentLogAnnotations),
      runId,
      program
    })
  ) as Context.Context<never>

/**
 * To the start, and to the execution before this one.
 *
 * @category links
 * @since 0.1.0
 */
export const linksOf = ({ started, traceparent }: RunState): ReadonlyArray<Tracer.SpanLink> =>
  Object.entries({ start: started?.traceparent, before: traceparent }).flatMap(([of, said]) =>
    of === "before" && said === started?.traceparent
      ? []
      : Option.match(Telemetry.spanOf(said), { onNone: () => [], onSome: (span) => [{ span, attributes: { of } }] })
  )
