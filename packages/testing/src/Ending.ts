/**
 * How a run ended: what is compared between an undisturbed run and a disturbed one, and what no log may show.
 */
import type { Recorded, RunView } from "@durable-agents/core"
import * as Difference from "./Difference.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Ending {
  readonly end: unknown
  readonly effects: unknown
  /** What is wrong by itself, whatever the end should have been. */
  readonly problem: string | undefined
  /** Why it was stuck on the way, if it was. */
  readonly stuck: string | undefined
  /** The log, one line an event. */
  readonly log: ReadonlyArray<string>
}

/**
 * What counts as the end of a run unless a scenario says otherwise: status, output and failure.
 *
 * @category folds
 * @since 0.1.0
 */
export const endOf = ({ failure, output, status }: RunView): unknown => ({
  status,
  ...(output === undefined ? {} : { output }),
  ...(failure === undefined ? {} : { failure })
})

/**
 * What is wrong with a disturbed run by itself. That it was stuck is wrong unless it is so without a disturbance: a script may have
 * ended it then.
 *
 * @category combinators
 * @since 0.1.0
 */
export const problem = (expected: Ending, actual: Ending): string | undefined =>
  actual.problem ?? (actual.stuck === undefined || expected.stuck !== undefined
    ? undefined
    : `The run was stuck: ${actual.stuck}.`)

/**
 * Why a run was stuck first, if it was.
 *
 * @category folds
 * @since 0.1.0
 */
export const stuckOf = (events: ReadonlyArray<Recorded>): string | undefined => {
  const stuck = events.find(({ event }) => event._tag === "RunStuck")?.event
  return stuck?._tag === "RunStuck" ? stuck.detail : undefined
}

/**
 * Where a run that was disturbed differs from one that was not.
 *
 * @category combinators
 * @since 0.1.0
 */
export const difference = (expected: Ending, actual: Ending): Difference.Difference | undefined =>
  Difference.first(expected.end, actual.end, "end") ?? Difference.first(expected.effects, actual.effects, "effects")

/**
 * What is wrong with a log: a gap, something after the end, two outcomes of one operation, or an event of a worker that had
 * lost its lease. Undefined if nothing is.
 *
 * @category folds
 * @since 0.1.0
 */
export const problemOf = (events: ReadonlyArray<Recorded>): string | undefined => {
  const settled = new Map<string, number>()
  let lease = 0
  for (const [index, { epoch, event, seq }] of events.entries()) {
    if (seq !== index) return `event ${index} has position ${seq}`
    const ends = event._tag === "RunCompleted" || event._tag === "RunFailed" || event._tag === "RunCancelled"
    if (ends && index !== events.length - 1) return `something follows the end at ${seq}`
    if (epoch !== undefined && epoch < lease) {
      return `event ${seq} was written under lease ${epoch}, after lease ${lease} had taken over`
    }
    lease = Math.max(lease, epoch ?? 0)
    const final = event._tag.endsWith("CallCompleted") || event._tag === "StepCompleted" ||
      ("final" in event && event.final)
    if (!final || !("key" in event) || event.key === undefined) continue
    const before = settled.get(event.key)
    if (before !== undefined) return `\`${event.key}\` has two outcomes, at ${before} and ${seq}`
    settled.set(event.key, seq)
  }
  return undefined
}
