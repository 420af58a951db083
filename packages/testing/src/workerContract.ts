/**
 * The promises of workers as a suite of tests over a store. Part of the contract of the runtime.
 */
import type { EventStore, Journal, RunId, RunIndex, StoreError } from "@durable-agents/core"
import { CurrentStep, Program, RunQueue, Runs, Runtime, RuntimeSettings, Step, Worker } from "@durable-agents/core"
import { assert, describe } from "@effect/vitest"
import type { Scope } from "effect"
import { Clock, Context, Deferred, Effect, Layer, Schema, Stream } from "effect"
import * as CrashingStore from "./CrashingStore.ts"
import * as FrozenStore from "./FrozenStore.ts"

type Stores = Layer.Layer<EventStore | RunQueue | RunIndex, StoreError>
type Handler = (input: string) => Effect.Effect<string, never, Journal>

const Work = Program.make("work", { input: Schema.String, output: Schema.String })
const Mail = Program.make("mail", { input: Schema.String, output: Schema.String })

const settings = Layer.succeed(RuntimeSettings, {
  ...RuntimeSettings.defaultValue(),
  lease: "300 millis",
  suspendAfter: "10 millis",
  keep: 0,
  grace: "200 millis"
})

const step = (key: string, effect: Effect.Effect<string, never, CurrentStep> = Effect.succeed(key)) =>
  Effect.orDie(effect.pipe(Step.run(key, { output: Schema.String })))

/** A worker process, alive as long as the scope around it. */
const worker = (
  stores: Stores,
  programs: { readonly work?: Handler; readonly mail?: Handler },
  options: Worker.Options = {}
) => {
  const { mail, work } = programs
  return Worker.layer({ poll: "30 millis", ...options }).pipe(
    Layer.provide([
      work === undefined ? Layer.empty : Work.toLayer(work),
      mail === undefined ? Layer.empty : Mail.toLayer(mail)
    ]),
    Layer.provide(Runtime.layer),
    Layer.provide(stores),
    Layer.provide(settings),
    (layer) => Layer.build(Layer.fresh(layer)),
    Effect.map((context) => Context.get(context, Worker.Worker))
  )
}

const start = (program: typeof Work, input = "go") => Effect.flatMap(Runs, (runs) => runs.start(program, input))
const end = (runId: RunId) => Effect.flatMap(Runs, (runs) => runs.await(runId))
const tagsOf = (runId: RunId) =>
  Effect.flatMap(
    Runs,
    (runs) => Effect.map(Stream.runCollect(runs.events(runId)), (events) => events.map(({ event }) => event._tag))
  )

/**
 * A clock that is wrong by some hours.
 *
 * @category clocks
 * @since 0.1.0
 */
export const wrongBy = (hours: number, clock: Clock.Clock): Clock.Clock => {
  const millis = () => clock.currentTimeMillisUnsafe() + hours * 3_600_000
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: () => BigInt(millis()) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(millis()) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}

/**
 * Registers the suite. `test` gives each case the stores of one database; each time they are built they are another process's.
 *
 * @category contracts
 * @since 0.1.0
 */
