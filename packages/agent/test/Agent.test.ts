import { Agent, DuplicateTool, ScriptedModel, UnusableTool } from "@durable-agents/agent"
import type { Programs } from "@durable-agents/core"
import { Digest, Limits, MemoryStore, Program, Runs, RunState } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Schema, Stream } from "effect"
import { LanguageModel, Tool, Toolkit } from "effect/ai"
import {
  approve,
  Clerk,
  clerk,
  eventsOf,
  execute,
  executeUntil,
  Kit,
  lastPrompt,
  only,
  Pay,
  play,
  processOf,
  Read,
  requests,
  Send,
  start,
  world
} from "./fixtures.ts"

describe("Agent.make", () => {
  it("refuses tools of equal names and names them (check 24)", () => {
    const twice = () => Agent.make("twice", { instructions: "", toolkit: [Kit, Read, Toolkit.make(Pay)] })
    assert.throws(twice, /more than one tool named `read`, `pay`/)
    assert.throws(twice, DuplicateTool)
  })

  it("takes a toolkit, a list of tools, or a list of both", () => {
    const names = (agent: Agent.Agent<never> | Agent.Agent<unknown>) => agent.description.tools?.map(({ name }) => name)
    assert.deepStrictEqual(names(Agent.make("a", { instructions: "", toolkit: Kit })), ["read", "send", "pay"])
    assert.deepStrictEqual(names(Agent.make("a", { instructions: "", toolkit: [Read, Pay] })), ["read", "pay"])
    assert.deepStrictEqual(names(Agent.make("a", { instructions: "", toolkit: [Read, Toolkit.make(Pay)] })), [
      "read",
      "pay"
    ])
    assert.deepStrictEqual(names(Agent.make("a", { instructions: "" })), [])
  })

  it("asks for the model, the handlers and what they need, but never for `ToolCall`", () => {
    const layer: Layer.Layer<
      never,
      never,
      LanguageModel.LanguageModel | Tool.Handler<"read"> | Tool.Handler<"send"> | Tool.Handler<"pay"> | Programs
    > = Clerk.layer
    assert.isTrue(Layer.isLayer(layer))
    type Open = Layer.Layer<never, never, LanguageModel.LanguageModel | Programs>
    const needsHandlers: typeof Clerk.layer extends Open ? false : true = true
    assert.isTrue(needsHandlers)
  })

  it("keeps the idempotency key out of what the model is told (check 29)", () => {
    assert.notInclude(JSON.stringify(Clerk.description.tools), "dempotency")
  })

  it("refuses a tool whose name no provider takes, and names it", () => {
    const odd = () => Agent.make("odd", { instructions: "", toolkit: [Tool.make("look up")] })
    assert.throws(odd, /The tool `look up` cannot be used: a name is 1 to 64 letters/)
    assert.throws(odd, UnusableTool)
  })
})

