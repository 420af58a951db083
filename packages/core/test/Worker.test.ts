import type { RunId } from "@durable-agents/core"
import {
  Approval,
  CurrentStep,
  EventStore,
  MemoryStore,
  RunIndex,
  RunQueue,
  Runs,
  Runtime,
  Signal,
  Step,
  Timer,
  Worker
} from "@durable-agents/core"
import { CrashingStore, FrozenStore } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import {
  Clock,
  Context,
  Deferred,
  Duration,
  Effect,
  Exit,
  Fiber,
  Layer,
  Logger,
  References,
  Schedule,
  Schema,
  Scope,
  Stream
} from "effect"
import { TestClock } from "effect/testing"
import {
  counting,
  eventsOf,
  failing,
  handled,
  type Handler,
  noCalls,
  noFaults,
  programOf,
  quick,
  settings,
  start,
  tagsOf
} from "./fixtures.ts"

const Text = { output: Schema.String, error: Schema.String }
const step = (key: string, effect: Effect.Effect<string, string, CurrentStep> = Effect.succeed(key)) =>
  effect.pipe(Step.run(key, Text))

/** One worker process over a memory, alive as long as the scope. */
const worker = (
  handler: Handler,
  memory: MemoryStore.Memory,
  options: Parameters<typeof Worker.layer>[0] & {
    readonly settings?: Layer.Layer<never>
    readonly stores?: Layer.Layer<EventStore | RunQueue | RunIndex>
  } = {}
) => {
  const { settings: given = quick, stores = MemoryStore.layerOf(memory), ...more } = options
  return Worker.layer({ poll: "20 millis", ...more }).pipe(
    Layer.provide(handled(handler)),
    Layer.provide(Runtime.layer),
    Layer.provide(stores),
    Layer.provide(given)
  )
}

const alive = <A>(layer: Layer.Layer<A>) => Layer.build(Layer.fresh(layer))

const outside = (memory: MemoryStore.Memory) => Layer.provideMerge(Runs.layer, MemoryStore.layerOf(memory))

