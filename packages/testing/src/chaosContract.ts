/**
 * What workers on one store promise whatever happens to them: a suite of tests with real processes that are killed, frozen and
 * deployed at random, and with restarts of the server.
 */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, References, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import * as Books from "./kill/Books.ts"
import * as Canonical from "./kill/Canonical.ts"
import * as Chaos from "./kill/Chaos.ts"
import type { Fate } from "./kill/Conductor.ts"
import * as Deaths from "./kill/Deaths.ts"
import * as Place from "./kill/Place.ts"
import * as Plan from "./kill/Plan.ts"

export type { Server } from "./kill/Chaos.ts"
export type { StoreModule } from "./kill/StoreModule.ts"

/**
 * A store that processes come to by a module that they load, and an address.
 *
 * @category models
 * @since 0.1.0
 */
export interface ChaosStore {
  /** Exports a function `layer` from an address to the store's layer: a `StoreModule`. Node loads it as it is. */
  readonly module: URL
  /** Makes an empty database; made for each round, gone with its scope. `server` is restarted now and then, if there is one. */
  readonly makeDatabase: Effect.Effect<
    { readonly address: string; readonly server?: Chaos.Server },
    unknown,
    Scope.Scope
  >
}

/**
 * @category models
 * @since 0.1.0
 */
export interface ChaosOptions {
  /** Decides about everything but the speed of the machine. Default 1. */
  readonly seed?: number
  /** How many runs there are in a round. Default 24. */
  readonly runs?: number
  /** How often something is done to workers or server in a round. Default 10. */
  readonly moves?: number
  /** Rounds follow each other until this time is over, each with the next seed. Default 0: one round. */
  readonly minutes?: number
  /** How long a silent worker keeps its runs. Default 2 seconds. */
  readonly leaseMillis?: number
}

const workers = 3

/**
 * Registers the suite.
 *
 * **Details**
 *
 * Three worker processes execute the canonical runs of `killContract`, which are approved, denied or cancelled from outside. A
 * quarter of them undisturbed; then workers are killed, told to end, or stopped, to wake up when others have taken their runs
 * over. Checked: each run ended as an undisturbed one, each effect was made once for its key, each operation has one outcome, logs
 * have no gaps and no event of a stale lease, and nothing was asked for twice while the worker that had asked first was well.
 *
 * @category contracts
 * @since 0.1.0
 */
export const chaosContract = (name: string, store: ChaosStore, options: ChaosOptions = {}): void => {
  const { leaseMillis = 2_000, minutes = 0, moves = 10, runs = 24, seed = 1 } = options

  const round = (seed: number, expected: (planned: Plan.PlannedRun) => Books.End) =>
    Effect.gen(function*() {
      const { address, server } = yield* store.makeDatabase
      const place = yield* Place.make({ module: store.module, address, namespace: randomUUID(), leaseMillis })
      const plan = yield* Plan.make({
        seed,
        runs,
        calm: Math.floor(runs / 4),
        moves,
        workers,
        leaseMillis,
        restarts: server !== undefined
      })
      const { accounts, history } = yield* Chaos.unleash(place, plan, { workers, slowMillis: 120, server })
      const problems = [
        ...history.problems,
        ...accounts.flatMap((account) => Books.problems(account, expected, history, leaseMillis))
      ]
      if (problems.length > 0) assert.fail([`Seed ${seed}:`, ...problems, ...history.lines()].join("\n"))
      assert.strictEqual(accounts.length, runs)
      return Books.summary(accounts, history)
    }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Error"))

  describe(`${name}: three worker processes`, () => {
    it.live(
      `ask for nothing twice while they live, and lose nothing when ${moves} times one is killed, frozen or deployed${
        minutes > 0 ? `, again and again for ${minutes} minutes` : ""
      } (seed ${seed}; EO-1, EO-3, WR-1, checks 4-6, 63, 64)`,
      () =>
        Effect.gen(function*() {
          const expected = yield* undisturbed
          const begun = yield* Clock.currentTimeMillis
          for (let own = seed;; own++) {
            const summary = yield* round(own, expected)
            const seconds = Math.round(((yield* Clock.currentTimeMillis) - begun) / 1_000)
            yield* Effect.logInfo(`${name}, seed ${own}, ${seconds} s: ${summary}`)
            if (seconds >= minutes * 60) return
          }
        }),
      (minutes + 5) * 60_000
    )
  })
}

/** How each canonical run ends when nothing happens, by its fate. */
const undisturbed = Effect.gen(function*() {
  const place = yield* Place.memory
  const kinds = Canonical.all.flatMap((canonical) =>
    (canonical.asks ? ["approved", "denied"] as const : ["approved"] as const).map((fate: Fate) => ({
      canonical,
      fate,
      deaths: []
    }))
  )
  const survivors = yield* Deaths.survive(place, kinds)
  const ends = new Map(survivors.map(({ canonical, effects, fate, view }) => [
    `${canonical.name} ${fate}`,
    { status: view.status, output: view.output, effects }
  ]))
  return ({ canonical, fate }: Plan.PlannedRun): Books.End =>
    ends.get(`${canonical.name} ${fate === "cancelled" ? "approved" : fate}`) ??
      { status: "unknown", output: undefined, effects: [] }
}).pipe(Effect.scoped)
