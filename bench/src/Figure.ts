/**
 * What a measure has found, beside what it should be.
 */
import { peers } from "./peers.ts"
import { ratios, rounded, type Spread, spread } from "./Samples.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Figure {
  readonly name: string
  readonly unit: string
  readonly ours: Spread
  /** The same work done by the least that any system must do. */
  readonly limit?: Spread
  /** Ours against the limit, round by round. */
  readonly ratio?: Spread
  /** `atLeast` or `atMost` this; of the ratio if there is one, else of ours. Absent: told, not judged. */
  readonly goal?: Goal
  readonly met?: boolean
  /** How many times the ratio of the best of other systems; see `peers.ts`. */
  readonly peers?: ReadonlyArray<
    { readonly name: string; readonly times: number; readonly goal: number; readonly met: boolean }
  >
}

/**
 * @category models
 * @since 0.1.0
 */
export type Goal = { readonly atLeast: number } | { readonly atMost: number }

/**
 * @category constructors
 * @since 0.1.0
 */
export const figure = (options: {
  readonly name: string
  readonly unit: string
  readonly ours: ReadonlyArray<number>
  readonly limit?: ReadonlyArray<number>
  readonly goal?: Goal
  /** Names of measures in `peers.ts`, and how many times their ratio is asked for. */
  readonly against?: ReadonlyArray<{ readonly peer: keyof typeof peers; readonly times: number }>
}): Figure => {
  const { against, goal, limit, name, ours, unit } = options
  const ratio = limit === undefined ? undefined : spread(ratios(ours, limit))
  const judged = (ratio ?? spread(ours)).median
  return {
    name,
    unit,
    ours: spread(ours),
    ...(limit === undefined || ratio === undefined ? {} : { limit: spread(limit), ratio }),
    ...(goal === undefined ? {} : { goal, met: isMet(judged, goal) }),
    ...(against === undefined ? {} : {
      peers: against.map(({ peer, times }) => {
        const { isBetterBelow, name, ofLimit } = peers[peer]
        const found = isBetterBelow ? ofLimit / judged : judged / ofLimit
        return { name, times: rounded(found), goal: times, met: found >= times }
      })
    })
  }
}

/** As it is shown: a goal of two digits is met by what is written with two digits. */
const isMet = (value: number, goal: Goal): boolean =>
  "atLeast" in goal ? Number(value.toFixed(2)) >= goal.atLeast : Number(value.toFixed(2)) <= goal.atMost
