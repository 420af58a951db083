import type { Journal, Programs } from "@durable-agents/core"
import { Approval, Program, RunEvent, Signal, Step, Timer } from "@durable-agents/core"
import { LogsDiverge, People, replayLogs, replayReport, runProgram, Signals } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import type { Layer } from "effect"
import { Effect, Schema } from "effect"

const Order = Program.make("order", { input: Schema.String, output: Schema.String, error: Schema.String })

type Body = Effect.Effect<string, string, Journal>

let acted = 0
const step = (key: string) =>
  Effect.sync(() => `${key} ${++acted}`).pipe(Step.run(key, { output: Schema.String }), Effect.orDie)

const ship: Body = Effect.gen(function*() {
  yield* step("reserve")
  const decision = yield* Approval.request("ok", { subject: "Ship?" })
  if (decision._tag === "Denied") return yield* Effect.fail(decision.reason)
  yield* Timer.sleep("a-day", "1 day")
  const address = yield* Signal.receive("address")
  yield* step("ship")
  return `to ${address}`
})

const layerOf = (body: Body): Layer.Layer<never, never, Programs> => Order.toLayer(() => body)

/** The log of a run of today, as it is stored. */
const logOf = (body: Body, outside: Parameters<typeof runProgram>[0]["outside"], until = "Completed") =>
  Effect.map(
    runProgram({
      program: Order,
      input: "A-8891",
      layer: layerOf(body),
      until: ({ status }) => status === until,
      ...(outside === undefined ? {} : { outside })
    }),
    ({ log }) => log.map(RunEvent.toLine).join("\n")
  )

const outside = [People.approve, Signals.send("address", "Main Street")]

const replay = (text: string, layer: Layer.Layer<never, never, Programs> = layerOf(ship)) =>
  replayLogs({ logs: [{ name: "log", text }], layer, patience: "2 seconds" }).pipe(
    Effect.map((logs) => logs[0]),
    Effect.catch((error) => Effect.succeed(error.logs[0]))
  )

