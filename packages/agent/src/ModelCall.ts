/**
 * One recorded model call: what the model is asked, what it answered, and how its failures are tried again.
 */
import type { RunEventOf } from "@durable-agents/core"
import { below, CurrentStep, Digest, Journal, MaxOutputTokens, Operation, Payload } from "@durable-agents/core"
import type { Duration, Schedule, Schema } from "effect"
import { Context, Effect, Result } from "effect"
import type { Response } from "effect/ai"
import { AiError, LanguageModel, Prompt } from "effect/ai"
import * as Assembly from "./Assembly.ts"
import type { Compaction } from "./Compaction.ts"
import type { Recorded } from "./Guardrails.ts"
import * as ModelDeltas from "./ModelDeltas.ts"
import * as ModelError from "./ModelError.ts"
import * as ModelPlan from "./ModelPlan.ts"
import * as Part from "./Part.ts"
import * as Prices from "./Prices.ts"
import type { Reservation } from "./Reservation.ts"
import { make as reserve } from "./Reservation.ts"
import { isList } from "./ToolResult.ts"
import type { Tools } from "./Tools.ts"
import type { Conversation } from "./Transcript.ts"

/**
 * How an agent calls its model.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly agent: string
  readonly tools: Tools
  /** The name under which the model is recorded, if its layer does not say one. */
  readonly model: string | undefined
  readonly retry: Schedule.Schedule<unknown, ModelError.ModelError>
  readonly attempts: number
  readonly timeout: Duration.Duration
  /** Answers are streamed, and told to who listens to `ModelDeltas`. */
  readonly stream: boolean
  readonly maxOutputTokens: number | undefined
}

/**
 * What a model is asked for.
 *
 * @category models
 * @since 0.1.0
 */
export type Purpose = "answer" | "compaction"

/**
 * Which model call of which agent a language model is being asked for; undefined outside agents. Test models read it.
 *
 * @category references
 * @since 0.1.0
 */
export const CurrentModelCall = Context.Reference<
  | {
    readonly runId: string
    readonly agent: string
    /** The scopes around the agent, empty for one that is a program by itself. */
    readonly path: string
    readonly turn: number
    /** What it is asked for: the next answer, or a summary of the conversation before this turn. */
    readonly purpose: Purpose
    readonly attempt: number
    /** The digest of the prompt, as it is recorded. */
    readonly promptDigest: string
  }
  | undefined
>("@durable-agents/agent/CurrentModelCall", { defaultValue: () => undefined })

/**
 * Calls the model once per turn, whatever happens to the process, and ends with the event that stands in the log.
 *
 * @category operations
 * @since 0.1.0
 */
export const perform = Effect.fnUntraced(function*(
  options: Options,
  at: At,
  conversation: Conversation,
  checked: Checked = {}
) {
  const { agent, attempts, maxOutputTokens, stream, timeout, tools } = options
  const journal = yield* Journal
  const route = yield* ModelPlan.route(yield* LanguageModel.LanguageModel, options, journal.recorded(keyOf(at)))
  const prices = yield* Prices.Prices
  const { judge = () => Effect.succeed([]) } = at
  const verdicts: Array<Recorded> = []
  const reservation = yield* reserve({
    key: keyOf(at),
    models: route.names(),
    maxOutputTokens,
    messages: conversation.messages,
    tools: tools.descriptions
  })
  return yield* Effect.filterOrElse(
    Operation.perform<Generated, ModelError.ModelError, LanguageModel.LanguageModel | CurrentStep>({
      request: { ...requestOf(at, conversation, route, reservation), ...checked },
      act: Effect.provideService(
        route.provide(act({ agent, stream, tools }, at, conversation)),
        MaxOutputTokens,
        reservation.maxOutputTokens
      ),
      completed: (response, fields) =>
        Effect.flatMapEager(
          encode(response, at.outputBytes, { prices, model: route.names()[0] }),
          (answer) =>
            Effect.mapEager(judge(answer.parts), (found) => {
              verdicts.push(...found)
              return { _tag: "LLMCallCompleted", ...fields, turn: at.turn, ...answer }
            })
        ),
      beside: () => verdicts,
      failure: ModelError.toFailure,
      recovery: "repeat",
      retry: {
        ...route.retry,
        attempts,
        blind: blindAttempts,
        decode: ModelError.decode
      },
      timeout
    }),
    (event) => event._tag === "LLMCallCompleted" || event._tag === "LLMCallFailed",
    (event) => Effect.die(event)
  )
})