describe("a worker", () => {
  it.live("picks up new runs, and decided ones at once (checks 55, 56)", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      yield* alive(worker(() => Effect.map(Approval.request("ok", { subject: "?" }), (d) => d._tag), memory, {
        poll: "1 minute"
      }))
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        yield* runs.await(runId, (view) => view.status === "AwaitingApproval")
        const end = yield* Effect.gen(function*() {
          yield* runs.approve(runId, { approval: "ok", actor: "dana" })
          return yield* runs.await(runId)
        }).pipe(Effect.timeout("2 seconds"))
        assert.strictEqual(end.output, "Granted")
      }).pipe(Effect.provide(outside(memory)))
    }))

  it.live("logs what fails, at the level that it is told, and says of all logs of a run whose they are", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const said: Array<string> = []
      const ears = Logger.layer([
        Logger.make(({ fiber, logLevel, message }) => {
          const { key, program, runId } = fiber.getRef(References.CurrentLogAnnotations)
          said.push(`${logLevel} ${[message].flat().join(": ")} ${program} ${runId} ${key}`)
        })
      ])
      const handler: Handler = () =>
        Effect.andThen(Effect.logInfo("prints"), Effect.fail("no paper")).pipe(
          Step.run("print", { ...Text, retry: Schedule.recurs(1) }),
          Effect.catch((error) => Effect.succeed(String(error)))
        )
      yield* alive(worker(handler, memory, { failures: "Warn" }).pipe(Layer.provide(ears)))
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        yield* runs.await(runId)
        assert.deepStrictEqual(said, [
          `Info prints test ${runId} print`,
          `Warn Run ${runId}: \`print\` attempt 1 failed (Error); again in 0: no paper test ${runId} print`,
          `Info prints test ${runId} print`,
          `Warn Run ${runId}: \`print\` attempt 2 failed (Error); not tried again: no paper test ${runId} print`
        ])
      }).pipe(Effect.provide(outside(memory)))
    }))

  it.live("does not take a run for lost that a heartbeat misses since its end has just been stored", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const said: Array<string> = []
      const ears = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
      const [ended, beaten] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const stores = Layer.effectContext(Effect.gen(function*() {
        const context = yield* Layer.build(MemoryStore.layerOf(memory))
        const store = Context.get(context, EventStore)
        const queue = Context.get(context, RunQueue)
        return Context.add(context, EventStore, {
          ...store,
          append: (runId, append) =>
            append.next?.release === undefined
              ? store.append(runId, append)
              : store.append(runId, append).pipe(
                Effect.tap(() => Deferred.succeed(ended, undefined)),
                Effect.tap(() => Deferred.await(beaten))
              )
        }).pipe(Context.add(RunQueue, {
          ...queue,
          heartbeat: (options) =>
            Deferred.await(ended).pipe(
              Effect.andThen(queue.heartbeat(options)),
              Effect.tap(() => Deferred.succeed(beaten, undefined).pipe(Effect.delay("10 millis"), Effect.forkDetach))
            )
        }))
      }))
      const handler: Handler = () => step("only")
      const options = { lease: "600 millis", progress: "Info", stores } as const
      yield* alive(worker(handler, memory, options).pipe(Layer.provide(ears)))
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        yield* runs.await(runId)
        yield* Effect.repeat(Effect.yieldNow, { until: () => said.length > 1 })
        assert.deepStrictEqual(said.map((line) => line.replace(runId, "it")), [
          `Executes run it of ${programOf().name}, lease 1`,
          `Run it of ${programOf().name} rests: Completed`
        ])
      }).pipe(Effect.provide(outside(memory)))
    }))

  it.live("says when nothing is due and nothing is being executed", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const ids = yield* Effect.forEach([1, 2, 3, 4], () => start())
        const parks = () =>
          Effect.andThen(step("a"), Effect.map(Approval.request("ok", { subject: "?" }), (d) => d._tag))
        const context = yield* alive(worker(parks, memory, { concurrency: 1 }))
        const { idle } = Context.get(context, Worker.Worker)
        yield* idle
        const parked = yield* Effect.forEach(ids, (runId) => runs.state(runId))
        assert.deepStrictEqual(parked.map(({ status }) => status), ids.map(() => "AwaitingApproval"))
        yield* idle
      }).pipe(Effect.provide(outside(memory)))
    }))

  it.live("leaves a waiting run alone however long it waits (AP-11, check 59)", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const calls = noCalls()
      yield* alive(worker(() => Effect.map(Approval.request("ok", { subject: "?" }), (d) => d._tag), memory, {
        poll: "5 millis",
        stores: counting(calls).pipe(Layer.provideMerge(MemoryStore.layerOf(memory)))
      }))
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        yield* runs.await(runId, (view) => view.status === "AwaitingApproval")
        while (calls.release === 0) yield* Effect.sleep("5 millis")
        const { append, claim, read } = { ...calls }
        while (calls.claim < claim + 20) yield* Effect.sleep("5 millis")
        assert.strictEqual(calls.append, append)
        assert.strictEqual(calls.read, read)
        const index = yield* RunIndex
        assert.strictEqual((yield* index.pendingApprovals()).items.length, 1)
        assert.strictEqual((yield* runs.state(runId)).seq, 2)
      }).pipe(Effect.provide(outside(memory)))
    }))

  it.live("goes on with other runs when one always breaks (check 60)", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const broken = yield* start()
        memory.runs.get(broken)?.events.push({ type: "RunTeleported", payload: "{}", at: 0, epoch: undefined })
        yield* alive(worker(() => step("a"), memory, { concurrency: 1 }))
        const others = yield* Effect.forEach([1, 2, 3], () => start())
        yield* Effect.forEach(others, (runId) => runs.await(runId))
      }).pipe(Effect.provide(outside(memory)))
    }))

  it.live("makes no operation run twice while two of them live (check 63)", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const seen = new Map<string, number>()
      const handler = () =>
        Effect.forEach(["a", "b", "c"], (key) =>
          step(
            key,
            Effect.gen(function*() {
              const { idempotencyKey } = yield* CurrentStep
              seen.set(idempotencyKey, (seen.get(idempotencyKey) ?? 0) + 1)
              yield* Effect.sleep("1 millis")
              return key
            })
          ))
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const ids = yield* Effect.forEach(Array.from({ length: 50 }), () => start())
        yield* alive(worker(handler, memory))
        yield* alive(worker(handler, memory))
        yield* Effect.forEach(ids, (runId) => runs.await(runId), { concurrency: "unbounded" })
        assert.strictEqual(seen.size, 150)
        assert.isTrue(Array.from(seen.values()).every((times) => times === 1))
        const events = yield* Effect.forEach(ids, (runId) => tagsOf(runId))
        assert.isTrue(events.flat().every((tag) => tag !== "RunRecovered"))
      }).pipe(Effect.provide(outside(memory)))
    }))

  it.live("takes over the run of a silent worker after its lease (checks 58, 64)", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const queue = yield* RunQueue
        const runId = yield* start()
        yield* queue.claim({ owner: "dead", leaseMillis: 80, namespace: "default", programs: ["test"], limit: 1 })
        yield* alive(worker(() => step("a"), memory))
        const end = yield* runs.await(runId).pipe(Effect.timeout("3 seconds"))
        assert.strictEqual(end.output, "a")
        assert.include(yield* tagsOf(runId), "RunRecovered")
      }).pipe(Effect.provide(outside(memory)))
    }))

  it.live("writes once that it took a run over, also if the run begins again in between (WR-4)", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const queue = yield* RunQueue
        const runId = yield* start()
        yield* queue.claim({ owner: "dead", leaseMillis: 0, namespace: "default", programs: ["test"], limit: 1 })
        const begun = yield* Deferred.make<void>()
        yield* alive(worker(
          () => step("pay", Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)),
          memory,
          { lease: "150 millis" }
        ))
        yield* Deferred.await(begun)
        yield* runs.resolve(runId, { _tag: "Happened", key: "pay", output: "by a person", actor: "olga" })
        assert.strictEqual((yield* runs.await(runId)).output, "by a person")
        assert.lengthOf((yield* tagsOf(runId)).filter((tag) => tag === "RunRecovered"), 1)
      }).pipe(Effect.provide(outside(memory)))
    }))

  it.live("drains a paused run within the grace time, however long its operation in flight takes", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        const begun = yield* Deferred.make<void>()
        const scope = yield* Scope.make()
        yield* alive(worker(
          () => step("hangs", Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)),
          memory
        ))
          .pipe(Scope.provide(scope))
        yield* Deferred.await(begun)
        yield* runs.pause(runId, { actor: "olga" })
        yield* Effect.sleep("20 millis")
        yield* Scope.close(scope, Exit.void).pipe(Effect.timeout("2 seconds"))
        assert.deepStrictEqual(yield* tagsOf(runId), ["RunStarted", "StepRequested", "RunPaused"])
      }).pipe(Effect.provide(outside(memory)))
    }))

  it.live("drains a run that is still being loaded: nothing of it begins", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const latch = FrozenStore.thawed()
      const loading = yield* Deferred.make<void>()
      const stores = Layer.effectContext(Effect.gen(function*() {
        const store = yield* EventStore
        const read: typeof store.read = (runId, from) =>
          Stream
            .unwrap(Effect.as(
              Effect.andThen(Deferred.succeed(loading, undefined), latch.await),
              store.read(runId, from)
            ))
        return Context.make(EventStore, { ...store, read })
      })).pipe(Layer.provideMerge(MemoryStore.layerOf(memory)))
      yield* Effect.gen(function*() {
        const runId = yield* start()
        const scope = yield* Scope.make()
        yield* latch.close
        yield* alive(worker(() => step("a"), memory, { stores })).pipe(Scope.provide(scope))
        yield* Deferred.await(loading)
        const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
        yield* Effect.yieldNow
        yield* latch.open
        yield* Fiber.join(closing).pipe(Effect.timeout("2 seconds"))
        assert.deepStrictEqual(yield* tagsOf(runId), ["RunStarted"])
      }).pipe(Effect.provide(outside(memory)))
    }))

  it.live("keeps a run whose log takes longer to load than its lease lasts", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const stores = Layer.effectContext(Effect.gen(function*() {
        const store = yield* EventStore
        const read: typeof store.read = (runId, from) =>
          Stream.unwrap(Effect.delay(Effect.sync(() => store.read(runId, from)), "500 millis"))
        return Context.make(EventStore, { ...store, read })
      })).pipe(Layer.provideMerge(MemoryStore.layerOf(memory)))
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        for (const _ of [1, 2]) {
          yield* alive(worker(() => step("a"), memory, { stores, concurrency: 1, lease: "150 millis" }))
        }
        yield* runs.await(runId)
        assert.notInclude(yield* tagsOf(runId), "RunRecovered")
      }).pipe(Effect.provide(outside(memory)))
    }))

  describe("that takes over runs whose workers died again and again", () => {
    /** Runs that were in flight in two processes that died. */
    const suspects = Effect.fnUntraced(function*(memory: MemoryStore.Memory, count: number) {
      const ids = yield* Effect.forEach(Array.from({ length: count }), () => start())
      for (const _ of [1, 2]) {
        const process = CrashingStore.doomed()
        const all = yield* Deferred.make<void>()
        let acting = 0
        const act = Effect.suspend(() => ++acting === count ? Deferred.succeed(all, undefined) : Effect.void)
        yield* Effect.gen(function*() {
          yield* alive(worker(() => step("a", Effect.andThen(act, Effect.never)), memory, {
            lease: "100 millis",
            stores: CrashingStore.layer(process).pipe(Layer.provideMerge(MemoryStore.layerOf(memory)))
          }))
          yield* Deferred.await(all)
          process.dead = true
        }).pipe(Effect.scoped, Effect.exit)
      }
      return ids
    })

    it.live("executes them one at a time until they have got on, and others beside them (WR-4)", () =>
      Effect.gen(function*() {
        const memory = MemoryStore.memory()
        yield* Effect.gen(function*() {
          const runs = yield* Runs
          const ids = yield* suspects(memory, 4)
          const other = yield* start()
          const together = yield* Deferred.make<void>()
          let now = 0
          let most = 0
          let later = 0
          const handler: Handler = () =>
            Effect.gen(function*() {
              yield* step(
                "a",
                Effect.gen(function*() {
                  const mine = (yield* CurrentStep).runId !== other
                  if (mine) most = Math.max(most, ++now)
                  yield* Effect.sleep("20 millis")
                  if (mine) now -= 1
                  return "a"
                })
              )
              return yield* step(
                "b",
                Effect.suspend(() => {
                  if (++later === 5) Deferred.doneUnsafe(together, Effect.void)
                  return Effect.as(Deferred.await(together), "b")
                })
              )
            })
          yield* alive(worker(handler, memory))
          yield* Effect.forEach([...ids, other], (runId) => runs.await(runId))
          assert.strictEqual(most, 1)
        }).pipe(Effect.provide(outside(memory)))
      }))

    it.live("does not wait for one that takes longer than its lease, nor when it is drained", () =>
      Effect.gen(function*() {
        const memory = MemoryStore.memory()
        yield* Effect.gen(function*() {
          const runs = yield* Runs
          const ids = yield* suspects(memory, 3)
          const scope = yield* Scope.make()
          const begun = yield* Deferred.make<void>()
          let acting = 0
          const hang = Effect.suspend(() => ++acting === 2 ? Deferred.succeed(begun, undefined) : Effect.void)
          yield* alive(worker(() => step("a", Effect.andThen(hang, Effect.never)), memory, { lease: "300 millis" }))
            .pipe(Scope.provide(scope))
          yield* Deferred.await(begun)
          yield* Scope.close(scope, Exit.void).pipe(Effect.timeout("2 seconds"))
          yield* alive(worker(() => step("a"), memory))
          yield* Effect.forEach(ids, (runId) => runs.await(runId))
        }).pipe(Effect.provide(outside(memory)))
      }))
  })

  it.live("stops well under a second while idle (check 62)", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      yield* alive(worker(() => step("a"), MemoryStore.memory(), { poll: "1 minute" })).pipe(Scope.provide(scope))
      yield* Scope.close(scope, Exit.void).pipe(Effect.timeout("300 millis"))
    }))

  it.live("finishes a run whatever the last event was before its process died (WR-8)", () =>
    Effect.gen(function*() {
      const handler = () =>
        Effect.gen(function*() {
          yield* step("a")
          const decision = yield* Approval.request("ok", { subject: "?" })
          return decision._tag + (yield* step("b"))
        })
      const whole = MemoryStore.memory()
      const reference = yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        yield* alive(worker(handler, whole))
        yield* runs.await(runId, (view) => view.status === "AwaitingApproval")
        yield* runs.approve(runId, { approval: "ok", actor: "dana" })
        yield* runs.await(runId)
        return whole.runs.get(runId)
      }).pipe(Effect.provide(outside(whole)))
      assert.isDefined(reference)
      if (reference === undefined) return
      for (let length = 1; length <= reference.events.length; length++) {
        const memory = MemoryStore.memory()
        const row = { ...reference, events: reference.events.slice(0, length), owner: "dead", wakeAt: 0 }
        memory.runs.set(reference.runId, row)
        memory.timed.add(row)
        yield* Effect.gen(function*() {
          const runs = yield* Runs
          yield* alive(worker(handler, memory))
          const runId: RunId = reference.runId
          const view = yield* runs.await(runId, (view) => view.pendingApprovals.length > 0)
          if (view.pendingApprovals.length > 0) yield* runs.approve(runId, { approval: "ok", actor: "dana" })
          assert.strictEqual((yield* runs.await(runId)).output, "Grantedb")
        }).pipe(Effect.scoped, Effect.provide(outside(memory)))
      }
    }), 20_000)

  it.live("executes no more runs of a program than its limit, and with the other slots those behind them", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const go = yield* Deferred.make<void>()
        let refunds = 0
        let most = 0
        const refund: Handler = () =>
          step(
            "pay",
            Effect.suspend(() => {
              most = Math.max(most, ++refunds)
              return Effect.as(Effect.andThen(Deferred.await(go), Effect.sync(() => void refunds--)), "paid")
            })
          )
        const many = yield* Effect.forEach(Array.from({ length: 20 }), () => runs.start(programOf("refund"), "x"))
        const late = yield* start()
        yield* alive(Worker.layer({ poll: "20 millis", concurrency: 4, limits: { refund: 2 } }).pipe(
          Layer.provide([handled(refund, programOf("refund")), handled(() => step("a"))]),
          Layer.provide(Runtime.layer),
          Layer.provide(MemoryStore.layerOf(memory)),
          Layer.provide(quick)
        ))
        yield* runs.await(late)
        assert.strictEqual(most, 2)
        yield* Deferred.succeed(go, undefined)
        yield* Effect.forEach(many, (runId) => runs.await(runId))
        assert.strictEqual(most, 2)
      }).pipe(Effect.provide(outside(memory)))
    }))

  it.live("leaves runs of a program alone whose limit is 0, and says which limits name no program", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const said: Array<string> = []
      const ears = Logger.layer([
        Logger.make(({ logLevel, message }) => void said.push(`${logLevel} ${String(message)}`))
      ])
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        const context = yield* alive(worker(
          () => step("a"),
          memory,
          { limits: { test: 0, tset: 1 } }
        ).pipe(Layer.provide(ears)))
        yield* Context.get(context, Worker.Worker).idle
        assert.strictEqual((yield* runs.state(runId)).seq, 1)
        assert.deepStrictEqual(said, ["Warn No program here is called tset: that limit limits nothing"])
      }).pipe(Effect.provide(outside(memory)))
    }))

  it.live("leaves runs of programs that it does not have to others (D19)", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const foreign = yield* runs.start(programOf("foreign"), "x")
        yield* alive(worker(() => step("a"), memory))
        const own = yield* start()
        yield* runs.await(own)
        assert.strictEqual((yield* runs.state(foreign)).seq, 1)
      }).pipe(Effect.provide(outside(memory)))
    }))
})