describe("replayLogs", () => {
  it.effect("finds that an ended run ends as it did, and carries nothing out", () =>
    Effect.gen(function*() {
      const text = yield* logOf(ship, outside)
      const before = acted
      assert.deepStrictEqual(yield* replay(`${text}\n`), {
        name: "log",
        events: 12,
        verdict: "ends",
        detail: "ends as it did (RunCompleted)"
      })
      assert.strictEqual(acted, before)
    }))

  it.effect("finds that a run which failed fails as it did", () =>
    Effect.gen(function*() {
      const text = yield* logOf(ship, People.deny("sold out"))
      assert.strictEqual((yield* replay(text))?.detail, "ends as it did (RunFailed)")
    }))

  it.effect("replays every prefix of a log: it rests, or would go on", () =>
    Effect.gen(function*() {
      const lines = (yield* logOf(ship, outside)).split("\n")
      const before = acted
      for (let length = 1; length < lines.length; length++) {
        const found = yield* replay(lines.slice(0, length).join("\n"))
        assert.include(["rests", "goesOn"], found?.verdict, `${length}: ${found?.detail}`)
      }
      assert.strictEqual(acted, before)
    }))

  it.effect("lets no time pass: a run that sleeps rests where its log ends", () =>
    Effect.gen(function*() {
      const text = yield* logOf(ship, People.approve, "Sleeping")
      assert.deepInclude(yield* replay(text), { verdict: "rests", detail: "rests where its log ends (Sleeping)" })
    }))

  const changed: ReadonlyArray<readonly [string, Body, string]> = [
    [
      "a step with another key",
      Effect.andThen(step("book"), ship),
      "the log holds `reserve`, and the program does not ask for it"
    ],
    [
      "a step less",
      Effect.as(Approval.request("ok", { subject: "?" }), ""),
      "the log holds `reserve`, and the program does not ask for it"
    ],
    [
      "a step more, before the end",
      Effect.tap(ship, () => step("thank")),
      "wants StepRequested `thank` before its end, and its log has nothing there"
    ],
    [
      "a wait more, before the end",
      Effect.tap(ship, () => Signal.receive("thanks")),
      "wants SignalAwaited `thanks` before its end, and its log has nothing there"
    ],
    [
      "a key that means something else",
      Effect.as(Timer.sleep("reserve", "1 day"), ""),
      "`reserve`"
    ],
    [
      "another result",
      Effect.map(ship, (text) => text.toUpperCase()),
      "ends otherwise: output was \"to Main Street\" and is \"TO MAIN STREET\""
    ],
    [
      "a failure in place of a result",
      Effect.flatMap(ship, Effect.fail),
      "ends otherwise: event was \"RunCompleted\" and is \"RunFailed\""
    ]
  ]
  for (const [name, body, detail] of changed) {
    it.effect(`finds ${name}`, () =>
      Effect.gen(function*() {
        const found = yield* replay(yield* logOf(ship, outside), layerOf(body))
        assert.strictEqual(found?.verdict, "diverges")
        assert.include(found?.detail, detail)
      }))
  }

  it.effect("finds logs that nobody here can execute", () =>
    Effect.gen(function*() {
      const text = yield* logOf(ship, outside)
      const lines = text.split("\n")
      const Other = Program.make("other", { input: Schema.String, output: Schema.String })
      const cases: ReadonlyArray<readonly [string, string]> = [
        ["", "the log is empty"],
        ["{}", "line 1 is no event"],
        [`${text}\nwhat`, "line 13 is no event"],
        [lines.slice(1).join("\n"), "event 1: expected event 0 here"],
        [[lines[0], ...lines.slice(2)].join("\n"), "event 2: expected event 1 here"],
        [lines.map((line) => line.replace("StepRequested", "StepWished")).join("\n"), "does not know events of type"],
        [
          lines.map((line, index) => index === 3 ? line.replace(/"runId":"./, "\"runId\":\"f") : line).join("\n"),
          "line 4 is of another run than the first"
        ]
      ]
      for (const [damaged, detail] of cases) assert.include((yield* replay(damaged))?.detail, detail)
      const foreign = yield* replay(text, Other.toLayer(Effect.succeed))
      assert.include(foreign?.detail, "the program `order` is not registered")
    }))

  it.effect("says of a run that nothing executes that it is parked", () =>
    Effect.gen(function*() {
      const lines = (yield* logOf(ship, outside)).split("\n")
      const event = (fields: object) =>
        JSON.stringify({ ...JSON.parse(lines[1] ?? ""), epoch: undefined, seq: 1, ...fields })
      const paused = [lines[0], event({ type: "RunPaused", actor: { kind: "person", id: "olga" } })].join("\n")
      assert.deepInclude(yield* replay(paused), { verdict: "parked", detail: "is paused" })
      const stuck = [lines[0], event({ type: "RunStuck", reason: "poison", detail: "too often" })].join("\n")
      assert.deepInclude(yield* replay(stuck), { verdict: "parked", detail: "is stuck: too often" })
    }))

  it.effect("gives up on a replay that comes to no end", () =>
    Effect.gen(function*() {
      const text = yield* logOf(ship, outside)
      const [found] = yield* replayLogs({
        logs: [{ name: "log", text }],
        layer: layerOf(Effect.andThen(Effect.yieldNow, ship).pipe(Effect.tap(() => Effect.forever(Effect.yieldNow)))),
        patience: "100 millis"
      }).pipe(Effect.catch(({ logs }) => Effect.succeed(logs)))
      assert.deepInclude(found, { verdict: "diverges", detail: "the replay comes to no end" })
    }))

  it.effect("fails with a line for every log, and says which do not fit", () =>
    Effect.gen(function*() {
      const good = yield* logOf(ship, outside)
      const parked = yield* logOf(ship, [], "AwaitingApproval")
      const logs = [{ name: "good", text: good }, { name: "parked", text: parked }]
      assert.strictEqual(
        replayReport(yield* replayLogs({ logs, layer: layerOf(ship) })),
        "  good      12 events  ends as it did (RunCompleted)\n" +
          "  parked     4 events  rests where its log ends (AwaitingApproval)"
      )
      const error = yield* Effect.flip(replayLogs({
        logs: [...logs, { name: "bad", text: "?" }],
        layer: layerOf(ship)
      }))
      assert.instanceOf(error, LogsDiverge)
      assert.match(
        error.message,
        /^Of 3 logs, 1 do not fit the code:\n {2}good .*\n {2}parked .*\n {2}bad +0 events {2}DIVERGES: line 1/
      )
    }))
})
