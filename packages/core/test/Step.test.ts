import type { Programs } from "@durable-agents/core"
import { MemoryStore, PayloadCodec, Program, Runs, Runtime, Signal, Step, Worker } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { execute, processOf, quick, runOnce, start } from "./fixtures.ts"

describe("Step.run", () => {
  it.live("gives its failure a type only where the options can bring it about", () =>
    Effect.gen(function*() {
      const { view } = yield* runOnce(() =>
        Effect.never.pipe(
          Step.run("slow", { output: Schema.String, timeout: "5 millis", attempts: 1 }),
          Effect.catchTag("OperationFailed", ({ reason }) => Effect.succeed(reason))
        )
      )
      assert.strictEqual(view.output, "Timeout")
    }))
})

describe("a step that takes too long", () => {
  const timedOut = (effect: Effect.Effect<string>) =>
    runOnce(() =>
      effect.pipe(
        Step.run("slow", { output: Schema.String, timeout: "20 millis", attempts: 1 }),
        Effect.catchTag("OperationFailed", ({ reason }) => Effect.succeed(reason))
      )
    )

  it.live("is over also where it cannot be interrupted (D26)", () =>
    Effect.gen(function*() {
      const { events, view } = yield* timedOut(Effect.uninterruptible(Effect.never))
      assert.strictEqual(view.output, "Timeout")
      assert.deepInclude(events[2]?.event, { _tag: "StepFailed", reason: "Timeout", outcome: "unknown", final: true })
    }))

  it.live("is told so, and its late result changes nothing (EO-2)", () =>
    Effect.gen(function*() {
      const told = Deferred.makeUnsafe<void>()
      const release = Deferred.makeUnsafe<void>()
      const stubborn = Effect.uninterruptible(Effect.as(Deferred.await(release), "late"))
      const { events } = yield* timedOut(Effect.raceFirst(
        Effect.onInterrupt(Effect.never, () => Deferred.succeed(told, undefined)),
        stubborn
      ))
      yield* Deferred.await(told)
      yield* Deferred.succeed(release, undefined)
      assert.deepStrictEqual(events.map(({ event }) => event._tag), [
        "RunStarted",
        "StepRequested",
        "StepFailed",
        "RunCompleted"
      ])
    }))

  it.live("is not looked up for longer either: then nobody knows (D26)", () =>
    Effect.gen(function*() {
      const { events, view } = yield* runOnce(() =>
        Effect.never.pipe(
          Step.run("slow", { output: Schema.String, timeout: "20 millis", recovery: { lookup: Effect.never } }),
          Effect.catchTag("OperationFailed", ({ reason }) => Effect.succeed(reason))
        )
      )
      assert.strictEqual(view.output, "Timeout")
      assert.deepInclude(events[2]?.event, { reason: "Timeout", outcome: "unknown", final: true, attempt: 1 })
    }))

  it.live("does not go on when its run is cancelled in time", () =>
    Effect.gen(function*() {
      const begun = Deferred.makeUnsafe<void>()
      const stopped = Deferred.makeUnsafe<void>()
      const hanging = Effect.andThen(Deferred.succeed(begun, undefined), Effect.never).pipe(
        Effect.onInterrupt(() => Deferred.succeed(stopped, undefined)),
        Step.run("slow", { output: Schema.String, timeout: "1 hour" })
      )
      yield* Effect.gen(function*() {
        const runId = yield* start()
        const fiber = yield* Effect.forkChild(execute(runId))
        yield* Deferred.await(begun)
        yield* (yield* Runs).cancel(runId, { actor: "op" })
        assert.strictEqual((yield* Fiber.join(fiber)).status, "Cancelled")
        yield* Deferred.await(stopped)
      }).pipe(Effect.provide(processOf(() => hanging)))
    }))
})

describe("an input that does not fit its program any more", () => {
  it.live("makes the run stuck, so that mended code can go on", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const before = Program.make("changing", { input: Schema.Finite, output: Schema.Finite })
      const edited = Program.make("changing", { input: Schema.Struct({ n: Schema.Finite }), output: Schema.Finite })
      const process = (layer: Layer.Layer<never, never, Programs>) =>
        layer.pipe(
          Layer.provideMerge(Runtime.layer),
          Layer.provide(MemoryStore.layerOf(memory)),
          Layer.provide(quick)
        )
      const runId = yield* Effect.flatMap(Runs, (runs) => runs.start(before, 7))
        .pipe(Effect.provide(process(Layer.empty), { local: true }))
      const stuck = yield* execute(runId)
        .pipe(Effect.provide(process(edited.toLayer(({ n }) => Effect.succeed(n))), { local: true }))
      assert.strictEqual(stuck.status, "Stuck")
      assert.strictEqual(stuck.state.stuck?.reason, "input")
      const end = yield* Effect.andThen(
        Effect.flatMap(Runs, (runs) => runs.release(runId, { actor: "olga" })),
        execute(runId)
      ).pipe(Effect.provide(process(before.toLayer((n) => Effect.succeed(n + 1))), { local: true }))
      assert.strictEqual(end.output, 8)
    }))
})

describe("PayloadCodec", () => {
  /** Not a cipher: it is enough to see on which side of the store a text stands. */
  const Codec = Layer.succeed(PayloadCodec, {
    encode: (event) => Effect.succeed(event._tag === "StepCompleted" ? { ...event, output: [event.output] } : event),
    decode: (event) =>
      Effect.succeed(event._tag === "StepCompleted" && Array.isArray(event.output)
        ? { ...event, output: event.output[0] }
        : event)
  })
  const handler = () =>
    Effect.gen(function*() {
      const made = yield* Effect.succeed("secret").pipe(Step.run("made", { output: Schema.String }))
      yield* Signal.receive("go")
      return made
    })

  it.live("stands between the log and everyone who reads or writes it, workers too", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        yield* execute(runId)
        assert.include(memory.runs.get(runId)?.events.at(2)?.payload, "[\"secret\"]")
        yield* Layer.build(Worker.layer({ poll: "10 millis" }))
        yield* runs.signal(runId, "go", null)
        assert.strictEqual((yield* runs.await(runId)).output, "secret")
      }).pipe(Effect.scoped, Effect.provide(processOf(handler, memory).pipe(Layer.provideMerge(Codec))))
    }))
})
