import { Agent, ScriptedModel, ToolCall, ToolPolicy } from "@durable-agents/agent"
import type { Runtime } from "@durable-agents/core"
import { Digest, Limits, MemoryStore, Program, Progress, Runs } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import {
  Cause,
  Context,
  Deferred,
  Effect,
  Fiber,
  Layer,
  Option,
  pipe,
  Schedule,
  Schema,
  SchemaGetter,
  Stream
} from "effect"
import { Tool, Toolkit } from "effect/ai"
import { TestClock } from "effect/testing"
import {
  Clerk,
  clerk,
  eventsOf,
  execute,
  executeUntil,
  Kit,
  lastPrompt,
  only,
  play,
  processOf,
  requests,
  start,
  world
} from "./fixtures.ts"

const JsonObject = Schema.Record(Schema.String, Schema.Json)

const call = (name: string, params: unknown) => ScriptedModel.toolCall(name, params)

/** An agent with one tool whose handler is given, playing a script. */
const withTool = <T extends Tool.Any>(
  tool: T,
  handler: (args: Tool.Parameters<T>) => unknown,
  script: Parameters<typeof ScriptedModel.layer>[0] = [call(tool.name, {}), "Done."],
  memory?: MemoryStore.Memory
) => {
  const One = Agent.make("one", { instructions: "", toolkit: [tool] })
  const handlers: Record<string, unknown> = { [tool.name]: handler }
  // Handlers here do what no type would let them do.
  const layer = Toolkit.make(tool).toLayer(handlers as never) as Layer.Layer<Tool.Handler<string>>
  const process = processOf(One.layer, Layer.merge(ScriptedModel.layer(script), layer), memory) as Layer.Layer<
    Runs | Runtime | ScriptedModel.Requests
  >
  return {
    process,
    agent: One,
    play: Effect.gen(function*() {
      const runId = yield* start(One, "Go.")
      const view = yield* execute(runId)
      return { runId, view, events: yield* eventsOf(runId) }
    })
  }
}

describe("the arguments of a tool call", () => {
  const problems: ReadonlyArray<readonly [string, unknown, string]> = [
    ["an unknown one (check 34)", { order: "7", cents: 1, gift: true }, "Expected no excess property at [\"gift\"]"],
    ["a missing one (check 35)", { order: "7" }, "Missing key at [\"cents\"]"],
    ["one of the wrong type (check 36, H17)", { order: "7", cents: true }, "Expected number at [\"cents\"]"],
    ["a number written as text (D8)", { order: "7", cents: "9000" }, "Expected number at [\"cents\"]"],
    ["an invented idempotency key (check 33)", { order: "7", cents: 1, idempotencyKey: "x" }, "Expected no excess"],
    ["null (MR-3)", null, "must be a JSON object, and these are not: null"],
    ["a list (MR-3)", [1], "must be a JSON object, and these are not: [1]"],
    ["a number (MR-3)", 7, "must be a JSON object, and these are not: 7"],
    ["text that is no object (MR-3, MR-4)", "{\"order\": \"7\"", "must be a JSON object, and these are not: \"{"]
  ]
  for (const [name, params, problem] of problems) {
    it.effect(`with ${name} go back to the model, and nothing is attempted`, () => {
      const tools = world()
      return Effect.gen(function*() {
        const { events, view } = yield* play()
        assert.strictEqual(view.output, "Done.")
        const [failed] = only(events, "ToolCallFailed")
        assert.deepInclude(failed, { tool: "pay", attempt: 0, reason: "Refused", final: true })
        assert.include(failed?.error, problem)
        assert.deepStrictEqual(failed?.arguments, params as Schema.Json)
        assert.strictEqual(view.usage.toolCalls, 1)
        assert.deepStrictEqual(tools.attempts.map(({ args }) => args), [{ order: "7", cents: 1 }])
        const refused = (yield* requests)[1]?.prompt.content.at(-1)
        assert.include(JSON.stringify(refused), "This call was not executed: ")
      }).pipe(Effect.provide(clerk([call("pay", params), call("pay", { order: "7", cents: 1 }), "Done."], tools)))
    })
  }

  it.effect("reach the tool decoded, as they were validated, and are recorded encoded again (check 37, D8)", () => {
    const got: Array<unknown> = []
    const Plan = Tool.make("plan", {
      parameters: Schema.Struct({
        day: Schema.Date,
        seats: Schema.FiniteFromString,
        note: Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.succeed("none")))
      })
    })
    const { play, process } = withTool(Plan, (args) => Effect.sync(() => void got.push(args)), [
      call("plan", { day: "2026-12-01T00:00:00.000Z", seats: "12" }),
      "Done."
    ])
    return Effect.gen(function*() {
      const { events } = yield* play
      assert.deepStrictEqual(got, [{ day: new Date("2026-12-01"), seats: 12, note: "none" }])
      assert.deepStrictEqual(only(events, "ToolCallRequested")[0]?.arguments, {
        day: "2026-12-01T00:00:00.000Z",
        seats: "12",
        note: "none"
      })
    }).pipe(Effect.provide(process))
  })

  it.effect("reach the tool whole, however deep they are (D8)", () => {
    const deep = JSON.parse(`${"[".repeat(900)}1${"]".repeat(900)}`)
    const got: Array<unknown> = []
    const { play, process } = withTool(
      Tool.make("deep", { parameters: Schema.Struct({ value: Schema.Json }) }),
      ({ value }) => Effect.sync(() => void got.push(value)),
      [call("deep", { value: deep }), "Done."]
    )
    return Effect.gen(function*() {
      assert.strictEqual((yield* play).view.output, "Done.")
      assert.deepStrictEqual(got, [deep])
    }).pipe(Effect.provide(process))
  })

  it.effect("that are wrong in a hundred thousand places are refused with the first of them (check 36)", () => {
    const { play, process } = withTool(
      Tool.make("many", { parameters: Schema.Struct({ names: Schema.Array(Schema.String) }) }),
      () => Effect.void,
      [call("many", { names: Array.from({ length: 100_000 }, (_, index) => index) }), "Done."]
    )
    return Effect.gen(function*() {
      const { events, view } = yield* play
      assert.strictEqual(view.output, "Done.")
      const [failed] = only(events, "ToolCallFailed")
      assert.include(failed?.error, "Expected string at [\"names\"][0]; Expected string at [\"names\"][1]")
      assert.isBelow((yield* lastPrompt).at(-1)?.length ?? 0, 3000)
    }).pipe(Effect.provide(process))
  })

  it.effect("of a tool that was given with a JSON schema must fit that (checks 34, 35)", () => {
    const got: Array<unknown> = []
    const parameters = {
      type: "object",
      properties: { to: { type: "string" } },
      required: ["to"],
      additionalProperties: false
    }
    const { play, process } = withTool(
      Tool.dynamic("given", { parameters }),
      (args) => Effect.sync(() => void got.push(args)),
      [call("given", { gift: true }), call("given", { to: "Ada" }), "Done."]
    )
    return Effect.gen(function*() {
      const { events, view } = yield* play
      assert.strictEqual(view.output, "Done.")
      assert.deepStrictEqual(got, [{ to: "Ada" }])
      assert.include(only(events, "ToolCallFailed")[0]?.error, "Missing key at [\"to\"]")
    }).pipe(Effect.provide(process))
  })

  it.effect("may be missing where the tool needs none", () => {
    let ran = 0
    const { play, process } = withTool(Tool.make("ping"), () => Effect.sync(() => void (ran += 1)), [
      ScriptedModel.toolCalls([{ name: "ping", params: undefined }, { name: "ping", params: " " }]),
      "Done."
    ])
    return Effect.gen(function*() {
      assert.strictEqual((yield* play).view.output, "Done.")
      assert.strictEqual(ran, 2)
    }).pipe(Effect.provide(process))
  })

  it.effect("may have keys like `__proto__`: plain data, or refused (EV-10)", () => {
    const tools = world()
    return Effect.gen(function*() {
      const { view } = yield* play()
      assert.strictEqual(view.output, "Done.")
      assert.strictEqual(tools.attempts.length, 0)
    }).pipe(Effect.provide(clerk([
      call("read", JSON.parse("{\"page\":\"1\",\"__proto__\":{\"polluted\":true}}")),
      "Done."
    ], tools)))
  })
})

