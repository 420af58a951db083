/**
 * The promises of a store and of the runtime over it when processes die: a suite of tests with real processes and SIGKILL.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, References, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import * as Canonical from "./kill/Canonical.ts"
import * as Deaths from "./kill/Deaths.ts"
import * as Instant from "./kill/Instant.ts"
import * as Place from "./kill/Place.ts"

export type { StoreModule } from "./kill/StoreModule.ts"

/**
 * A store that processes come to by a module that they load, and an address.
 *
 * @category models
 * @since 0.1.0
 */
export interface KillableStore {
  /** Exports a function `layer` from an address to the store's layer: a `StoreModule`. Node loads it as it is. */
  readonly module: URL
  /** Makes a database; made for each test, gone with its scope. Several tests may share one. */
  readonly makeAddress: Effect.Effect<string, never, Scope.Scope>
  /** Also right before each event; ten kills in a row rather than three, from every instant on. Default false. */
  readonly thorough?: boolean
  /**
   * How long a silent worker keeps its runs. Default 10 seconds, which nobody waits for where a store notices deaths; less than
   * that on a busy machine, and workers that live lose runs as well.
   */
  readonly leaseMillis?: number
}

/**
 * Registers the suite: canonical runs (steps, retries, steps side by side, an approval, a timer and a signal, agents with one and
 * with several calls in a turn) whose processes die after each event that they write, and between each call to the world and its
 * record.
 *
 * **Details**
 *
 * A worker process kills itself with SIGKILL when all its runs stand at their instants; another one finishes, decisions being made
 * from outside. The world that they act on is a SQLite file, whatever the store. Needs a system with signals.
 *
 * @category contracts
 * @since 0.1.0
 */
export const killContract = (name: string, store: KillableStore): void => {
  const thorough = store.thorough === true
  const { inARow, stride } = thorough ? { inARow: 10, stride: 1 } : { inARow: 3, stride: 6 }
  const place = Effect.flatMap(store.makeAddress, (address) =>
    Place.make({
      module: store.module,
      address,
      namespace: randomUUID(),
      leaseMillis: store.leaseMillis ?? 10_000
    }))

  const test = <E>(title: string, body: (here: Place.Place) => Effect.Effect<void, E, Scope.Scope>) =>
    it.live(
      title,
      () => Effect.scoped(Effect.flatMap(place, body)).pipe(Effect.provideService(References.MinimumLogLevel, "Error")),
      600_000
    )

  describe(`${name}: a run whose process is killed`, () => {
    test(
      "at every event of canonical runs, or between a call to the world and its record, is finished by another one, with one effect each (WR-8, EO-1, checks 4, 5, 7)",
      (here) =>
        Effect.gen(function*() {
          const wholes = yield* undisturbed(here, Canonical.all)
          yield* die(
            here,
            wholes.flatMap((whole) => Instant.all(whole, thorough).map((instant) => ({ whole, deaths: [instant] })))
          )
        })
    )

    test(
      `up to ${inARow} times in a row is finished all the same (check 6)`,
      (here) =>
        Effect.gen(function*() {
          const wholes = yield* undisturbed(here, Canonical.all)
          const survivors = yield* die(
            here,
            wholes.flatMap((whole) =>
              [...takenOver(whole, stride), ...successive(whole)].map((deaths) => ({
                whole,
                deaths: deaths.slice(0, inARow)
              }))
            )
          )
          assert.strictEqual(Math.max(...survivors.map(({ deaths }) => deaths.length)), inARow)
        })
    )

    test(
      "while some calls of a turn are done, some under way and one awaits approval, repeats none that is done, and keeps their order (WR-9)",
      (here) =>
        Effect.gen(function*() {
          const [whole] = yield* undisturbed(here, [Canonical.mixed])
          if (whole === undefined) return yield* Effect.die("one run was started")
          const asked = "ApprovalRequested turn-1/call-2/approval"
          const done = ["ToolCallCompleted turn-1/call-1 1", "ToolCallCompleted turn-1/call-3 1"]
          const deaths = [{ gapOf: "C-3", once: [asked, ...done] }]
          const [survivor] = yield* die(here, [{ whole, deaths }], "last")
          if (survivor === undefined) return yield* Effect.die("one run was started")
          const words = Deaths.told(survivor)
          const names = survivor.events.map(({ event }) => Instant.nameOf(event))
          const decided = names.indexOf("ApprovalGranted turn-1/call-2/approval")
          for (const event of [asked, ...done]) assert.isBelow(names.indexOf(event), decided, words)
          assert.isBelow(decided, names.indexOf("RunRecovered"), words)
          for (const name of ["C-1", "look C-3", "C-2", "turn-1/model"]) {
            assert.strictEqual(survivor.calls.filter((call) => call.name === name).length, 1, words)
          }
          assert.strictEqual(
            survivor.view.output,
            "Done: \"receipt for C-1\", \"receipt for C-2\", \"C-3 is broken\", \"receipt for C-3\""
          )
        })
    )
  })
}

