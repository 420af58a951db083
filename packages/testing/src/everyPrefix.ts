/**
 * Runs a program again and again, each time with a process that dies at another instant, and checks that nobody can tell.
 */
import type { Program, Programs, Recorded, RunId, RunView } from "@durable-agents/core"
import { MemoryStore, Runs, RunState, Runtime, RuntimeSettings } from "@durable-agents/core"
import { Deferred, Effect, Layer, Option, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as CrashingStore from "./CrashingStore.ts"

/**
 * A program, the world it acts on, and the people and clocks around it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Scenario<World, Input, Output, Error> {
  readonly program: Program.Program<Input, Output, Error>
  readonly input: Input
  /** A fresh world for each trial: what survives the death of a process, such as the ledger of a payments service. */
  readonly world: () => World
  /** The program's handler, tools and model, as one process builds them. */
  readonly layer: (world: World) => Layer.Layer<never, never, Programs>
  /** What happened in the world, in a form that can be compared; order counts. */
  readonly effects?: (world: World) => unknown
  /** What happens outside whenever the run rests: decisions, signals. Due times pass by themselves. */
  readonly outside?: (view: RunView, world: World) => Effect.Effect<unknown, unknown, Runs>
  /** What must be the same in every trial; default: status, output, failure. */
  readonly compare?: (view: RunView) => unknown
  /** Processes that die in each trial, one after the other, before one is allowed to live. Default 1. */
  readonly deaths?: number
  /** Take only every n-th instant, for long programs. Default 1. */
  readonly stride?: number
}

/**
 * A trial ended otherwise than the undisturbed run.
 *
 * @category errors
 * @since 0.1.0
 */
export class PrefixViolation
  extends Schema.TaggedError<PrefixViolation>("@durable-agents/testing/PrefixViolation")("PrefixViolation", {
    instant: Schema.String,
    expected: Schema.Unknown,
    actual: Schema.Unknown,
    log: Schema.Array(Schema.String)
  })
{
  override get message() {
    return [
      `A process that died ${this.instant} changed how the run ended.`,
      `Expected ${JSON.stringify(this.expected)}`,
      `Got      ${JSON.stringify(this.actual)}`,
      ...this.log
    ].join("\n")
  }
}

interface Trial {
  readonly result: unknown
  readonly writes: number
  readonly log: ReadonlyArray<string>
  readonly problem: string | undefined
}

/**
 * Kills the worker right before and right after each of its writes, lets another one finish, and compares the end of the run
 * and its effects with those of an undisturbed run. Returns how many trials there were.
 *
 * **Details**
 *
 * Needs the test clock (`it.effect`); due times pass as soon as nothing else can happen. Also checked: positions without gaps,
 * nothing after the end, one outcome for each operation, and that executing the ended run again appends nothing.
 *
 * @category checks
 * @since 0.1.0
 */
export const everyPrefix = <World, Input, Output, Error>(
  scenario: Scenario<World, Input, Output, Error>
): Effect.Effect<number, PrefixViolation> =>
  Effect.gen(function*() {
    const undisturbed = yield* trial(scenario, [])
    yield* check("nowhere", undisturbed, undisturbed)
    let trials = 0
    const deaths = scenario.deaths ?? 1
    for (let at = 0; at < undisturbed.writes; at += scenario.stride ?? 1) {
      for (const when of ["before", "after"] as const) {
        const instants = Array.from({ length: deaths }, (_, index) => ({ at: index === 0 ? at : 1, when }))
        const disturbed = yield* trial(scenario, instants)
        yield* check(`${when} write ${at}`, undisturbed, disturbed)
        trials += 1
      }
    }
    return trials
  })

const check = (instant: string, expected: Trial, actual: Trial): Effect.Effect<void, PrefixViolation> =>
  actual.problem === undefined && JSON.stringify(actual.result) === JSON.stringify(expected.result)
    ? Effect.void
    : Effect.fail(new PrefixViolation({
      instant,
      expected: expected.result,
      actual: actual.problem === undefined ? actual.result : { problem: actual.problem, result: actual.result },
      log: actual.log
    }))

