/**
 * Runs that may be what kills workers, executed one at a time: whoever is beside a run that kills dies with it, again and again,
 * and would be taken for it.
 */
import { Effect } from "effect"
import type { Claim } from "./RunQueue.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Quarantine {
  /** Waits until no other suspect is in there, or until there is no sense in waiting. */
  readonly enter: (claim: Claim) => Effect.Effect<void>
  readonly leave: (claim: Claim) => void
}

/** How often those who wait look. */
const look = Effect.sleep("50 millis")

/**
 * A place for one run at a time. It is free again when the run has left, has got on, or has been in there for `longestMillis`
 * without killing anybody.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: {
  readonly longestMillis: number
  readonly now: () => number
  /** Whether a run has a new outcome since it was taken over. */
  readonly hasGotOn: (claim: Claim) => boolean
  readonly isGivenUp: () => boolean
}): Quarantine => {
  const { hasGotOn, isGivenUp, longestMillis, now } = options
  let inside: { readonly claim: Claim; readonly since: number } | undefined

  const isFree = (): boolean => inside === undefined || now() - inside.since >= longestMillis || hasGotOn(inside.claim)

  const enter = (claim: Claim): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (isGivenUp()) return Effect.void
      if (!isFree()) return Effect.andThen(look, enter(claim))
      inside = { claim, since: now() }
      return Effect.void
    })

  return {
    enter,
    leave: (claim) => {
      if (inside?.claim === claim) inside = undefined
    }
  }
}
