/**
 * Our system as a process of its own: runs started through `Runs`, executed by a worker, on the Postgres store.
 */
import { Runs, Runtime, Worker } from "@durable-agents/core"
import { Postgres } from "@durable-agents/postgres"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { serve } from "../Child.ts"
import { type Round, timed } from "../Round.ts"
import { steps, Work } from "../work.ts"

const application = ({ schema, url }: { readonly url: string; readonly schema: string }) =>
  Work.toLayer((count) => steps(count)).pipe(
    Layer.provideMerge(Runtime.layer),
    Layer.provideMerge(Postgres.layer({ url: Redacted.make(url), schema }))
  )

let opened: ManagedRuntime.ManagedRuntime<Layer.Success<ReturnType<typeof application>>, unknown> | undefined

const running = () => {
  if (opened === undefined) throw new Error("not open")
  return opened
}

/** What a worker does until nothing is due; its connection for the lock of its owner is there before. */
const untilIdle = (concurrency: number) =>
  Effect.flatMap(Worker.Worker, ({ idle }) => Effect.promise(() => timed(() => Effect.runPromise(idle))))
    .pipe(Effect.provide(Worker.layer({ concurrency }), { local: true }))

const commands = {
  open: async (options: { readonly url: string; readonly schema: string }): Promise<void> => {
    opened = ManagedRuntime.make(application(options))
    await opened.runPromise(Effect.void)
  },
  /** Starts runs, `atOnce` at a time, which nobody executes yet. */
  create: ({ atOnce, runs, steps }: {
    readonly atOnce: number
    readonly runs: number
    readonly steps: number
  }): Promise<Round> => {
    const start = Effect.flatMap(Runs, ({ start }) => start(Work, steps))
    const all = Effect.replicateEffect(start, runs, { concurrency: atOnce, discard: true })
    return timed(() => running().runPromise(all))
  },
  /** A worker from its first look for due runs until it finds none. */
  work: ({ concurrency }: { readonly concurrency: number }): Promise<Round> =>
    running().runPromise(untilIdle(concurrency)),
  close: async (): Promise<void> => {
    await opened?.dispose()
    opened = undefined
  }
}

/**
 * @category models
 * @since 0.1.0
 */
export type Ours = typeof commands

serve(commands)
