/**
 * One question for all who ask it at the same moment.
 */
import { Deferred, Effect } from "effect"

/**
 * An effect that those share who run it at the same moment: it begins after all of them have asked, and all get its answer. It goes
 * on although one of them is interrupted.
 *
 * @category combinators
 * @since 0.1.0
 */
export const shared = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  let gathering: Deferred.Deferred<A, E> | undefined
  return Effect.suspend(() => {
    if (gathering !== undefined) return Deferred.await(gathering)
    const answer = Deferred.makeUnsafe<A, E>()
    gathering = answer
    // Lets everyone ask who is about to: with one that is one turn of the event loop.
    return Effect.yieldNow.pipe(
      Effect.andThen(Effect.suspend(() => {
        gathering = undefined
        return effect
      })),
      Effect.onExit((exit) => Deferred.done(answer, exit)),
      Effect.forkDetach({ startImmediately: true }),
      Effect.andThen(Deferred.await(answer))
    )
  })
}
