/**
 * All guardrails of this package together, as they are under the five profiles.
 */
import { Guardrails } from "@durable-agents/agent"
import { Effect, Layer } from "effect"
import * as Cycles from "./Cycles.ts"
import * as Exfiltration from "./Exfiltration.ts"
import * as LearnedSignal from "./LearnedSignal.ts"
import * as Limits from "./Limits.ts"
import * as Policy from "./Policy.ts"
import * as Provenance from "./Provenance.ts"
import * as RuleOfTwo from "./RuleOfTwo.ts"
import * as Scope from "./Scope.ts"
import { none, TextSignal } from "./TextSignal.ts"
import * as Wording from "./Wording.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Under which profile runs are at least, those under `off` excepted. Absent: each run is under its own. */
  readonly profile?: Guardrails.Profile
  readonly limits?: ReadonlyArray<Limits.Limit>
  readonly scope?: Scope.Scope
  readonly cycles?: Cycles.Options
  readonly exfiltration?: Exfiltration.Options
  readonly policy?: ReadonlyArray<Policy.Row>
  /** Default `random`. */
  readonly delimiters?: Guardrails.Settings["delimiters"]
  /** Tries out what judges origins and what is private; limits, scope and cycles hold all the same. */
  readonly shadow?: boolean
}

/**
 * Everything: limits, scope, circles, origins, the rule of two, what is private, wording, delimiters; beside the guardrails below, and with
 * the signal that is provided, or `LearnedSignal`. `off` adds nothing.
 *
 * **Details**
 *
 * Each is a layer of its own as well: `Limits.layer`, `Scope.layer`, `Cycles.layer`, `Provenance.layer`, `RuleOfTwo.layer`,
 * `Exfiltration.layer`, `Wording.layer`, and `Guardrails.layerAdd({ delimiters: "random" })`.
 *
 * **Example**
 *
 * ```ts
 * import { Agent } from "@durable-agents/agent"
 * import { Profiles } from "@durable-agents/guardrails"
 * import { Layer } from "effect"
 *
 * const Support = Agent.make("support", { instructions: "You help customers.", guardrailProfile: "standard" })
 * const Guarded = Support.layer.pipe(Layer.provide(Profiles.layer()))
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  options: Options = {}
): Layer.Layer<never, Guardrails.UnusableGuardrails | Guardrails.UnknownProfile> =>
  Layer.unwrap(Effect.map(
    // A name may come from outside, whatever its type says.
    Effect.fromResult(Guardrails.profile(options.profile ?? "validation")),
    (least) => least === "off" ? Layer.empty : all(options, least)
  ))

const all = (
  { cycles, delimiters = "random", exfiltration, limits = [], policy, scope = {}, shadow = false }: Options,
  least: Exclude<Guardrails.Profile, "off">
): Layer.Layer<never, Guardrails.UnusableGuardrails> => {
  const judging = Guardrails.layerAdd(Effect.map(TextSignal, (signal) => ({
    delimiters,
    guardrails: [
      Scope.make(scope),
      Cycles.make(cycles),
      ...[
        // Who provides no signal has ours.
        Provenance.make({
          signal: signal === none ? LearnedSignal.signal : signal,
          ...(policy === undefined ? {} : { policy })
        }),
        RuleOfTwo.make(),
        Exfiltration.make(exfiltration),
        Wording.make()
      ].map((guardrail) => ({ ...guardrail, shadow }))
    ].map((guardrail) => atLeast(least, guardrail))
  })))
  return judging.pipe(Layer.provide(Limits.layer(limits)))
}

/**
 * A guardrail that is told of a stricter profile where a run has a laxer one.
 *
 * @category combinators
 * @since 0.1.0
 */
export const atLeast = (
  least: Exclude<Guardrails.Profile, "off">,
  { call, goal, result, screen, summary, ...rest }: Guardrails.Guardrail
): Guardrails.Guardrail => {
  const raised = <Subject extends { readonly profile: Exclude<Guardrails.Profile, "off"> }>(
    subject: Subject
  ): Subject =>
    Policy.strictness[subject.profile] >= Policy.strictness[least] ? subject : { ...subject, profile: least }
  return {
    ...rest,
    ...(goal === undefined ? {} : { goal: (subject) => goal(raised(subject)) }),
    ...(call === undefined ? {} : { call: (subject) => call(raised(subject)) }),
    ...(result === undefined ? {} : { result: (subject) => result(raised(subject)) }),
    ...(summary === undefined ? {} : { summary: (subject) => summary(raised(subject)) }),
    ...(screen === undefined ? {} : {
      screen: {
        ...screen,
        ...(screen.goal === undefined ? {} : { goal: (subject) => screen.goal?.(raised(subject)) }),
        ...(screen.call === undefined ? {} : { call: (subject) => screen.call?.(raised(subject)) }),
        ...(screen.result === undefined ? {} : { result: (subject) => screen.result?.(raised(subject)) })
      }
    })
  }
}

/**
 * @category layers
 * @since 0.1.0
 */
export const off = layer({ profile: "off" })

/**
 * @category layers
 * @since 0.1.0
 */
export const validation = layer({ profile: "validation" })

/**
 * @category layers
 * @since 0.1.0
 */
export const lenient = layer({ profile: "lenient" })

/**
 * @category layers
 * @since 0.1.0
 */
export const standard = layer({ profile: "standard" })

/**
 * @category layers
 * @since 0.1.0
 */
export const strict = layer({ profile: "strict" })
