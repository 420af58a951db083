import { Agent, ScriptedModel, ToolCall } from "@durable-agents/agent"
import {
  Approval,
  EventStore,
  MemoryStore,
  Program,
  type Recorded,
  type RunEvent,
  Runs,
  Runtime,
  RuntimeSettings,
  Step,
  Timer
} from "@durable-agents/core"
import { everyPrefix, People } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schedule, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"
import * as Verification from "../src/Verification.ts"
import { everyEvent } from "./logs.ts"

const Pay = Tool.make("pay", {
  parameters: Schema.Struct({ cents: Schema.Natural }),
  success: Schema.String,
  dependencies: [ToolCall],
  needsApproval: true
}).annotate(Tool.Idempotent, true)

const Kit = Toolkit.make(Pay)
const Clerk = Agent.make("clerk", { instructions: "You pay.", toolkit: Kit })

const Desk = Program.make("desk", {
  input: Schema.Struct({ order: Schema.String }),
  output: Schema.String,
  error: Schema.Unknown
})

/** Steps that are tried again, a timer, an approval of its own, and an agent. */
const DeskLayer = Desk.toLayer(({ order }) =>
  Effect.gen(function*() {
    const look = Effect.fail("not yet")
      .pipe(Step.run("look", { output: Schema.Void, error: Schema.String, retry: Schedule.recurs(1) }))
    yield* Effect.ignore(look)
    yield* Timer.sleep("nap", "1 millis")
    yield* Approval.request("begin", { subject: order })
    return yield* Clerk.run("clerk", `Pay for ${order}.`)
  })
)

const Handled = Layer.merge(DeskLayer, Clerk.layer).pipe(Layer.provide([
  ScriptedModel.layer([ScriptedModel.toolCall("pay", { cents: 5 }), "Paid."]),
  Kit.toLayer({ pay: ({ cents }) => Effect.succeed(`paid ${cents}`) })
]))

const App = Handled.pipe(
  Layer.provideMerge(Runtime.layerMemory),
  Layer.provide(Layer.succeed(RuntimeSettings, { ...RuntimeSettings.defaultValue(), suspendAfter: "5 millis" }))
)

/** Plays a run to its end, allowing whatever it asks. */
const logOf = <Input, Output, Error>(program: Program.Program<Input, Output, Error>, input: Input) =>
  Effect.gen(function*() {
    const runs = yield* Runs
    const runtime = yield* Runtime
    const runId = yield* runs.start(program, input)
    let view = yield* runtime.execute(runId)
    for (let approval = view.pendingApprovals[0]; approval !== undefined; approval = view.pendingApprovals[0]) {
      yield* runs.approve(runId, { approval: approval.key, actor: "dana" })
      view = yield* runtime.execute(runId)
    }
    assert.strictEqual(view.output, "Paid.")
    return yield* Stream.runCollect(runs.events(runId))
  }).pipe(Effect.provide(App))

const logs = Effect.all([logOf(Desk, { order: "A-1" }), logOf(Clerk, "Pay.")])

const differences = (log: ReadonlyArray<Recorded>) => Verification.verify(log).differences

const at = (log: ReadonlyArray<Recorded>, tag: RunEvent.RunEvent["_tag"]): number =>
  log.findIndex(({ event }) => event._tag === tag)

/** The log with another event at a position. */
const changed = (log: ReadonlyArray<Recorded>, position: number, fields: object): ReadonlyArray<Recorded> =>
  log.map((recorded, index) =>
    index === position ? { ...recorded, event: { ...recorded.event, ...fields } as RunEvent.RunEvent } : recorded
  )

