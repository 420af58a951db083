/**
 * What recorded verdicts mean for what comes next.
 */
import { GuardrailBlocked, type Journal } from "@durable-agents/core"
import type { Change } from "./Changes.ts"
import type { Recorded } from "./Guardrails.ts"

/**
 * The recorded verdicts about an operation, oldest first.
 *
 * @category getters
 * @since 0.1.0
 */
export const at = (journal: Journal["Service"], key: string): ReadonlyArray<Recorded> => {
  const found: Array<Recorded> = []
  for (const verdict of journal.verdicts()) if (verdict.key === key) found.push(verdict)
  return found
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Consequences {
  readonly blocked: GuardrailBlocked | undefined
  readonly withheld: string | undefined
  /** What the model is shown in the place of passages of a result. */
  readonly changes: ReadonlyArray<Change>
}

/**
 * Which guardrail ends the run, what of a result is shown otherwise, and why the model is not shown a result, if so.
 *
 * @category getters
 * @since 0.1.0
 */
export const consequences = (
  verdicts: ReadonlyArray<Recorded>
): Consequences => {
  const last = verdicts.find(({ ends }) => ends === true)
  const results = verdicts.filter(({ action, layer }) => layer === "L2_tool_result" && action === "BLOCK")
  return {
    blocked: last === undefined
      ? undefined
      : new GuardrailBlocked({ layer: last.layer, rule: last.rule, detail: messageOf(last) }),
    withheld: results.length === 0 ? undefined : results.map(messageOf).join("; "),
    changes: verdicts.flatMap(({ action, layer, spans = [] }) =>
      layer === "L2_tool_result" && (action === "REDACT" || action === "MARK")
        ? spans.map((span) => ({ ...span, action }))
        : []
    )
  }
}

const messageOf = ({ detail, rule }: Recorded): string => {
  const message: unknown = Object(detail).message
  return typeof message === "string" ? message : rule
}
