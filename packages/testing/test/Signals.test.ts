import { Approval, Program, Runs, Runtime, Signal, Timer } from "@durable-agents/core"
import { People, runProgram, type Script, Signals } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"

const Text = Program.make("text", { input: Schema.String, output: Schema.String })
const Paid = Signal.make("paid", Schema.Struct({ cents: Schema.Natural, at: Schema.DateFromString }))

const told = (key: string, name = "go") => Effect.map(Signal.receive(name, key), (payload) => JSON.stringify(payload))

const run = (body: ReturnType<typeof told>, outside: Script) =>
  runProgram({ program: Text, input: "", layer: Text.toLayer(() => body), outside })

const tags = ({ log }: { readonly log: ReadonlyArray<{ readonly event: { readonly _tag: string } }> }) =>
  log.map(({ event }) => event._tag)

describe("Signals", () => {
  it.effect("are sent when the run waits for them, once", () =>
    Effect.gen(function*() {
      const done = yield* run(
        Effect.gen(function*() {
          yield* Timer.sleep("before", "1 day")
          const go = yield* told("one")
          yield* Timer.sleep("after", "1 day")
          return go
        }),
        Signals.send("go", { n: 1 })
      )
      assert.strictEqual(done.output, "{\"n\":1}")
      assert.deepStrictEqual(
        tags(done).filter((tag) => tag.startsWith("Signal")),
        ["SignalAwaited", "SignalReceived"]
      )
    }))

  it.effect("of one name are sent in order, one for each wait, whoever else is in the script", () =>
    Effect.gen(function*() {
      const done = yield* run(
        Effect.gen(function*() {
          const one = yield* told("one")
          yield* Approval.request("ok", { subject: "?" })
          const two = yield* told("two")
          return one + two + (yield* told("other", "stop"))
        }),
        [Signals.send("go", 1), People.approve, Signals.send("stop", 3), Signals.send("go", 2)]
      )
      assert.strictEqual(done.output, "123")
    }))

  it.effect("of one name meet waits that are open at the same time", () =>
    Effect.gen(function*() {
      const done = yield* run(
        Effect.map(
          Effect.all([told("a"), told("b")], { concurrency: "unbounded" }),
          (both) => both.join()
        ),
        [Signals.send("go", 1), Signals.send("go", 2)]
      )
      assert.strictEqual(done.output, "1,2")
    }))

  it.effect("are sent early: at once, some time after the start, or when something else holds", () =>
    Effect.gen(function*() {
      const order = (early: Signals.Options["early"]) =>
        Effect.map(
          run(
            Effect.gen(function*() {
              yield* Timer.sleep("before", "1 day")
              yield* Approval.request("ok", { subject: "?" })
              return yield* told("go")
            }),
            [People.after("1 hour", People.approve), Signals.send("go", 1, early === undefined ? {} : { early })]
          ),
          (done) => tags(done).slice(1, -1).join(" ")
        )
      const rest = "TimerStarted TimerFired ApprovalRequested ApprovalGranted SignalAwaited"
      assert.strictEqual(yield* order(undefined), `${rest} SignalReceived`)
      assert.strictEqual(yield* order(0), `SignalReceived ${rest}`)
      assert.strictEqual(yield* order("1 hour"), rest.replace("TimerFired", "SignalReceived TimerFired"))
      assert.strictEqual(
        yield* order((view) => view.pendingApprovals.length > 0),
        rest.replace("ApprovalGranted", "SignalReceived ApprovalGranted")
      )
    }))

  it.effect("come as long after the wait as they are told to", () =>
    Effect.gen(function*() {
      const done = yield* run(told("go"), Signals.send("go", 1, { after: "2 hours" }))
      assert.strictEqual(done.view.state.updatedAt, 2 * 3_600_000)
    }))

  it.effect("answer every wait for them, with what the wait says", () =>
    Effect.gen(function*() {
      const done = yield* run(
        Effect.map(Effect.forEach(["a", "b", "c"], (key) => told(key)), (all) => all.join()),
        Signals.answer("go", ({ key }) => key)
      )
      assert.strictEqual(done.output, "\"a\",\"b\",\"c\"")
    }))

  it.effect("are encoded by their definition, and refused if they do not fit it", () =>
    Effect.gen(function*() {
      const waiting = Effect.map(Paid.await("paid"), ({ at, cents }) => `${cents} ${at.getUTCFullYear()}`)
      const done = yield* run(waiting, Signals.send(Paid, { cents: 5, at: new Date(0) }))
      assert.strictEqual(done.output, "5 1970")
      const error = yield* Effect.flip(run(waiting, Signals.send(Paid, { cents: -5, at: new Date(0) })))
      assert.strictEqual(error._tag, "ScriptFailed")
      assert.include(error.message, "does not fit signal `paid`")
    }))

  it.effect("carry who sent them", () =>
    Effect.gen(function*() {
      const done = yield* run(told("go"), Signals.send("go", 1, { actor: "dana", id: "mine" }))
      const [event] = done.log.map(({ event }) => event).filter(({ _tag }) => _tag === "SignalReceived")
      assert.deepInclude(event, { signalId: "mine", actor: { kind: "person", id: "dana" } })
    }))

  it.effect("are sent to a run without a driver, too", () =>
    Effect.gen(function*() {
      const runs = yield* Runs
      const runtime = yield* Runtime
      const runId = yield* runs.start(Text, "")
      const waiting = yield* runtime.execute(runId)
      const go = Signals.send("go", 7)
      yield* go.act(waiting)
      yield* go.act(yield* runs.state(runId))
      const done = yield* runtime.execute(runId)
      assert.strictEqual(done.output, "7")
    }).pipe(Effect.provide(Text.toLayer(() => told("go")).pipe(Layer.provideMerge(Runtime.layerMemory)))))
})
