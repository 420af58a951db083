/**
 * One recorded model call: what the model is asked, what it answered, and how its failures are tried again.
 */
import type { RunEventOf } from "@durable-agents/core"
import { below, CurrentStep, Digest, Journal, MaxOutputTokens, Operation } from "@durable-agents/core"
import type { Duration, Schedule, Schema } from "effect"
import { Context, Effect } from "effect"
import type { Response } from "effect/ai"
import { AiError, LanguageModel, Prompt } from "effect/ai"
import * as AgentSpan from "./AgentSpan.ts"
import * as Assembly from "./Assembly.ts"
import type { Compaction } from "./Compaction.ts"
import type { Recorded } from "./Guardrails.ts"
import * as ModelAnswer from "./ModelAnswer.ts"
import { ModelBoundary } from "./ModelBoundary.ts"
import * as ModelDeltas from "./ModelDeltas.ts"
import * as ModelError from "./ModelError.ts"
import * as ModelPlan from "./ModelPlan.ts"
import * as Prices from "./Prices.ts"
import type { Reservation } from "./Reservation.ts"
import { make as reserve } from "./Reservation.ts"
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
  /** Whether it must answer by calling a tool. Default: as it likes. */
  readonly toolChoice?: "auto" | "required" | undefined
  /** How many time-outs and bugs a call may have. Default 15. */
  readonly blind?: number
}

/**
 * What a model is asked for.
 *
 * @category models
 * @since 0.1.0
 */
export type Purpose = "answer" | "compaction" | "screening"

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
    /** What it is asked for: the next answer, a summary of the conversation before this turn, or what a guardrail asks. */
    readonly purpose: Purpose
    /** Names the call in its run, such as `turn-3/model`. */
    readonly key: string
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
  const { agent, attempts, blind = blindAttempts, maxOutputTokens, stream, timeout, toolChoice, tools } = options
  const journal = yield* Journal
  const route = yield* ModelPlan.route(yield* LanguageModel.LanguageModel, options, journal.recorded(keyOf(at)))
  const prices = yield* Prices.Prices
  const { judge = () => Effect.succeed([]) } = at
  const verdicts: Array<Recorded> = []
  let unrecorded: ModelAnswer.Paid | undefined
  const reservation = yield* reserve({
    key: keyOf(at),
    models: route.names(),
    maxOutputTokens,
    messages: conversation.messages,
    tools: tools.descriptions
  })
  return yield* Effect.filterOrElse(
    Operation.perform<Generated, ModelError.ModelError, LanguageModel.LanguageModel | CurrentStep>({
      request: { ...requestOf(at, conversation, route, reservation, () => unrecorded), ...checked },
      act: Effect.provideService(
        route.provide(act({ agent, model: () => route.names()[0], stream, toolChoice, tools }, at, conversation)),
        MaxOutputTokens,
        reservation.maxOutputTokens
      ),
      completed: (response, fields) => {
        const { paid, recordable } = ModelAnswer.make(response, at.outputBytes, { prices, model: route.names()[0] })
        unrecorded = paid
        return Effect.flatMapEager(recordable, (answer) =>
          Effect.mapEager(judge(answer.parts), (found) => {
            verdicts.push(...found)
            return { _tag: "LLMCallCompleted", ...fields, turn: at.turn, ...answer, ...paid }
          }))
      },
      beside: (event) => event._tag === "LLMCallFailed" && event.final ? at.failed?.(event) ?? verdicts : verdicts,
      span: AgentSpan.modelCall({ runId: journal.runId, agent, turn: at.turn }),
      failure: ModelError.toFailure,
      recovery: "repeat",
      retry: {
        ...route.retry,
        attempts,
        blind,
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
  { key, path, purpose = "answer", turn }: {
    readonly path: string
    readonly turn: number
    readonly purpose?: Purpose
    /** Of a call that a guardrail asks for. */
    readonly key?: string | undefined
  }
): string => key ?? below(path, `turn-${turn}/${purpose === "answer" ? "model" : purpose}`)

interface At {
  /** The scopes around the agent. */
  readonly path: string
  readonly turn: number
  readonly purpose: Purpose
  /** Names the call, if its turn and purpose do not. */
  readonly key?: string
  /** Bytes of JSON of an answer that can be recorded. */
  readonly outputBytes: number
  /** What is recorded of a call that summarises. */
  readonly compaction?: Compaction
  /** What guardrails say about the answer, to be recorded with it. */
  readonly judge?: (parts: ReadonlyArray<Schema.Json>) => Effect.Effect<ReadonlyArray<Recorded>>
  /** What is recorded with its last failure. */
  readonly failed?: (event: RunEventOf<"LLMCallFailed">) => ReadonlyArray<Recorded>
  /** Whether a conversation that is too long for the provider can be made shorter. Default: it cannot. */
  readonly canShorten?: () => boolean
}

const requestOf = (
  at: At,
  { characters, digest, messages }: Conversation,
  route: ModelPlan.Route,
  { maxOutputTokens, refusal, reserve }: Reservation,
  paidOf: () => ModelAnswer.Paid | undefined
) => {
  const { canShorten = () => false, compaction, turn } = at
  return Operation.request({
    key: keyOf(at),
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
      ...(fields.reason === "TooLarge" || fields.reason === "Unencodable" ? paidOf() : {}),
      ...(fields.final && ModelError.isTooLong(fields) && canShorten() ? { compacts: true } : {})
    })
  })
}

type Generated = ReadonlyArray<Response.AnyPart>

const act = (
  { agent, model, stream, toolChoice = "auto", tools }: Pick<Options, "agent" | "stream" | "tools" | "toolChoice"> & {
    readonly model: () => string
  },
  { path, purpose, turn }: At,
  { digest, messages }: Conversation
): Effect.Effect<Generated, ModelError.ModelError, LanguageModel.LanguageModel | CurrentStep> =>
  Effect.flatMap(Effect.all([CurrentStep, ModelBoundary]), ([{ attempt, key, runId }, boundary]) => {
    const crossing = boundary?.({ runId, agent, messages })
    const request = {
      prompt: Prompt.fromMessages(crossing?.messages ?? messages),
      toolkit: tools.toolkit,
      toolChoice,
      disableToolCallResolution: true,
      toolCallValidation: "deferred"
    } as const
    const answer: Effect.Effect<Generated, AiError.AiError, LanguageModel.LanguageModel> = stream
      ? ModelDeltas.speaking(
        { runId, key, turn, attempt },
        (say) => {
          const streamed = crossing?.streamed?.()
          const tell = (all: ReadonlyArray<ModelDeltas.Said>): void => {
            for (const said of all) say(said)
          }
          return Assembly.collect(
            LanguageModel.streamText(request),
            streamed === undefined ? say : (said) => tell(streamed.pass(said))
          ).pipe(
            Effect.tap(() => Effect.sync(() => tell(streamed?.end() ?? []))),
            Effect.flatMap(usable)
          )
        }
      )
      : Effect.flatMap(LanguageModel.generateText(request), ({ content }) => usable(content))
    return AgentSpan.asking(answer, { runId, agent, model: model(), messages: request.prompt.content }).pipe(
      Effect.map((parts) => crossing === undefined ? parts : parts.map(crossing.incoming)),
      Effect.provideService(CurrentModelCall, {
        runId,
        agent,
        path,
        turn,
        purpose,
        key,
        attempt,
        promptDigest: digest
      }),
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
