/**
 * Two of three: a run may read what strangers write, read what is private, and act on the world, but not all three without a person.
 */
import { Guardrails } from "@durable-agents/agent"
import { Effect } from "effect"
import type { Layer } from "effect"
import * as Policy from "./Policy.ts"

/**
 * What a run has done so far, folded from its calls.
 *
 * @category models
 * @since 0.1.0
 */
export interface State {
  /** The calls whose results strangers may have written. */
  readonly untrusted: ReadonlyArray<string>
  /** The calls whose results must not leave the house. */
  readonly private: ReadonlyArray<string>
}

/**
 * @category folds
 * @since 0.1.0
 */
export const fold = (past: Guardrails.Call["past"]): State => {
  const read = past.filter(({ state }) => state === "made")
  return {
    // What an action answers is no reading, unless it is labelled as one.
    untrusted: read.filter(({ effect, labels }) =>
      labels.result === undefined ? effect === "readonly" : labels.result !== "own"
    ).map(({ key }) => key),
    private: read.filter(({ labels }) => labels.private === true).map(({ key }) => key)
  }
}

/**
 * A guardrail that has a person asked about the third.
 *
 * **Details**
 *
 * What is private is what a tool is labelled with; without such a label it never asks. Under `validation` it is written down, under
 * `lenient` and `standard` a person is asked about calls by which something leaves the house or is destroyed, and once: what a
 * person has allowed is not asked about again. Under `strict` a person is asked about every call with an effect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (): Guardrails.Guardrail => ({
  name: "rule-of-two",
  call: (call) =>
    Effect.sync(() => {
      if (call.by === "person") return []
      const effect = call.labels.effect ?? (call.effect === "readonly" ? "none" : "send")
      const { private: secret, untrusted } = fold(call.past)
      if (effect === "none" || untrusted.length === 0 || secret.length === 0) return []
      const strictness = Policy.strictness[call.profile]
      const isAllowed = call.verdicts.some(({ key, rule }) =>
        rule === ruleName &&
        call.past.some((past) => past.key === key && (past.state === "made" || past.state === "open"))
      )
      const asks = strictness >= Policy.strictness.strict ||
        (strictness >= Policy.strictness.lenient && effect !== "write" && !isAllowed)
      return [{
        rule: ruleName,
        action: asks ? "ESCALATE" : "MARK",
        message: `this run has read what others wrote (${list(untrusted)}) and what is private (${
          list(secret)
        }), and \`${call.tool}\` acts on the world`,
        detail: { tool: call.tool, untrusted: untrusted.slice(0, 20), private: secret.slice(0, 20) },
        counts: false
      }]
    })
})

const ruleName = "rule_of_two"

const list = (keys: ReadonlyArray<string>): string =>
  `${keys.slice(0, 3).join(", ")}${keys.length > 3 ? " and others" : ""}`

/**
 * The rule of two beside the guardrails below.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<never, Guardrails.UnusableGuardrails> = Guardrails.layerAdd({ guardrails: [make()] })