describe("a call of a tool that does not exist", () => {
  for (const name of ["refund", "functions.pay", "ns:pay", "päy 💶", "x".repeat(500)]) {
    it.effect(`runs nothing and tells the model the valid names: ${name.slice(0, 20)} (MR-13, H1, check 67)`, () => {
      const tools = world()
      return Effect.gen(function*() {
        const { events, view } = yield* play()
        assert.strictEqual(view.output, "Done.")
        assert.strictEqual((yield* requests).length, 2)
        assert.strictEqual(tools.attempts.length, 0)
        assert.include(only(events, "ToolCallFailed")[0]?.error, "The tools are: read, send, pay.")
        const sent = (yield* requests)[1]?.prompt.content.flatMap(({ content }) =>
          typeof content === "string" ? [] : content.flatMap((part) => "name" in part ? [part.name] : [])
        )
        assert.strictEqual(sent?.length, 2)
        for (const on of sent ?? []) assert.match(on, /^[A-Za-z0-9_-]{1,64}$/)
      }).pipe(Effect.provide(clerk([call(name, { order: "7", cents: 1 }), "Done."], tools)))
    })
  }
})

describe("the idempotency key of a tool call", () => {
  it.effect("is the documented digest of run, position, tool and recorded arguments (check 30)", () => {
    const tools = world()
    return Effect.gen(function*() {
      const { events, runId } = yield* play()
      const seq = events.findIndex(({ _tag }) => _tag === "ToolCallRequested")
      const key = Digest.idempotencyKey(runId, seq, "pay", { order: "7", cents: 1 })
      assert.strictEqual(only(events, "ToolCallRequested")[0]?.idempotencyKey, key)
      assert.strictEqual(tools.attempts[0]?.key, key)
    }).pipe(Effect.provide(clerk([call("pay", { order: "7", cents: 1 }), "Done."], tools)))
  })

  it.effect("differs between two calls with equal arguments (check 32, EV-4)", () => {
    const tools = world()
    return Effect.gen(function*() {
      yield* play()
      assert.strictEqual(new Set(tools.attempts.map(({ key }) => key)).size, 2)
    }).pipe(Effect.provide(clerk([
      ScriptedModel.toolCalls([
        { name: "pay", params: { order: "7", cents: 1 } },
        { name: "pay", params: { order: "7", cents: 1 } }
      ]),
      "Done."
    ], tools)))
  })
})

