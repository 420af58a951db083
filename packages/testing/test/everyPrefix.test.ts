import { Program, Runs, Signal, Step, Timer } from "@durable-agents/core"
import { everyPrefix, PrefixViolation } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import { faultless, faulty, mail, scenarioOf, step } from "./faults.ts"

const violation = (name: string) =>
  Effect.map(Effect.flip(everyPrefix({ ...faulty[name] ?? faultless })), (error) => {
    assert.instanceOf(error, PrefixViolation)
    return error as PrefixViolation
  })

describe("everyPrefix", () => {
  it.effect("finds nothing in a program without a fault, and says how many trials there were", () =>
    Effect.gen(function*() {
      const trials = yield* everyPrefix(faultless)
      assert.isAtLeast(trials, 16)
    }))

  it.live("needs no test clock", () => everyPrefix({ ...faultless, stride: 5 }))

  it.effect("takes every n-th instant, and several deaths in a row", () =>
    Effect.gen(function*() {
      const all = yield* everyPrefix(faultless)
      const some = yield* everyPrefix({ ...faultless, stride: 4, deaths: 2 })
      assert.strictEqual(some, 2 * Math.ceil(all / 2 / 4))
    }))

  for (const name of Object.keys(faulty)) {
    it.effect(`finds ${name}`, () =>
      Effect.gen(function*() {
        const error = yield* violation(name)
        assert.match(
          error.message,
          /^A process that died (before|after) write \d+ \(\w.*\) changed how the run ended\.\n/
        )
        assert.include(error.message, "<- the process died here")
      }))
  }

  it.effect("finds an effect whose key is not the same for all attempts", () =>
    Effect.gen(function*() {
      let attempt = 0
      const error = yield* Effect
        .flip(everyPrefix(scenarioOf((mailbox) => step("pay", mailbox.send("paid", `key-${++attempt}`)))))
      assert.isTrue(error instanceof PrefixViolation && error.difference?.path === "effects[1]")
    }))

  it.effect("finds a date that is read between steps, if the takeover is long enough in coming", () =>
    Effect.gen(function*() {
      const dated = scenarioOf((mailbox) =>
        Effect.gen(function*() {
          yield* mail(mailbox, "first")
          const day = Math.floor((yield* Clock.currentTimeMillis) / 86_400_000)
          yield* mail(mailbox, `report-${day}`)
          return "sent"
        })
      )
      yield* everyPrefix(dated)
      const error = yield* Effect.flip(everyPrefix({ ...dated, downtime: "1 day" }))
      assert.instanceOf(error, PrefixViolation)
    }))

  it.effect("shows what is different, where the process died, and the log", () =>
    Effect.gen(function*() {
      const error = yield* violation("a missing idempotency key")
      assert.deepStrictEqual(error.difference, { path: "effects[1]", expected: "\"second\"", actual: "\"first\"" })
      assert.deepStrictEqual(
        error.message.split("\n").slice(0, 9),
        [
          "A process that died before write 1 (append of StepCompleted `first`, StepRequested `second`) changed how the run ended.",
          "First difference, at effects[1]:",
          "  undisturbed  \"second\"",
          "  disturbed    \"first\"",
          "The log of the disturbed run:",
          "  0  outside  RunStarted  program=\"letters\"  input=\"go\"",
          "  1  lease 1  StepRequested  `first`  attempt=1  <- the process died here",
          "  2  lease 2  RunRecovered  epoch=2  owner=…",
          "  3  lease 2  StepRequested  `first`  attempt=2"
        ].map((line, index) => index === 7 ? error.message.split("\n")[7] : line)
      )
    }))

  it.effect("shows why a run that was disturbed does not go on", () =>
    Effect.gen(function*() {
      const error = yield* violation("a key that depends on chance")
      assert.match(
        error.problem ?? "",
        /^The run is stuck: the log holds `letter-\d+`, and the program does not ask for it\./
      )
      assert.strictEqual(error.difference?.path, "end.status")
    }))

  it.effect("finds that a run was stuck, also if the script has ended it then as it would have ended anyway", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(everyPrefix({
        ...scenarioOf((mailbox) =>
          Effect.gen(function*() {
            yield* step(`at-${yield* Clock.currentTimeMillis}`, mailbox.send("letter", "letter"))
            return `${yield* Signal.receive("never")}`
          })
        ),
        effects: () => [],
        outside: ({ runId }) => Effect.flatMap(Runs, (runs) => runs.cancel(runId, { actor: "olga" }))
      }))
      assert.isTrue(error instanceof PrefixViolation && error.difference === undefined)
      assert.include(error.message, "The run was stuck: the log holds `at-0`, and the program does not ask for it.")
    }))

  it.effect("compares what it is told to", () => {
    const timed = scenarioOf(() => step("now", Effect.map(Clock.currentTimeMillis, String)))
    return Effect.gen(function*() {
      const error = yield* Effect.flip(everyPrefix(timed))
      assert.isTrue(error instanceof PrefixViolation && error.difference?.path === "end.output")
      yield* everyPrefix({ ...timed, compare: ({ status }) => status })
    })
  })

  it.effect("refuses a run that nothing moves, before it disturbs it", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(everyPrefix({ ...faultless, outside: [] }))
      assert.strictEqual(error._tag, "NotMoving")
      assert.include(error.message, "`second-too` asks for a decision")
    }))

  it.effect("compares maps and sets by what is in them", () =>
    Effect.gen(function*() {
      const Pay = Program.make("pay", { input: Schema.String, output: Schema.String })
      let count = 0
      const error = yield* Effect.flip(everyPrefix({
        program: Pay,
        input: "",
        world: () => new Map<string, number>(),
        layer: (paid: Map<string, number>) =>
          Pay.toLayer(() =>
            Effect.andThen(
              Effect.sync(() => `${paid.set("ann", ++count).size}`).pipe(Step.run("pay", { output: Schema.String })),
              Effect.as(Timer.sleep("nap", "1 day"), "paid")
            )
          ),
        effects: (paid) => paid
      }))
      assert.isTrue(error instanceof PrefixViolation && error.difference?.path === "effects.get(\"ann\")")
    }))
})
