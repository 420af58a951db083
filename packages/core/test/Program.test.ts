import {
  CurrentStep,
  MemoryStore,
  Program,
  RunId,
  RunIndex,
  Runs,
  Runtime,
  Signal,
  Step,
  Worker
} from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { execute, quick } from "./fixtures.ts"

class Refused extends Schema.TaggedError<Refused>()("Refused", { on: Schema.Date }) {}

const Ship = Program.make("ship", {
  input: Schema.String,
  output: Schema.Date,
  error: Refused,
  budget: { wallMillis: 0 }
})

const day = new Date(86_400_000)

const ShipLayer = Ship.toLayer((how) => {
  switch (how) {
    case "refused":
      return Effect.fail(new Refused({ on: day }))
    case "bug":
      return Effect.die("a bug")
    case "waits":
      return Effect.as(Signal.receive("go"), day)
    case "late":
      return Effect.as(Effect.void.pipe(Step.run("late", { output: Schema.Void })), day)
    default:
      return Effect.succeed(day)
  }
})

const App = ShipLayer.pipe(Layer.provideMerge(Runtime.layerMemory), Layer.provide(quick))

describe("Program.outputOf", () => {
  const played = (how: string) =>
    Effect.gen(function*() {
      const runs = yield* Runs
      return yield* execute(yield* runs.start(Ship, how, { budget: how === "late" ? {} : { wallMillis: 60_000 } }))
    })
  const failureOf = (how: string) => Effect.flatMap(played(how), (run) => Effect.flip(Program.outputOf(Ship, run)))

  it.effect("is the output of a program as its schema decodes it", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* Program.outputOf(Ship, yield* played("")), day)
    }).pipe(Effect.provide(App)))

  it.live("fails with what the program failed with, or says why there is nothing", () =>
    Effect.gen(function*() {
      const refused = yield* failureOf("refused")
      assert.isTrue(refused instanceof Refused && refused.on.getTime() === day.getTime())
      const late = yield* failureOf("late")
      assert.isTrue(late._tag === "BudgetExceeded" && late.limit === "wallMillis")
      const bug = yield* failureOf("bug")
      assert.isTrue(bug._tag === "NoOutput" && bug.status === "Failed" && bug.detail === "a bug")
      assert.include((yield* failureOf("waits")).message, "(status AwaitingSignal): it has not ended")
      const runs = yield* Runs
      const { runId } = yield* played("waits")
      yield* runs.cancel(runId, { actor: "dana", reason: "sold out" })
      const cancelled = yield* Effect.flip(Program.outputOf(Ship, yield* execute(runId)))
      assert
        .isTrue(cancelled._tag === "NoOutput" && cancelled.status === "Cancelled" && cancelled.detail === "sold out")
      const done = yield* played("")
      const Other = Program.make("other", { input: Schema.String, output: Schema.Date })
      assert.include(
        (yield* Effect.flip(Program.outputOf(Other, done))).message,
        "it is a run of `ship`, not of `other`"
      )
      const Changed = Program.make("ship", { input: Schema.String, output: Schema.Int })
      assert.include((yield* Effect.flip(Program.outputOf(Changed, done))).message, "does not fit `ship`")
    }).pipe(Effect.provide(App)))
})

describe("a program that starts runs", () => {
  const Paid = Signal.make("paid", Schema.Struct({ to: Schema.String, receipt: Schema.String }))
  const Payout = Program.make("payout", {
    input: Schema.Struct({ to: Schema.String, tell: RunId }),
    output: Schema.String
  })
  const Payroll = Program.make("payroll", { input: Schema.Array(Schema.String), output: Schema.Array(Schema.String) })

  const PayoutLayer = Payout.toLayer(Effect.fn(function*({ tell, to }) {
    const runs = yield* Runs
    const receipt = yield* Effect.succeed(`R-${to}`).pipe(Step.run("pay", { output: Schema.String }))
    yield* Effect.flatMap(Step.idempotencyKey, (id) => runs.signal(tell, Paid, { to, receipt }, { id })).pipe(
      Effect.catchTag("RunClosed", () => Effect.void),
      Effect.orDie,
      Step.run("tell", { output: Schema.Void })
    )
    return receipt
  }))

  const payroll = (starts: () => void) =>
    Payroll.toLayer(Effect.fn(function*(people) {
      const runs = yield* Runs
      yield* Step.forEach(people, { key: (to) => to, concurrency: 4 }, (to) =>
        CurrentStep.pipe(
          Effect.flatMap(({ idempotencyKey, runId }) =>
            runs.start(Payout, { to, tell: runId }, { startKey: idempotencyKey, labels: { payroll: runId } })
          ),
          Effect.orDie,
          Effect.tap(() => Effect.sync(starts)),
          Step.run("start", { output: RunId })
        ))
      const receipts: Array<string> = []
      for (const [index] of people.entries()) receipts.push((yield* Paid.await(`paid-${index}`)).receipt)
      return receipts.toSorted()
    }))

  it.live("starts each once, though its step is made again, and hears of all of them", () =>
    Effect.gen(function*() {
      let starts = 0
      const Handled = Layer.merge(
        PayoutLayer,
        payroll(() => {
          // A bug after the run was started: the step is made again.
          if (++starts === 1) throw new Error("a bug")
        })
      )
      const process = Worker.layer({ poll: "20 millis" }).pipe(
        Layer.provide(Handled),
        Layer.provideMerge(Runtime.layer),
        Layer.provideMerge(MemoryStore.layer),
        Layer.provide(quick)
      )
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const index = yield* RunIndex
        const run = yield* runs.await(yield* runs.start(Payroll, ["ann", "bob", "eve"]))
        assert.deepStrictEqual(yield* Program.outputOf(Payroll, run), ["R-ann", "R-bob", "R-eve"])
        assert.strictEqual(starts, 4)
        const { items } = yield* index.list({ program: "payout", labels: { payroll: run.runId } })
        assert.strictEqual(items.length, 3)
      }).pipe(Effect.provide(process))
    }))
})
