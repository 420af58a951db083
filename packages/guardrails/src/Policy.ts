/**
 * What is done about a value that comes from somewhere else than the request: a table, and what reads it.
 */
import type { Guardrails } from "@durable-agents/agent"
import { Digest } from "@durable-agents/core"
import type { Sink } from "./Sinks.ts"
import type { Origin } from "./Sources.ts"

/**
 * What is known of one value of a call.
 *
 * @category models
 * @since 0.1.0
 */
export interface Facts {
  readonly effect: "write" | "send" | "destroy" | "fetch"
  readonly origin: Origin
  /** What the value says; `call` for the call as a whole, where the request does not quite ask for it. */
  readonly kind: Sink["kind"]
  /** It stands within a text for others. */
  readonly embedded: boolean
  /** The passage that it comes from, or of a value from nowhere any passage, tells its reader to do what the call does. */
  readonly told: boolean
  /** The sentence that it stands in orders something, whatever it is. */
  readonly ordered: boolean
  /** That sentence is one: it is no cell of a table and no field of a record. */
  readonly prose: boolean
  /** How much that passage reads like an instruction to a model. */
  readonly signal: "none" | "weak" | "strong"
  /** Another value of its shape is in a result, too. */
  readonly rival: boolean
  /** An account that is nearly the same stands near it. */
  readonly twin: boolean
  /** It stood encoded there. */
  readonly hidden: boolean
  /** How much the request speaks of doing such a thing. */
  readonly asked: "yes" | "half" | "no"
  /** The request hands over what is to be done, or the values of what it asks for, to a text elsewhere. */
  readonly handedOver: boolean
}

/**
 * Allowed; written down; a person is asked; not done.
 *
 * @category models
 * @since 0.1.0
 */
export type Action = "allow" | "mark" | "ask" | "refuse"

/**
 * One line of a policy. It fits a value if all its conditions do; what is left out fits anything. Of the lines that fit, the
 * strictest counts. It holds under the profile `from` and all that are stricter, so a stricter profile never allows what a laxer
 * one stops.
 *
 * @category models
 * @since 0.1.0
 */
export interface Row {
  /** Why, in a word: the rule that is recorded. */
  readonly rule: string
  readonly from: Exclude<Guardrails.Profile, "off">
  readonly action: Exclude<Action, "allow">
  readonly when: { readonly [Fact in keyof Facts]?: ReadonlyArray<Facts[Fact]> }
}

const results: ReadonlyArray<Origin> = ["third_party", "open_world"]
const changes = ["write", "send", "destroy"] as const
const names: ReadonlyArray<Sink["kind"]> = ["recipient", "address", "id", "path", "url", "credential"]

/**
 * The policy that holds if no other is given. Values of the request, of the instructions and of one's own system are never stopped.
 *
 * @category policies
 * @since 0.1.0
 */
