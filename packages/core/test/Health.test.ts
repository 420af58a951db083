import {
  EventStore,
  Health,
  MemoryStore,
  RunQueue,
  Runs,
  Runtime,
  Step,
  StoreError,
  Worker
} from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Logger, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { handled, type Handler, settings, start } from "./fixtures.ts"

const broken = (operation: string) => Effect.fail(new StoreError({ operation, detail: "no route to host" }))

/** What goes wrong with the store, now. */
interface Trouble {
  claim?: "fails" | "dies" | "hangs" | "finds nothing"
  heartbeat?: "fails"
  read?: "fails"
}

const troubled = (trouble: Trouble) =>
  Layer.effectContext(Effect.gen(function*() {
    const store = yield* EventStore
    const queue = yield* RunQueue
    return Context.make(EventStore, {
      ...store,
      read: (runId, from) =>
        Stream.unwrap(Effect.suspend(() =>
          trouble.read === undefined ? Effect.succeed(store.read(runId, from)) : broken("read")
        ))
    }).pipe(Context.add(RunQueue, {
      ...queue,
      claim: (options) =>
        Effect.suspend(() => {
          switch (trouble.claim) {
            case "fails":
              return broken("claim")
            case "dies":
              return Effect.die(new TypeError("x is not a function"))
            case "hangs":
              return Effect.never
            case "finds nothing":
              return Effect.succeed([])
            default:
              return queue.claim(options)
          }
        }),
      heartbeat: (options) =>
        Effect.suspend(() => trouble.heartbeat === undefined ? queue.heartbeat(options) : broken("heartbeat"))
    }))
  }))

const step: Handler = () => Effect.succeed("done").pipe(Step.run("act", { output: Schema.String }))

const isHealth = Schema.is(Health)

/** A worker with trouble, virtual time, and what it logs. */
const scene = Effect
  .fnUntraced(function*(options: Parameters<typeof Worker.layer>[0] & { readonly handler?: Handler } = {}) {
    const { handler = step, ...more } = options
    const trouble: Trouble = {}
    const said: Array<string> = []
    const memory = MemoryStore.memory()
    const ears = Logger.layer([
      Logger.make(({ logLevel, message }) =>
        void said.push(`${logLevel} ${[message].flat().join(": ").replace(/worker-\w+/, "w")}`)
      )
    ])
    const shared = Layer.succeedContext(yield* Layer.build(MemoryStore.layerOf(memory)))
    const outside = yield* Layer.build(Layer.provideMerge(Runs.layer, shared))
    const built = yield* Layer.build(Layer.fresh(Worker.layer(more).pipe(
      Layer.provide(handled(handler)),
      Layer.provide(Runtime.layer),
      Layer.provide(troubled(trouble).pipe(Layer.provideMerge(shared))),
      Layer.provide(settings({ blockedAfter: "1 hour", suspendAfter: "1 hour", keep: "1 hour" })),
      Layer.provide(ears)
    )))
    const { health } = Context.get(built, Worker.Worker)
    /** Lets seconds pass one by one, so that everyone does what is due in each of them. */
    const pass = Effect.fnUntraced(function*(seconds: number) {
      for (let second = 0; second < seconds; second++) {
        yield* TestClock.adjust("1 second")
        for (let i = 0; i < 20; i++) yield* Effect.yieldNow
      }
    })
    const problems = () => {
      const now = health()
      assert.isTrue(isHealth(now))
      assert.strictEqual(now.status, now.reasons.length === 0 ? "Healthy" : "Unhealthy")
      return now.reasons
    }
    return { trouble, said, health, pass, problems, memory, start: Effect.provide(start(), outside) }
  })