describe("Verification.verify", () => {
  it.live("finds nothing wrong with a log at any time of a run", () =>
    Effect.gen(function*() {
      for (const log of yield* logs) {
        for (let length = 0; length <= log.length; length++) {
          assert.deepStrictEqual(differences(log.slice(0, length)), [])
        }
      }
    }))

  it.effect("finds nothing wrong with a log whose workers died at any instant", () =>
    Effect.gen(function*() {
      const memories: Array<MemoryStore.Memory> = []
      const stores = Effect.sync(() => {
        const memory = MemoryStore.memory()
        memories.push(memory)
        return MemoryStore.layerOf(memory)
      })
      yield* everyPrefix({
        program: Desk,
        input: { order: "A-1" },
        layer: Handled,
        outside: People.approve,
        deaths: 2,
        stores
      })
      for (const memory of memories) {
        const read = Effect.flatMap(EventStore, (store) =>
          Effect.forEach(memory.runs.keys(), (runId) => Stream.runCollect(store.read(runId))))
        for (const log of yield* Effect.provide(read, MemoryStore.layerOf(memory))) {
          assert.deepStrictEqual(differences(log), [])
        }
      }
      assert.isAbove(memories.length, 20)
    }))

  it.live("says what it looked at", () =>
    Effect.gen(function*() {
      const [desk, clerk] = yield* logs
      assert.deepStrictEqual(Verification.verify(clerk), {
        checked: [
          `${clerk.length} events: positions, leases, and that every answer has its question`,
          "the digests of the input and of the system prompt",
          "the idempotency keys of 3 requests",
          "2 prompts of 2 model calls, built anew"
        ],
        differences: [],
        notChecked: []
      })
      assert.include(Verification.verify(desk).checked, "the digest of the input")
      const foreign = changed(desk, at(desk, "LLMCallRequested"), { key: "my-own-call" })
      assert.deepStrictEqual(Verification.verify(foreign).notChecked, [
        "1 request to a model that no bundled agent made: their prompts are not known here"
      ])
      const screened = changed(desk, at(desk, "LLMCallRequested"), { key: "clerk/turn-1/call-1/screening/judge" })
      assert.deepStrictEqual(Verification.verify(screened).notChecked, [
        "1 prompt that a guardrail asked a model: its code makes it, and the log does not hold that"
      ])
    }))

  it.live("misses every event that is taken out, but the last one", () =>
    Effect.gen(function*() {
      for (const log of yield* logs) {
        for (let position = 0; position < log.length - 1; position++) {
          const without = log.filter((_, index) => index !== position)
          assert.isAbove(differences(without).length, 0, `${position}`)
          // Also where the rest has closed up.
          const closed = without.map((recorded, seq) => ({ ...recorded, seq }))
          if (log[position]?.event._tag !== "RunCompleted") assert.isAbove(differences(closed).length, 0, `${position}`)
        }
      }
    }))

  it.live("finds events of an agent that have changed their places", () =>
    Effect.gen(function*() {
      const [, log] = yield* logs
      for (let position = 0; position < log.length - 1; position++) {
        const [one, other] = [log[position], log[position + 1]]
        if (one === undefined || other === undefined) continue
        const swapped = log.toSpliced(position, 2, { ...other, seq: position }, { ...one, seq: position + 1 })
        assert.isAbove(differences(swapped).length, 0, `${position} ${one.event._tag} ${other.event._tag}`)
      }
    }))

  it.live("finds what was changed in an event", () =>
    Effect.gen(function*() {
      const [desk, clerk] = yield* logs
      const found = (log: ReadonlyArray<Recorded>, tag: RunEvent.RunEvent["_tag"], fields: object) =>
        differences(changed(log, at(log, tag), fields)).map(({ detail }) => detail).join("; ")
      assert.match(found(desk, "RunStarted", { input: { order: "A-2" } }), /^the digest of the input is sha256:/)
      assert.match(
        found(clerk, "RunStarted", { systemPrompt: "You do not." }),
        /^the digest of the system prompt is sha256:/
      )
      assert.match(
        found(clerk, "RunStarted", { systemPrompt: "You do not." }),
        /the prompt of `turn-1\/model` is sha256:/
      )
      assert.match(
        found(clerk, "ToolCallRequested", { arguments: { cents: 6 } }),
        /the idempotency key of `turn-1\/call-1`/
      )
      assert.match(found(clerk, "ToolCallCompleted", { result: "paid 6" }), /the prompt of `turn-2\/model` is sha256:/)
      assert.match(
        found(desk, "ToolCallCompleted", { attempt: 2 }),
        /attempt 2 of `clerk\/turn-1\/call-1` has an outcome, and the last request is of attempt 1/
      )
      assert.match(found(desk, "StepRequested", { attempt: 2 }), /attempt 2 of `look` follows attempt 0/)
      assert.match(found(desk, "TimerFired", { key: "other" }), /`other` is answered and does not wait/)
      assert.match(found(desk, "ApprovalGranted", { key: "other" }), /`other` is answered and does not wait/)
      assert.match(found(desk, "RunCompleted", { _tag: "RunCancelled", reason: "", actor: {} }), /^$/)
      const last = desk.findLastIndex(({ epoch }) => epoch !== undefined)
      const older = desk.map((recorded, index) => index === last ? { ...recorded, epoch: 0 } : recorded)
      assert.match(differences(older)[0]?.detail ?? "", /it was written under lease 0, after lease [1-9]/)
    }))

  it("never fails, whatever the log is", () => {
    assert.deepStrictEqual(differences([]), [])
    assert.isAbove(differences(everyEvent).length, 0)
    for (let from = 0; from < everyEvent.length; from++) assert.isArray(differences(everyEvent.slice(from)))
  })
})