/** Attempts that took too long may have been paid for, and a bug does not go away. */
const blindAttempts = 15

/**
 * What guardrails say about asking the model: the verdicts, and why it must not be asked.
 *
 * @category models
 * @since 0.1.0
 */
export interface Checked {
  readonly before?: ReadonlyArray<Recorded>
  readonly refusal?: string
}

/**
 * Names a model call of a turn in its run, such as `turn-3/model`; the one that summarises what was before it, `turn-3/compaction`.
 *
 * @category keys
 * @since 0.1.0
 */
export const keyOf = (
  { path, purpose = "answer", turn }: { readonly path: string; readonly turn: number; readonly purpose?: Purpose }
): string => below(path, `turn-${turn}/${purpose === "answer" ? "model" : purpose}`)

interface At {
  /** The scopes around the agent. */
  readonly path: string
  readonly turn: number
  readonly purpose: Purpose
  /** Bytes of JSON of an answer that can be recorded. */
  readonly outputBytes: number
  /** What is recorded of a call that summarises. */
  readonly compaction?: Compaction
  /** What guardrails say about the answer, to be recorded with it. */
  readonly judge?: (parts: ReadonlyArray<Schema.Json>) => Effect.Effect<ReadonlyArray<Recorded>>
  /** Whether a conversation that is too long for the provider can be made shorter. Default: it cannot. */
  readonly canShorten?: () => boolean
}

const requestOf = (
  { canShorten = () => false, compaction, path, purpose, turn }: At,
  { characters, digest, messages }: Conversation,
  route: ModelPlan.Route,
  { maxOutputTokens, refusal, reserve }: Reservation
) =>
  Operation.request({
    key: keyOf({ path, purpose, turn }),
    kind: "model",
    name: "",
    arguments: Digest.noArguments,
    ...(reserve === undefined ? {} : { reserve }),
    ...(refusal === undefined ? {} : { refusal }),
    requested: (attempt) => ({
      _tag: "LLMCallRequested",
      ...attempt,
      turn,
      model: route.names()[0],
      ...(maxOutputTokens === undefined ? {} : { parameters: { maxOutputTokens } }),
      promptDigest: digest,
      messageCount: messages.length,
      estimatedTokens: Math.ceil(characters / 4),
      ...(reserve === undefined ? {} : { reserve }),
      ...(compaction === undefined ? {} : { compaction })
    }),
    failed: (fields) => ({
      _tag: "LLMCallFailed",
      ...fields,
      turn,
      ...(fields.final && ModelError.isTooLong(fields) && canShorten() ? { compacts: true } : {})
    })
  })

type Generated = ReadonlyArray<Response.AnyPart>

const act = (
  { agent, stream, tools }: Pick<Options, "agent" | "stream" | "tools">,
  { path, purpose, turn }: At,
  { digest, messages }: Conversation
): Effect.Effect<Generated, ModelError.ModelError, LanguageModel.LanguageModel | CurrentStep> =>
  Effect.flatMap(CurrentStep, ({ attempt, key, runId }) => {
    const request = {
      prompt: Prompt.fromMessages(messages),
      toolkit: tools.toolkit,
      disableToolCallResolution: true,
      toolCallValidation: "deferred"
    } as const
    const answer: Effect.Effect<Generated, AiError.AiError, LanguageModel.LanguageModel> = stream
      ? ModelDeltas.speaking(
        { runId, key, turn, attempt },
        (say) => Effect.flatMap(Assembly.collect(LanguageModel.streamText(request), say), usable)
      )
      : Effect.flatMap(LanguageModel.generateText(request), ({ content }) => usable(content))
    return answer.pipe(
      Effect.provideService(CurrentModelCall, { runId, agent, path, turn, purpose, attempt, promptDigest: digest }),
      Effect.mapError(ModelError.make)
    )
  })

