/**
 * The promises of forks as a suite of tests over a store. Part of the contract of the runtime.
 */
import type { EventStore, RunIndex, RunQueue, StoreError } from "@durable-agents/core"
import { Approval, CurrentStep, Program, type RunId, Runs, Runtime, RuntimeSettings, Step } from "@durable-agents/core"
import { assert, describe } from "@effect/vitest"
import type { Scope } from "effect"
import { Array, Effect, Layer, Schema, Stream } from "effect"

type Stores = Layer.Layer<EventStore | RunQueue | RunIndex, StoreError>

const Work = Program.make("work", { input: Schema.String, output: Schema.Json })

const settings = Layer.succeed(RuntimeSettings, {
  ...RuntimeSettings.defaultValue(),
  suspendAfter: "10 millis",
  keep: 0
})

/** A program that acts, asks, and acts again; and what it did, with the keys that it showed. */
const world = () => {
  const effects: Array<readonly [step: string, key: string]> = []
  const act = (step: string) =>
    Effect.map(CurrentStep, ({ idempotencyKey }) => {
      effects.push([step, idempotencyKey])
      return step
    }).pipe(Step.run(step, { output: Schema.String }), Effect.orDie)
  const layer = Work.toLayer(() =>
    Effect.gen(function*() {
      const first = yield* Effect.all([act("a"), act("b")], { concurrency: 2 })
      const decision = yield* Approval.request("ship", { subject: "Ship it?" })
      return [...first, yield* act("c"), decision._tag]
    })
  )
  return { effects, layer }
}

const logOf = (runId: RunId) => Effect.flatMap(Runs, (runs) => Stream.runCollect(runs.events(runId)))
const execute = (runId: RunId) => Effect.flatMap(Runtime, (runtime) => runtime.execute(runId))

/**
 * Registers the suite.
 *
 * @category contracts
 * @since 0.1.0
 */
export const forkContract = (
  name: string,
  test: <E>(title: string, body: (stores: Stores) => Effect.Effect<void, E, Scope.Scope>) => void
): void => {
  const processOf = (layer: ReturnType<typeof world>["layer"], stores: Stores) =>
    layer.pipe(Layer.provideMerge(Runtime.layer), Layer.provideMerge(stores), Layer.provide(settings))

  describe(`${name}: forks`, () => {
    test("of every position of a parked run lead to its end, by decisions and under keys of their own", (stores) => {
      const { effects, layer } = world()
      return Effect.gen(function*() {
        const runs = yield* Runs
        const original = yield* runs.start(Work, "go")
        const { seq } = yield* execute(original)
        const log = yield* logOf(original)
        const keys = new Map(effects)
        for (let at = 1; at <= seq; at++) {
          effects.length = 0
          const id = yield* runs.fork(original, { at, actor: "dana" })
          const copied = (yield* logOf(id)).slice(0, at)
          assert.deepStrictEqual(
            copied.map(({ epoch, seq }) => [epoch, seq]),
            log.slice(0, at).map(({ seq }) => [0, seq])
          )
          assert.deepStrictEqual(
            copied.slice(1).map(({ event }) => event._tag),
            log.slice(1, at).map(({ event }) => event._tag)
          )
          assert.strictEqual((yield* execute(id)).status, "AwaitingApproval")
          yield* runs.approve(id, { approval: "ship", actor: "dana" })
          assert.deepStrictEqual((yield* execute(id)).output, ["a", "b", "c", "Granted"])
          const done = log.slice(0, at).flatMap(({ event }) => event._tag === "StepCompleted" ? [event.key] : [])
          assert.sameMembers(effects.map(([step]) => step), ["a", "b", "c"].filter((step) => !done.includes(step)))
          for (const [step, key] of effects) assert.notStrictEqual(key, keys.get(step))
        }
        assert.deepStrictEqual(yield* logOf(original), log)
        assert.strictEqual((yield* runs.state(original)).status, "AwaitingApproval")
      }).pipe(Effect.provide(processOf(layer, stores)))
    })

    test("with one key, by many at the same moment, are one run (D36)", (stores) => {
      const { layer } = world()
      return Effect.gen(function*() {
        const runs = yield* Runs
        const original = yield* runs.start(Work, "go")
        const { seq } = yield* execute(original)
        const same = { at: seq, startKey: "again", reason: "again", labels: { round: "2" }, budget: { turns: 9 } }
        const ids = yield* Effect.forEach(
          Array.makeBy(8, (i) => i),
          (i) =>
            Effect.flatMap(Runs, (own) => own.fork(original, { ...same, actor: `person-${i}` }))
              .pipe(Effect.provide(Layer.provideMerge(Runs.layer, stores), { local: true })),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(new Set(ids).size, 1)
        assert.lengthOf(yield* logOf(ids[0] ?? original), seq + 1)
        const others = [
          { at: 1 },
          { reason: "another" },
          { labels: {} },
          { labels: { round: "3" } },
          { budget: { turns: 10 } },
          { budget: {} }
        ]
        for (const other of others) {
          const refused = yield* Effect.flip(runs.fork(original, { ...same, ...other, actor: "dana" }))
          assert.strictEqual(refused._tag, "StartConflict", JSON.stringify(other))
        }
        const started = yield* Effect.flip(runs.start(Work, "go", { startKey: "again" }))
        assert.strictEqual(started._tag, "StartConflict")
      }).pipe(Effect.provide(processOf(layer, stores)))
    })
  })
}
