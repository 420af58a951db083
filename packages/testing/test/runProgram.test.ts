import type { CurrentStep } from "@durable-agents/core"
import { Approval, Branch, MemoryStore, Program, RunQueue, Runs, Signal, Step, Timer } from "@durable-agents/core"
import { NotMoving, People, runProgram, ScriptFailed, Signals } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, DateTime, Effect, Layer, Schedule, Schema } from "effect"

const Text = Program.make("text", { input: Schema.String, output: Schema.String, error: Schema.String })
const text = (key: string, effect: Effect.Effect<string, never, CurrentStep> = Effect.succeed(key)) =>
  effect.pipe(Step.run(key, { output: Schema.String }))

const tags = ({ log }: { readonly log: ReadonlyArray<{ readonly event: { readonly _tag: string } }> }) =>
  log.map(({ event }) => event._tag)

describe("runProgram", () => {
  it.effect("returns what the program returned, the last state, the log, and what happened in the world", () =>
    Effect.gen(function*() {
      const done = yield* runProgram({
        program: Text,
        input: "sam",
        world: () => new Array<string>(),
        layer: (mails) => Text.toLayer((name) => text("greet", Effect.sync(() => `${mails.push(name)}`))),
        effects: (mails) => mails
      })
      assert.strictEqual(done.output, "1")
      assert.strictEqual(done.view.status, "Completed")
      assert.deepStrictEqual(done.effects, ["sam"])
      assert.deepStrictEqual(tags(done), ["RunStarted", "StepRequested", "StepCompleted", "RunCompleted"])
    }))

  it.effect("lets three days pass in no time", () =>
    Effect.gen(function*() {
      const begun = performance.now()
      const done = yield* runProgram({
        program: Text,
        input: "",
        layer: Text.toLayer(() =>
          Effect.andThen(Timer.sleep("three-days", "3 days"), text("now", Effect.map(Clock.currentTimeMillis, String)))
        )
      })
      assert.strictEqual(done.output, "259200000")
      assert.isBelow(performance.now() - begun, 3_000)
    }))

  it.live("needs no test clock", () =>
    Effect.gen(function*() {
      const done = yield* runProgram({
        program: Text,
        input: "",
        layer: Text.toLayer(() => Effect.as(Timer.sleep("a-year", "365 days"), "later"))
      })
      assert.strictEqual(done.output, "later")
    }))

  it.effect("begins a run with a start in the future at its time", () =>
    Effect.gen(function*() {
      const done = yield* runProgram({
        program: Text,
        input: "",
        start: { startAt: DateTime.makeUnsafe(86_400_000) },
        layer: Text.toLayer(() => text("now", Effect.map(Clock.currentTimeMillis, String)))
      })
      assert.strictEqual(done.output, "86400000")
    }))

  it.effect("waits out long retries, sleeps and time-outs inside of steps", () =>
    Effect.gen(function*() {
      let tries = 0
      const done = yield* runProgram({
        program: Text,
        input: "",
        layer: Text.toLayer(() =>
          Effect.gen(function*() {
            yield* Effect.suspend(() => ++tries < 3 ? Effect.fail("no") : Effect.succeed("yes")).pipe(
              Step.run("late", { output: Schema.String, error: Schema.String, retry: Schedule.spaced("1 hour") }),
              Effect.catchTag("BudgetExceeded", Effect.die)
            )
            yield* text("slow", Effect.delay(Effect.succeed("slow"), "1 minute"))
            return yield* text("hangs", Effect.never).pipe(Effect.timeout("1 hour"), Effect.orDie)
          }).pipe(Effect.catchDefect((defect) => Effect.succeed(`${defect}`)))
        )
      })
      assert.include(done.output, "Timeout")
      assert.isAtLeast(done.view.state.updatedAt, 3 * 3_600_000)
    }))

  it.effect("stops where `until` holds", () =>
    Effect.gen(function*() {
      const parked = yield* runProgram({
        program: Text,
        input: "",
        layer: Text.toLayer(() => Effect.as(Approval.request("ok", { subject: "Go on?" }), "went")),
        until: ({ status }) => status === "AwaitingApproval"
      })
      assert.strictEqual(parked.output, undefined)
      assert.deepStrictEqual(parked.view.pendingApprovals.map(({ key }) => key), ["ok"])
    }))

  it.effect("gives a run that failed as it is", () =>
    Effect.gen(function*() {
      const done = yield* runProgram({ program: Text, input: "", layer: Text.toLayer(() => Effect.fail("broke")) })
      assert.deepStrictEqual([done.view.status, done.view.failure, done.output], ["Failed", "broke", undefined])
    }))

  it.effect("works with one function for everything outside", () =>
    Effect.gen(function*() {
      const done = yield* runProgram({
        program: Text,
        input: "",
        world: () => ({ asked: 0 }),
        layer: Text.toLayer(() => Effect.map(Signal.receive("go"), String)),
        effects: ({ asked }) => asked,
        outside: (view, world) =>
          Effect.flatMap(Runs, (runs) => runs.signal(view.runId, "go", `asked ${++world.asked}`))
      })
      assert.deepStrictEqual([done.output, done.effects], ["asked 1", 1])
    }))
})