const usable = (answer: Generated): Effect.Effect<Generated, AiError.AiError> =>
  answer.some((part) => part.type === "finish" && part.reason === "error")
    ? Effect.fail(endedInError)
    : Effect.succeed(answer)

const endedInError = AiError.make({
  module: "ModelCall",
  method: "generateText",
  reason: new AiError.InternalProviderError({ description: "the provider ended its answer with an error" })
})

/** The fields of a completed call. The answer is kept as encoded parts, which no tool's schema is needed to read. */
const encode = (
  answer: Generated,
  outputBytes: number,
  asked: { readonly prices: ReadonlyArray<Prices.Table>; readonly model: string }
): Effect.Effect<
  Pick<
    RunEventOf<"LLMCallCompleted">,
    "parts" | "stopReason" | "usage" | "priceVersion" | "model" | "providerRequestId"
  >,
  Operation.Failure
> => {
  const encoded = Part.encode(answer.filter(({ type }) => type !== "finish" && type !== "response-metadata"))
  if (Result.isFailure(encoded)) {
    return Effect.fail({
      reason: "Unencodable",
      error: `the answer cannot be recorded: ${encoded.failure.message}`
    })
  }
  return Effect.mapEager(Payload.clean(encoded.success, outputBytes), (clean) => {
    const finish = answer.find((part) => part.type === "finish")
    const metadata = answer.find((part) => part.type === "response-metadata")
    return {
      parts: isList(clean) ? clean : [],
      stopReason: finish?.reason ?? "unknown",
      ...priced(finish, [metadata?.modelId ?? asked.model, asked.model], asked.prices),
      ...(metadata?.modelId === undefined ? {} : { model: metadata.modelId }),
      ...(metadata?.id === undefined ? {} : { providerRequestId: metadata.id })
    }
  })
}

/** The usage with its cost: what the provider says, or the price of the model that answered, or of the one that was asked. */
const priced = (
  finish: Response.FinishPart | undefined,
  names: ReadonlyArray<string>,
  tables: ReadonlyArray<Prices.Table>
): Pick<RunEventOf<"LLMCallCompleted">, "usage" | "priceVersion"> => {
  const usage = finish === undefined ? {} : usageOf(finish.usage)
  const said = Prices.readReported(finish?.metadata)
  if (said !== undefined) return { usage: { ...usage, costUsd: said }, priceVersion: "provider" }
  const found = Prices.find(tables, names)
  const costUsd = found === undefined ? undefined : Prices.costOf(found.price, usage)
  return found === undefined || costUsd === undefined
    ? { usage }
    : { usage: { ...usage, costUsd }, priceVersion: found.version }
}

/** What is not reported, or makes no sense, is absent. It is not zero. */
const usageOf = ({ inputTokens, outputTokens }: Response.Usage): RunEventOf<"LLMCallCompleted">["usage"] => {
  const input = count(inputTokens.total ?? sum(inputTokens.uncached, inputTokens.cacheRead, inputTokens.cacheWrite))
  const cached = count(inputTokens.cacheRead)
  const written = count(inputTokens.cacheWrite)
  const output = count(outputTokens.total ?? sum(outputTokens.text, outputTokens.reasoning))
  const reasoning = count(outputTokens.reasoning)
  return {
    ...(input === undefined ? {} : { inputTokens: input }),
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
    ...(output === undefined ? {} : { outputTokens: output }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning })
  }
}

const sum = (first: number | undefined, ...rest: ReadonlyArray<number | undefined>): number | undefined =>
  first === undefined ? undefined : rest.reduce<number>((total, next) => total + (next ?? 0), first)

const count = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined
