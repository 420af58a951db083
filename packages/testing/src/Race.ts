/**
 * Races of two workers at one run, in which one of them goes on at a time.
 */
import type { NotExecutable, RunView, StoreError } from "@durable-agents/core"
import { RunState } from "@durable-agents/core"
import type { Scope } from "effect"
import { Cause, Clock, Duration, Effect, Exit, Fiber, Random } from "effect"
import type { NotMoving } from "./NotMoving.ts"
import type { ScriptFailed } from "./Outside.ts"
import * as Racer from "./Racer.ts"
import type { Trial } from "./Trial.ts"
import { drive } from "./Trial.ts"

/**
 * How a race went.
 *
 * @category models
 * @since 0.1.0
 */
export interface Raced {
  /** What each worker that was asked to execute the run was told at the end. */
  readonly told: ReadonlyArray<{ readonly name: string; readonly exit: Told }>
  /** Why it came to no end, if it did not. */
  readonly problem: string | undefined
  /** Who did what, in order. */
  readonly schedule: ReadonlyArray<string>
  /** A lease ran out. */
  readonly expired: boolean
}

type Failure = NotExecutable | StoreError | NotMoving | ScriptFailed
type Told = Exit.Exit<RunView, Failure>

/**
 * One worker alone, and how many points it passes.
 *
 * @category races
 * @since 0.1.0
 */
export const alone = <World>(
  trial: Trial<World>
): Effect.Effect<{ readonly view: RunView; readonly points: number }, Failure> =>
  Effect.gen(function*() {
    const { asked, pace } = yield* Racer.asked(trial, "A")
    pace.go(Infinity)
    yield* trial.early
    const view = yield* drive(trial, trial.attend(asked.execute))
    return { view, points: pace.passed() }
  }).pipe(Effect.scoped)

/**
 * Worker A is frozen at a point until its lease is over and B has brought the run to its end; then it wakes.
 *
 * @category races
 * @since 0.1.0
 */
export const frozen = <World>(trial: Trial<World>, point: number): Effect.Effect<Raced, Failure> =>
  Effect.gen(function*() {
    const a = yield* Racer.asked(trial, "A")
    const b = yield* Racer.asked(trial, "B")
    return yield* Effect.gen(function*() {
      yield* trial.early
      a.pace.go(point)
      const first = yield* Effect.forkScoped(drive(trial, a.asked.execute))
      yield* trial.attend(Effect.raceFirst(a.pace.halt, Effect.asVoid(Fiber.await(first))))
      const where = a.pace.standing()
      if (where !== undefined) yield* a.expire
      b.pace.go(Infinity)
      const second = yield* Effect.exit(drive(trial, trial.attend(b.asked.execute)))
      a.pace.go(Infinity)
      const woken = yield* Effect.exit(trial.attend(Fiber.join(first)))
      return {
        told: [{ name: "A", exit: woken }, { name: "B", exit: second }],
        problem: undefined,
        schedule: [
          where === undefined
            ? `A executes the run until ${said(woken)}`
            : `A freezes ${where}, and its lease runs out`,
          `B executes the run until ${said(second)}`,
          ...(where === undefined ? [] : [`A wakes and executes the run until ${said(woken)}`])
        ],
        expired: true
      }
    }).pipe(Racer.letGo([a, b]))
  }).pipe(Effect.scoped)

const said = (exit: Told): string => Exit.isSuccess(exit) ? `it is ${exit.value.status}` : describe(exit.cause)

/**
 * A failure in one line.
 *
 * @category conversions
 * @since 0.1.0
 */
export const describe = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? ""
}

/** A race that goes by chance. */
interface Field {
  readonly racers: readonly [Racer.Racer, Racer.Racer]
  /** A whole number from 0 on, below a limit. */
  readonly below: (limit: number) => number
  readonly schedule: Array<string>
  /** How many leases have run out. */
  expiries: number
  /** Where the log ended when those who look for runs by themselves had time to do so. */
  lookedAt: number
}

/** How many leases may run out in one race: below what makes a run count as poison. */
const maxExpiries = 3

/** How often somebody goes on in one race before it counts as one that never ends. */
const maxTurns = 2_000

/** A run that rests, as far as its log tells. */
const rests: ReadonlySet<string> = new Set(["AwaitingApproval", "AwaitingSignal", "Sleeping"])

/**
 * Both execute the run from the start. Chance says who goes on and how far, and whose lease runs out; the same seed gives the
 * same race. Of three seeds in a row, two workers are asked to execute the run in the first, one in the second, none in the
 * third: the others look for runs by themselves.
 *
 * @category races
 * @since 0.1.0
 */
export const seeded = <World>(trial: Trial<World>, seed: number): Effect.Effect<Raced, Failure> =>
  Effect.gen(function*() {
    const random = yield* Random.withSeed(Random.Random, seed)
    const a = yield* seed % 3 === 0 ? Racer.looking(trial, "A") : Racer.asked(trial, "A")
    const b = yield* seed % 3 === 1 ? Racer.asked(trial, "B") : Racer.looking(trial, "B")
    const field: Field = {
      racers: [a, b],
      below: (limit) => Math.floor(random.nextDoubleUnsafe() * limit),
      schedule: [],
      expiries: 0,
      lookedAt: -1
    }
    return yield* Effect.gen(function*() {
      yield* trial.early
      const done = yield* Effect.exit(race(trial, field))
      for (const { pace } of field.racers) pace.go(Infinity)
      return {
        told: Exit.isFailure(done) ? [] : yield* ending(trial, field),
        problem: Exit.isFailure(done) ? describe(done.cause) : undefined,
        schedule: field.schedule,
        expired: field.expiries > 0
      }
    }).pipe(Racer.letGo(field.racers))
  }).pipe(Effect.scoped)

const race = Effect.fnUntraced(function*<World>(trial: Trial<World>, field: Field) {
  const { below, racers } = field
  for (let turn = 0; turn < maxTurns; turn++) {
    yield* collect(field)
    const state = yield* trial.state
    if (RunState.isEnded(state.state)) return
    const able = racers.filter((racer) => isAble(field, racer, state))
    const racer = able[below(able.length)]
    if (racer === undefined) {
      yield* wait(trial, field, state)
    } else {
      yield* happen(trial, field, below(2) === 0 ? racer : otherOf(field, racer), state)
      yield* goOn(trial, field, racer)
    }
  }
  return yield* Effect.die(`After ${maxTurns} turns it has come to no end.`)
})

const otherOf = ({ racers: [a, b] }: Field, racer: Racer.Racer): Racer.Racer => racer === a ? b : a

/** Whoever is refused the lease waits until the other one has given it back. */
const isAble = (field: Field, racer: Racer.Racer, state: RunView): boolean => {
  const { asked, pace } = racer
  return asked !== undefined && asked.fiber === undefined
    ? asked.seen === undefined || asked.seen.seq < state.seq
    : pace.standing() !== undefined && !(pace.refused() && otherOf(field, racer).pace.holds())
}

/** Whose execution has come to rest; fails with the first that failed. */
const collect = ({ racers }: Field) =>
  Effect.forEach(racers, ({ asked }) =>
    Effect.gen(function*() {
      const exit = asked?.fiber?.pollUnsafe()
      if (asked === undefined || exit === undefined) return
      asked.fiber = undefined
      asked.seen = yield* exit
    }), { discard: true })

const goOn = Effect.fnUntraced(function*<World>(
  trial: Trial<World>,
  { below, schedule }: Field,
  { asked, name, pace }: Racer.Racer
): Effect.fn.Return<void, NotMoving, Scope.Scope> {
  if (asked !== undefined) asked.fiber ??= yield* Effect.forkScoped(asked.execute)
  const done = asked?.fiber === undefined ? Effect.never : Effect.asVoid(Fiber.await(asked.fiber))
  const isPolling = asked === undefined && !pace.holds()
  const stopsBeforeRelease = pace.standing() !== "before release" && below(2) === 0
  pace.go(1 + below(6), stopsBeforeRelease)
  yield* trial.attend(Effect.raceFirst(pace.halt, done))
  pace.stop()
  if (!isPolling || pace.holds()) schedule.push(`${name} goes on to ${pace.standing() ?? "its rest"}`)
})

/** What else happens while somebody stands at a point. */
const happen = Effect.fnUntraced(function*<World>(
  trial: Trial<World>,
  field: Field,
  { expire, name, pace }: Racer.Racer,
  state: RunView
) {
  const point = pace.standing()
  if (point === undefined) return
  if (field.expiries < maxExpiries && field.below(6) === 0) {
    field.expiries += 1
    field.schedule.push(`the lease of ${name} runs out ${point}`)
    yield* expire
    yield* settle(field)
  }
  if (rests.has(state.status) && point.endsWith("release") && field.below(4) > 0) {
    field.schedule.push(`the outside acts, and ${name} stands ${point}`)
    yield* trial.act
    yield* settle(field)
  }
})

/** Nobody goes on by itself. */
const wait = Effect.fnUntraced(function*<World>(trial: Trial<World>, field: Field, state: RunView) {
  if (field.lookedAt !== state.seq && field.racers.some(looks)) {
    field.lookedAt = state.seq
    yield* trial.time.clock.adjust("1 second")
  } else {
    field.lookedAt = -1
    field.schedule.push("the outside acts, or time passes")
    yield* trial.move(state)
    for (const { asked } of field.racers) {
      if (asked !== undefined) asked.seen = undefined
    }
  }
  yield* settle(field)
})

const looks = ({ asked }: Racer.Racer): boolean => asked === undefined

/** Whoever looks for runs by itself and was woken has come to where it stands. */
const settle = ({ racers }: Field) =>
  racers.some(looks) ? Clock.Clock.defaultValue().sleep(Duration.millis(5)) : Effect.void

/** What is still under way may have come to rest before the run ended. */
const ending = <World>(trial: Trial<World>, { racers }: Field) =>
  Effect.forEach(
    racers.flatMap(({ asked, name }) => asked === undefined ? [] : [{ asked, name }]),
    ({ asked: { execute, fiber }, name }) =>
      Effect.suspend(() => fiber === undefined ? execute : Fiber.join(fiber)).pipe(
        Effect.filterOrElse((view) => RunState.isEnded(view.state), () => execute),
        trial.attend,
        Effect.exit,
        Effect.map((exit): Raced["told"][number] => ({ name, exit }))
      )
  )