describe("an agent", () => {
  it.effect("records its goal, prompt, prompt hash and tools when it starts (H8, D20)", () =>
    Effect.gen(function*() {
      const { events } = yield* play("Pay order 7.")
      const [started] = only(events, "RunStarted")
      assert.strictEqual(started?.goal, "Pay order 7.")
      assert.strictEqual(started?.systemPrompt, "You are a clerk.")
      assert.strictEqual(started?.systemPromptHash, Digest.digest("You are a clerk."))
      assert.deepStrictEqual(started?.tools.map(({ approval, effect, name }) => [name, effect, approval]), [
        ["read", "readonly", false],
        ["send", "once", false],
        ["pay", "idempotent", true]
      ])
      assert.deepStrictEqual(started?.tools[1], {
        name: "send",
        description: "Sends a letter.",
        parameters: { ...Tool.getJsonSchema(Send), additionalProperties: false } as Schema.Json,
        effect: "once",
        approval: false
      })
    }).pipe(Effect.provide(clerk(["Done."]))))

  it.effect("completes with the model's last text as its output (checks 16, 17)", () =>
    Effect.gen(function*() {
      const { events, view } = yield* play()
      assert.strictEqual(view.status, "Completed")
      assert.strictEqual(view.output, "All done.")
      assert.deepStrictEqual(events.map(({ _tag }) => _tag), [
        "RunStarted",
        "LLMCallRequested",
        "LLMCallCompleted",
        "ToolCallRequested",
        "ToolCallCompleted",
        "LLMCallRequested",
        "LLMCallCompleted",
        "RunCompleted"
      ])
      assert.deepStrictEqual(yield* lastPrompt, [
        "system: You are a clerk.",
        "user: Do it.",
        `call call_1_1 read {"page":"7"}`,
        `result call_1_1 success {"text":"Page 7"}`
      ])
    }).pipe(Effect.provide(clerk([ScriptedModel.toolCall("read", { page: "7" }), "All done."]))))

  it.effect("asks the model with the recorded goal and prompt, whatever the code says now (H32)", () => {
    const memory = MemoryStore.memory()
    const before = clerk([ScriptedModel.toolCall("pay", { order: "7", cents: 9000 })], world(), memory)
    const Edited = Agent.make("clerk", { instructions: "You are a poet.", toolkit: Kit })
    const tools = world()
    const after = processOf(
      Edited.layer,
      Layer.merge(ScriptedModel.layer(["-", "A poem."]), tools.layer),
      memory
    )
    return Effect.gen(function*() {
      const runId = yield* Effect.provide(start(Clerk, "Pay order 7."), before)
      yield* Effect.provide(execute(runId), before)
      yield* Effect.gen(function*() {
        yield* approve(runId, "turn-1/call-1/approval")
        assert.strictEqual((yield* execute(runId)).output, "A poem.")
        assert.deepStrictEqual((yield* lastPrompt).slice(0, 2), ["system: You are a clerk.", "user: Pay order 7."])
      }).pipe(Effect.provide(after))
    })
  })

  it.effect("uses the prompt that a run was started with", () =>
    Effect.gen(function*() {
      yield* play("Do it.", { systemPrompt: "Be brief." })
      assert.deepStrictEqual(yield* lastPrompt, ["system: Be brief.", "user: Do it."])
    }).pipe(Effect.provide(clerk(["Done."]))))

  it.effect("refuses a blank goal and one that is too long when it is started", () =>
    Effect.gen(function*() {
      const blank = yield* Effect.flip(start(Clerk, " \n "))
      assert.strictEqual(blank._tag, "InvalidRequest")
      assert.include(blank.message, "a goal must not be blank")
      const long = yield* Effect.flip(start(Clerk, "x".repeat(100_001)))
      assert.strictEqual(long._tag, "InvalidRequest")
    }).pipe(Effect.provide(clerk([]))))

  it.effect("goes on at the right item of the script in another process (H10, check 90)", () => {
    const memory = MemoryStore.memory()
    const reached = Deferred.makeUnsafe<void>()
    const script = [
      ScriptedModel.toolCall("read", { page: "1" }),
      ScriptedModel.toolCall("send", { to: "Ada" }),
      ScriptedModel.toolCall("read", { page: "2" }),
      "Done."
    ]
    const slow = world({
      send: () => Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
    })
    const tools = world()
    return Effect.gen(function*() {
      const runId = yield* Effect.provide(start(Clerk, "Go."), clerk(script, slow, memory))
      yield* Effect.provide(executeUntil(runId, reached), clerk(script, slow, memory))
      yield* Effect.gen(function*() {
        const view = yield* execute(runId)
        assert.strictEqual(view.output, "Done.")
        assert.deepStrictEqual((yield* requests).map(({ turn }) => turn), [3, 4])
        assert.deepStrictEqual(tools.attempts.map(({ tool }) => tool), ["read"])
      }).pipe(Effect.provide(clerk(script, tools, memory)))
    })
  })

  it.effect("gives the same state to two workers that execute it at once (H3, check 12)", () => {
    const memory = MemoryStore.memory()
    const tools = world()
    const script = [ScriptedModel.toolCall("pay", { order: "7", cents: 1 }), "Done."]
    return Effect.gen(function*() {
      const runId = yield* Effect.provide(start(Clerk, "Go."), clerk(script, tools, memory))
      const one = Effect.provide(execute(runId), clerk(script, tools, memory))
      const [left, right] = yield* Effect.all([one, one], { concurrency: 2 })
      assert.deepStrictEqual(left?.state, right?.state)
      assert.strictEqual(tools.attempts.length, 1)
    })
  })

  it.effect("folds its log to the state that was returned (check 2)", () =>
    Effect.gen(function*() {
      const { runId, view } = yield* play()
      const recorded = yield* Stream.runCollect((yield* Runs).events(runId))
      assert.deepStrictEqual(RunState.fold(RunState.initial(runId), recorded), view.state)
    }).pipe(Effect.provide(clerk([ScriptedModel.toolCall("read", { page: "7" }), "Done."]))))

  it.effect("appends nothing when it is executed again (check 11)", () =>
    Effect.gen(function*() {
      const { events, runId, view } = yield* play()
      const again = yield* execute(runId)
      assert.deepStrictEqual(again.state, view.state)
      assert.deepStrictEqual(yield* eventsOf(runId), events)
    }).pipe(Effect.provide(clerk(["Done."]))))

  it.effect("passes on what a provider did by itself, and carries out nothing of it", () => {
    const Search = Tool.providerDefined({
      id: "some.search",
      customName: "search",
      providerName: "web_search",
      success: Schema.String
    })(undefined)
    const Finder = Agent.make("finder", { instructions: "", toolkit: [Search, Read] })
    const tools = world()
    return Effect.gen(function*() {
      const runId = yield* start(Finder, "Find it.")
      assert.strictEqual((yield* execute(runId)).output, "Found.")
      assert.strictEqual(only(yield* eventsOf(runId), "ToolCallRequested").length, 1)
      assert.deepStrictEqual((yield* lastPrompt).slice(1), [
        "call s1 search {}",
        "result s1 success there",
        "call c1 read {\"page\":\"1\"}",
        "result c1 success {\"text\":\"Page 1\"}"
      ])
    }).pipe(Effect.provide(processOf(
      Finder.layer,
      Layer.merge(
        ScriptedModel.layer([
          ScriptedModel.parts([
            { type: "tool-call", id: "s1", name: "search", params: {}, providerExecuted: true },
            {
              type: "tool-result",
              id: "s1",
              name: "search",
              result: "there",
              isFailure: false,
              providerExecuted: true
            },
            { type: "tool-call", id: "c1", name: "read", params: { page: "1" } }
          ]),
          "Found."
        ]),
        tools.layer
      )
    )))
  })

  it.effect("tells the model that a tool of its provider cannot be called here (MR-13)", () => {
    const Search = Tool.providerDefined({
      id: "some.search",
      customName: "search",
      providerName: "web_search",
      success: Schema.String
    })(undefined)
    const Finder = Agent.make("finder", { instructions: "", toolkit: [Search, Read] })
    return Effect.gen(function*() {
      const runId = yield* start(Finder, "Find it.")
      assert.strictEqual((yield* execute(runId)).output, "Found.")
      assert.include((yield* lastPrompt).at(-1), "This call was not executed: there is no tool named `search`.")
    }).pipe(Effect.provide(processOf(
      Finder.layer,
      Layer.merge(ScriptedModel.layer([ScriptedModel.toolCall("search", {}), "Found."]), world().layer)
    )))
  })

  it.effect("needs a model with one method only (check 89)", () => {
    const model = Layer.effect(
      LanguageModel.LanguageModel,
      LanguageModel.make({
        generateText: () => Effect.succeed([{ type: "text", text: "From one function." }]),
        streamText: () => Stream.empty
      })
    )
    return Effect.gen(function*() {
      const { view } = yield* play()
      assert.strictEqual(view.output, "From one function.")
      assert.strictEqual(view.usage.unreportedCalls, 1)
    }).pipe(Effect.provide(processOf(Clerk.layer, Layer.merge(model, world().layer))))
  })
})

