/**
 * What a program has asked for and not got yet, and the order in which it gets what is recorded.
 */
import type { Effect } from "effect"
import type { OperationKey, Seq } from "./Ids.ts"
import type { Request } from "./RunDecision.ts"
import type { Place, Position, RunState } from "./RunState.ts"
import { comparePositions, placeAt } from "./RunState.ts"

/**
 * One key that the program has asked for.
 *
 * **Details**
 *
 * `held`: it is new, and nothing new may begin now. `queued`: its decision waits for the store. `stored`: that is on its way
 * into the log. `doubtful`: it is in the log without an outcome. `waiting`: something else must happen first. `due`: its answer
 * is there and will be given in its turn. `idle`: the program has it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Ask {
  readonly key: OperationKey
  /** Absent for waits and choices, and once the outcome is in the log: a long run keeps nothing of what it has done. */
  request: Request | undefined
  phase: "held" | "queued" | "stored" | "doubtful" | "waiting" | "due" | "idle"
  /** Resumes the fiber that blocks on this key. */
  resume: ((effect: Effect.Effect<never>) => void) | undefined
  /** Gives the fiber its answer, once. */
  give: (() => void) | undefined
  /** Lets a held ask go on. */
  go: (() => void) | undefined
  /** Takes its decision out of the line. */
  withdraw: (() => void) | undefined
  /** Its fiber left while its decision was on its way into the log. */
  dropped: boolean
  position: Position | undefined
}

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = (key: OperationKey, request: Request | undefined): Ask => ({
  key,
  request,
  phase: "idle",
  resume: undefined,
  give: undefined,
  go: undefined,
  withdraw: undefined,
  dropped: false,
  position: undefined
})

/**
 * Where the answer of a place stands in the order in which the program was given things; undefined without an answer.
 *
 * @category folds
 * @since 0.1.0
 */
export const positionOf = (place: Place): Position | undefined =>
  place._tag === "Operation" ? place.outcome?.position : place.position

/**
 * The same for what a log holds at a key.
 *
 * @category folds
 * @since 0.1.0
 */
export const positionAt = (state: RunState, key: OperationKey): Position | undefined => {
  const place = placeAt(state, key)
  return place === undefined ? undefined : positionOf(place)
}

/**
 * Where an outcome stands that is not stored yet: after all that the program has been shown, before all that comes later.
 *
 * @category folds
 * @since 0.1.0
 */
export const unstored = (shown: Seq): Position => ({ shown, seq: Number.MAX_SAFE_INTEGER })

/**
 * Inserts an ask by its position; of equal ones the first stays first. The order in which they came is not that of the log: one
 * append can open a wait that has its answer already, and answer another one.
 *
 * @category lists
 * @since 0.1.0
 */
export const insert = (list: Array<Ask>, ask: Ask): void => {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    const other = list[middle]?.position
    if (other !== undefined && ask.position !== undefined && comparePositions(other, ask.position) <= 0) {
      low = middle + 1
    } else high = middle
  }
  list.splice(low, 0, ask)
}

/**
 * @category lists
 * @since 0.1.0
 */
export const remove = (list: Array<Ask>, ask: Ask): void => {
  const at = list.indexOf(ask)
  if (at !== -1) list.splice(at, 1)
}
