import { Agent, ScriptedModel, ToolPolicy } from "@durable-agents/agent"
import { EventStore, MemoryStore, Runtime } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, pipe, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { TestClock } from "effect/testing"
import {
  approve,
  Clerk,
  clerk,
  deny,
  eventsOf,
  execute,
  executeUntil,
  lastPrompt,
  only,
  play,
  processOf,
  quick,
  requests,
  start,
  world
} from "./fixtures.ts"

const read = (page: string) => ({ name: "read", params: { page } })
const send = (to: string) => ({ name: "send", params: { to } })
const pay = (order: string, cents: number) => ({ name: "pay", params: { order, cents } })

/** What each append to the store held. */
const appendsOf = (script: Parameters<typeof ScriptedModel.layer>[0]) => {
  const appends: Array<ReadonlyArray<string>> = []
  const spying = Layer.effect(
    EventStore,
    Effect.map(EventStore, (store) => ({
      ...store,
      append: (runId, append) => {
        appends.push(append.events.map(({ _tag }) => _tag))
        return store.append(runId, append)
      }
    } satisfies EventStore["Service"]))
  )
  const process = Clerk.layer.pipe(
    Layer.provideMerge(Runtime.layer),
    Layer.provideMerge(spying),
    Layer.provideMerge(MemoryStore.layer),
    Layer.provideMerge(Layer.merge(ScriptedModel.layer(script), world().layer)),
    Layer.provide(quick)
  )
  return { appends, process }
}

describe("a turn with several calls", () => {
  it.effect("answers every call, once, in order, before the model is asked again (H25, check 92)", () => {
    const tools = world()
    return Effect.gen(function*() {
      const { view } = yield* play()
      assert.strictEqual(view.output, "Done.")
      assert.strictEqual((yield* requests).length, 2)
      assert.deepStrictEqual((yield* lastPrompt).slice(2), [
        "call call_1_1 read {\"page\":\"1\"}",
        "call call_1_2 send {\"to\":\"Ada\"}",
        "call call_1_3 pay {\"cents\":1,\"order\":\"7\"}",
        "result call_1_1 success {\"text\":\"Page 1\"}",
        "result call_1_2 success {\"sent\":true}",
        "result call_1_3 success {\"receipt\":\"R-7\"}"
      ])
      assert.strictEqual(tools.attempts.length, 3)
    }).pipe(Effect.provide(clerk([ScriptedModel.toolCalls([read("1"), send("Ada"), pay("7", 1)]), "Done."], tools)))
  })

  it.effect("carries out those that only read together", () => {
    let reading = 0
    const all = Deferred.makeUnsafe<void>()
    const tools = world({
      read: (page) =>
        Effect.suspend(() => {
          reading += 1
          return Effect.as(reading === 3 ? Deferred.succeed(all, undefined) : Deferred.await(all), { text: page })
        })
    })
    return Effect.gen(function*() {
      assert.strictEqual((yield* play()).view.output, "Done.")
    }).pipe(Effect.provide(clerk([ScriptedModel.toolCalls([read("1"), read("2"), read("3")]), "Done."], tools)))
  })

  it.effect("carries out those with an effect one after the other, in the order of the calls", () => {
    let sending = 0
    const tools = world({
      send: () =>
        Effect.gen(function*() {
          sending += 1
          assert.strictEqual(sending, 1)
          yield* Effect.yieldNow
          sending -= 1
          return { sent: true }
        })
    })
    return Effect.gen(function*() {
      const { events } = yield* play()
      assert.deepStrictEqual(tools.of("send").map(({ args }) => args), [{ to: "A" }, { to: "B" }, { to: "C" }])
      assert.deepStrictEqual(
        events.flatMap((event) => event._tag.startsWith("ToolCall") ? [event._tag] : []),
        Array.from({ length: 3 }, () => ["ToolCallRequested", "ToolCallCompleted"]).flat()
      )
    }).pipe(Effect.provide(clerk([ScriptedModel.toolCalls([send("A"), send("B"), send("C")]), "Done."], tools)))
  })

  it.effect("keeps the results of the others when one fails or is invalid (CH-2)", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* play()).view.output, "Done.")
      assert.deepStrictEqual((yield* lastPrompt).slice(-4).map((line) => line.slice(0, 48)), [
        "result call_1_1 failure {\"missing\":\"404\"}",
        "result call_1_2 failure This call was not execut",
        "result call_1_3 failure This call was not execut",
        "result call_1_4 success {\"sent\":true}"
      ])
    }).pipe(Effect.provide(clerk(
      [
        ScriptedModel.toolCalls([read("x"), { name: "send", params: {} }, { name: "fly", params: {} }, send("Ada")]),
        "Done."
      ],
      world({ read: () => Effect.fail({ missing: "404" }) })
    ))))

  it.effect("asks for all its approvals, and begins what is free, in one append (D65)", () => {
    const { appends, process } = appendsOf([
      ScriptedModel.toolCalls([pay("7", 9000), read("1"), pay("8", 9000), { name: "fly", params: {} }, send("Ada")])
    ])
    return Effect.gen(function*() {
      yield* play()
      assert.deepStrictEqual(appends.find((tags) => tags.includes("ApprovalRequested")), [
        "LLMCallCompleted",
        "ApprovalRequested",
        "ToolCallRequested",
        "ApprovalRequested",
        "GuardrailTriggered",
        "ToolCallFailed",
        "ToolCallRequested"
      ])
    }).pipe(Effect.provide(process))
  })

  it.effect("costs one append an operation and its successor", () => {
    const { appends, process } = appendsOf([ScriptedModel.toolCalls([read("1")]), "Done."])
    return Effect.gen(function*() {
      yield* play()
      assert.deepStrictEqual(appends, [
        ["RunStarted"],
        ["LLMCallRequested"],
        ["LLMCallCompleted", "ToolCallRequested"],
        ["ToolCallCompleted", "LLMCallRequested"],
        ["LLMCallCompleted", "RunCompleted"]
      ])
    }).pipe(Effect.provide(process))
  })
})

