/**
 * The tool calls of a run before one that is being judged, as the log and the turn have them.
 */
import type { Journal, RunState } from "@durable-agents/core"
import type { Schema } from "effect"
import type { Past } from "./Guardrails.ts"
import type { Tools } from "./Tools.ts"

/**
 * A call of the same turn that will be made if nothing comes between.
 *
 * @category models
 * @since 0.1.0
 */
export interface Planned {
  readonly key: string
  readonly turn: number
  readonly tool: string
  readonly arguments: Schema.Json
}

/**
 * All calls before the one with this key, those of the same turn last.
 *
 * **Details**
 *
 * Of the same turn only what was planned before it counts, as planned, and not what came of it: the model had not seen that, and
 * what is known of it depends on when one looks. Without `planned` there is no turn to decide for, and what was begun counts.
 *
 * @category getters
 * @since 0.1.0
 */
export const of = (
  journal: Pick<Journal["Service"], "started" | "places" | "now">,
  { byName }: Pick<Tools, "byName">,
  before: string,
  planned: ReadonlyArray<Planned> | undefined
): ReadonlyArray<Past> => {
  const described = new Map(journal.started.tools.map((tool) => [tool.name, tool]))
  /** What is declared here counts; of tools that are not here, what the log says. */
  const about = (name: string) => {
    const { effect = "once", labels = {} } = byName.get(name) ?? described.get(name) ?? {}
    return { effect, labels }
  }
  const turn = before.slice(0, before.lastIndexOf("/") + 1)
  const begun: Array<RunState.Operation> = []
  for (const place of journal.places()) {
    if (place._tag !== "Operation" || place.kind !== "tool" || place.key === before) continue
    if (planned === undefined || !place.key.startsWith(turn) || isRefused(place)) begun.push(place)
  }
  return [
    ...begun.toSorted((left, right) => left.seq - right.seq).map((place) => ({
      ...recorded(place),
      ...about(place.name)
    })),
    ...(planned ?? []).map((call) => ({
      ...call,
      ...about(call.tool),
      at: journal.now(),
      state: "planned" as const
    }))
  ]
}

const isRefused = ({ outcome, request }: RunState.Operation): boolean =>
  request === undefined && outcome?.event._tag === "ToolCallFailed"

const recorded = ({ key, name, outcome, request, since }: RunState.Operation): Omit<Past, "effect" | "labels"> => {
  const event = outcome?.event
  const call = request?._tag === "ToolCallRequested" ? request : undefined
  const common = { key, turn: call?.turn ?? 0, tool: name, arguments: call?.arguments ?? {}, at: since }
  if (event?._tag === "ToolCallCompleted") {
    return { ...common, state: "made", result: event.result, isFailure: event.isFailure ?? false }
  }
  if (event?._tag !== "ToolCallFailed") return { ...common, state: "open" }
  if (event.outcome === "unknown") return { ...common, state: "unknown" }
  switch (event.reason) {
    case "TooLarge":
    case "Unencodable":
      return { ...common, state: "made" }
    case "Refused":
    case "BudgetExceeded":
      return { ...common, state: "refused" }
    default:
      return { ...common, state: "failed" }
  }
}
