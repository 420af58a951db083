/**
 * One round of work in one process, as that process saw it.
 */
import process from "node:process"

/**
 * @category models
 * @since 0.1.0
 */
export interface Round {
  /** Milliseconds since 1970, comparable between processes of this machine. */
  readonly startedAt: number
  readonly endedAt: number
  /** Processor time of the process, all its threads. */
  readonly cpuMicros: number
}

/**
 * Milliseconds since 1970, with fractions.
 *
 * @category clocks
 * @since 0.1.0
 */
export const wallMillis = (): number => performance.timeOrigin + performance.now()

/**
 * @category combinators
 * @since 0.1.0
 */
export const timed = async (work: () => Promise<unknown>): Promise<Round> => {
  const startedAt = wallMillis()
  const begun = process.cpuUsage()
  await work()
  const { system, user } = process.cpuUsage(begun)
  return { startedAt, endedAt: wallMillis(), cpuMicros: system + user }
}