describe("an agent's budget", () => {
  const reading = ScriptedModel.toolCall("read", { page: "7" })

  it.effect("of N turns permits exactly N model calls (D9, check 101)", () =>
    Effect.gen(function*() {
      const { events, view } = yield* play("Go.", { budget: { turns: 2 } })
      assert.strictEqual(view.status, "Failed")
      assert.strictEqual((yield* requests).length, 2)
      assert.strictEqual(only(events, "LLMCallCompleted").length, 2)
      const [end] = only(events, "RunFailed")
      assert.strictEqual(end?.reason, "BudgetExceeded")
      assert.deepStrictEqual(end?.failure, { limit: "turns", allowed: "2", used: "2" })
    }).pipe(Effect.provide(clerk(() => reading))))

  it.effect("of one turn permits one model call (D9)", () =>
    Effect.gen(function*() {
      const { view } = yield* play("Go.", { budget: { turns: 1 } })
      assert.strictEqual(view.output, "Done.")
    }).pipe(Effect.provide(clerk(["Done."]))))

  it.effect("keeps an answer that is already paid for (D11, check 101)", () =>
    Effect.gen(function*() {
      const { view } = yield* play("Go.", { budget: { tokens: 20_000 } })
      assert.strictEqual(view.output, "Dear, but done.")
    }).pipe(Effect.provide(clerk([
      ScriptedModel.text("Dear, but done.", { usage: { input: 9000, output: 90_000 } })
    ]))))

  it.effect("lets the calls under way end before it ends the run", () => {
    const tools = world()
    return Effect.gen(function*() {
      const { events, view } = yield* play("Go.", { budget: { toolCalls: 2 } })
      assert.strictEqual(view.reason, "The run's budget allows 2 tool calls, and 2 are used")
      assert.strictEqual(tools.attempts.length, 2)
      assert.strictEqual(only(events, "ToolCallCompleted").length, 2)
      assert.deepStrictEqual(only(events, "ToolCallFailed").map(({ attempt, reason }) => [attempt, reason]), [
        [0, "BudgetExceeded"]
      ])
    }).pipe(Effect.provide(clerk([
      ScriptedModel.toolCalls([
        { name: "read", params: { page: "1" } },
        { name: "read", params: { page: "2" } },
        { name: "read", params: { page: "3" } }
      ])
    ], tools)))
  })

  it.effect("does not end a run for doing the same again (D10)", () =>
    Effect.gen(function*() {
      const { view } = yield* play()
      assert.strictEqual(view.status, "Completed")
    }).pipe(Effect.provide(clerk([reading, reading, reading, reading, "Done."]))))
})