describe("a tool that dies", () => {
  const throws = () => Effect.die(new Error("the printer is on fire"))

  it.effect("is tried again with the same key up to its attempts, then the model is told (checks 31, 41, H5)", () => {
    const tools = world({ pay: throws })
    return Effect.gen(function*() {
      const runId = yield* playing("Go.")
      yield* TestClock.adjust("1 second")
      yield* execute(runId)
      yield* TestClock.adjust("2 seconds")
      const view = yield* execute(runId)
      assert.strictEqual(view.output, "Done.")
      assert.deepStrictEqual(tools.attempts.map(({ attempt }) => attempt), [1, 2, 3])
      assert.strictEqual(new Set(tools.attempts.map(({ key }) => key)).size, 1)
      const failures = only(yield* eventsOf(runId), "ToolCallFailed")
      assert.deepStrictEqual(failures.map(({ final, outcome, reason }) => [reason, outcome, final]), [
        ["Defect", "unknown", false],
        ["Defect", "unknown", false],
        ["Defect", "unknown", true]
      ])
      assert.include((yield* lastPrompt).at(-1), "It is not known whether this call took effect: Error: the printer is")
    }).pipe(Effect.provide(clerk([call("pay", { order: "7", cents: 1 }), "Done."], tools)))
  })

  it.effect("and must not be repeated is attempted once; the model is told that the outcome is unknown (EO-4)", () => {
    const tools = world({ send: throws })
    return Effect.gen(function*() {
      const { events, view } = yield* play()
      assert.strictEqual(view.output, "Done.")
      assert.strictEqual(tools.attempts.length, 1)
      assert.deepInclude(only(events, "ToolCallFailed")[0], {
        attempt: 1,
        reason: "Defect",
        outcome: "unknown",
        final: true
      })
    }).pipe(Effect.provide(clerk([call("send", { to: "Ada" }), "Done."], tools)))
  })

  it.effect("spends attempts that another process inherits (H6)", () => {
    const memory = MemoryStore.memory()
    const tools = world({ pay: throws })
    const script = [call("pay", { order: "7", cents: 1 }), "Done."]
    return Effect.gen(function*() {
      const runId = yield* Effect.provide(playing("Go."), clerk(script, tools, memory))
      yield* TestClock.adjust("1 second")
      yield* Effect.provide(execute(runId), clerk(script, tools, memory))
      yield* TestClock.adjust("2 seconds")
      const view = yield* Effect.provide(execute(runId), clerk(script, tools, memory))
      assert.strictEqual(view.output, "Done.")
      assert.deepStrictEqual(tools.attempts.map(({ attempt }) => attempt), [1, 2, 3])
    })
  })

  const playing = (goal: string) =>
    Effect.gen(function*() {
      const { runId, view } = yield* play(goal)
      assert.strictEqual(view.status, "Sleeping")
      return runId
    })
})

describe("a tool that was in flight when its process died", () => {
  /** Kills the process in the first attempt, after the effect and before its record; then another one goes on. */
  const killed = (tool: "read" | "send" | "pay", params: unknown, times = 1) => {
    const memory = MemoryStore.memory()
    const reached = Array.from({ length: times }, () => Deferred.makeUnsafe<void>())
    const hang = (answer: unknown) => (_: string, { attempt }: { readonly attempt: number }) => {
      const at = reached[attempt - 1]
      return at === undefined
        ? Effect.succeed(answer as never)
        : Effect.andThen(Deferred.succeed(at, undefined), Effect.never)
    }
    const tools = world({
      read: hang({ text: "Page" }),
      send: hang({ sent: true }),
      pay: hang({ receipt: "R" })
    })
    const process = () => clerk([call(tool, params), "Done."], tools, memory)
    return Effect.gen(function*() {
      const runId = yield* Effect.provide(
        start(Agent.make("clerk", { instructions: "", toolkit: Kit }), "Go."),
        process()
      )
      for (const at of reached) yield* Effect.provide(executeUntil(runId, at), process())
      return yield* Effect.gen(function*() {
        const view = yield* execute(runId)
        return { tools, view, events: yield* eventsOf(runId), answer: (yield* lastPrompt).at(-1) }
      }).pipe(Effect.provide(process()))
    })
  }

  it.effect("is repeated with the same key if it may be; one completion, marked as recovered (EO-1, H12)", () =>
    Effect.gen(function*() {
      const { events, tools, view } = yield* killed("pay", { order: "7", cents: 1 })
      assert.strictEqual(view.output, "Done.")
      assert.deepStrictEqual(tools.attempts.map(({ attempt }) => attempt), [1, 2])
      assert.strictEqual(new Set(tools.attempts.map(({ key }) => key)).size, 1)
      assert.deepStrictEqual(only(events, "ToolCallCompleted").map(({ recovered }) => recovered), [true])
    }))

  it.effect("is repeated if it only reads (EO-4)", () =>
    Effect.gen(function*() {
      const { tools, view } = yield* killed("read", { page: "7" })
      assert.strictEqual(view.output, "Done.")
      assert.strictEqual(tools.attempts.length, 2)
    }))

  it.effect("is never repeated if it must not be; the model is told that the outcome is unknown (EO-4)", () =>
    Effect.gen(function*() {
      const { answer, events, tools, view } = yield* killed("send", { to: "Ada" })
      assert.strictEqual(view.output, "Done.")
      assert.strictEqual(tools.attempts.length, 1)
      assert.deepInclude(only(events, "ToolCallFailed")[0], { reason: "Crashed", outcome: "unknown", final: true })
      assert.include(answer, "It is not known whether this call took effect")
    }))

  it.effect("is an attempt: after three dead processes it is over (D5)", () =>
    Effect.gen(function*() {
      const { events, tools, view } = yield* killed("pay", { order: "7", cents: 1 }, 3)
      assert.strictEqual(view.output, "Done.")
      assert.deepStrictEqual(tools.attempts.map(({ attempt }) => attempt), [1, 2, 3])
      assert.deepInclude(only(events, "ToolCallFailed")[0], { reason: "Crashed", outcome: "unknown", final: true })
    }))

  it.effect("leaves no mark on a call that was not disturbed (H7)", () =>
    Effect.gen(function*() {
      const { events } = yield* play()
      assert.deepStrictEqual(only(events, "ToolCallCompleted").map((event) => "recovered" in event), [false])
    }).pipe(Effect.provide(clerk([call("read", { page: "7" }), "Done."]))))
})

