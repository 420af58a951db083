/**
 * States of runs that were looked at lately, so that looking again at a run with a long log reads only what is new.
 */
import type { Recorded, RunId, RunStatus, StoreError } from "@durable-agents/core"
import { Runs, RunState } from "@durable-agents/core"
import { Clock, Context, Effect, Layer, Stream } from "effect"

/** Shorter logs are read as fast as they are found. */
const shortLog = 32

/** How long a state is kept that nobody looks at. */
const keptMillis = 60_000

/**
 * What a log comes to.
 *
 * @category models
 * @since 0.1.0
 */
export interface Fold {
  readonly state: RunState.RunState
  readonly status: RunStatus
  /** When it came into its status. */
  readonly since: number
  /** Of its events, in characters. */
  readonly length: number
}

/**
 * @category services
 * @since 0.1.0
 */
export class Folds extends Context.Service<Folds, {
  /** The log of a run up to its end at this moment; also of one that there is not. */
  readonly of: (runId: RunId) => Effect.Effect<Fold, StoreError>
}>()("@durable-agents/server/Folds") {
  /**
   * Keeps the states that were looked at within the last minute, as long as their events have no more than `capacity` characters
   * together.
   *
   * **Details**
   *
   * A log is only appended to, so what is known of its beginning stays true. The last known event is read again each time: it shows
   * that the log is still the same one, and was not deleted and begun anew under its key.
   */
  static readonly layer = (capacity: number): Layer.Layer<Folds, never, Runs> =>
    Layer.effect(
      Folds,
      Effect.gen(function*() {
        const runs = yield* Runs
        /** Those that were looked at last are the last. */
        const kept = new Map<RunId, Fold & { readonly lookedAt: number }>()
        let held = 0

        const forget = (runId: RunId): void => {
          held -= kept.get(runId)?.length ?? 0
          kept.delete(runId)
        }
        const keep = (runId: RunId, fold: Fold, lookedAt: number): void => {
          forget(runId)
          if (fold.state.seq > shortLog && fold.length <= capacity) {
            kept.set(runId, { ...fold, lookedAt })
            held += fold.length
          }
          for (const [oldest, { lookedAt: last }] of kept) {
            if (held <= capacity && last > lookedAt - keptMillis) return
            forget(oldest)
          }
        }

        const goOn = Effect.fnUntraced(function*(runId: RunId, known: Fold) {
          let fold = known
          let isSame = false
          yield* Stream.runForEachWhile(runs.events(runId, known.state.seq - 1), (recorded) =>
            Effect.sync(() => {
              if (isSame) fold = next(fold, recorded)
              else isSame = recorded.at === known.state.updatedAt
              return isSame
            }))
          return isSame ? fold : undefined
        })

        return Folds.of({
          of: Effect.fnUntraced(function*(runId) {
            const known = kept.get(runId)
            let fold = known === undefined ? undefined : yield* goOn(runId, known)
            if (fold === undefined) {
              fold = nothing(runId)
              yield* Stream.runForEach(runs.events(runId), (recorded) =>
                Effect.sync(() => void (fold = next(fold ?? nothing(runId), recorded))))
            }
            keep(runId, fold, yield* Clock.currentTimeMillis)
            return fold
          })
        })
      })
    )
}

const nothing = (runId: RunId): Fold => {
  const state = RunState.initial(runId)
  return { state, status: RunState.status(state), since: 0, length: 0 }
}

const next = (fold: Fold, recorded: Recorded): Fold => {
  const state = RunState.evolve(fold.state, recorded)
  const status = RunState.status(state)
  return {
    state,
    status,
    since: status === fold.status ? fold.since : recorded.at,
    length: fold.length + JSON.stringify(recorded.event).length
  }
}