describe("a turn with everything in it (CH-1, WR-9)", () => {
  const Slow = pipe(
    Tool.make("slow", { parameters: Schema.Struct({ n: Schema.Number }) }),
    ToolPolicy.timeout("3 seconds")
  )
  const Crash = Tool.make("crash", { parameters: Schema.Struct({ n: Schema.Number }), success: Schema.Number })
    .annotate(Tool.Idempotent, true)
  const Gate = Tool.make("gate", {
    parameters: Schema.Struct({ n: Schema.Number }),
    success: Schema.Number,
    needsApproval: true
  })
  const Look = Tool.make("look", { parameters: Schema.Struct({ n: Schema.Number }), success: Schema.Number })
    .annotate(Tool.Readonly, true)
  const All = Agent.make("all", { instructions: "", toolkit: [Slow, Crash, Gate, Look] })

  it.effect("gives exactly one result to each call, in order, directly after the turn", () => {
    const memory = MemoryStore.memory()
    const slowBegan = Deferred.makeUnsafe<void>()
    const crashed = Deferred.makeUnsafe<void>()
    let crashes = 0
    const counts = { slow: 0, gate: 0, look: 0 }
    const handlers = Toolkit.make(Slow, Crash, Gate, Look).toLayer({
      slow: () => {
        counts.slow += 1
        return Effect.andThen(Deferred.succeed(slowBegan, undefined), Effect.never)
      },
      crash: ({ n }) =>
        Effect.suspend(() => {
          crashes += 1
          return crashes === 1 ? Effect.andThen(Deferred.succeed(crashed, undefined), Effect.never) : Effect.succeed(n)
        }),
      gate: ({ n }) =>
        Effect.sync(() => {
          counts.gate += 1
          return n
        }),
      look: ({ n }) =>
        Effect.sync(() => {
          counts.look += 1
          return n
        })
    })
    const calls = [
      ["gate", { n: 1 }],
      ["look", { n: 2 }],
      ["look", { n: "two" }],
      ["nothing", {}],
      ["crash", { n: 5 }],
      ["gate", { n: 6 }],
      ["slow", { n: 7 }]
    ] as const
    const script = [
      ScriptedModel.toolCalls(calls.map(([name, params]) => ({ name, params }))),
      ScriptedModel.toolCall("look", { n: 8 }),
      "Done."
    ]
    const process = () => processOf(All.layer, Layer.merge(ScriptedModel.layer(script), handlers), memory)
    return Effect.gen(function*() {
      const runId = yield* Effect.provide(start(All, "Go."), process())
      yield* Effect.provide(executeUntil(runId, crashed), process())
      yield* Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(execute(runId))
        yield* Deferred.await(slowBegan)
        yield* TestClock.adjust("3 seconds")
        yield* Fiber.join(fiber)
      }).pipe(Effect.provide(process()))
      yield* Effect.provide(approve(runId, "turn-1/call-6/approval"), process())
      yield* Effect.provide(execute(runId), process())
      yield* Effect.provide(deny(runId, "turn-1/call-1/approval", "no"), process())
      yield* Effect.gen(function*() {
        assert.strictEqual((yield* execute(runId)).output, "Done.")
        assert.deepStrictEqual((yield* lastPrompt).slice(1).map((line) => line.split(" ").slice(0, 4).join(" ")), [
          ...calls.map(([name, params], at) => `call call_1_${at + 1} ${name} ${JSON.stringify(params)}`),
          "result call_1_1 failure This",
          "result call_1_2 success 2",
          "result call_1_3 failure This",
          "result call_1_4 failure This",
          "result call_1_5 success 5",
          "result call_1_6 success 6",
          "result call_1_7 failure It",
          "call call_2_1 look {\"n\":8}",
          "result call_2_1 success 8"
        ])
      }).pipe(Effect.provide(process()))
      // The first look may have been in flight when the process died, and reading again does no harm.
      assert.isTrue(counts.look === 2 || counts.look === 3)
      assert.deepStrictEqual({ ...counts, look: 0 }, { slow: 1, gate: 1, look: 0 })
      assert.strictEqual(crashes, 2)
      const events = yield* Effect.provide(eventsOf(runId), process())
      assert.strictEqual(only(events, "ApprovalRequested").length, 2)
    })
  })
})