describe("a tool that can look up whether it happened", () => {
  class Post extends Context.Service<Post, {
    readonly find: (key: string) => Option.Option<{ readonly letter: string }>
  }>()("Post") {}
  const Write = pipe(
    Tool.make("write", {
      parameters: Schema.Struct({ to: Schema.String }),
      success: Schema.Struct({ letter: Schema.String })
    }),
    ToolPolicy.lookup(({ to }) =>
      Effect.gen(function*() {
        const { idempotencyKey } = yield* ToolCall
        return Option.map((yield* Post).find(idempotencyKey), ({ letter }) => ({ letter: `${letter} to ${to}` }))
      })
    )
  )
  const Secretary = Agent.make("secretary", { instructions: "", toolkit: [Write] })

  const killed = (found: Option.Option<{ readonly letter: string }>) => {
    const memory = MemoryStore.memory()
    const reached = Deferred.makeUnsafe<void>()
    let attempts = 0
    const handlers = Toolkit.make(Write).toLayer({
      write: () =>
        Effect.suspend(() => {
          attempts += 1
          return attempts === 1
            ? Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
            : Effect.succeed({ letter: "second" })
        })
    })
    const process = processOf(
      Secretary.layer,
      Layer.mergeAll(
        ScriptedModel.layer([call("write", { to: "Ada" }), "Done."]),
        handlers,
        Layer.succeed(Post, { find: () => found })
      ),
      memory
    )
    return Effect.gen(function*() {
      const runId = yield* Effect.provide(start(Secretary, "Go."), process)
      yield* Effect.provide(executeUntil(runId, reached), process)
      const view = yield* Effect.provide(execute(runId), process)
      const events = yield* Effect.provide(eventsOf(runId), process)
      return { attempts, view, completed: only(events, "ToolCallCompleted")[0] }
    })
  }

  it.effect("completes with what was found, without acting again", () =>
    Effect.gen(function*() {
      const { attempts, completed, view } = yield* killed(Option.some({ letter: "first" }))
      assert.strictEqual(view.output, "Done.")
      assert.strictEqual(attempts, 1)
      assert.deepStrictEqual(completed?.result, { letter: "first to Ada" })
      assert.strictEqual(completed?.recovered, true)
    }))

  it.effect("acts again if it did not happen", () =>
    Effect.gen(function*() {
      const { attempts, completed } = yield* killed(Option.none())
      assert.strictEqual(attempts, 2)
      assert.deepStrictEqual(completed?.result, { letter: "second" })
    }))
})

describe("a tool that takes too long", () => {
  const Slow = pipe(Tool.make("slow", { success: Schema.String }), ToolPolicy.timeout("2 seconds"))

  it.effect("is told to the model as unknown, and a late result adds nothing (EO-2, D26)", () => {
    const late = Deferred.makeUnsafe<void>()
    const begun = Deferred.makeUnsafe<void>()
    const { agent, process } = withTool(Slow, () =>
      Effect.andThen(
        Deferred.succeed(begun, undefined),
        Effect.promise(() => Effect.runPromise(Effect.as(Deferred.await(late), "late")))
      ))
    return Effect.gen(function*() {
      const runId = yield* start(agent, "Go.")
      const fiber = yield* Effect.forkChild(execute(runId))
      yield* Deferred.await(begun)
      yield* TestClock.adjust("2 seconds")
      const view = yield* Fiber.join(fiber)
      yield* Deferred.succeed(late, undefined)
      assert.strictEqual(view.output, "Done.")
      const events = yield* eventsOf(runId)
      assert.deepInclude(only(events, "ToolCallFailed")[0], { reason: "Timeout", outcome: "unknown", final: true })
      assert.strictEqual(only(events, "ToolCallCompleted").length, 0)
      assert.include(
        (yield* lastPrompt).at(-1),
        "It is not known whether this call took effect: it took longer than 2s"
      )
    }).pipe(Effect.provide(process))
  })
})

