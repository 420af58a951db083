import type { Budget, Journal, RunId } from "@durable-agents/core"
import {
  EventStore,
  MemoryStore,
  Program,
  RunQueue,
  Runs,
  Runtime,
  RuntimeSettings,
  StoreError
} from "@durable-agents/core"
import { Context, Effect, Layer, Schema, Stream } from "effect"

/** Settings under which a waiting run rests at once, in real time. */
export const quick = Layer.succeed(RuntimeSettings, {
  ...RuntimeSettings.defaultValue(),
  suspendAfter: "5 millis",
  keep: 0,
  blockedAfter: "50 millis",
  grace: "100 millis"
})

export const settings = (more: Partial<RuntimeSettings>) =>
  Layer.succeed(RuntimeSettings, {
    ...RuntimeSettings.defaultValue(),
    suspendAfter: "5 millis",
    keep: 0,
    blockedAfter: "50 millis",
    grace: "100 millis",
    ...more
  })

/** A program over text with one handler, ready to run on a memory store. */
export const programOf = (name = "test", options: { readonly budget?: Budget.Budget } = {}) =>
  Program.make(name, { input: Schema.String, output: Schema.Json, error: Schema.String, ...options })

export type Handler = (input: string) => Effect.Effect<Schema.Json, unknown, Journal>

/** The handler of a program, with whatever failures it has. */
export const handled = (handler: Handler, program = programOf()) =>
  program.toLayer((input) => handler(input) as Effect.Effect<Schema.Json, string, Journal>)

/** Everything one process needs to run that program, over a memory. */
export const processOf = (
  handler: Handler,
  memory: MemoryStore.Memory = MemoryStore.memory(),
  options: { readonly settings?: Layer.Layer<never>; readonly program?: ReturnType<typeof programOf> } = {}
) =>
  handled(handler, options.program).pipe(
    Layer.provideMerge(Runtime.layer),
    Layer.provideMerge(MemoryStore.layerOf(memory)),
    Layer.provide(options.settings ?? quick)
  )

export const start = (options: Parameters<Runs["Service"]["start"]>[2] = {}) =>
  Effect.flatMap(Runs, (runs) => runs.start(programOf(), "input", options))

export const execute = (runId: RunId) => Effect.flatMap(Runtime, (runtime) => runtime.execute(runId))

export const stateOf = (runId: RunId) => Effect.flatMap(Runs, (runs) => runs.state(runId))

export const eventsOf = (runId: RunId) => Effect.flatMap(Runs, (runs) => Stream.runCollect(runs.events(runId)))

export const tagsOf = (runId: RunId) => Effect.map(eventsOf(runId), (events) => events.map(({ event }) => event._tag))

/** Starts a run of the handler and executes it until it rests. */
export const runOnce = (
  handler: Handler,
  options: { readonly settings?: Layer.Layer<never>; readonly budget?: Budget.Budget } = {}
) =>
  Effect.gen(function*() {
    const runId = yield* start(options.budget === undefined ? {} : { budget: options.budget })
    const view = yield* execute(runId)
    return { view, runId, events: yield* eventsOf(runId) }
  }).pipe(Effect.provide(processOf(handler, MemoryStore.memory(), options)))

/** Counts what a store is asked. */
export interface Calls {
  append: number
  read: number
  release: number
  claim: number
  heartbeat: number
}

export const counting = (calls: Calls) =>
  Layer.effectContext(Effect.gen(function*() {
    const store = yield* EventStore
    const queue = yield* RunQueue
    return Context.make(EventStore, {
      ...store,
      append: (runId, append) => {
        calls.append += 1
        return store.append(runId, append)
      },
      read: (runId, from) => {
        calls.read += 1
        return store.read(runId, from)
      }
    }).pipe(Context.add(RunQueue, {
      ...queue,
      claim: (options) => {
        calls.claim += 1
        return queue.claim(options)
      },
      acquire: (options) => {
        calls.claim += 1
        return queue.acquire(options)
      },
      heartbeat: (options) => {
        calls.heartbeat += 1
        return queue.heartbeat(options)
      },
      release: (options) => {
        calls.release += 1
        return queue.release(options)
      }
    }))
  }))

export const noCalls = (): Calls => ({ append: 0, read: 0, release: 0, claim: 0, heartbeat: 0 })

/** How many of the next calls fail; an append of a worker may also fail after it was stored. */
export interface Faults {
  read: number
  heartbeat: number
  release: number
  /** What happens to the next appends of workers, in order. */
  readonly append: Array<"works" | "fails" | "answersWithAnError" | "dies">
}

export const noFaults = (): Faults => ({ read: 0, heartbeat: 0, release: 0, append: [] })

/** A store that fails as it is told to. */
export const failing = (faults: Faults) =>
  Layer.effectContext(Effect.gen(function*() {
    const store = yield* EventStore
    const queue = yield* RunQueue
    const fault = (operation: string) => Effect.fail(new StoreError({ operation, detail: "a fault of the test" }))
    const calls = (name: "read" | "heartbeat" | "release") =>
      Effect.suspend(() => {
        if (faults[name] === 0) return Effect.void
        faults[name] -= 1
        return fault(name)
      })
    return Context.make(EventStore, {
      ...store,
      append: (runId, append) =>
        Effect.suspend(() => {
          const stored = store.append(runId, append)
          switch (append.epoch === undefined ? undefined : faults.append.shift()) {
            case "fails":
              return fault("append")
            case "answersWithAnError":
              return Effect.andThen(stored, fault("append"))
            case "dies":
              return Effect.die(new TypeError("a bug of the store"))
            default:
              return stored
          }
        }),
      read: (runId, from) => Stream.unwrap(Effect.as(calls("read"), store.read(runId, from)))
    }).pipe(Context.add(RunQueue, {
      ...queue,
      heartbeat: (options) => Effect.andThen(calls("heartbeat"), queue.heartbeat(options)),
      release: (options) => Effect.andThen(calls("release"), queue.release(options))
    }))
  }))
