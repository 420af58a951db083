/**
 * What a run may do at all: with which tools, and to what.
 */
import { Guardrails } from "@durable-agents/agent"
import { Effect } from "effect"
import type { Layer } from "effect"
import * as Amounts from "./Amounts.ts"
import * as CanonicalText from "./CanonicalText.ts"
import * as Origins from "./Origins.ts"
import * as Sources from "./Sources.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Scope {
  /** The tools that may be called; absent: all. A function is asked for each call, and must answer alike for one run. */
  readonly tools?:
    | ReadonlyArray<string>
    | ((run: Pick<Guardrails.Call, "runId" | "agent" | "goal">) => ReadonlyArray<string>)
  /**
   * By tool and by the path of an argument, which values it may have: those of a list, in which `*` stands for anything, or those
   * that the request names.
   */
  readonly values?: Readonly<Record<string, Readonly<Record<string, "request" | ReadonlyArray<string>>>>>
}

/**
 * A guardrail that holds a scope: a call outside of it is refused, and the model is told.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = ({ tools, values = {} }: Scope): Guardrails.Guardrail => ({
  name: "scope",
  call: (call) =>
    Effect.sync(() => {
      const allowed = typeof tools === "function" ? tools(call) : tools
      if (allowed !== undefined && !allowed.includes(call.tool)) {
        return [{
          rule: "tool_not_allowed",
          action: "BLOCK",
          message: `this run may not call \`${call.tool}\`; it may call ${allowed.join(", ") || "nothing"}`,
          detail: { tool: call.tool }
        }]
      }
      return Object.entries(new Map(Object.entries(values)).get(call.tool) ?? {}).flatMap(([field, wanted]) =>
        Amounts.at(call.arguments, field).every((value) => isIn(wanted, String(value), call.goal))
          ? []
          : [{
            rule: "out_of_scope",
            action: "BLOCK" as const,
            message: wanted === "request"
              ? `\`${field}\` must be one that the request names`
              : `\`${field}\` must be one of ${wanted.join(", ")}`,
            detail: { tool: call.tool, field }
          }]
      )
    })
})

/**
 * A scope beside the guardrails below.
 *
 * **Example**
 *
 * ```ts
 * import { Scope } from "@durable-agents/guardrails"
 *
 * const OneOrder = Scope.layer({
 *   tools: ["look_up_order", "issue_refund", "send_mail"],
 *   values: { issue_refund: { orderId: "request" }, send_mail: { to: ["*@example.com"] } }
 * })
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (scope: Scope): Layer.Layer<never, Guardrails.UnusableGuardrails> =>
  Guardrails.layerAdd({ guardrails: [make(scope)] })

const isIn = (wanted: "request" | ReadonlyArray<string>, value: string, goal: string): boolean =>
  wanted === "request"
    ? Origins.trace([{ path: "", kind: "id", value, embedded: false }], [Sources.ofText("request", goal)])[0]
      ?.origin === "request"
    : wanted.some((pattern) => isLike(CanonicalText.value(pattern), CanonicalText.value(value)))

/** `*` stands for anything, also for nothing. */
const isLike = (pattern: string, value: string): boolean => {
  const [first = "", ...rest] = pattern.split("*")
  const end = rest.pop()
  if (end === undefined) return value === first
  if (!value.startsWith(first) || value.length < first.length + end.length || !value.endsWith(end)) return false
  let at = first.length
  for (const part of rest) {
    const found = value.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return at <= value.length - end.length
}