describe("a worker whose store fails", () => {
  const faulty = (handler: Handler, memory: MemoryStore.Memory, faults: ReturnType<typeof noFaults>) =>
    worker(handler, memory, {
      lease: "150 millis",
      stores: failing(faults).pipe(Layer.provideMerge(MemoryStore.layerOf(memory)))
    })

  it.live("in giving a run back tries that again, and keeps no lease on a run that it does not execute", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const faults = { ...noFaults(), release: 1 }
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        yield* alive(faulty(() => Signal.receive("go"), memory, faults))
        const runId = yield* start()
        while (faults.release > 0) yield* Effect.sleep("5 millis")
        yield* runs.signal(runId, "go", "on")
        const end = yield* runs.await(runId).pipe(Effect.timeout("2 seconds"))
        assert.strictEqual(end.output, "on")
        assert.notInclude(yield* tagsOf(runId), "RunRecovered")
      }).pipe(Effect.provide(outside(memory)))
    }))

  it.live("in reading a run gives it back, and takes it again later", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* start()
        yield* alive(faulty(() => step("a"), memory, { ...noFaults(), read: 1 }))
        const end = yield* runs.await(runId).pipe(Effect.timeout("3 seconds"))
        assert.strictEqual(end.output, "a")
      }).pipe(Effect.provide(outside(memory)))
    }))
})