export const workerContract = (
  name: string,
  test: <E>(title: string, body: (stores: Stores) => Effect.Effect<void, E, Scope.Scope>) => void
): void => {
  const outside = (stores: Stores) => Layer.provideMerge(Runs.layer, stores)

  describe(`${name}: workers`, () => {
    test("execute no more runs of a program than its limit, and take one of another from behind its backlog", (stores) =>
      Effect.gen(function*() {
        const go = yield* Deferred.make<void>()
        let now = 0
        let most = 0
        const slow: Handler = () =>
          step(
            "slow",
            Effect.suspend(() => {
              most = Math.max(most, ++now)
              return Effect.as(Effect.andThen(Deferred.await(go), Effect.sync(() => void now--)), "slow")
            })
          )
        yield* Effect.gen(function*() {
          const backlog = yield* Effect.forEach(Array.from({ length: 12 }), () => start(Work))
          const late = yield* start(Mail)
          yield* worker(stores, { work: slow, mail: () => step("mail") }, { concurrency: 3, limits: { work: 2 } })
          yield* end(late)
          yield* Deferred.succeed(go, undefined)
          yield* Effect.forEach(backlog, end)
          assert.strictEqual(most, 2)
        }).pipe(Effect.provide(outside(stores)))
      }))

    test("leave runs of programs that they do not have to those that have them, untouched (D19)", (stores) =>
      Effect.gen(function*() {
        const foreign = yield* start(Mail)
        yield* Effect.scoped(Effect.gen(function*() {
          const { idle } = yield* worker(stores, { work: () => step("a") })
          yield* Effect.flatMap(start(Work), end)
          yield* idle
        }))
        const queue = yield* RunQueue
        assert.deepStrictEqual(yield* tagsOf(foreign), ["RunStarted"])
        const [claimed] = yield* queue.claim({
          owner: "somebody",
          leaseMillis: 0,
          namespace: "default",
          programs: ["mail"],
          limit: 1
        })
        assert.deepInclude(claimed, { runId: foreign, epoch: 1, expired: false })
        yield* queue.retire("somebody")
        yield* worker(stores, { mail: () => step("b") })
        assert.strictEqual((yield* end(foreign)).output, "b")
      }).pipe(Effect.provide(outside(stores))))

    test("do not count takeovers from workers that had not begun (WR-4)", (stores) =>
      Effect.gen(function*() {
        const queue = yield* RunQueue
        const runId = yield* start(Work)
        for (let death = 1; death <= 12; death++) {
          const owner = `dead-${death}`
          const claims = yield* queue
            .claim({ owner, leaseMillis: 30_000, namespace: "default", programs: ["work"], limit: 1 })
          assert.deepStrictEqual(claims.map(({ epoch }) => epoch), [death])
          yield* queue.heartbeat({ owner, leaseMillis: 0 })
        }
        yield* worker(stores, { work: () => step("a") })
        assert.strictEqual((yield* end(runId)).status, "Completed")
      }).pipe(Effect.provide(outside(stores))))

    test("finish the runs beside one that kills them every time, and leave that one parked (WR-4)", (stores) =>
      Effect.gen(function*() {
        const runs = yield* Runs
        const poison = yield* start(Work, "poison")
        const others: Array<RunId> = []
        const isStuck = runs.await(poison, ({ status }) => status === "Stuck")
        for (let deaths = 0; deaths < 12 && (yield* runs.state(poison)).status !== "Stuck"; deaths++) {
          others.push(yield* start(Work, "other"))
          const process = CrashingStore.doomed()
          const acting = yield* Deferred.make<void>()
          const kills: Handler = (input) =>
            input === "other"
              ? step("other")
              : step("kills", Effect.andThen(Deferred.succeed(acting, undefined), Effect.never))
          yield* Effect.gen(function*() {
            yield* worker(CrashingStore.layer(process).pipe(Layer.provideMerge(stores)), { work: kills })
            yield* Effect.raceFirst(Deferred.await(acting), isStuck)
            process.dead = true
          }).pipe(Effect.scoped, Effect.exit)
        }
        const { state } = yield* runs.state(poison)
        assert.deepInclude(state.stuck, {
          reason: "poison",
          key: "kills",
          detail: "taken over 6 times without a new outcome"
        })
        const { idle } = yield* worker(stores, {
          work: (input) => step(input === "other" ? "other" : "kills")
        })
        yield* Effect.forEach(others, end)
        yield* idle
        assert.strictEqual((yield* runs.state(poison)).status, "Stuck")
        yield* runs.release(poison, { actor: "olga", reason: "fixed" })
        assert.strictEqual((yield* end(poison)).status, "Completed")
      }).pipe(Effect.provide(outside(stores))))

    test("that are silent for longer than a lease during an operation end it once, under one key (WR-5)", (stores) =>
      Effect.gen(function*() {
        const latch = FrozenStore.thawed()
        const begun = yield* Deferred.make<void>()
        const late = yield* Deferred.make<string>()
        const keys: Array<string> = []
        const acting = (effect: Effect.Effect<string>): Handler => () =>
          step(
            "pay",
            Effect.flatMap(CurrentStep, ({ idempotencyKey }) => {
              keys.push(idempotencyKey)
              return effect
            })
          )
        const runId = yield* start(Work)
        yield* worker(FrozenStore.layer(latch).pipe(Layer.provideMerge(stores)), {
          work: acting(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(late)))
        })
        yield* Deferred.await(begun)
        yield* latch.close
        yield* worker(stores, { work: acting(Effect.succeed("paid")) })
        assert.strictEqual((yield* end(runId)).output, "paid")
        yield* Deferred.succeed(late, "paid again")
        yield* latch.open
        yield* Effect.sleep("400 millis")
        assert.lengthOf(keys, 2)
        assert.strictEqual(new Set(keys).size, 1)
        const tags = yield* tagsOf(runId)
        assert.strictEqual(tags.filter((tag) => tag === "StepCompleted").length, 1)
        assert.strictEqual(tags.filter((tag) => tag === "RunCompleted").length, 1)
      }).pipe(Effect.provide(outside(stores))))

    test("whose clocks differ by two hours leave each other's runs alone, and take over a dead one's in time (WR-6)", (stores) =>
      Effect.gen(function*() {
        const clock = yield* Clock.Clock
        const queue = yield* RunQueue
        const orphan = yield* start(Mail)
        yield* queue.claim({ owner: "dead", leaseMillis: 300, namespace: "default", programs: ["mail"], limit: 1 })
        let acts = 0
        const long: Handler = () =>
          step("long", Effect.andThen(Effect.sync(() => void acts++), Effect.as(Effect.sleep("900 millis"), "done")))
        const begun = performance.now()
        for (const hours of [1, -1]) {
          // Built apart: the time of a store in memory is the clock under which it is built.
          const shared = Layer.succeedContext(yield* Layer.build(Layer.fresh(stores)))
          yield* Effect.provideService(
            worker(shared, { work: long, mail: () => step("mail") }),
            Clock.Clock,
            wrongBy(hours, clock)
          )
        }
        const long1 = yield* start(Work)
        const long2 = yield* start(Work)
        yield* end(orphan)
        const passed = performance.now() - begun
        assert.isAtLeast(passed, 250)
        assert.isBelow(passed, 2_500)
        assert.include(yield* tagsOf(orphan), "RunRecovered")
        for (const runId of [long1, long2]) {
          yield* end(runId)
          const events = yield* Effect.flatMap(Runs, (runs) => Stream.runCollect(runs.events(runId)))
          assert.notInclude(events.map(({ event }) => event._tag), "RunRecovered")
          const times = events.map(({ at }) => at)
          assert.deepStrictEqual(times, times.toSorted((left, right) => left - right))
          assert.isBelow((times.at(-1) ?? 0) - (times[0] ?? 0), 60_000)
        }
        assert.strictEqual(acts, 2)
      }).pipe(Effect.provide(outside(stores))))

    test("are healthy while they work, and say so", (stores) =>
      Effect.gen(function*() {
        const { health } = yield* worker(stores, { work: () => step("a") })
        yield* Effect.flatMap(start(Work), end)
        assert.deepInclude(health(), { status: "Healthy", reasons: [] })
      }).pipe(Effect.provide(outside(stores))))
  })
}
