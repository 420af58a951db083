/**
 * Our system as a process of its own, and what it can be asked.
 */
import { Namespace, NextOwner, RunId, RunIndex, RunQueue, Runs, Runtime, Worker } from "@durable-agents/core"
import type { RunStatus } from "@durable-agents/core"
import { Effect } from "effect"
import process from "node:process"
import { serve } from "../Child.ts"
import { type Round, timed, wallMillis } from "../Round.ts"
import { Work } from "../work.ts"
import { close, lastAppendAt, open, run, startWorker } from "./Application.ts"
import { actedAt, listening, Long, Parked, Slow, Waiting } from "./programs.ts"

/** How long each of several executions of the same takes, in milliseconds. */
const durations = <A, E, R>(times: number, effect: Effect.Effect<A, E, R>) =>
  Effect.replicateEffect(
    Effect.gen(function*() {
      const begun = performance.now()
      yield* effect
      return performance.now() - begun
    }),
    times
  )

const startAll = <E>(
  runs: number,
  start: (run: number) => Effect.Effect<RunId, E, Runs>,
  atOnce = 1
): Promise<ReadonlyArray<string>> =>
  run(Effect.forEach(Array.from({ length: runs }, (_, i) => i), start, { concurrency: atOnce }))

const commands = {
  open,
  close,
  startWorker,

  /** Starts runs of the work, `atOnce` at a time, which nobody executes yet. */
  create: ({ atOnce, runs, steps }: {
    readonly atOnce: number
    readonly runs: number
    readonly steps: number
  }): Promise<Round> =>
    timed(() => startAll(runs, () => Effect.flatMap(Runs, ({ start }) => start(Work, steps)), atOnce)),

  /** A worker from its first look for due runs until it finds none. */
  work: ({ concurrency }: { readonly concurrency: number }): Promise<Round> =>
    run(Effect.flatMap(Worker.Worker, ({ idle }) => Effect.promise(() => timed(() => Effect.runPromise(idle))))
      .pipe(Effect.provide(Worker.layer({ concurrency }), { local: true }))),

  /** Executes one run of the work here; when each of its steps began, in milliseconds, and at last its end. */
  execute: async ({ steps }: { readonly steps: number }): Promise<ReadonlyArray<number>> => {
    const begun: Array<number> = []
    listening.acting = () => begun.push(performance.now())
    await run(Effect.gen(function*() {
      const { start } = yield* Runs
      const { execute } = yield* Runtime
      yield* execute(yield* start(Work, steps))
    }))
    listening.acting = () => {}
    return [...begun, performance.now()]
  },

  /** Starts runs that wait for a signal, named by the prefix and their number. */
  startWaiting: ({ prefix, runs }: { readonly prefix: string; readonly runs: number }) =>
    startAll(runs, (i) => Effect.flatMap(Runs, ({ start }) => start(Waiting, `${prefix}${i}`))),

  /** Starts a run that waits for a signal after so many steps, and executes it until it waits. */
  startLong: ({ steps }: { readonly steps: number }): Promise<string> =>
    run(Effect.gen(function*() {
      const { start } = yield* Runs
      const { execute } = yield* Runtime
      const runId = yield* start(Long, steps)
      yield* execute(runId)
      return runId
    })),

  /** Starts runs that wait for a person. */
  startParked: ({ runs }: { readonly runs: number }) =>
    startAll(runs, (i) => Effect.flatMap(Runs, ({ start }) => start(Parked, `Shall order ${i} be refunded?`)), 64),

  /** Starts runs of slow steps, one after the other, named by the prefix and their number. */
  startSlow: ({ millis, prefix, runs, steps }: {
    readonly prefix: string
    readonly runs: number
    readonly steps: number
    readonly millis: number
  }) =>
    startAll(
      runs,
      (i) => Effect.flatMap(Runs, ({ start }) => start(Slow, { name: `${prefix}${i}`, steps, millis }))
    ),

  /** Sends the signal `go`; when its append was asked for. */
  go: ({ runId }: { readonly runId: string }): Promise<number> =>
    run(Effect.flatMap(Runs, ({ signal }) => Effect.map(signal(RunId.make(runId), "go", null), lastAppendAt))),

  /** When named things were first done in this process, as soon as all of them are. */
  acted: ({ names }: { readonly names: ReadonlyArray<string> }): Promise<ReadonlyArray<number>> =>
    Promise.all(names.map(actedAt)),

  /** Takes a run up until it does a named thing; the milliseconds from now until then. */
  resume: async ({ name, runId }: { readonly runId: string; readonly name: string }): Promise<number> => {
    const begun = wallMillis()
    const done = run(Effect.flatMap(Runtime, ({ execute }) => execute(RunId.make(runId))))
    const at = await actedAt(name)
    await done
    return at - begun
  },

  /** How long it takes to find out that nothing is due, in milliseconds. */
  poll: ({ times }: { readonly times: number }): Promise<ReadonlyArray<number>> =>
    run(Effect.gen(function*() {
      const queue = yield* RunQueue
      const owner = yield* yield* NextOwner
      const namespace = yield* Namespace
      return yield* durations(
        times,
        queue.claim({ owner, leaseMillis: 30_000, namespace, programs: [Work.name], limit: 8 })
      )
    })),

  /** How long a page of 100 runs takes, in milliseconds. */
  list: ({ status, times }: { readonly status: RunStatus; readonly times: number }): Promise<ReadonlyArray<number>> =>
    run(Effect.flatMap(RunIndex, ({ list }) => durations(times, list({ status, limit: 100 })))),

  /** Bytes that are in use, after the garbage is gone; needs `--expose-gc`. */
  memory: async (): Promise<number> => {
    for (let i = 0; i < 4; i++) {
      globalThis.gc?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
    return process.memoryUsage().heapUsed
  }
}

/**
 * @category models
 * @since 0.1.0
 */
export type Ours = typeof commands

serve(commands)
