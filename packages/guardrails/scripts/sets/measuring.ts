/**
 * Shares and times, as all sets measure them.
 */
import { Effect } from "effect"

/** A share with four digits; absent where there is nothing to share. */
export const share = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round(part / whole * 10_000) / 10_000

/** The processor's time of this process: other processes do not count. */
const microseconds = (): number => {
  const { system, user } = process.cpuUsage()
  return system + user
}

/**
 * What came of a pass over all records, and the processor's time of one: the least of three, after one that makes weights ready and
 * has the code compiled, which a process that runs for days does once.
 */
export const timed = <A, E, R>(pass: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const result = yield* pass
    let took = Infinity
    for (let times = 0; times < 3; times++) {
      const begun = microseconds()
      yield* pass
      took = Math.min(took, microseconds() - begun)
    }
    return { result, took }
  })

export const kilobytes = (texts: ReadonlyArray<string>): number =>
  texts.reduce((sum, text) => sum + text.length, 0) / 1024