describe("a tool that hangs", () => {
  const hanging = (effect: Effect.Effect<never>) => {
    const begun = Deferred.makeUnsafe<void>()
    const stopped = Deferred.makeUnsafe<void>()
    const tools = world({
      send: (to) =>
        to === "nobody"
          ? Effect.andThen(Deferred.succeed(begun, undefined), effect)
            .pipe(Effect.onInterrupt(() => Deferred.succeed(stopped, undefined)))
          : Effect.succeed({ sent: true })
    })
    const process = clerk(({ prompt, turn }) =>
      turn === 2
        ? "Done."
        : call("send", { to: JSON.stringify(prompt.content).includes("Write to nobody") ? "nobody" : "Ada" }), tools)
    return { begun, stopped, tools, process }
  }

  it.effect("holds up its own run only, and that until it is cancelled (D26)", () => {
    const { begun, process, stopped, tools } = hanging(Effect.never)
    return Effect.gen(function*() {
      const runs = yield* Runs
      const runId = yield* start(Clerk, "Write to nobody.")
      const fiber = yield* Effect.forkChild(execute(runId))
      yield* Deferred.await(begun)
      assert.strictEqual((yield* play("Write to Ada.")).view.output, "Done.")
      assert.strictEqual((yield* runs.state(runId)).status, "Running")
      yield* runs.cancel(runId, { actor: "op", reason: "it hangs" })
      assert.strictEqual((yield* Fiber.join(fiber)).status, "Cancelled")
      yield* Deferred.await(stopped)
      assert.deepInclude(only(yield* eventsOf(runId), "ToolCallFailed")[0], {
        reason: "Interrupted",
        outcome: "unknown"
      })
      assert.strictEqual(tools.of("send").length, 2)
    }).pipe(Effect.provide(process))
  })

  it.effect("ends with its run also where it cannot be interrupted (D26)", () => {
    const { begun, process } = hanging(Effect.uninterruptible(Effect.never))
    return Effect.gen(function*() {
      const runId = yield* start(Clerk, "Write to nobody.")
      const fiber = yield* Effect.forkChild(execute(runId))
      yield* Deferred.await(begun)
      yield* (yield* Runs).cancel(runId, { actor: "op" })
      assert.strictEqual((yield* Fiber.join(fiber)).status, "Cancelled")
    }).pipe(Effect.provide(process))
  })
})

describe("a tool whose unknown outcome is asked about", () => {
  const Wire = pipe(Tool.make("wire", { success: Schema.String }), ToolPolicy.onUnknown("ask"))
  const dying = (memory?: MemoryStore.Memory) =>
    withTool(Wire, () => Effect.die("the line went dead"), [call("wire", {}), "Done."], memory)

  it.effect("parks the run for an operator, who says that it happened", () => {
    const { play, process } = dying()
    return Effect.gen(function*() {
      const { runId, view } = yield* play
      assert.strictEqual(view.status, "Stuck")
      assert.include(view.reason, "nobody knows how `turn-1/call-1` (`wire`) ended: the line went dead")
      const runs = yield* Runs
      yield* runs.resolve(runId, { _tag: "Happened", key: "turn-1/call-1", output: "W-1", actor: "op" })
      yield* runs.release(runId, { actor: "op" })
      assert.strictEqual((yield* execute(runId)).output, "Done.")
      assert.strictEqual((yield* lastPrompt).at(-1), "result call_1_1 success W-1")
    }).pipe(Effect.provide(process))
  })

  it.effect("or that it did not", () => {
    const { play, process } = dying()
    return Effect.gen(function*() {
      const { runId } = yield* play
      const runs = yield* Runs
      yield* runs.resolve(runId, { _tag: "DidNotHappen", key: "turn-1/call-1", error: "no such transfer", actor: "op" })
      yield* runs.release(runId, { actor: "op" })
      assert.strictEqual((yield* execute(runId)).output, "Done.")
      assert.include((yield* lastPrompt).at(-1), "failure This call did not take effect: no such transfer")
    }).pipe(Effect.provide(process))
  })

  it.effect("and stays parked if it is released without an answer", () => {
    const { play, process } = dying()
    return Effect.gen(function*() {
      const { runId } = yield* play
      yield* (yield* Runs).release(runId, { actor: "op" })
      assert.strictEqual((yield* execute(runId)).status, "Stuck")
    }).pipe(Effect.provide(process))
  })
})

describe("a typed failure of a tool", () => {
  it.effect("is a result for the model, and not repeated (ME-5)", () => {
    const tools = world({ pay: () => Effect.fail({ declined: "limit" }) })
    return Effect.gen(function*() {
      const { events, view } = yield* play()
      assert.strictEqual(view.output, "Done.")
      assert.strictEqual(tools.attempts.length, 1)
      assert.deepInclude(only(events, "ToolCallCompleted")[0], { isFailure: true, result: { declined: "limit" } })
      assert.strictEqual((yield* lastPrompt).at(-1), "result call_1_1 failure {\"declined\":\"limit\"}")
    }).pipe(Effect.provide(clerk([call("pay", { order: "7", cents: 1 }), "Done."], tools)))
  })

  const Busy = pipe(
    Tool.make("busy", { success: Schema.String, failure: Schema.String }),
    ToolPolicy.retry(Schedule.spaced("1 second").pipe(Schedule.while(({ input }) => Effect.succeed(input === "busy"))))
  )

  it.effect("is tried again first where the tool's policy says so, with the same key", () => {
    const answers = ["busy", "busy", "gone"]
    let at = 0
    const { play, process } = withTool(Busy, () => Effect.fail(answers[at++]))
    return Effect.gen(function*() {
      const { runId } = yield* play
      yield* TestClock.adjust("1 second")
      yield* execute(runId)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* execute(runId)).output, "Done.")
      assert.strictEqual(at, 3)
      const events = yield* eventsOf(runId)
      assert.deepStrictEqual(only(events, "ToolCallFailed").map(({ failure, final }) => [failure, final]), [
        ["busy", false],
        ["busy", false]
      ])
      assert.deepInclude(only(events, "ToolCallCompleted")[0], { isFailure: true, result: "gone", attempt: 3 })
      assert.strictEqual(new Set(only(events, "ToolCallRequested").map(({ idempotencyKey }) => idempotencyKey)).size, 1)
    }).pipe(Effect.provide(process))
  })

  it.effect("that was not declared is a result too, without its stack", () => {
    const { play, process } = withTool(Tool.make("odd"), () => Effect.fail(new TypeError("what is this")))
    return Effect.gen(function*() {
      const { events, view } = yield* play
      assert.strictEqual(view.output, "Done.")
      assert.deepInclude(only(events, "ToolCallCompleted")[0], {
        isFailure: true,
        result: { name: "TypeError", message: "what is this" }
      })
    }).pipe(Effect.provide(process))
  })
})

