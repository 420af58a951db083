/**
 * How many append at the same time, as far as their answers show: who had one will soon ask again.
 */

/**
 * Those on one side of runs: their workers, or whoever decides from outside.
 *
 * @category models
 * @since 0.1.0
 */
export interface Crowd {
  readonly asked: () => void
  readonly sent: () => void
  /** The next ones that are answered are of another group. */
  readonly nextGroup: () => void
  readonly answered: () => void
  readonly waiting: () => number
  /** How many write, as far as that shows: who waits, whose append is under way, who had an answer lately. */
  readonly size: () => number
  /**
   * How many that wait make a group; Infinity where too few write. Of many that write, half: while the server has these, their
   * neighbours are computed here. If all went together, either would stand still while the other works.
   */
  readonly enough: () => number
}

/** So many appends are worth a commit of their own, even where more will be asked for while it is under way. */
const worthACommit = 24

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = (): Crowd => {
  let waiting = 0
  let busy = 0
  /** Had an answer and have not asked again, in the latest group and in the one before. Those of older groups do not write any more. */
  let latest = 0
  let before = 0
  let enough = Infinity

  return {
    asked: () => {
      waiting += 1
      if (before > 0) before -= 1
      else if (latest > 0) latest -= 1
    },
    sent: () => {
      waiting -= 1
      busy += 1
    },
    nextGroup: () => {
      before = latest
      latest = 0
      const half = Math.ceil((waiting + busy + before) / 2)
      enough = half < worthACommit ? Infinity : half
    },
    answered: () => {
      busy -= 1
      latest += 1
    },
    waiting: () => waiting,
    size: () => waiting + busy + latest + before,
    enough: () => enough
  }
}
