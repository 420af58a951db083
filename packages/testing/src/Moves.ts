/**
 * What moves a run that rests: those outside, or else the passing of time.
 */
import type { Runs, RunView } from "@durable-agents/core"
import { Effect } from "effect"
import type { NotMoving } from "./NotMoving.ts"
import type { Script, ScriptFailed } from "./Outside.ts"
import * as Outside from "./Outside.ts"
import type { VirtualTime } from "./VirtualTime.ts"

/**
 * Why a run was not moved.
 *
 * @category errors
 * @since 0.1.0
 */
export type Failure = NotMoving | ScriptFailed

/**
 * @category models
 * @since 0.1.0
 */
export interface Moves {
  /** What comes from outside before the run rests for the first time. */
  readonly early: Effect.Effect<void, Failure>
  /** What comes from outside while the run rests. */
  readonly act: Effect.Effect<void, Failure>
  /** What comes from outside to a run that rests there, or else the passing of time; fails if nothing does. */
  readonly move: (rested: RunView) => Effect.Effect<void, Failure>
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Options<World> {
  readonly script: Script<World> | undefined
  readonly world: World
  readonly time: VirtualTime
  readonly state: Effect.Effect<RunView>
  /** The store's time. */
  readonly storeNow: Effect.Effect<number>
  /** Provides what those outside need; not for ever. */
  readonly outside: <A, E>(effect: Effect.Effect<A, E, Runs>) => Effect.Effect<A, E | NotMoving>
  /** Fails, since nothing moves the run, or for a reason of its own. */
  readonly stuck: (problem?: string) => Effect.Effect<never, NotMoving>
  /** How often the run may rest. */
  readonly rests: number
}

const otherClock =
  "Its store does not go by the clock that is in place when its layer is built (`clock: \"context\"` of Sqlite.layer)."

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = <World>(options: Options<World>): Moves => {
  const { outside, script, state, stuck, time, world } = options
  let rests = 0
  /** Where the log ended when the run was left to be executed again because its time had come meanwhile. */
  let woken = -1

  const act = (view: RunView, early: boolean) => outside(Outside.act(script, view, world, { early }))

  const passTo = Effect.fnUntraced(function*(at: number) {
    yield* time.clock.setTime(Math.ceil(at))
    if ((yield* options.storeNow) < at) return yield* stuck(otherClock)
  })

  /** When something will happen by itself. */
  const nextOf = (view: RunView, now: number): number | undefined => {
    const times = [isParked(view) ? undefined : view.wakeAt, Outside.dueAt(script, view)]
    const next = Math.min(...times.map((at) => at === undefined || at <= now ? Infinity : at))
    return next === Infinity ? undefined : next
  }

  return {
    early: Effect.gen(function*() {
      const view = yield* state
      const startAt = view.state.started?.startAtMillis ?? 0
      if (startAt > time.clock.currentTimeMillisUnsafe()) yield* passTo(startAt)
      yield* act(view, true)
    }),
    act: Effect.flatMap(state, (view) => act(view, false)),
    move: Effect.fnUntraced(function*(rested) {
      rests += 1
      if (rests > options.rests) return yield* stuck(`It has rested ${options.rests} times and has not ended.`)
      const before = yield* state
      if (before.seq > rested.seq) return
      const after = yield* act(before, false)
      if (after.seq > before.seq) return
      const now = time.clock.currentTimeMillisUnsafe()
      if (!isParked(after) && after.wakeAt !== undefined && after.wakeAt <= now && woken !== after.seq) {
        woken = after.seq
        return
      }
      const next = nextOf(after, now)
      if (next === undefined) return yield* stuck()
      yield* passTo(next)
      yield* act(after, true)
    })
  }
}

const isParked = ({ status }: RunView): boolean => status === "Stuck" || status === "Paused"
