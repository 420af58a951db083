/**
 * Executing a run here and now, until it rests. The building blocks of an application: stores below, runs and runtime above.
 */
import { Clock, Context, Deferred, Duration, Effect, Exit, Layer, Option, Stream } from "effect"
import type { EventStore } from "./EventStore.ts"
import { type StoreError } from "./EventStore.ts"
import * as Executor from "./Executor.ts"
import type { NotExecutable } from "./Executor.ts"
import { isRunId, type RunId } from "./Ids.ts"
import * as MemoryStore from "./MemoryStore.ts"
import * as PayloadCodec from "./PayloadCodec.ts"
import { Programs } from "./Program.ts"
import { RunNotFound } from "./RunError.ts"
import type { RunIndex } from "./RunIndex.ts"
import type { RunQueue } from "./RunQueue.ts"
import { Runs } from "./Runs.ts"
import { fold, initial, isEnded } from "./RunState.ts"
import type { RunView } from "./RunView.ts"
import { view } from "./RunView.ts"

/**
 * Executes runs on demand.
 *
 * @category services
 * @since 0.1.0
 */
export class Runtime extends Context.Service<Runtime, {
  /**
   * Executes a run until it ends or waits, and returns its state. A run that has ended is returned as it is; one that a worker
   * holds is waited for. Calling it again, or many times at once, changes nothing.
   */
  readonly execute: (runId: RunId) => Effect.Effect<RunView, RunNotFound | NotExecutable | StoreError>
}>()("@durable-agents/core/Runtime") {
  /**
   * `Runtime`, `Runs` and the registry of programs, over any store.
   */
  static readonly layer: Layer.Layer<Runtime | Runs | Programs, never, EventStore | RunQueue | RunIndex> = Layer
    .suspend(() => runtime.pipe(Layer.provideMerge(Layer.merge(Runs.layer, Programs.layer))))

  /**
   * The same with a store in memory, which it also provides.
   */
  static readonly layerMemory: Layer.Layer<Runtime | Runs | Programs | EventStore | RunQueue | RunIndex> = Layer
    .suspend(() => Layer.provideMerge(Runtime.layer, MemoryStore.layer))
}

type Shared = Deferred.Deferred<Exit.Exit<RunView, RunNotFound | NotExecutable | StoreError> | undefined>

const runtime: Layer.Layer<Runtime, never, EventStore | RunQueue | Programs> = Layer.effect(
  Runtime,
  Effect.gen(function*() {
    const store = yield* PayloadCodec.store
    const executor = yield* Executor.make()
    const own = new Map<RunId, Shared>()
    const realClock = Clock.Clock.defaultValue()

    const load = (runId: RunId) =>
      Effect.map(Stream.runCollect(store.read(runId)), (events) => fold(initial(runId), events))

    const once = (runId: RunId): Effect.Effect<RunView, RunNotFound | NotExecutable | StoreError> =>
      Effect.flatMap(executor.acquire(runId), (claim) =>
        Option.isSome(claim)
          ? Effect.catchTag(executor.drive(claim.value), "LeaseLost", () => once(runId))
          : Effect.flatMap(load(runId), (state) => {
            if (state.started === undefined) return Effect.fail(new RunNotFound({ runId }))
            return isEnded(state)
              ? Effect.succeed(view(state))
              : Effect.andThen(realClock.sleep(Duration.millis(50)), Effect.suspend(() => once(runId)))
          }))

    /** Callers of the same run share one execution; if its caller leaves, the next one takes it up. */
    const share = (runId: RunId): Effect.Effect<RunView, RunNotFound | NotExecutable | StoreError> =>
      Effect.suspend(() => {
        const already = own.get(runId)
        if (already !== undefined) {
          return Effect.flatMap(
            Deferred.await(already),
            (exit) => exit === undefined ? share(runId) : exit
          )
        }
        const shared: Shared = Deferred.makeUnsafe()
        own.set(runId, shared)
        return Effect.onExit(once(runId), (exit) =>
          Effect.suspend(() => {
            own.delete(runId)
            return Deferred.succeed(shared, Exit.hasInterrupts(exit) ? undefined : exit)
          }))
      })

    const execute = Effect.fn("Runtime.execute")((runId: RunId) =>
      isRunId(runId) ? share(runId) : Effect.fail(RunNotFound.of(runId))
    )

    return { execute }
  })
)