describe("time", () => {
  const skewed = (by: Duration.Duration, base: Clock.Clock): Clock.Clock => ({
    currentTimeMillisUnsafe: () => base.currentTimeMillisUnsafe() + Duration.toMillis(by),
    currentTimeMillis: Effect.sync(() => base.currentTimeMillisUnsafe() + Duration.toMillis(by)),
    currentTimeNanosUnsafe: () => base.currentTimeNanosUnsafe(),
    currentTimeNanos: base.currentTimeNanos,
    monotonicTimeNanosUnsafe: () => base.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: base.monotonicTimeNanos,
    sleep: (duration) => base.sleep(duration)
  })

  for (const by of [Duration.hours(1), Duration.hours(-1)]) {
    it.effect(`is the store's: a worker ${Duration.format(by)} off fires a ten-second timer once, on time (WR-6)`, () =>
      Effect.gen(function*() {
        const memory = MemoryStore.memory()
        const calls = noCalls()
        const clock = yield* Clock.Clock
        const stores = MemoryStore.layerOf(memory)
        const context = yield* Layer.build(stores)
        const fired: Array<number> = []
        const handler = () =>
          Effect.gen(function*() {
            yield* Timer.sleep("ten", "10 seconds")
            fired.push(yield* Clock.currentTimeMillis)
            return "rested"
          })
        const shared = Layer.succeedContext(context)
        yield* Layer.build(Layer.fresh(worker(handler, memory, {
          poll: "1 second",
          settings: settings({ keep: "5 seconds" }),
          stores: counting(calls).pipe(Layer.provideMerge(shared))
        }))).pipe(Effect.provideService(Clock.Clock, skewed(by, clock)))
        yield* Effect.gen(function*() {
          const runs = yield* Runs
          const runId = yield* start()
          const startedAt = clock.currentTimeMillisUnsafe()
          yield* runs.await(runId, (view) => view.status === "Sleeping")
          while (true) {
            const row = memory.runs.get(runId)
            if (row?.owner === null) break
            yield* Effect.yieldNow
          }
          for (let second = 0; second < 12 && fired.length === 0; second++) {
            yield* TestClock.adjust("1 second")
            for (let i = 0; i < 50; i++) yield* Effect.yieldNow
          }
          const end = yield* runs.await(runId)
          assert.strictEqual(end.output, "rested")
          assert.strictEqual(fired.length, 1)
          const elapsed = clock.currentTimeMillisUnsafe() - startedAt
          assert.isAtLeast(elapsed, 10_000)
          assert.isAtMost(elapsed, 12_000)
          const events = yield* eventsOf(runId)
          assert.isAtMost(new Set(events.map(({ epoch }) => epoch ?? 0)).size, 3)
          assert.strictEqual(events.filter(({ event }) => event._tag === "TimerFired").length, 1)
        }).pipe(Effect.provide(Layer.provideMerge(Runs.layer, shared)))
      }))
  }
})

describe("parked runs", () => {
  it.live("cost a worker nothing: ten thousand of them do not slow its poll", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      yield* Effect.gen(function*() {
        const queue = yield* RunQueue
        const poll = Effect.gen(function*() {
          const begun = performance.now()
          for (let i = 0; i < 50; i++) {
            yield* queue.claim({ owner: "w", leaseMillis: 1000, namespace: "default", programs: ["test"], limit: 8 })
          }
          return performance.now() - begun
        })
        // The fastest of some: the machine may have been busy with something else during the others.
        const fastest = Effect.map(Effect.replicateEffect(poll, 5), (all) => Math.min(...all))
        yield* poll
        const before = yield* fastest
        for (let i = 0; i < 10_000; i++) {
          const runId = yield* start()
          const row = memory.runs.get(runId)
          if (row === undefined) continue
          row.wakeAt = null
          memory.timed.delete(row)
        }
        const after = yield* fastest
        assert.isAtMost(after, before * 3 + 10)
      }).pipe(Effect.provide(outside(memory)))
    }), 30_000)
})
