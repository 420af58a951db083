/**
 * What spans of agents say, by OpenTelemetry's conventions for generative AI: who is asked for what, which tool is carried out, and
 * only if `Telemetry.Content` says so, in what words.
 */
import type { RunId } from "@durable-agents/core"
import { Telemetry } from "@durable-agents/core"
import { Cause, Effect, Exit, Option, Predicate, type Tracer } from "effect"
import type { Prompt, Response } from "effect/ai"
import { Telemetry as AiTelemetry } from "effect/ai"
import * as ToolResult from "./ToolResult.ts"

/**
 * Whose span it is.
 *
 * @category models
 * @since 0.1.0
 */
export interface Whose {
  readonly runId: RunId
  readonly agent: string
}

const whose = ({ agent, runId }: Whose) => ({ "gen_ai.agent.name": agent, "gen_ai.conversation.id": runId })

/**
 * An agent at work on its conversation, in one process: until it ends, or its run rests.
 *
 * @category spans
 * @since 0.1.0
 */
export const invocation = <A, E, R>(effect: Effect.Effect<A, E, R>, about: Whose): Effect.Effect<A, E, R> =>
  Telemetry.spanned(
    effect,
    () => ({
      name: `invoke_agent ${about.agent}`,
      attributes: { "gen_ai.operation.name": "invoke_agent", ...whose(about) }
    }),
    (exit) =>
      Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)
        ? undefined
        : Telemetry.kindOf(Cause.squash(exit.cause))
  )

/**
 * An attempt of a model call. What was asked and answered is said by the span of the language model inside.
 *
 * @category spans
 * @since 0.1.0
 */
export const modelCall = (about: Whose & { readonly turn: number }): Telemetry.SpanFields => ({
  name: "ModelCall",
  attributes: { turn: about.turn, ...whose(about) }
})

/**
 * An attempt of a tool call.
 *
 * @category spans
 * @since 0.1.0
 */
export const toolCall = (
  about: Whose & { readonly turn: number; readonly tool: string; readonly toolCallId: string }
): Telemetry.SpanFields => ({
  name: `execute_tool ${about.tool}`,
  attributes: {
    turn: about.turn,
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": about.tool,
    "gen_ai.tool.type": "function",
    "gen_ai.tool.call.id": about.toolCallId,
    ...whose(about)
  }
})

/**
 * Says in the span around it what a tool was given and gave back, if that may be said.
 *
 * @category spans
 * @since 0.1.0
 */
export const carriedOut = <A, E, R>(act: Effect.Effect<A, E, R>, args: unknown): Effect.Effect<A, E, R> =>
  whereContentIs(
    act,
    (effect) =>
      effect.pipe(
        Effect.tap((result) => Effect.annotateCurrentSpan("gen_ai.tool.call.result", textOf(result))),
        (effect) => Effect.andThen(Effect.annotateCurrentSpan("gen_ai.tool.call.arguments", textOf(args)), effect)
      )
  )

/**
 * Has the span of a language model say what its provider's layer did not say.
 *
 * @category spans
 * @since 0.1.0
 */
export const asking = <A, E, R>(
  ask: Effect.Effect<A, E, R>,
  about: Whose & { readonly model: string; readonly messages: ReadonlyArray<Prompt.Message> }
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    if (!Telemetry.isTraced(fiber.context)) return ask
    return Effect.gen(function*() {
      const content = yield* Telemetry.Content
      const around = yield* Effect.serviceOption(AiTelemetry.CurrentSpanTransformer)
      const said = Effect.provideService(ask, AiTelemetry.CurrentSpanTransformer, (options) => {
        if (Option.isSome(around)) around.value(options)
        for (const [name, value] of Object.entries(answered(about, options.response))) {
          sayIfNew(options.span, name, value)
        }
        if (content) {
          const { messages } = about
          options.span.attribute("gen_ai.system_instructions", textOf(messages.flatMap(instructionsOf)))
          options.span.attribute("gen_ai.input.messages", textOf(messages.filter(isSpoken).map(messageOf)))
          options.span.attribute("gen_ai.output.messages", textOf([outputOf(options.response)]))
        }
      })
      return yield* said
    })
  })

type Parts = ReadonlyArray<Response.AnyPart>

/** What a layer says is nearer to the provider than what is known here. */
const sayIfNew = (span: Tracer.Span, name: string, value: unknown): void => {
  if (value !== undefined && !span.attributes.has(name)) span.attribute(name, value)
}

const answered = (about: Whose & { readonly model: string }, response: Parts): Readonly<Record<string, unknown>> => {
  const metadata = response.find((part) => part.type === "response-metadata")
  const finish = response.find((part) => part.type === "finish")
  return {
    ...whose(about),
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": about.model,
    "gen_ai.response.id": metadata?.id,
    "gen_ai.response.model": metadata?.modelId,
    "gen_ai.response.finish_reasons": finish === undefined ? undefined : [finish.reason],
    "gen_ai.usage.input_tokens": finish?.usage.inputTokens.total,
    "gen_ai.usage.output_tokens": finish?.usage.outputTokens.total,
    "gen_ai.usage.cache_read.input_tokens": finish?.usage.inputTokens.cacheRead,
    "gen_ai.usage.cache_creation.input_tokens": finish?.usage.inputTokens.cacheWrite
  }
}

const whereContentIs = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  f: (effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => Effect.flatMap(Telemetry.Content, (content) => content ? f(effect) : effect)

const textOf = (value: unknown): string => JSON.stringify(ToolResult.toJson(value).json)

const isSpoken = ({ role }: Prompt.Message): boolean => role !== "system"

const instructionsOf = (message: Prompt.Message) =>
  message.role === "system" ? [{ type: "text", content: message.content }] : []

const messageOf = (message: Prompt.Message) => ({
  role: message.role,
  parts: Predicate.isString(message.content)
    ? [{ type: "text", content: message.content }]
    : message.content.map(partOf)
})

const outputOf = (response: Parts) => ({
  role: "assistant",
  parts: response.filter(({ type }) => type === "text" || type === "reasoning" || type === "tool-call").map(partOf),
  finish_reason: response.find((part) => part.type === "finish")?.reason
})

/** Files are named by their kind only. */
const partOf = (part: Prompt.Part | Response.AnyPart) => {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { type: part.type, content: part.text }
    case "tool-call":
      return { type: "tool_call", id: part.id, name: part.name, arguments: part.params }
    case "tool-result":
      return { type: "tool_call_response", id: part.id, response: part.result }
    default:
      return { type: part.type }
  }
}
