/**
 * What will happen to workers, and what those outside will want, all of it by a seed.
 */
import { Effect, Random } from "effect"
import type { Canonical } from "./Canonical.ts"
import * as Canonical_ from "./Canonical.ts"
import type { Fate } from "./Conductor.ts"

/**
 * A run to start, after so many moves; -1 is before all of them, and it ends before the first.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlannedRun {
  readonly startKey: string
  readonly canonical: Canonical
  readonly fate: Fate
  readonly after: number
  /** How long those outside take to decide. */
  readonly delayMillis: number
}

/**
 * What is done to one of the workers, by its place, or to the server.
 *
 * @category models
 * @since 0.1.0
 */
export type Deed =
  | { readonly _tag: "Kill"; readonly place: number; readonly awayMillis: number }
  /** Stands still, and goes on as if nothing had happened. */
  | { readonly _tag: "Freeze"; readonly place: number; readonly millis: number }
  /** Is told to end, as by a deploy. */
  | { readonly _tag: "Drain"; readonly place: number }
  | { readonly _tag: "Restart"; readonly how: "fast" | "crash"; readonly awayMillis: number }

/**
 * @category models
 * @since 0.1.0
 */
export interface Plan {
  readonly runs: ReadonlyArray<PlannedRun>
  readonly moves: ReadonlyArray<{ readonly deed: Deed; readonly afterMillis: number }>
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly seed: number
  readonly runs: number
  /** How many of them begin and end before the first move. */
  readonly calm: number
  readonly moves: number
  readonly workers: number
  readonly leaseMillis: number
  /** Whether there is a server that can be restarted. */
  readonly restarts: boolean
}

/**
 * The same plan for the same options, always.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: Options): Effect.Effect<Plan> =>
  Effect.gen(function*() {
    const { calm, leaseMillis, moves, restarts, runs, workers } = options
    const below = (end: number) => Random.nextIntBetween(0, end, { halfOpen: true })

    const deed = Effect.fnUntraced(function*(): Effect.fn.Return<Deed> {
      const lot = yield* below(20)
      const place = yield* below(workers)
      if (lot < 3 && restarts) {
        return { _tag: "Restart", how: (yield* Random.nextBoolean) ? "fast" : "crash", awayMillis: yield* below(1_200) }
      }
      if (lot < 5) return { _tag: "Drain", place }
      if (lot < 11) {
        return {
          _tag: "Freeze",
          place,
          millis: Math.floor(leaseMillis / 2) + (yield* below(2 * leaseMillis))
        }
      }
      return { _tag: "Kill", place, awayMillis: yield* below(400) }
    })

    const run = Effect.fnUntraced(function*(index: number) {
      const canonical = Canonical_.all[index % Canonical_.all.length] ?? Canonical_.mixed
      const lot = yield* below(10)
      const fate: Fate = lot === 0 ? "cancelled" : canonical.asks && lot < 4 ? "denied" : "approved"
      return {
        startKey: `${options.seed}-${index}`,
        canonical,
        fate,
        after: index < calm ? -1 : yield* below(moves + 1),
        delayMillis: yield* below(300)
      }
    })

    return {
      runs: yield* Effect.forEach(Array.from({ length: runs }, (_, index) => index), run),
      moves: yield* Effect.forEach(Array.from({ length: moves }), () =>
        Effect.gen(function*() {
          return { deed: yield* deed(), afterMillis: 50 + (yield* below(500)) }
        }))
    }
  }).pipe(Random.withSeed(`${options.seed}`))