export const standard: ReadonlyArray<Row> = [
  {
    rule: "told_by_result",
    from: "validation",
    action: "ask",
    when: { origin: results, told: [true], signal: ["strong"] }
  },
  {
    rule: "told_by_result",
    from: "validation",
    action: "ask",
    when: { origin: results, told: [true], effect: changes, handedOver: [false] }
  },
  {
    rule: "told_by_result",
    from: "validation",
    action: "ask",
    when: { origin: results, told: [true], effect: changes, asked: ["no", "half"] }
  },
  {
    rule: "told_by_result",
    from: "lenient",
    action: "ask",
    when: { origin: results, told: [true], asked: ["no", "half"], handedOver: [false] }
  },
  {
    rule: "told_by_result",
    from: "validation",
    action: "ask",
    when: { origin: ["nowhere", "model"], told: [true], signal: ["strong"], effect: changes }
  },
  {
    rule: "told_by_result",
    from: "validation",
    action: "ask",
    when: { origin: ["nowhere", "model"], kind: ["call", ...names], told: [true], handedOver: [false], effect: changes }
  },
  {
    rule: "told_by_result",
    from: "validation",
    action: "ask",
    when: { origin: results, told: [true], asked: ["no"], handedOver: [false] }
  },
  {
    rule: "ordered_by_result",
    from: "validation",
    action: "ask",
    when: { origin: results, ordered: [true], asked: ["no", "half"], handedOver: [false], effect: changes }
  },
  { rule: "nearly_the_same", from: "validation", action: "ask", when: { origin: results, twin: [true] } },
  { rule: "hidden_in_result", from: "lenient", action: "ask", when: { origin: results, hidden: [true] } },
  {
    rule: "from_nowhere",
    from: "lenient",
    action: "ask",
    when: { origin: ["nowhere", "model"], embedded: [true], kind: names, effect: changes }
  },
  {
    rule: "told_by_result",
    from: "standard",
    action: "ask",
    when: { origin: results, told: [true], signal: ["weak"], asked: ["no"] }
  },
  {
    rule: "told_by_result",
    from: "standard",
    action: "ask",
    when: { origin: results, told: [true], signal: ["weak"], effect: ["fetch"] }
  },
  {
    rule: "reads_like_instruction",
    from: "standard",
    action: "ask",
    when: { origin: results, signal: ["strong"], asked: ["no"] }
  },
  {
    rule: "from_nowhere",
    from: "standard",
    action: "ask",
    when: { origin: ["nowhere", "model"], kind: names, asked: ["no"] }
  },
  {
    rule: "not_asked_for",
    from: "standard",
    action: "ask",
    when: { origin: results, asked: ["no", "half"], prose: [true], handedOver: [false], effect: changes }
  },
  {
    rule: "ordered_by_result",
    from: "lenient",
    action: "ask",
    when: { origin: results, ordered: [true], asked: ["yes"], handedOver: [false], effect: changes }
  },
  {
    rule: "one_of_several",
    from: "standard",
    action: "ask",
    when: { origin: results, rival: [true], prose: [true], handedOver: [false], effect: changes }
  },
  {
    rule: "not_asked_for",
    from: "standard",
    action: "ask",
    when: { origin: results, asked: ["no"], prose: [true], handedOver: [false], effect: ["fetch"] }
  },
  { rule: "from_result", from: "standard", action: "mark", when: { origin: results } },
  { rule: "told_by_result", from: "strict", action: "ask", when: { origin: results, told: [true] } },
  {
    rule: "reads_like_instruction",
    from: "strict",
    action: "ask",
    when: { origin: results, kind: names, signal: ["strong"] }
  },
  {
    rule: "reads_like_instruction",
    from: "strict",
    action: "ask",
    when: { origin: results, signal: ["weak", "strong"], asked: ["no", "half"] }
  },
  {
    rule: "told_by_result",
    from: "strict",
    action: "refuse",
    when: { origin: results, told: [true], signal: ["strong"], asked: ["no"], handedOver: [false] }
  }
]

/**
 * What a policy says of a value under a profile, and the line that says it.
 *
 * @category decisions
 * @since 0.1.0
 */
export const decide = (
  policy: ReadonlyArray<Row>,
  profile: Guardrails.Profile,
  facts: Facts
): { readonly action: Action; readonly rule: string | undefined } => {
  let worst: Row | undefined
  for (const row of policy) {
    if (strictness[row.from] > strictness[profile] || !fits(row, facts)) continue
    if (worst === undefined || severity[row.action] > severity[worst.action]) worst = row
  }
  return { action: worst?.action ?? "allow", rule: worst?.rule }
}

const fits = ({ when }: Row, facts: Facts): boolean =>
  Object.entries(when).every(([fact, allowed]: [string, ReadonlyArray<unknown>]) =>
    allowed.includes(Object.entries(facts).find(([name]) => name === fact)?.[1])
  )

/**
 * How strict profiles are, from nothing on.
 *
 * @category models
 * @since 0.1.0
 */
export const strictness: { readonly [Name in Guardrails.Profile]: number } = {
  off: 0,
  validation: 1,
  lenient: 2,
  standard: 3,
  strict: 4
}

/**
 * How much an action stops.
 *
 * @category models
 * @since 0.1.0
 */
export const severity: { readonly [Name in Action]: number } = { allow: 0, mark: 1, ask: 2, refuse: 3 }

/**
 * Names a policy: equal policies have the same.
 *
 * @category getters
 * @since 0.1.0
 */
export const version = (policy: ReadonlyArray<Row>): string =>
  Digest.digest(Digest.canonicalJson(JSON.stringify(policy))).slice(0, "sha256:".length + 12)
