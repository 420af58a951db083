/**
 * Shares and times, as all sets measure them.
 */

/** A share with four digits; absent where there is nothing to share. */
export const share = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round(part / whole * 10_000) / 10_000

/** The processor's time of this process: other processes do not count. */
export const microseconds = (): number => {
  const { system, user } = process.cpuUsage()
  return system + user
}

export const kilobytes = (texts: ReadonlyArray<string>): number =>
  texts.reduce((sum, text) => sum + text.length, 0) / 1024