describe("the result of a tool", () => {
  const cyclic: Record<string, unknown> = { a: 1 }
  cyclic["self"] = cyclic
  const results: ReadonlyArray<readonly [string, unknown, Schema.Json]> = [
    ["nothing", undefined, null],
    ["NaN", Number.NaN, "NaN"],
    ["a big integer", 12345678901234567890n, "12345678901234567890"],
    ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["a map", new Map([["a", 1]]), { a: 1 }],
    ["a set", new Set([1, 2]), [1, 2]],
    ["a list", [1, "two", null], [1, "two", null]],
    ["a cycle", cyclic, { a: 1, self: "<cycle>" }],
    ["a function", () => 1, "<function>"],
    ["an error", new Error("no"), { name: "Error", message: "no" }],
    ["bytes", new Uint8Array([1, 2]), "AQI="],
    ["U+0000 and half a pair", "a\u0000b\ud800c", "a\u2400b\ufffdc"],
    ["an object", { a: { b: [1.5, "x"] } }, { a: { b: [1.5, "x"] } }]
  ]
  for (const [name, value, json] of results) {
    it.effect(`may be ${name}: recorded once, and never a reason to repeat (checks 38, 39, 40, H18, H19, D6)`, () => {
      let ran = 0
      const { play, process } = withTool(Tool.make("any", { success: Schema.Any }), () =>
        Effect.sync(() => {
          ran += 1
          return value
        }))
      return Effect.gen(function*() {
        const { events, view } = yield* play
        assert.strictEqual(view.output, "Done.")
        assert.strictEqual(ran, 1)
        assert.deepStrictEqual(only(events, "ToolCallCompleted").map(({ result }) => result), [json])
      }).pipe(Effect.provide(process))
    })
  }

  it.effect("is data, whatever its members are called (D53)", () => {
    const data = { dedup_hit: true, recovered: true, isFailure: true, mismatch: "x", final: false, error: "no" }
    const { play, process } = withTool(Tool.make("any", { success: Schema.Any }), () => Effect.succeed(data))
    return Effect.gen(function*() {
      const { events, view } = yield* play
      assert.strictEqual(view.output, "Done.")
      const [completed] = only(events, "ToolCallCompleted")
      assert.deepStrictEqual(completed?.result, data)
      for (const field of ["recovered", "isFailure", "mismatch"]) assert.notProperty(completed, field)
      assert.include((yield* lastPrompt).at(-1), "success {\"dedup_hit\":true")
    }).pipe(Effect.provide(process))
  })

  it.effect("that does not fit its schema is recorded as completed, and marked", () => {
    let ran = 0
    const { play, process } = withTool(Tool.make("number", { success: Schema.Number }), () =>
      Effect.sync(() => {
        ran += 1
        return { receipt: "R" }
      }))
    return Effect.gen(function*() {
      const { events, view } = yield* play
      assert.strictEqual(view.output, "Done.")
      assert.strictEqual(ran, 1)
      const [completed] = only(events, "ToolCallCompleted")
      assert.deepStrictEqual(completed?.result, { receipt: "R" })
      assert.include(completed?.mismatch, "the result does not fit the tool's schema")
    }).pipe(Effect.provide(process))
  })

  for (const [name, handler] of [["a value", () => "plain"], ["a promise", () => Promise.resolve("plain")]] as const) {
    it.effect(`counts also if a handler returned ${name} in place of an effect (D33)`, () => {
      let ran = 0
      const { play, process } = withTool(Tool.make("plain", { success: Schema.String }), () => {
        ran += 1
        return handler()
      })
      return Effect.gen(function*() {
        const { events, view } = yield* play
        assert.strictEqual(view.output, "Done.")
        assert.strictEqual(ran, 1)
        assert.deepStrictEqual(only(events, "ToolCallCompleted").map(({ result }) => result), ["plain"])
      }).pipe(Effect.provide(process))
    })
  }

  it.effect("counts also if its schema interrupts itself, or dies, when it writes it (D14)", () => {
    const unwritable = (how: Effect.Effect<never>) =>
      Schema.String.pipe(Schema.decodeTo(Schema.String, {
        decode: SchemaGetter.passthrough(),
        encode: SchemaGetter.transformEffect(() => how)
      }))
    return Effect.forEach([Effect.interrupt, Effect.die("a bug")], (how) => {
      const { play, process } = withTool(Tool.make("odd", { success: unwritable(how) }), () => Effect.succeed("done"))
      return Effect.gen(function*() {
        const { events, view } = yield* play
        assert.strictEqual(view.output, "Done.")
        const [completed] = only(events, "ToolCallCompleted")
        assert.strictEqual(completed?.result, "done")
        assert.include(completed?.mismatch, "the result does not fit the tool's schema")
      }).pipe(Effect.provide(process))
    })
  })

  for (const [name, value] of [["nothing", undefined], ["an empty text", ""], ["null", null]] as const) {
    it.effect(`that is ${name} is a success, and the model is not shown an empty message (CH-3)`, () => {
      const { play, process } = withTool(Tool.make("quiet", { success: Schema.Any }), () => Effect.succeed(value))
      return Effect.gen(function*() {
        yield* play
        assert.strictEqual(
          (yield* lastPrompt).at(-1),
          "result call_1_1 success The call succeeded and returned nothing."
        )
      }).pipe(Effect.provide(process))
    })
  }

  it.effect("is shown to the model up to a limit, never half a character, with a note (EV-2, EV-7)", () => {
    const { play, process } = withTool(
      Tool.make("long", { success: Schema.String }),
      () => Effect.succeed("😀".repeat(1000))
    )
    return Effect.gen(function*() {
      yield* play
      const answer = (yield* lastPrompt).at(-1) ?? ""
      assert.include(answer, "[The result was cut here: these are the first 50 of 2000 characters.]")
      assert.isTrue(answer.isWellFormed())
    }).pipe(
      Effect.provide(process),
      Effect.provideService(Limits, { ...Limits.defaultValue(), shownBytes: 101 })
    )
  })

  it.effect("that is too large to be recorded is a recorded error that says so; the tool is not repeated (EV-7)", () => {
    let ran = 0
    const { play, process } = withTool(Tool.make("huge", { success: Schema.String }), () =>
      Effect.sync(() => {
        ran += 1
        return "x".repeat(3_000_000)
      }))
    return Effect.gen(function*() {
      const { events, view } = yield* play
      assert.strictEqual(view.output, "Done.")
      assert.strictEqual(ran, 1)
      assert.deepInclude(only(events, "ToolCallFailed")[0], { reason: "TooLarge", final: true })
      assert.include((yield* lastPrompt).at(-1), "This call was executed, but its result cannot be shown")
    }).pipe(Effect.provide(process))
  })

  it.effect("is the same text for the model after a restart (EV-12)", () => {
    const memory = MemoryStore.memory()
    const tool = Tool.make("odd", {
      success: Schema.Struct({
        when: Schema.Date,
        gone: Schema.optional(Schema.String),
        b: Schema.Number,
        a: Schema.Number
      }),
      needsApproval: false
    })
    const Later = Tool.make("later", { needsApproval: true })
    const Odd = Agent.make("odd", { instructions: "", toolkit: [tool, Later] })
    const handlers = Toolkit.make(tool, Later).toLayer({
      odd: () => Effect.succeed({ when: new Date(0), gone: undefined, b: 2, a: 1.5e21 }),
      later: () => Effect.void
    })
    const script = [call("odd", {}), call("later", {}), "Done."]
    const process = () => processOf(Odd.layer, Layer.merge(ScriptedModel.layer(script), handlers), memory)
    return Effect.gen(function*() {
      const runId = yield* Effect.provide(start(Odd, "Go."), process())
      const live = yield* Effect.gen(function*() {
        yield* execute(runId)
        return yield* requests
      }).pipe(Effect.provide(process()))
      const again = yield* Effect.gen(function*() {
        yield* (yield* Runs).approve(runId, { approval: "turn-2/call-1/approval", actor: "kim" })
        yield* execute(runId)
        return yield* requests
      }).pipe(Effect.provide(process()))
      assert.strictEqual(again.length, 1)
      assert.deepStrictEqual(
        JSON.stringify(again[0]?.prompt.content.slice(0, 3)),
        JSON.stringify(live[1]?.prompt.content)
      )
    })
  })
})

