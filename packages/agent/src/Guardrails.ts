/**
 * Guardrails: what is checked of a run's goal, of each tool call, result and summary, and the port that further checks plug into.
 * Every verdict is an event, in the same append as what it led to, so a replay decides nothing again.
 */
import type { Span } from "@durable-agents/core"
import { Context, Duration, Effect, Layer, Option, Result, Schema } from "effect"
import type { Caps } from "./Caps.ts"
import * as Caps_ from "./Caps.ts"
import type { Screen } from "./Screen.ts"
import type { Call, Goal, Summary, ToolResult } from "./Subject.ts"

export { Profile, profile, UnknownProfile } from "./Profile.ts"
export type { Question, Screen, ScreenVerdict } from "./Screen.ts"
export type { Call, Goal, Past, Recorded, Summary, ToolResult } from "./Subject.ts"

/**
 * What a guardrail says about what it was shown.
 *
 * **Details**
 *
 * `ALLOW` is written down and changes nothing. `MARK` says of a result that passages of it are data, in what the model is shown,
 * and is written down of anything else. `REDACT` shows the model replacements in the place of passages of a result; the log
 * keeps them. `ESCALATE` asks a person: about the goal before the model sees it, about the call before it is carried out, and
 * after a result or a summary about the next call with an effect. `BLOCK` stops the call and tells the model `message`; of a
 * result the model is told `message` instead; a goal or a summary that is blocked ends the run.
 *
 * @category models
 * @since 0.1.0
 */
export interface Verdict {
  /** Which rule, in a word: `scope_drift`. */
  readonly rule: string
  readonly action: "ALLOW" | "MARK" | "REDACT" | "ESCALATE" | "BLOCK"
  /** In plain words, for the model or the person who is asked. Goes into the log, so it should hold no value. */
  readonly message: string
  /**
   * With `ESCALATE`: what the person is shown in place of `message`, values included. It stands in the request for the approval, as
   * the arguments do, and in no verdict.
   */
  readonly shown?: string
  /** What was found, for the log: positions and kinds, not personal data. */
  readonly detail?: Readonly<Record<string, Schema.Json>>
  /** The passages that it is about; of a result, `MARK` and `REDACT` change them. */
  readonly spans?: ReadonlyArray<Span>
  /** With `BLOCK`: the run ends, as failed. */
  readonly ends?: boolean
  /** Whether it counts towards asking a person about the next call. Default: `BLOCK` does. */
  readonly counts?: boolean
}

/**
 * A check of one's own. Whatever of it is absent lets everything pass.
 *
 * **Details**
 *
 * It is asked once for each goal, call, result and summary; its verdicts are recorded and a replay does not ask again. A process that dies
 * before they are stored asks again. An approved call is not checked again, unless the approver changed its arguments.
 *
 * **Gotchas**
 *
 * A check that fails with a defect, or takes too long, lets nothing pass: a person is asked about the goal, the call, or what
 * follows from a summary, and a result is withheld.
 *
 * @category models
 * @since 0.1.0
 */