describe("a worker's health", () => {
  it.effect("is good while there is nothing to do, since it began", () =>
    Effect.gen(function*() {
      const { health, pass, said } = yield* scene()
      yield* pass(300)
      assert.deepStrictEqual(health(), { status: "Healthy", since: 0, reasons: [] })
      assert.deepStrictEqual(said, [])
    }))

  for (
    const [trouble, why] of [
      ["fails", "The store failed in `claim`: no route to host"],
      ["dies", "a bug: TypeError: x is not a function"],
      ["hangs", "the store has not answered yet"]
    ] as const
  ) {
    it.effect(`turns red when it cannot look for runs: a claim that ${trouble} (PG-11)`, () =>
      Effect.gen(function*() {
        const { health, pass, problems, said, start, trouble: is } = yield* scene()
        yield* pass(10)
        is.claim = trouble
        yield* pass(25)
        assert.deepStrictEqual(problems(), [])
        yield* pass(20)
        const [reason = "", ...more] = problems()
        assert.deepStrictEqual(more, [])
        assert.match(reason, /^it has not been able to look for due runs for 4\ds: /)
        assert.include(reason, why)
        assert.approximately(health().since, 10_000, 1_500)
        assert.lengthOf(said.filter((line) => line.startsWith("Warn Worker w does not work: it has not been")), 1)
        assert.isAtMost(said.length, 2)
        if (trouble === "hangs") return
        delete is.claim
        yield* start
        yield* pass(10)
        assert.deepStrictEqual(problems(), [])
        assert.approximately(health().since, 55_000, 10_500)
        assert.deepStrictEqual(said.slice(-2), ["Info Worker w can look for runs again", "Info Worker w works again"])
      }))
  }

  it.effect("waits for three polls where these are rare", () =>
    Effect.gen(function*() {
      const { pass, problems, trouble } = yield* scene({ poll: "1 minute" })
      yield* pass(10)
      trouble.claim = "fails"
      yield* pass(150)
      assert.deepStrictEqual(problems(), [])
      yield* pass(120)
      assert.lengthOf(problems(), 1)
    }))

  it.effect("turns red when its heartbeats do not arrive for longer than its lease, if it holds any run", () =>
    Effect.gen(function*() {
      const { pass, problems, said, start, trouble } = yield* scene({
        handler: () => Effect.never,
        lease: "60 seconds"
      })
      trouble.heartbeat = "fails"
      yield* pass(100)
      assert.deepStrictEqual(problems(), [])
      yield* start
      yield* pass(55)
      assert.deepStrictEqual(problems(), [])
      yield* pass(15)
      assert.match(
        problems().join(),
        /^its heartbeat has not reached the store for 1m \d*s?, longer than its lease: others take its run over$/
      )
      delete trouble.heartbeat
      yield* pass(30)
      assert.deepStrictEqual(problems(), [])
      assert.lengthOf(said.filter((line) => line.startsWith("Info Worker w works again")), 1)
    }))

  it.effect("turns red when the store fails every run that it takes, and forgets it when one comes to rest", () =>
    Effect.gen(function*() {
      const { pass, problems, start, trouble } = yield* scene()
      trouble.read = "fails"
      yield* start
      yield* pass(20)
      assert.deepStrictEqual(problems(), [])
      yield* pass(50)
      assert.match(
        problems().join(),
        /^the store has failed every run that it took for [\dms ]+: The store failed in `read`: no route to host$/
      )
      delete trouble.read
      yield* start
      yield* pass(2)
      assert.deepStrictEqual(problems(), [])
    }))

  it.effect("is not red for ever because of a failure of which nothing more is heard", () =>
    Effect.gen(function*() {
      const { memory, pass, problems, start, trouble } = yield* scene({ poll: "10 seconds" })
      trouble.read = "fails"
      const runId = yield* start
      yield* pass(70)
      assert.lengthOf(problems(), 1)
      memory.timed.clear()
      memory.runs.delete(runId)
      yield* pass(640)
      assert.deepStrictEqual(problems(), [])
    }))

  it.effect("turns red when a run is due, it has room, and it is not given that run", () =>
    Effect.gen(function*() {
      const { pass, problems, start, trouble } = yield* scene()
      trouble.claim = "finds nothing"
      const runId = yield* start
      yield* pass(30)
      assert.deepStrictEqual(problems(), [])
      yield* pass(20)
      assert.match(
        problems().join(),
        new RegExp(`^it has room, and has not been given run ${runId} for \\d+s, which is due$`)
      )
      delete trouble.claim
      yield* pass(10)
      assert.deepStrictEqual(problems(), [])
    }))

  it.effect("stays good when what is due is not for it: other programs, or one that is at its limit", () =>
    Effect.gen(function*() {
      const { pass, problems, start } = yield* scene({ limits: { test: 0 } })
      yield* start
      yield* pass(100)
      assert.deepStrictEqual(problems(), [])
    }))

  it.effect("turns red when all its slots are held by runs that record nothing, and not before that", () =>
    Effect.gen(function*() {
      const stuck = yield* Deferred.make<string>()
      const handler: Handler = () => Deferred.await(stuck).pipe(Step.run("hangs", { output: Schema.String }))
      const { pass, problems, start } = yield* scene({ handler, concurrency: 2, stalledAfter: "2 minutes" })
      yield* start
      yield* pass(300)
      assert.deepStrictEqual(problems(), [])
      yield* start
      yield* start
      yield* pass(100)
      assert.deepStrictEqual(problems(), [])
      yield* pass(40)
      assert.match(problems().join(), /^all 2 runs that it executes have recorded nothing for 2m \d+s$/)
      yield* Deferred.succeed(stuck, "done")
      yield* pass(3)
      assert.deepStrictEqual(problems(), [])
    }))
})
