/**
 * Lets two workers race for one run in every way that can be provoked, and checks that nobody can tell.
 */
import { Effect, Exit, Schema } from "effect"
import { Difference } from "./Difference.ts"
import * as Ending from "./Ending.ts"
import * as LogText from "./LogText.ts"
import type { Raced } from "./Race.ts"
import * as Race from "./Race.ts"
import type { Scenario } from "./Scenario.ts"
import type { Failure, Options } from "./Trial.ts"
import * as Trial from "./Trial.ts"

/**
 * Which races there are.
 *
 * @category models
 * @since 0.1.0
 */
export interface Races extends Options {
  /** How many races that go by chance. Default 20. */
  readonly races?: number
  /** The seed of the first of them. Default 1. */
  readonly seed?: number
  /** Freeze at every n-th point only, for long programs. Default 1. */
  readonly stride?: number
  /** Only this race, as a violation names it. */
  readonly only?: `freeze ${number}` | `seed ${number}`
}

/**
 * Two workers left something else than one.
 *
 * @category errors
 * @since 0.1.0
 */
export class RaceViolation
  extends Schema.TaggedError<RaceViolation>("@durable-agents/testing/RaceViolation")("RaceViolation", {
    /** What `only` takes to run this race again, alone. */
    race: Schema.String,
    /** What is wrong by itself, if something is. */
    problem: Schema.optionalKey(Schema.String),
    difference: Schema.optionalKey(Difference),
    expected: Schema.Unknown,
    actual: Schema.Unknown,
    /** Who did what, in order. */
    schedule: Schema.Array(Schema.String),
    log: Schema.Array(Schema.String)
  })
{
  override get message() {
    return [
      "Two workers at one run left something else than one worker alone.",
      ...(this.problem === undefined ? [] : [this.problem]),
      ...(this.difference === undefined ? [] : [
        `First difference, at ${this.difference.path}:`,
        `  one worker   ${this.difference.expected}`,
        `  two workers  ${this.difference.actual}`
      ]),
      "What they did:",
      ...LogText.end(this.schedule).map((line) => `  ${line}`),
      "The log:",
      ...LogText.end(this.log),
      `This race again, alone: only: "${this.race}"`
    ].join("\n")
  }
}

/**
 * Executes a run by one worker; then again and again by two, with separate layers over one store, and compares. First, worker A
 * is frozen before and after each of its calls to the store until B has taken over and finished, and then wakes. Then both race,
 * step by step, by seeded chance. Returns how many races there were.
 *
 * **Details**
 *
 * Checked: the same end and effects as with one worker, a log without gaps, with one outcome for each operation, nothing after
 * the end and nothing of a worker that had lost its lease, no takeover while leases last, and that both workers are told the
 * same final state. Clock and store are of its own.
 *
 * **Gotchas**
 *
 * Chance decides about calls to the store. What operations do in between is not interleaved.
 *
 * @category checks
 * @since 0.1.0
 */
export const twoWorkers = <World, Input, Output, Error>(
  scenario: Scenario<World, Input, Output, Error> & Races
): Effect.Effect<number, RaceViolation | Failure> =>
  Effect.gen(function*() {
    const { races = 20, seed = 1, stride = 1 } = scenario
    const expected = yield* Trial.withTrial(scenario, scenario, (trial) =>
      Effect.flatMap(Race.alone(trial), ({ points, view }) =>
        Effect.map(trial.log, (events) => ({
          points,
          end: endOf(scenario)(view),
          effects: scenario.effects?.(trial.world),
          stuck: Ending.stuckOf(events),
          problem: Ending.problemOf(events),
          log: events.map(LogText.line)
        }))))
    const all = [
      ...Array.from({ length: Math.ceil(expected.points / stride) }, (_, index) =>
        `freeze ${index * stride}`),
      ...Array.from({ length: races }, (_, index) =>
        `seed ${seed + index}`)
    ]
    const chosen = scenario.only === undefined ? all : [scenario.only]
    yield* Effect.forEach(chosen, (race) =>
      check(scenario, race, expected), { discard: true })
    return chosen.length
  })

const endOf = <World, Input, Output, Error>({ compare }: Scenario<World, Input, Output, Error>) =>
  compare ?? Ending.endOf

const check = Effect.fnUntraced(function*<World, Input, Output, Error>(
  scenario: Scenario<World, Input, Output, Error> & Races,
  race: string,
  expected: Ending.Ending
) {
  const [kind, number] = race.split(" ")
  const actual = yield* Trial.withTrial(scenario, scenario, (trial) =>
    Effect.gen(function*() {
      const raced = yield* kind === "freeze" ? Race.frozen(trial, Number(number)) : Race.seeded(trial, Number(number))
      const view = yield* trial.state
      const events = yield* trial.log
      return {
        schedule: raced.schedule,
        end: endOf(scenario)(view),
        effects: scenario.effects?.(trial.world),
        stuck: Ending.stuckOf(events),
        problem: Ending.problemOf(events) ?? problemOf(raced, view.seq, events.some(isTakeover)),
        log: events.map(LogText.line)
      }
    }))
  const { effects, end, log, schedule } = actual
  const problem = Ending.problem(expected, actual)
  const difference = Ending.difference(expected, actual)
  if (problem === undefined && difference === undefined) return
  return yield* new RaceViolation({
    race,
    ...(problem === undefined ? {} : { problem }),
    ...(difference === undefined ? {} : { difference }),
    expected: { end: expected.end, effects: expected.effects },
    actual: { end, effects },
    schedule,
    log
  })
})

const isTakeover = ({ event }: { readonly event: { readonly _tag: string } }): boolean => event._tag === "RunRecovered"

const problemOf = ({ expired, problem, told }: Raced, seq: number, tookOver: boolean): string | undefined => {
  if (problem !== undefined) return problem
  for (const { exit, name } of told) {
    if (Exit.isFailure(exit)) return `Worker ${name} was not told how the run ended: ${Race.describe(exit.cause)}`
    if (exit.value.seq !== seq) {
      return `Worker ${name} was told of ${exit.value.seq} events (${exit.value.status}), and the log has ${seq}.`
    }
  }
  return tookOver && !expired ? "A worker took the run over while the other one was alive." : undefined
}