/** How runs end whose process lives. */
const undisturbed = Effect.fnUntraced(function*(here: Place.Place, kinds: ReadonlyArray<Canonical.Canonical>) {
  const wholes = yield* Deaths.survive(here, kinds.map((canonical) => ({ canonical, deaths: [] })))
  for (const whole of wholes) {
    assert.strictEqual(whole.view.status, "Completed")
    const asked = whole.calls.map(({ attempt, key }) => `${key} ${attempt}`)
    assert.strictEqual(new Set(asked).size, asked.length)
    assert.isAtLeast(Instant.all(whole).length, 10)
  }
  return wholes
})

/** Runs of the same kind whose processes die. They end the same, with the same effects. */
const die = Effect.fnUntraced(function*(
  here: Place.Place,
  fatal: ReadonlyArray<{ readonly whole: Deaths.Survivor; readonly deaths: ReadonlyArray<Instant.Instant> }>,
  decide?: "last"
) {
  const doomed = fatal.map(({ deaths, whole }) => ({ canonical: whole.canonical, deaths }))
  const survivors = yield* Deaths.survive(here, doomed, decide)
  for (const [index, survivor] of survivors.entries()) {
    const whole = fatal[index]?.whole
    if (whole === undefined) continue
    Deaths.assertSame(survivor, whole)
    const [first, ...more] = survivor.deaths
    if (first !== undefined && more.length === 0 && "gapOf" in first && whole.effects.includes(first.gapOf)) {
      assertMadeOnce(survivor, first.gapOf)
    }
  }
  return survivors
})

/** At any instant; then the next process before it has said that it took over; then another one right after. */
const takenOver = (whole: Deaths.Survivor, stride: number): ReadonlyArray<ReadonlyArray<Instant.Instant>> =>
  Instant.all(whole).filter((_, index) => index % stride === 0).map((instant) => [
    instant,
    { at: "RunRecovered", when: "before" },
    { at: "RunRecovered", when: "after" }
  ])

/** At one call after the other, where their order is always the same. */
const successive = (whole: Deaths.Survivor): ReadonlyArray<ReadonlyArray<Instant.Instant>> =>
  whole.canonical.order === "any" ? [] : [Instant.gaps(whole.calls)]

/** Asked for twice under one key, made once, recorded once, by the second process, as recovered. */
const assertMadeOnce = (survivor: Deaths.Survivor, name: string): void => {
  const words = Deaths.told(survivor)
  const calls = survivor.calls.filter((call) => call.name === name)
  assert.strictEqual(calls.length, 2, words)
  assert.strictEqual(new Set(calls.map(({ idempotencyKey }) => idempotencyKey)).size, 1, words)
  assert.strictEqual(new Set(calls.map(({ worker }) => worker)).size, 2, words)
  const takeovers = survivor.events.filter(({ event }) => event._tag === "RunRecovered")
  const outcomes = survivor.events.filter(({ event }) =>
    (event._tag === "StepCompleted" || event._tag === "ToolCallCompleted") && event.key === calls[0]?.key
  )
  assert.deepStrictEqual([takeovers.length, outcomes.length], [1, 1], words)
  const [outcome] = outcomes
  assert.isTrue(outcome !== undefined && "recovered" in outcome.event && outcome.event.recovered, words)
  assert.isAtLeast(outcome?.epoch ?? 0, takeovers[0]?.epoch ?? Infinity, words)
}