describe("a tool that says what it is doing", () => {
  it.effect("is heard by who listens, by `ToolCall.progress` and by the handler's own `preliminary`", () => {
    const Slow = Tool.make("slow", { success: Schema.String, dependencies: [ToolCall] })
    const listening = Deferred.makeUnsafe<void>()
    const One = Agent.make("one", { instructions: "", toolkit: [Slow] })
    const tools = Toolkit.make(Slow).toLayer({
      slow: Effect.fnUntraced(function*(_, { preliminary }) {
        const { progress } = yield* ToolCall
        // Listening begins in another fiber: tell it until somebody hears.
        yield* Effect.raceFirst(
          Deferred.await(listening),
          Effect.forever(Effect.andThen(progress("begun"), Effect.yieldNow))
        )
        yield* progress({ at: new Date(0), share: 0.5 })
        yield* preliminary("nearly")
        return "done"
      })
    })
    return Effect.gen(function*() {
      const heard = yield* Effect.forkChild(Progress.reports().pipe(
        Stream.tap(() => Deferred.succeed(listening, undefined)),
        Stream.filter(({ value }) => value !== "begun"),
        Stream.take(2),
        Stream.runCollect
      ))
      const runId = yield* start(One, "Go.")
      const view = yield* execute(runId)
      assert.strictEqual(view.output, "Done.")
      assert.deepStrictEqual(yield* Fiber.join(heard), [
        { runId, key: "turn-1/call-1", attempt: 1, value: { at: "1970-01-01T00:00:00.000Z", share: 0.5 } },
        { runId, key: "turn-1/call-1", attempt: 1, value: "nearly" }
      ])
    }).pipe(Effect.provide(processOf(One.layer, Layer.merge(ScriptedModel.layer([call("slow", {}), "Done."]), tools))))
  })
})

