/**
 * What an agent does about a tool beyond calling it, as annotations on `effect/ai` tools: what happens when an outcome is not
 * known, what is tried again, how long a call may take, how a person is asked.
 */
import { Timer, type ToolDescription, type ToolLabels } from "@durable-agents/core"
import type { Effect, Schedule, Schema } from "effect"
import { Context, Duration, Option } from "effect"
import { Tool } from "effect/ai"
import type { Caps } from "./Caps.ts"
import * as Caps_ from "./Caps.ts"

/**
 * What is said about one tool. Its functions and its schedule take the values of that very tool.
 *
 * **Example**
 *
 * ```ts
 * import { ToolPolicy } from "@durable-agents/agent"
 * import { pipe, Schema } from "effect"
 * import { Tool } from "effect/ai"
 *
 * const SendMail = pipe(
 *   Tool.make("send_mail", { parameters: Schema.Struct({ to: Schema.String }) }),
 *   ToolPolicy.timeout("30 seconds"),
 *   ToolPolicy.onUnknown("ask")
 * )
 * ```
 *
 * @category models
 * @since 0.1.0
 */
export interface Policy {
  /** What happens to an attempt without a known outcome; absent: what the effect class says. */
  readonly recovery?: "repeat" | "fail" | undefined
  /** Attempts in all. */
  readonly attempts: number
  /** When a typed failure is tried again before the model is told. */
  readonly retry?: Schedule.Schedule<unknown, never> | undefined
  readonly timeout?: Duration.Duration | undefined
  readonly onUnknown: "tell" | "ask"
  readonly lookup?: ((args: never) => Effect.Effect<Option.Option<unknown>, never, unknown>) | undefined
  /** Why a person is asked, in plain words. */
  readonly reason?: ((args: never) => string) | undefined
  readonly approvers?: ReadonlyArray<string> | undefined
  readonly expiresInMillis?: number | undefined
  /** Absent: it keeps waiting. */
  readonly onExpiry?: "deny" | "approve" | undefined
  readonly notByRequester?: boolean | undefined
  readonly caps?: Caps | undefined
  readonly labels?: ToolLabels | undefined
  /** In place of the guardrails' own threshold. */
  readonly loopThreshold?: number | undefined
}

/**
 * The annotation. The default: 3 attempts, unknown outcomes are told to the model.
 *
 * @category annotations
 * @since 0.1.0
 */
export const Policy = Context.Reference<Policy>("@durable-agents/agent/ToolPolicy", {
  defaultValue: () => ({ attempts: 3, onUnknown: "tell" })
})

/**
 * @category getters
 * @since 0.1.0
 */
export const of = (tool: Tool.Any): Policy => Context.get(tool.annotations, Policy)

/**
 * What repeating a call of this tool does, as it is recorded with the run: `readonly` and `idempotent` calls may be repeated,
 * `lookup` can find out whether the effect happened, `once` must not be repeated.
 *
 * @category getters
 * @since 0.1.0
 */
export const effect = (tool: Tool.Any): ToolDescription["effect"] =>
  Context.get(tool.annotations, Tool.Readonly)
    ? "readonly"
    : Context.get(tool.annotations, Tool.Idempotent)
    ? "idempotent"
    : of(tool).lookup === undefined
    ? "once"
    : "lookup"

/**
 * Why a policy cannot be meant, if so.
 *
 * @category checks
 * @since 0.1.0
 */
export const problem = ({ attempts, caps = {}, loopThreshold = 3 }: Policy): string | undefined =>
  !(Number.isSafeInteger(attempts) && attempts >= 1) && attempts !== Infinity
    ? "its attempts must be a whole number from 1 on"
    : !(Number.isSafeInteger(loopThreshold) && loopThreshold >= 2) && loopThreshold !== Infinity
    ? "its loop threshold must be a whole number from 2 on, or Infinity"
    : Caps_.problem(caps)

/** An annotation changes nothing of a tool's type. */
const annotate = <T extends Tool.Any>(tool: T, policy: Partial<Policy>): T =>
  tool.annotate(Policy, { ...of(tool), ...policy }) as T

type Change = <T extends Tool.Any>(tool: T) => T

/**
 * Repeats attempts whose outcome is unknown, or records them as unknown, whatever the effect class says.
 *
 * @category annotations
 * @since 0.1.0
 */
export const recovery = (choice: "repeat" | "fail"): Change => (tool) => annotate(tool, { recovery: choice })

/**
 * How many attempts a call has in all, those without a known outcome included. Default 3.
 *
 * @category annotations
 * @since 0.1.0
 */
export const attempts = (count: number): Change => (tool) => annotate(tool, { attempts: count })

/**
 * Tries typed failures again, with the same idempotency key, before the model is told. Without it every typed failure is a
 * result for the model.
 *
 * @category annotations
 * @since 0.1.0
 */
export const retry = <T extends Tool.Any>(schedule: Schedule.Schedule<unknown, Tool.Failure<T>>) => (tool: T): T =>
  annotate(tool, { retry: schedule })

/**
 * After this an attempt is over and its outcome unknown.
 *
 * @category annotations
 * @since 0.1.0
 */
export const timeout = (duration: Duration.Input): Change => (tool) =>
  annotate(tool, { timeout: Duration.millis(millisOf("timeout", duration)) })

/** A time-out or an expiry that is no time would come at once. */
const millisOf = (policy: string, duration: Duration.Input): number =>
  Option.getOrThrowWith(
    Option.filter(Option.some(Timer.millis(duration)), (millis) => !Number.isNaN(millis)),
    () => new Error(`ToolPolicy.${policy}: \`${String(duration)}\` is no duration`)
  )

