/**
 * What a run is, what it has used of what it may use, and where it comes from.
 */
import { Run } from "@durable-agents/server/Api"
import { Schema } from "effect"
import { limitText } from "./BudgetFields.tsx"
import { Facts, Foreign, Time, Value } from "./parts.tsx"
import { href } from "./Route.ts"
import { counted, who } from "./Text.ts"

const isRunId = Schema.is(Run.fields.runId)

const RunLink = ({ runId }: { readonly runId: string }) =>
  isRunId(runId) ? <a href={href({ _tag: "Run", runId })}>{runId}</a> : <Foreign text={runId} />

export const About = ({ run }: { readonly run: Run }) => (
  <details class="card">
    <summary>
      <Foreign text={spentText(run)} />
    </summary>
    <Facts
      facts={[
        ["Run", run.runId],
        ["Program", `${run.program} ${run.programVersion}`],
        ["Started by", who(run.requestedBy)],
        ["Started", <Time key="at" at={run.startedAt} />],
        ...(run.startKey === undefined ? [] : [["Start key", run.startKey] as const]),
        ...(run.model === undefined ? [] : [["Model", run.model] as const]),
        ...(run.guardrailProfile === undefined ? [] : [["Guardrails", run.guardrailProfile] as const]),
        ...(run.parent === undefined ? [] : [["Started from", <RunLink key="parent" runId={run.parent} />] as const]),
        ...(run.forkedFrom === undefined ? [] : [
          [
            "Forked from",
            <span key="from">
              <RunLink runId={run.forkedFrom.runId} />, with its first {counted(run.forkedFrom.seq, "event")}
              {run.forkedFrom.reason !== undefined && (
                <>
                  : <Foreign text={run.forkedFrom.reason} />
                </>
              )}
            </span>
          ] as const
        ]),
        ...Object.entries(run.budget).map(([name, cap]) => {
          const [label, text] = limitText(name, cap)
          return [`Budget: ${label}`, text] as const
        }),
        ...Object.entries(run.labels).map(([name, value]) => [`Label: ${name}`, value] as const)
      ]}
    />
    <h3>Input</h3>
    <Value value={run.input} />
    {run.systemPrompt !== undefined && (
      <>
        <h3>Instructions</h3>
        <Value value={run.systemPrompt} />
      </>
    )}
  </details>
)

/** What was used, and of how much. What nobody reported may be more. */
const spentText = ({ budget, usage }: Run): string => {
  const { costUsd, inputTokens, outputTokens, toolCalls, turns, unpricedCalls, unreportedCalls } = usage
  const of = (cap: number | string | undefined, sign = "") => cap === undefined ? "" : ` of ${sign}${cap}`
  const atLeast = unpricedCalls > 0 || unreportedCalls > 0 ? "at least " : ""
  return [
    `Turns: ${turns}${of(budget.turns)}`,
    `tool calls: ${toolCalls}${of(budget.toolCalls)}`,
    `tokens: ${unreportedCalls > 0 ? "at least " : ""}${inputTokens + outputTokens}${of(budget.tokens)}`,
    `cost: ${atLeast}$${costUsd}${of(budget.costUsd, "$")}`
  ].join(" · ")
}