describe("runProgram refuses", () => {
  const parked = (layer: Parameters<typeof runProgram<unknown, string, string, string>>[0]["layer"]) =>
    Effect.flip(runProgram({ program: Text, input: "", layer, patience: "400 millis", rests: 50 }))

  it.effect("a run that waits for a person who is not there, and says for whom", () =>
    Effect.gen(function*() {
      const error = yield* parked(Text.toLayer(() =>
        Effect.as(Approval.request("ship", { subject: "Ship it?", reason: "large" }), "")
      ))
      assert.instanceOf(error, NotMoving)
      assert.strictEqual(
        error.message,
        [
          "The run waits for a decision on `ship`. Nothing in the script moves it.",
          "  `ship` asks for a decision since 1970-01-01T00:00:00.000Z: Ship it? (large)",
          "  Nobody in `outside` has an answer to it; People.approve has one to everything, " +
          "People.byKey({ \"ship\": … }) to this.",
          "Its log:",
          "  0  outside  RunStarted  program=\"text\"  input=\"\"",
          "  1  lease 1  ApprovalRequested  `ship`  subject=\"Ship it?\"  reason=\"large\""
        ].join("\n")
      )
    }))

  it.effect("a run that waits for a signal that nobody sends, and names it", () =>
    Effect.gen(function*() {
      const error = yield* parked(Text.toLayer(() => Effect.map(Signal.receive("paid", "payment"), String)))
      assert.include(error.message, "`payment` waits for the signal `paid` since")
      assert.include(error.message, "Signals.send(\"paid\", payload)")
    }))

  it.effect("a stuck run, and says why it is stuck", () =>
    Effect.gen(function*() {
      let key = 0
      const error = yield* parked(Text.toLayer(() =>
        Effect.andThen(text(`key-${++key}`), Effect.as(Timer.sleep("nap", "1 day"), ""))
      ))
      assert.isTrue(error._tag === "NotMoving" && error.status === "Stuck")
      assert.include(error.message, "the log holds `key-1`, and the program does not ask for it")
    }))

  it.effect("an operation that never ends", () =>
    Effect.gen(function*() {
      const error = yield* parked(Text.toLayer(() => text("hangs", Effect.never)))
      assert.include(error.message, "The run is working on `hangs`")
      assert.include(error.message, "400ms of real time")
    }))

  it.effect("a program that never ends", () =>
    Effect.gen(function*() {
      const error = yield* parked(Text.toLayer(() =>
        Effect.gen(function*() {
          for (let i = 0;; i++) yield* Timer.sleep(`nap-${i}`, "1 minute")
        }).pipe(Effect.as(""))
      ))
      assert.include(error.message, "It has rested 50 times and has not ended.")
    }))

  it.effect("a script that does something for ever, and moves nothing", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(runProgram({
        program: Text,
        input: "",
        layer: Text.toLayer(() => Effect.as(Approval.request("ok", { subject: "?" }), "")),
        outside: ({ runId }) => Effect.flatMap(Runs, (runs) => runs.signal(runId, "noise", 1)),
        rests: 20
      }))
      assert.include(error.message, "It has rested 20 times and has not ended.")
    }))

  it.effect("a script that never comes back", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(runProgram({
        program: Text,
        input: "",
        layer: Text.toLayer(() => Effect.as(Approval.request("ok", { subject: "?" }), "")),
        outside: () => Effect.never,
        patience: "400 millis"
      }))
      assert.include(error.message, "Nothing has come of it for 400ms of real time.")
    }))

  it.effect("a store that leases the run to nobody", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(runProgram({
        program: Text,
        input: "",
        layer: Text.toLayer(Effect.succeed),
        patience: "400 millis",
        stores: Effect.sync(() => {
          const memory = MemoryStore.layerOf(MemoryStore.memory())
          return Layer.effectContext(Effect.map(RunQueue, (queue) =>
            Context.make(RunQueue, {
              ...queue,
              acquire: () => Effect.succeedNone
            }))).pipe(Layer.provideMerge(memory))
        })
      }))
      assert.include(error.message, "No worker has begun this run. Nothing has come of it for 400ms of real time.")
    }))

  it.effect("a program that its layer does not register", () =>
    Effect.gen(function*() {
      const Other = Program.make("other", { input: Schema.String, output: Schema.String })
      const error = yield* parked(Other.toLayer(Effect.succeed))
      assert.strictEqual(error._tag, "NotExecutable")
    }))

  it.effect("a script whose decision is refused, and says what was answered", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(runProgram({
        program: Text,
        input: "",
        layer: Text.toLayer(() => Effect.as(Approval.request("ok", { subject: "?", approvers: ["dana"] }), "")),
        outside: People.as("mallory", People.approve)
      }))
      assert.instanceOf(error, ScriptFailed)
      assert.include(error.message, "mallory")
      assert.include(error.message, "AwaitingApproval")
    }))

  it.effect("a script that fails with something that is no error, and says what it is", () =>
    Effect.gen(function*() {
      const found = Object.assign(Object.create(null), { said: "no" })
      const error = yield* Effect.flip(runProgram({
        program: Text,
        input: "",
        layer: Text.toLayer(() => Effect.as(Approval.request("ok", { subject: "Go on?" }), "")),
        outside: () => Effect.fail(found)
      }))
      assert.instanceOf(error, ScriptFailed)
      assert.include(error.message, "{\"said\":\"no\"}")
    }))
})

describe("runProgram's time", () => {
  it.effect("stops where somebody in the script acts, before the run would go on by itself", () =>
    Effect.gen(function*() {
      const wait = (days: number) =>
        runProgram({
          program: Text,
          input: "",
          layer: Text.toLayer(() =>
            Branch.race("first", {
              told: Effect.as(Signal.receive("told"), "told"),
              bored: Effect.as(Timer.sleep("three-days", "3 days"), "bored")
            })
          ),
          outside: Signals.send("told", null, { after: `${days} days` })
        })
      assert.strictEqual((yield* wait(2)).output, "told")
      assert.strictEqual((yield* wait(4)).output, "bored")
    }))
})
