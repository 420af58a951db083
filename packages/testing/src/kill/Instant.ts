/**
 * Where in a run a process dies.
 */
import type { Recorded, RunEvent } from "@durable-agents/core"
import type { Call } from "./Ledger.ts"

/**
 * Right before or right after it writes an event, or after an effect and before its record.
 *
 * @category models
 * @since 0.1.0
 */
export type Instant =
  | { readonly at: string; readonly when: "before" | "after" }
  /** By the name of the effect; not before these events are in the log. */
  | { readonly gapOf: string; readonly once?: ReadonlyArray<string> }

/**
 * The name of an event in its run, the same however the run is disturbed: its type, its operation, which attempt it is of.
 *
 * @category conversions
 * @since 0.1.0
 */
export const nameOf = (event: RunEvent.RunEvent): string =>
  [
    event._tag,
    ...("key" in event && event.key !== undefined ? [event.key] : []),
    ...("attempt" in event ? [`${event.attempt}`] : [])
  ].join(" ")

/**
 * Every instant of a run: two for each event that its worker wrote, and one for each effect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const all = (run: {
  readonly events: ReadonlyArray<Recorded>
  readonly effects: ReadonlyArray<string>
  readonly calls: ReadonlyArray<Call>
}): ReadonlyArray<Instant> => [
  ...run.events.filter(({ epoch }) => epoch !== undefined).flatMap(({ event }) =>
    (["before", "after"] as const).map((when) => ({ at: nameOf(event), when }))
  ),
  ...run.calls.filter(({ name }) => run.effects.includes(name)).map(({ name }) => ({ gapOf: name }))
]

/**
 * @category conversions
 * @since 0.1.0
 */
export const describe = (instant: Instant): string =>
  "at" in instant ? `${instant.when} ${instant.at}` : `after the effect ${instant.gapOf}`