describe("a tool that cannot be offered to a model", () => {
  const refused = (tool: Tool.Any, message: string) =>
    assert.throws(() => Agent.make("one", { instructions: "", toolkit: [tool] }), message)

  it("is refused where the agent is made, and a parameter without a type is named (checks 26, 27, H23)", () => {
    refused(
      Tool.make("find", { parameters: Schema.Struct({ page: Schema.String, what: Schema.Unknown }) }),
      "The tool `find`, parameter `what` cannot be used: it has no type that the model could be told"
    )
    refused(
      Tool.make("find", { parameters: Schema.Struct({ what: Schema.optionalKey(Schema.Any) }) }),
      "parameter `what` cannot be used"
    )
    refused(
      Tool.make("find", { parameters: Schema.Struct({ what: Schema.instanceOf(URL) }) }),
      "parameter `what` cannot be used"
    )
    refused(Tool.make("find", { parameters: Schema.Array(Schema.String) }), "its parameters must be an object")
    refused(Tool.make("find", { parameters: Schema.String }), "its parameters must be an object")
    refused(Tool.make("find it"), "a name is 1 to 64 letters, digits, `_` or `-`")
    refused(pipe(Tool.make("find"), ToolPolicy.attempts(0)), "its attempts must be a whole number from 1 on")
    refused(pipe(Tool.make("find"), ToolPolicy.loopThreshold(1)), "its loop threshold must be")
    refused(
      Tool.make("find", { success: Schema.String, toModelOutput: () => [] }),
      "`toModelOutput` is not supported"
    )
  })

  it.effect("may be one of the provider's, which the model is told as that, and which runs here", () => {
    const Shell = Tool.providerDefined({
      id: "openai.local_shell",
      customName: "Shell",
      providerName: "local_shell",
      requiresHandler: true,
      parameters: Schema.Struct({ command: Schema.String }),
      success: Schema.String
    })({})
    const { play, process } = withTool(Shell, ({ command }) => Effect.succeed(`ran ${command}`), [
      call("Shell", { command: "ls" }),
      "Done."
    ])
    return Effect.gen(function*() {
      assert.strictEqual((yield* play).view.output, "Done.")
      assert.strictEqual((yield* lastPrompt).at(-1), "result call_1_1 success ran ls")
      const offered = (yield* requests)[0]?.tools[0]
      assert.isTrue(offered !== undefined && Tool.isProviderDefined(offered))
    }).pipe(Effect.provide(process))
  })

  it("may take any JSON where that is meant", () => {
    Agent.make("one", {
      instructions: "",
      toolkit: [
        Tool.make("put", {
          parameters: Schema.Struct({ value: Schema.Json, more: Schema.optional(Schema.Json), rest: JsonObject })
        }),
        Tool.make("ping")
      ]
    })
  })

  it.effect("is described with every parameter, its type, what is required, and nothing else allowed (checks 25, 28)", () => {
    const Plan = Tool.make("plan", {
      description: "Plans a day.",
      parameters: Schema.Struct({
        day: Schema.String,
        seats: Schema.optionalKey(Schema.Finite),
        stops: Schema.Array(Schema.Struct({ city: Schema.String }))
      })
    })
    const One = Agent.make("one", { instructions: "", toolkit: [Plan] })
    return Effect.gen(function*() {
      const runId = yield* start(One, "Go.")
      const [started] = only(yield* eventsOf(runId), "RunStarted")
      assert.deepStrictEqual(started?.tools[0], {
        name: "plan",
        description: "Plans a day.",
        parameters: {
          type: "object",
          properties: {
            day: { type: "string" },
            seats: { type: "number" },
            stops: {
              type: "array",
              items: {
                type: "object",
                properties: { city: { type: "string" } },
                required: ["city"],
                additionalProperties: false
              }
            }
          },
          required: ["day", "stops"],
          additionalProperties: false
        },
        effect: "once",
        approval: false
      })
    }).pipe(Effect.provide(processOf(Layer.empty, Layer.empty)))
  })
})

describe("a tool without a handler", () => {
  const Ping = Tool.make("ping", { success: Schema.String, needsApproval: true })
  const One = Agent.make("one", { instructions: "", toolkit: [Ping] })
  // The types would refuse it.
  const forget = <A, E>(layer: Layer.Layer<A, E, never> | Layer.Layer<A, E, unknown>) => layer as Layer.Layer<A, E>

  it.effect("keeps its agent from being built, before a person is asked in vain", () =>
    Effect.gen(function*() {
      const layer = processOf(forget(One.layer), ScriptedModel.layer([call("ping", {}), "Done."]))
      const cause = yield* Effect.flip(Effect.sandbox(Effect.provide(start(One, "Go."), layer)))
      assert.include(
        String(Cause.squash(cause)),
        "The tool `ping` cannot be used: the agent `one` has no handler for it; provide the layer of its toolkit"
      )
    }))

  it.effect("inside a program leaves the run to a worker that has it", () => {
    const Outer = Program.make("outer", { input: Schema.String, output: Schema.String })
    const layer = forget(Outer.toLayer((goal) => Effect.orDie(One.run("inner", goal))))
    return Effect.gen(function*() {
      const refused = yield* Effect.flip(Effect.flatMap(start(Outer, "Go."), execute))
      assert.strictEqual(refused._tag, "NotExecutable")
      assert.include(refused.message, "the agent `one` has no handler for it")
    }).pipe(Effect.provide(processOf(layer, ScriptedModel.layer([call("ping", {}), "Done."]))))
  })
})

describe("ScriptedModel.toolCall", () => {
  it.effect("calls a tool that is given, with arguments that the types check", () => {
    const Plan = Tool.make("plan", { parameters: Schema.Struct({ seats: Schema.FiniteFromString }) })
    // @ts-expect-error Arguments are as the model sends them: texts here.
    assert.isDefined(ScriptedModel.toolCall(Plan, { seats: 12 }))
    const { play, process } = withTool(Plan, () => Effect.void, [
      ScriptedModel.toolCall(Plan, { seats: "12" }),
      "Done."
    ])
    return Effect.gen(function*() {
      const { events } = yield* play
      assert.deepStrictEqual(only(events, "ToolCallRequested")[0]?.arguments, { seats: "12" })
    }).pipe(Effect.provide(process))
  })
})