/**
 * What happens when the outcome of a call stays unknown: the model is told so (default), or the run is stuck until an operator
 * says how the call ended (`Runs.resolve`, then `Runs.release`).
 *
 * @category annotations
 * @since 0.1.0
 */
export const onUnknown = (choice: "tell" | "ask"): Change => (tool) => annotate(tool, { onUnknown: choice })

/**
 * Finds out whether a call with an unknown outcome took effect: `Some` is its result, `None` means that it did not, so that it
 * is tried again. `ToolCall` gives the idempotency key.
 *
 * @category annotations
 * @since 0.1.0
 */
export const lookup = <Name extends string, Config extends ToolConfig, Requirements, R>(
  find: (args: Config["parameters"]["Type"]) => Effect.Effect<Option.Option<Config["success"]["Type"]>, never, R>
) =>
(tool: Tool.Tool<Name, Config, Requirements>): Tool.Tool<Name, Config, Requirements | R> =>
  // What `find` needs becomes a requirement of the tool, so that the agent's layer asks for it.
  tool.annotate(Policy, { ...of(tool as Tool.Any), lookup: find }) as Tool.Tool<Name, Config, Requirements | R>

interface ToolConfig {
  readonly parameters: Schema.Top
  readonly success: Schema.Top
  readonly failure: Schema.Top
  readonly failureMode: Tool.FailureMode
}

/**
 * Why a person is asked before a call, in plain words.
 *
 * @category annotations
 * @since 0.1.0
 */
export const reason = <T extends Tool.Any>(words: string | ((args: Tool.Parameters<T>) => string)) => (tool: T): T =>
  annotate(tool, { reason: typeof words === "string" ? () => words : words })

/**
 * Who may decide about a call that needs approval, until when, and what an expired request counts as.
 *
 * @category annotations
 * @since 0.1.0
 */
export const approval = (options: {
  readonly approvers?: ReadonlyArray<string>
  /** Whether somebody else than who started the run has to allow it. Default false. */
  readonly notByRequester?: boolean
  readonly expiresIn?: Duration.Input
  /** Default `deny`; `wait` says until when a decision is wanted, and keeps waiting. */
  readonly onExpiry?: "deny" | "approve" | "wait"
}): Change =>
(tool) =>
  annotate(tool, {
    approvers: options.approvers,
    notByRequester: options.notByRequester,
    ...(options.expiresIn === undefined ? {} : {
      expiresInMillis: millisOf("approval", options.expiresIn),
      onExpiry: options.onExpiry === "wait" ? undefined : options.onExpiry ?? "deny"
    })
  })

/**
 * Bounds on the numbers in a call's arguments, by path. A call outside of them is not carried out, and the model is told.
 *
 * **Details**
 *
 * Numbers in text are read as decimals; a value that is no plain number is out of bounds. Without `min` a number may not be
 * negative. The bounds are inclusive. A path that the parameters do not have is refused where the agent is made.
 *
 * **Example**
 *
 * ```ts
 * import { ToolPolicy } from "@durable-agents/agent"
 * import { pipe, Schema } from "effect"
 * import { Tool } from "effect/ai"
 *
 * const Transfer = pipe(
 *   Tool.make("transfer", {
 *     parameters: Schema.Struct({
 *       from: Schema.String,
 *       lines: Schema.Array(Schema.Struct({ to: Schema.String, cents: Schema.Natural }))
 *     })
 *   }),
 *   ToolPolicy.caps({ "lines.cents": { min: 1, max: 100_000 } })
 * )
 * ```
 *
 * @category annotations
 * @since 0.1.0
 */
export const caps = (bounds: Caps): Change => (tool) => annotate(tool, { caps: { ...of(tool).caps, ...bounds } })

/**
 * What guardrails should know of a tool: whose words its result holds, what a call does to the world, which arguments say to whom,
 * where and how much, and whether it reads what must not leave the house. Recorded with the run.
 *
 * **Details**
 *
 * What is not said is guessed from names and values, for the worse: a result is anybody's words, and a call that is not `readonly`
 * sends something. A path that the parameters do not have is refused where the agent is made.
 *
 * **Example**
 *
 * ```ts
 * import { ToolPolicy } from "@durable-agents/agent"
 * import { pipe, Schema } from "effect"
 * import { Tool } from "effect/ai"
 *
 * const ReadInbox = pipe(
 *   Tool.make("read_inbox", { success: Schema.String }).annotate(Tool.Readonly, true),
 *   ToolPolicy.labels({ result: "third_party", private: true })
 * )
 * const SendMoney = pipe(
 *   Tool.make("send_money", { parameters: Schema.Struct({ iban: Schema.String, cents: Schema.Natural }) }),
 *   ToolPolicy.labels({ effect: "send", sinks: { iban: "recipient", cents: "amount" } })
 * )
 * ```
 *
 * @category annotations
 * @since 0.1.0
 */
export const labels = (labels: ToolLabels): Change => (tool) =>
  annotate(tool, { labels: { ...of(tool).labels, ...labels } })

/**
 * When the same call, with the same arguments, is stopped as a loop: when it comes for the n-th time. `Infinity` for tools that
 * are meant to be called again and again. Default: what the guardrails say, 3.
 *
 * @category annotations
 * @since 0.1.0
 */
export const loopThreshold = (count: number): Change => (tool) => annotate(tool, { loopThreshold: count })