describe("an agent inside a program", () => {
  const Outer = Program.make("outer", {
    input: Schema.String,
    output: Schema.Array(Schema.String),
    error: Schema.String
  })
  const Writer = Agent.make("writer", { instructions: "You write.", toolkit: [Read] })
  const tools = world()

  it.effect("has its own keys, and its prompt and goal are in the log", () =>
    Effect.gen(function*() {
      const runId = yield* start(Outer, "x")
      const view = yield* execute(runId)
      assert.deepStrictEqual(view.output, ["First.", "Second."])
      const events = yield* eventsOf(runId)
      assert.deepStrictEqual(only(events, "LLMCallRequested").map(({ key }) => key), [
        "one/turn-1/model",
        "one/turn-2/model",
        "two/turn-1/model"
      ])
      assert.deepStrictEqual(only(events, "ToolCallRequested").map(({ key }) => key), ["one/turn-1/call-1"])
      const [told] = only(events, "StepCompleted")
      assert.strictEqual(told?.key, "one/start")
      assert.deepInclude(told?.output as object, { agent: "writer", goal: "Write one.", systemPrompt: "You write." })
    }).pipe(Effect.provide(processOf(
      Outer.toLayer(() => Effect.orDie(Effect.all([Writer.run("one", "Write one."), Writer.run("two", "Write two.")]))),
      Layer.merge(
        ScriptedModel.layer(({ path, turn }) =>
          path === "two" ? "Second." : turn === 1 ? ScriptedModel.toolCall("read", { page: "1" }) : "First."
        ),
        tools.layer
      )
    ))))

  it.effect("fails with the budget or its own errors, which the program can handle", () =>
    Effect.gen(function*() {
      const runId = yield* start(Outer, "x", { budget: { turns: 1 } })
      const view = yield* execute(runId)
      assert.deepStrictEqual(view.output, ["NoAnswer", "BudgetExceeded"])
    }).pipe(Effect.provide(processOf(
      Outer.toLayer(() => {
        const tagOf = (key: string) =>
          Effect.match(Writer.run(key, "Write."), { onFailure: ({ _tag }) => _tag, onSuccess: (text) => text })
        return Effect.all([tagOf("one"), tagOf("two")])
      }),
      Layer.merge(ScriptedModel.layer({ writer: [ScriptedModel.text("")] }), tools.layer)
    ))))

  it.effect("runs beside others of its kind, with a script for each agent", () => {
    const Editor = Agent.make("editor", { instructions: "You edit." })
    return Effect.gen(function*() {
      const runId = yield* start(Outer, "x")
      assert.deepStrictEqual((yield* execute(runId)).output, ["Written.", "Edited."])
    }).pipe(Effect.provide(processOf(
      Outer.toLayer(() =>
        Effect.orDie(Effect.all([Writer.run("write", "Write."), Editor.run("edit", "Edit.")], { concurrency: 2 }))
      ),
      Layer.merge(
        ScriptedModel.layer({
          writer: [ScriptedModel.toolCall("read", { page: "1" }), "Written."],
          editor: ["Edited."]
        }),
        tools.layer
      )
    )))
  })
})

describe("a conversation that is too long", () => {
  it.effect("ends the run with an error that says so, before the model is asked again (D30)", () => {
    const tools = world({ read: () => Effect.succeed({ text: "x".repeat(500) }) })
    const read = ScriptedModel.toolCall("read", { page: "1" })
    return Effect.gen(function*() {
      const { events, view } = yield* play()
      assert.strictEqual(view.status, "Failed")
      assert.deepInclude(view.failure, { _tag: "TranscriptTooLong", turn: 4, allowed: 2000 })
      assert.strictEqual((yield* requests).length, 3)
      assert.strictEqual(only(events, "ToolCallCompleted").length, 3)
      assert.match(view.reason ?? "", /^TranscriptTooLong: The conversation before turn 4 has \d+ characters/)
    }).pipe(
      Effect.provide(clerk([read, read, read, read, "Done."], tools)),
      Effect.provideService(Limits, { ...Limits.defaultValue(), transcriptLength: 2000 })
    )
  })
})
