/**
 * A language model that says what a script says, offline: for tests and examples. The item is chosen by turn and attempt, so it
 * is the same in every replay, and a failure that is scripted once does not come again. Asked for a stream, it says the same word
 * by word.
 */
import { Context, Effect, Layer, Stream } from "effect"
import type { Prompt, Response, Tool } from "effect/ai"
import { AiError, LanguageModel, Model } from "effect/ai"
import { CurrentModelCall, type Purpose } from "./ModelCall.ts"
import * as Streamed from "./Streamed.ts"

/**
 * What the model does when it is asked: answers with parts, fails, dies, takes its time. Any effect will do.
 *
 * @category models
 * @since 0.1.0
 */
export type Reply = Effect.Effect<Array<Response.PartEncoded>, AiError.AiError>

/**
 * One request that the model got.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  readonly runId: string
  readonly agent: string
  readonly path: string
  readonly turn: number
  /**
   * `compaction`: a summary of what was before this turn is wanted; a script that is a list gives one by itself. `screening`: a
   * guardrail asks.
   */
  readonly purpose: Purpose
  /** Names the call in its run, such as `turn-3/model`. */
  readonly key: string
  readonly attempt: number
  readonly prompt: Prompt.Prompt
  readonly tools: ReadonlyArray<Tool.Any>
}

/**
 * Replies by turn; a list in place of a reply has one for each attempt of that turn, the last for all further ones.
 *
 * @category models
 * @since 0.1.0
 */
export type Script = ReadonlyArray<Reply | string | ReadonlyArray<Reply | string>>

/**
 * The requests that the model got, oldest first.
 *
 * @category services
 * @since 0.1.0
 */
export class Requests extends Context.Service<Requests, {
  readonly all: Effect.Effect<ReadonlyArray<Request>>
}>()("@durable-agents/agent/ScriptedModel/Requests") {}

/**
 * A model that follows a script: one for every run, one for each agent by name, or a function of the request.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  script: Script | Readonly<Record<string, Script>> | ((request: Request) => Reply | string)
): Layer.Layer<LanguageModel.LanguageModel | Model.ModelName | Requests> => {
  const replyTo = typeof script === "function" ? script : (request: Request) => scripted(script, request)
  return Layer.effectContext(Effect.gen(function*() {
    const requests: Array<Request> = []
    const say = Effect.fnUntraced(function*({ prompt, tools }: LanguageModel.ProviderOptions) {
      const call = yield* CurrentModelCall
      const turn = requests.length + 1
      const own = { runId: "", agent: "", path: "", turn, key: "", purpose: "answer" as const, attempt: 1 }
      const request: Request = { ...(call ?? own), prompt, tools }
      requests.push(request)
      const reply = replyTo(request)
      return yield* typeof reply === "string" ? text(reply) : reply
    })
    const model = yield* LanguageModel.make({
      generateText: say,
      streamText: (request) => Stream.unwrap(Effect.map(say(request), Streamed.fromParts))
    })
    return Context.make(LanguageModel.LanguageModel, model).pipe(
      Context.add(Model.ModelName, "scripted"),
      Context.add(Requests, { all: Effect.sync(() => [...requests]) })
    )
  }))
}

const scripted = (
  script: Script | Readonly<Record<string, Script>>,
  { agent, attempt, purpose, turn }: Request
): Reply | string => {
  if (purpose === "compaction") return `(What was before turn ${turn}.)`
  const own: Script | undefined = isScript(script) ? script : script[agent]
  if (own === undefined) return Effect.fail(failed(`there is no script for the agent \`${agent}\``))
  const item = own[turn - 1]
  if (item === undefined) {
    return Effect.fail(failed(`the script has ${own.length} turns, and turn ${turn} was asked for`))
  }
  return isAttempts(item) ? item[Math.min(attempt, item.length) - 1] ?? text("") : item
}

const isScript = (script: Script | Readonly<Record<string, Script>>): script is Script => Array.isArray(script)
const isAttempts = (item: Script[number]): item is ReadonlyArray<Reply | string> => Array.isArray(item)

const failed = (description: string): AiError.AiError =>
  AiError.make({
    module: "ScriptedModel",
    method: "generateText",
    reason: new AiError.InvalidRequestError({ description })
  })

/**
 * What a reply may say beside its parts.
 *
 * @category models
 * @since 0.1.0
 */
export interface Finish {
  readonly finishReason?: Response.FinishReason
  /** Absent: 10 tokens in and 5 out; `null`: not reported. */
  readonly usage?: { readonly input: number; readonly output: number } | null
}

/**
 * Answers with a text.
 *
 * @category replies
 * @since 0.1.0
 */
export const text = (content: string, finish?: Finish): Reply => parts([{ type: "text", text: content }], finish)

/**
 * Calls one tool: one that is given, whose name and arguments the types check, or one by its name, with whatever arguments.
 *
 * @category replies
 * @since 0.1.0
 */
export const toolCall: {
  <T extends Tool.Any>(tool: T, params: Tool.ParametersEncoded<T>, options?: CallOptions): Reply
  (name: string, params: unknown, options?: CallOptions): Reply
} = (tool: Tool.Any | string, params: unknown, options: CallOptions = {}): Reply =>
  toolCalls([{
    name: typeof tool === "string" ? tool : tool.name,
    params,
    ...(options.id === undefined ? {} : { id: options.id })
  }], options)

interface CallOptions extends Finish {
  /** What the provider calls the call; made up if absent. */
  readonly id?: string
}

/**
 * Calls several tools in one turn, after saying something if `text` is given.
 *
 * @category replies
 * @since 0.1.0
 */
export const toolCalls = (
  calls: ReadonlyArray<{ readonly name: string; readonly params: unknown; readonly id?: string }>,
  options: Finish & { readonly text?: string } = {}
): Reply =>
  Effect.flatMap(CurrentModelCall, (call) =>
    parts([
      ...(options.text === undefined ? [] : [{ type: "text" as const, text: options.text }]),
      ...calls.map(({ id, name, params }, index) => ({
        type: "tool-call" as const,
        id: id ?? `call_${call?.turn ?? 0}_${index + 1}`,
        name,
        params
      }))
    ], { finishReason: "tool-calls", ...options }))

/**
 * Answers with any parts.
 *
 * @category replies
 * @since 0.1.0
 */
export const parts = (
  content: ReadonlyArray<Response.PartEncoded>,
  { finishReason = "stop", usage }: Finish = {}
): Reply =>
  Effect.succeed([
    ...content,
    {
      type: "finish",
      reason: finishReason,
      usage: {
        inputTokens: { total: usage === null ? undefined : usage?.input ?? 10 },
        outputTokens: { total: usage === null ? undefined : usage?.output ?? 5 }
      }
    }
  ])

/**
 * Fails, for a reason of `effect/ai`.
 *
 * @category replies
 * @since 0.1.0
 */
export const failure = (reason: AiError.AiErrorReason): Reply =>
  Effect.fail(AiError.make({ module: "ScriptedModel", method: "generateText", reason }))
