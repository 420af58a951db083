/**
 * Runs a program again and again, each time with a process that dies at another instant, and checks that nobody can tell.
 */
import type { RunView } from "@durable-agents/core"
import { Deferred, Duration, Effect, Schema } from "effect"
import * as CrashingStore from "./CrashingStore.ts"
import { Difference } from "./Difference.ts"
import * as Ending from "./Ending.ts"
import * as LogText from "./LogText.ts"
import type { Scenario } from "./Scenario.ts"
import type { Failure, Options } from "./Trial.ts"
import * as Trial from "./Trial.ts"

/**
 * How its processes die.
 *
 * @category models
 * @since 0.1.0
 */
export interface Deaths extends Options {
  /** Processes that die in each trial, one after the other, before one is allowed to live. Default 1. */
  readonly deaths?: number
  /** Take only every n-th instant, for long programs. Default 1. */
  readonly stride?: number
  /** How much time passes from a death until another process takes over. Default 1 second. */
  readonly downtime?: Duration.Input
}

/**
 * A trial ended otherwise than the undisturbed run.
 *
 * @category errors
 * @since 0.1.0
 */
export class PrefixViolation
  extends Schema.TaggedError<PrefixViolation>("@durable-agents/testing/PrefixViolation")("PrefixViolation", {
    /** When the process died, such as "after write 3 (append of StepCompleted `charge`)". */
    instant: Schema.String,
    /** What is wrong by itself, if something is. */
    problem: Schema.optionalKey(Schema.String),
    difference: Schema.optionalKey(Difference),
    expected: Schema.Unknown,
    actual: Schema.Unknown,
    log: Schema.Array(Schema.String)
  })
{
  override get message() {
    return [
      `A process that died ${this.instant} changed how the run ended.`,
      ...(this.problem === undefined ? [] : [this.problem]),
      ...(this.difference === undefined ? [] : [
        `First difference, at ${this.difference.path}:`,
        `  undisturbed  ${this.difference.expected}`,
        `  disturbed    ${this.difference.actual}`
      ]),
      "The log of the disturbed run:",
      ...LogText.end(this.log)
    ].join("\n")
  }
}

interface Tried extends Ending.Ending {
  readonly writes: number
  readonly instant: string
}

/**
 * Kills the worker right before and right after each of its writes, lets another one finish, and compares the end of the run
 * and its effects with those of an undisturbed run. Returns how many trials there were.
 *
 * **Details**
 *
 * Also checked: positions without gaps, nothing after the end, one outcome for each operation, no event of a worker that had
 * lost its lease, and that executing the ended run again appends nothing. Clock and store are of its own; each trial begins
 * anew, in 1970. Fails with `NotMoving` if nothing in the script moves the undisturbed run.
 *
 * @category checks
 * @since 0.1.0
 */
export const everyPrefix = <World, Input, Output, Error>(
  scenario: Scenario<World, Input, Output, Error> & Deaths
): Effect.Effect<number, PrefixViolation | Failure> =>
  Effect.gen(function*() {
    const undisturbed = yield* trial(scenario, [])
    yield* check(undisturbed, undisturbed)
    let trials = 0
    const deaths = scenario.deaths ?? 1
    for (let at = 0; at < undisturbed.writes; at += scenario.stride ?? 1) {
      for (const when of ["before", "after"] as const) {
        const instants = Array.from({ length: deaths }, (_, index) => ({ at: index === 0 ? at : 1, when }))
        yield* check(undisturbed, yield* trial(scenario, instants))
        trials += 1
      }
    }
    return trials
  })

const check = (expected: Tried, actual: Tried): Effect.Effect<void, PrefixViolation> => {
  const { effects, end, instant, log } = actual
  const problem = Ending.problem(expected, actual)
  const difference = Ending.difference(expected, actual)
  return problem === undefined && difference === undefined
    ? Effect.void
    : Effect.fail(new PrefixViolation({
      instant,
      ...(problem === undefined ? {} : { problem }),
      ...(difference === undefined ? {} : { difference }),
      expected: { end: expected.end, effects: expected.effects },
      actual: { end, effects },
      log
    }))
}

const trial = <World, Input, Output, Error>(
  scenario: Scenario<World, Input, Output, Error> & Deaths,
  instants: ReadonlyArray<CrashingStore.Instant>
): Effect.Effect<Tried, Failure> =>
  Trial.withTrial(scenario, scenario, (trial) =>
    Effect.gen(function*() {
      const downtime = Duration.fromInputUnsafe(scenario.downtime ?? "1 second")
      const queue = [...instants]
      const deaths: Array<CrashingStore.Doomed> = []
      let writes = 0

      /** One process: until the run rests; undefined if it dies. */
      const once = Effect.suspend(() => {
        const doomed = CrashingStore.doomed(queue.shift())
        return trial.process(CrashingStore.around(doomed)).pipe(
          Effect.flatMap(({ execute }) => trial.attend(execute)),
          Effect.scoped,
          Effect.raceFirst(Effect.as(Deferred.await(doomed.death), undefined)),
          Effect.catchCause((cause) => doomed.dead ? Effect.undefined : Effect.failCause(cause)),
          Effect.tap(() =>
            Effect.suspend(() => {
              writes += doomed.writes
              return doomed.dead ? buried(doomed) : Effect.void
            })
          )
        )
      })

      const buried = Effect.fnUntraced(function*(doomed: CrashingStore.Doomed) {
        deaths.push(doomed)
        yield* Effect.forEach(doomed.owners, trial.silence)
        yield* trial.time.clock.adjust(downtime)
      })

      const execute: Effect.Effect<RunView, Effect.Error<typeof once>> = Effect.filterOrElse(
        once,
        (view) => view !== undefined,
        () => execute
      )

      yield* trial.early
      const standing = yield* Trial.drive(trial, execute).pipe(
        Effect.as(undefined),
        Effect.catchTag("NotMoving", (error) => instants.length === 0 ? Effect.fail(error) : Effect.succeed(error))
      )
      const view = yield* trial.state
      const problem = standing?.problem
      const counted = writes
      const again = problem === undefined ? yield* once : view
      const events = yield* trial.log
      return {
        end: (scenario.compare ?? Ending.endOf)(view),
        effects: scenario.effects?.(trial.world),
        stuck: Ending.stuckOf(events),
        writes: counted,
        instant: deaths.length === 0 ? "nowhere" : deaths.map(instantOf).join(", then "),
        log: marked(events.map(LogText.line), deaths),
        problem: problem ?? (again?.seq === view.seq
          ? Ending.problemOf(events)
          : "Executing the ended run again appended to its log.")
      }
    }))

const instantOf = ({ instant, last }: CrashingStore.Doomed): string =>
  `${instant?.when} write ${instant?.at} (${last?.write})`

/** The log, with a mark where each process died. */
const marked = (log: ReadonlyArray<string>, deaths: ReadonlyArray<CrashingStore.Doomed>): ReadonlyArray<string> =>
  log.map((line, seq) => deaths.some(({ last }) => last?.seq === seq) ? `${line}  <- the process died here` : line)