export interface Guardrail {
  readonly name: string
  /** Names its rules and detectors, such as a digest of them; recorded with its verdicts. */
  readonly version?: string
  /** It sets something aside when it is asked, so that only a run may ask it, and no `Rescore`. */
  readonly reserves?: boolean
  /** Shadow mode: its verdicts are recorded with what they would have done, and change nothing. */
  readonly shadow?: boolean
  readonly goal?: (goal: Goal) => Effect.Effect<ReadonlyArray<Verdict>>
  readonly call?: (call: Call) => Effect.Effect<ReadonlyArray<Verdict>>
  readonly result?: (result: ToolResult) => Effect.Effect<ReadonlyArray<Verdict>>
  readonly summary?: (summary: Summary) => Effect.Effect<ReadonlyArray<Verdict>>
  /** What it asks a model. Its name then has letters, digits, `_` and `-`, and no other guardrail has it. */
  readonly screen?: Screen
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Settings {
  /** Asked in this order, after the built-in rules. */
  readonly guardrails: ReadonlyArray<Guardrail>
  /** Caps of tools by name, on top of those that the tools declare. */
  readonly caps: Readonly<Record<string, Caps>>
  /** The same call with an effect is stopped when it comes for the n-th time in a conversation; at least 2, or `Infinity`. */
  readonly loopThreshold: number
  /** After how many verdicts that count a person is asked about the next call with an effect; by profile if absent. */
  readonly escalationThreshold: number | undefined
  /**
   * How results are set apart from instructions in what the model is shown: not at all, between delimiters that are drawn for each
   * conversation and that no result can close, or in addition with marks in the place of spaces. A run keeps what it began with.
   */
  readonly delimiters: "none" | "random" | "marked"
  /** How long a guardrail, or a rule that says whether a call needs approval, may take before it counts as failed. */
  readonly timeout: Duration.Input
}

const defaults: Settings = {
  guardrails: [],
  caps: {},
  loopThreshold: 3,
  escalationThreshold: undefined,
  delimiters: "none",
  timeout: "30 seconds"
}

/**
 * The guardrails that agents are under. Without a layer: the built-in rules, loops stopped at 3, 30 s for each check.
 *
 * @category references
 * @since 0.1.0
 */
export const Guardrails = Context.Reference<Settings>("@durable-agents/agent/Guardrails", {
  defaultValue: () => defaults
})

/**
 * Settings of guardrails that cannot be meant.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnusableGuardrails
  extends Schema.TaggedError<UnusableGuardrails>("@durable-agents/agent/UnusableGuardrails")("UnusableGuardrails", {
    setting: Schema.String,
    detail: Schema.String
  })
{
  override get message() {
    return `The guardrails cannot be used: \`${this.setting}\` ${this.detail}`
  }
}

/**
 * Guardrails for all agents whose layers are built over it. What is not given has its default. Throws `UnusableGuardrails` if
 * it cannot be meant.
 *
 * **Example**
 *
 * ```ts
 * import { Guardrails } from "@durable-agents/agent"
 * import { Effect } from "effect"
 *
 * const OfficeHours = Guardrails.layer({
 *   caps: { issue_refund: { cents: { max: 100_000 } } },
 *   guardrails: [{
 *     name: "own-domain",
 *     call: ({ arguments: args, tool }) =>
 *       Effect.succeed(
 *         tool === "send_mail" && !JSON.stringify(args).includes("@example.com\"")
 *           ? [{ rule: "own_domain", action: "ESCALATE", message: "the mail would leave the house" }]
 *           : []
 *       )
 *   }]
 * })
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (settings: Partial<Settings>): Layer.Layer<never> =>
  Layer.succeed(Guardrails, Result.getOrThrow(checked(settings)))

/**
 * The same, where guardrails are made of other services or read from configuration.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerEffect = <E, R>(
  settings: Effect.Effect<Partial<Settings>, E, R>
): Layer.Layer<never, E | UnusableGuardrails, R> =>
  Layer.effect(Guardrails, Effect.flatMap(settings, (given) => Effect.fromResult(checked(given))))

/**
 * Guardrails on top of those over which this layer is built: checks are asked after theirs, caps of a tool hold beside theirs, and
 * what else is given takes the place of theirs.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerAdd = <E = never, R = never>(
  settings: Partial<Settings> | Effect.Effect<Partial<Settings>, E, R>
): Layer.Layer<never, E | UnusableGuardrails, R> =>
  layerEffect(Effect.flatMap(
    Guardrails,
    (below) =>
      Effect.map(Effect.isEffect(settings) ? settings : Effect.succeed(settings), (given) => ({
        ...below,
        ...given,
        guardrails: [...below.guardrails, ...given.guardrails ?? []],
        caps: Object.entries(given.caps ?? {}).reduce<Settings["caps"]>(
          (caps, [tool, own]) => ({ ...caps, [tool]: { ...caps[tool], ...own } }),
          below.caps
        )
      }))
  ))

const checked = (given: Partial<Settings>): Result.Result<Settings, UnusableGuardrails> => {
  // Whoever compiles with other settings, or not at all, may say `undefined` for what is not given.
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const settings: Settings = { ...defaults, ...said }
  const unusable = (setting: string, detail: string) => Result.fail(new UnusableGuardrails({ setting, detail }))
  const { caps, delimiters, escalationThreshold = 1, guardrails, loopThreshold, timeout } = settings
  if (!["none", "random", "marked"].includes(delimiters)) return unusable("delimiters", "wants none, random or marked")
  if (Option.isNone(Duration.fromInput(timeout))) return unusable("timeout", "wants a duration")
  if (!isThreshold(loopThreshold, 2)) return unusable("loopThreshold", "wants a whole number from 2 on, or Infinity")
  if (!isThreshold(escalationThreshold, 1)) {
    return unusable("escalationThreshold", "wants a whole number from 1 on, or Infinity")
  }
  const screens = guardrails.flatMap(({ name, screen }) => screen === undefined ? [] : [name])
  const odd = screens.find((name, at) => !/^[\w-]{1,64}$/.test(name) || screens.indexOf(name) !== at)
  if (odd !== undefined) {
    return unusable(
      "guardrails",
      `that ask a model have names of their own, of letters, digits, \`_\` and \`-\`: \`${odd}\``
    )
  }
  for (const [tool, own] of Object.entries(caps)) {
    const problem = Caps_.problem(own)
    if (problem !== undefined) return unusable(`caps.${tool}`, problem)
  }
  return Result.succeed(settings)
}

const isThreshold = (value: number, least: number): boolean =>
  value === Infinity || (Number.isSafeInteger(value) && value >= least)

/**
 * When something is checked, as the log names it.
 *
 * @category models
 * @since 0.1.0
 */
export type When = "L1_input" | "L2_tool_result" | "L2_summary" | "L3_output" | "L4_run_level"
