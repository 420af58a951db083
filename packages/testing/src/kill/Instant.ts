/**
 * Where in a run a process dies.
 */
import type { Recorded, RunEvent } from "@durable-agents/core"
import type { Call } from "./Ledger.ts"

/**
 * Right before or right after it writes an event, or after a call to the world and before its record.
 *
 * @category models
 * @since 0.1.0
 */
export type Instant =
  | { readonly at: string; readonly when: "before" | "after" }
  /** By what was asked for; not before these events are in the log. */
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
 * Every instant of a run: one after each event that its worker wrote, and one after each call to the world; with `before` also one
 * before each event, which is hard to tell from one of those.
 *
 * @category constructors
 * @since 0.1.0
 */
export const all = (
  { calls, events }: { readonly events: ReadonlyArray<Recorded>; readonly calls: ReadonlyArray<Call> },
  before = true
): ReadonlyArray<Instant> => [
  ...events.filter(({ epoch }) => epoch !== undefined).flatMap(({ event }) => {
    const at = nameOf(event)
    return [...(before ? [{ at, when: "before" as const }] : []), { at, when: "after" as const }]
  }),
  ...gaps(calls)
]

/**
 * The instants after the calls of a run, in their order.
 *
 * @category constructors
 * @since 0.1.0
 */
export const gaps = (calls: ReadonlyArray<Call>): ReadonlyArray<Instant> =>
  Array.from(new Set(calls.map(({ name }) => name)), (gapOf) => ({ gapOf }))

/**
 * @category conversions
 * @since 0.1.0
 */
export const describe = (instant: Instant): string =>
  "at" in instant ? `${instant.when} ${instant.at}` : `between the call for ${instant.gapOf} and its record`