const quick = Layer.succeed(RuntimeSettings, {
  ...RuntimeSettings.defaultValue(),
  suspendAfter: "2 millis",
  keep: 0
})

/** Nothing is shared between processes, nor with layers that the caller has built. */
const own = { local: true }

const trial = <World, Input, Output, Error>(
  scenario: Scenario<World, Input, Output, Error>,
  instants: ReadonlyArray<CrashingStore.Instant>
): Effect.Effect<Trial> =>
  Effect.gen(function*() {
    const memory = MemoryStore.memory()
    const world = scenario.world()
    const stores = MemoryStore.layerOf(memory)
    const outside = Layer.provideMerge(Runs.layer, stores)
    let writes = 0

    const start = Effect.gen(function*() {
      const runs = yield* Runs
      return yield* runs.start(scenario.program, scenario.input)
    })

    /** One process: until the run rests, or until it dies. */
    const process = (runId: RunId, doomed: CrashingStore.Doomed) =>
      Effect.gen(function*() {
        const runtime = yield* Runtime
        return yield* runtime.execute(runId)
      }).pipe(
        Effect.provide(
          scenario.layer(world).pipe(
            Layer.provideMerge(Runtime.layer),
            Layer.provide(CrashingStore.layer(doomed)),
            Layer.provide(stores),
            Layer.provide(quick)
          ),
          own
        ),
        Effect.asSome,
        Effect.raceFirst(Effect.as(Deferred.await(doomed.death), Option.none<RunView>())),
        Effect.catchCause((cause) => doomed.dead ? Effect.succeedNone : Effect.failCause(cause)),
        Effect.map(Option.getOrUndefined)
      )

    const runId = yield* Effect.provide(start, outside, own)
    const queue = [...instants]
    let view: RunView | undefined
    for (let round = 0; round < 1_000; round++) {
      const doomed = CrashingStore.doomed(queue.shift())
      view = yield* process(runId, doomed)
      writes += doomed.writes
      if (view === undefined) {
        memory.aliveUntil.clear()
        continue
      }
      if (RunState.isEnded(view.state) || view.status === "Stuck") break
      const before = view.seq
      if (scenario.outside !== undefined) yield* Effect.provide(scenario.outside(view, world), outside, own)
      const after = yield* Effect.provide(Effect.flatMap(Runs, (runs) => runs.state(runId)), outside, own)
      if (after.seq === before && after.wakeAt !== undefined) yield* TestClock.setTime(after.wakeAt)
    }
    const again = yield* process(runId, CrashingStore.doomed())
    const events = yield* Effect.provide(
      Effect.flatMap(Runs, (runs) => Stream.runCollect(runs.events(runId))),
      outside,
      own
    )
    const effects = scenario.effects?.(world)
    const compare = scenario.compare ?? ((view: RunView) => [view.status, view.output, view.failure])
    return {
      result: { end: view === undefined ? undefined : compare(view), effects },
      writes,
      log: events.map(({ epoch, event, seq }) => `${seq} ${epoch ?? "-"} ${JSON.stringify(event)}`),
      problem: again?.seq === view?.seq ? problemOf(events) : "executing the ended run again appended to its log"
    }
  }).pipe(Effect.orDie)

const problemOf = (events: ReadonlyArray<Recorded>): string | undefined => {
  const settled = new Set<string>()
  for (const [index, { event, seq }] of events.entries()) {
    if (seq !== index) return `event ${index} has position ${seq}`
    const ends = event._tag === "RunCompleted" || event._tag === "RunFailed" || event._tag === "RunCancelled"
    if (ends && index !== events.length - 1) return `something follows the end at ${seq}`
    const final = event._tag.endsWith("CallCompleted") || event._tag === "StepCompleted" ||
      ("final" in event && event.final)
    if (!final || !("key" in event) || event.key === undefined) continue
    if (settled.has(event.key)) return `\`${event.key}\` has two outcomes`
    settled.add(event.key)
  }
  return undefined
}
