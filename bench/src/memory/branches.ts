/**
 * What a run that is in memory keeps for each of its branches that wait: needs `--expose-gc`.
 */
import { EventStore, MemoryStore, Program, Runs, Runtime, RuntimeSettings, Signal } from "@durable-agents/core"
import { Effect, Exit, Layer, ManagedRuntime, Schema, Scope, Stream } from "effect"

const Branches = Program.make("branches", { input: Schema.Finite, output: Schema.Void })

const branches = Branches.toLayer((count) =>
  Effect.forEach(
    Array.from({ length: count }, (_, i) => `wait-${i}`),
    (key) => Signal.receive("go", key),
    { concurrency: "unbounded", discard: true }
  )
)

/** It stays in memory for as long as it is executed. */
const patient = Layer.succeed(RuntimeSettings, { ...RuntimeSettings.defaultValue(), suspendAfter: "1 hour" })

const heap = async (): Promise<number> => {
  for (let i = 0; i < 4; i++) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return process.memoryUsage().heapUsed
}

/**
 * Bytes for each of so many branches.
 *
 * @category measures
 * @since 0.1.0
 */
export const measure = async (count: number): Promise<number> => {
  const memory = MemoryStore.memory()
  const application = ManagedRuntime.make(branches.pipe(
    Layer.provideMerge(Runtime.layer),
    Layer.provideMerge(MemoryStore.layerOf(memory)),
    Layer.provide(patient)
  ))
  const scope = Scope.makeUnsafe()
  await application.runPromise(Effect.gen(function*() {
    const runs = yield* Runs
    const { execute } = yield* Runtime
    const store = yield* EventStore
    const runId = yield* runs.start(Branches, count)
    yield* Effect.forkIn(execute(runId), scope)
    // The start, and what each branch waits for.
    yield* store.changes(runId).pipe(Stream.takeUntil(({ seq }) => seq === count), Stream.runDrain)
  }))
  const waiting = await heap()
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await application.dispose()
  // The log stays: only what the run had beside it is gone.
  const without = await heap()
  return memory === undefined ? Number.NaN : (waiting - without) / count
}
