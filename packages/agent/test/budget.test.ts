import { Agent, AgentError, Prices, ScriptedModel, Tokenizer } from "@durable-agents/agent"
import type { RunId } from "@durable-agents/core"
import {
  Budget,
  MaxOutputTokens,
  MemoryStore,
  Program,
  Runs,
  RunState,
  Runtime,
  Spending,
  Usd,
  Worker
} from "@durable-agents/core"
import { everyPrefix } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { BigDecimal, Deferred, Duration, Effect, Layer, Result, Schema, Scope, Stream } from "effect"
import { AiError } from "effect/ai"
import { TestClock } from "effect/testing"
import {
  eventsOf,
  execute,
  executeUntil,
  only,
  processOf,
  quick,
  Read,
  requests,
  start,
  stateOf,
  world
} from "./fixtures.ts"

/** A tenth of a cent for each token in, a cent for each token out. */
const priced = (version = "test") =>
  Prices.layer({ version, models: { scripted: { input: "1000", cachedInput: "100", output: "10000" } } })

/** One token for four characters. */
const counting = Layer.succeed(Tokenizer, Effect.succeed((text: string) => Math.ceil(text.length / 4)))

const Clerk = Agent.make("clerk", { instructions: "You are a clerk.", toolkit: [Read], maxOutputTokens: 100 })
const reading = ScriptedModel.toolCall("read", { page: "7" })

const process = (
  script: Parameters<typeof ScriptedModel.layer>[0],
  { agent = Clerk, memory, prices = priced() }: {
    readonly agent?: typeof Clerk
    readonly memory?: MemoryStore.Memory
    readonly prices?: Layer.Layer<never>
  } = {}
) =>
  processOf(
    agent.layer.pipe(Layer.provide(prices), Layer.provide(counting)),
    Layer.merge(ScriptedModel.layer(script), world().layer),
    memory
  )

const play = (budget?: Budget.Budget) =>
  Effect.gen(function*() {
    const runId = yield* start(Clerk, "Go.", budget === undefined ? {} : { budget })
    const view = yield* execute(runId)
    return { runId, view, events: yield* eventsOf(runId) }
  })

const isAtMost = (left: string, right: string) =>
  assert.isTrue(BigDecimal.isLessThanOrEqualTo(Usd.decimal(left), Usd.decimal(right)), `${left}, ${right}`)

describe("what a model call costs", () => {
  it.effect("is computed once, exactly, and recorded with the version of its prices (check 94, D49)", () =>
    Effect.gen(function*() {
      const { events, view } = yield* play({ costUsd: "100" })
      assert.deepStrictEqual(
        only(events, "LLMCallCompleted").map(({ priceVersion, usage }) => [usage.costUsd, priceVersion]),
        [
          ["0.06", "test"],
          ["0.017", "test"]
        ]
      )
      assert.deepInclude(view.usage, { costUsd: "0.077", unpricedCalls: 0, possible: Budget.nothing })
    }).pipe(Effect.provide(process([reading, ScriptedModel.text("Done.", { usage: { input: 7, output: 1 } })]))))

  it.effect("is what the provider says, if it does", () =>
    Effect.gen(function*() {
      const { events, view } = yield* play({ costUsd: "100" })
      const [call] = only(events, "LLMCallCompleted")
      assert.deepStrictEqual([call?.usage.costUsd, call?.priceVersion], ["0.00014", "provider"])
      assert.strictEqual(view.usage.costUsd, "0.00014")
    }).pipe(Effect.provide(process([Effect.succeed([
      { type: "text", text: "Done." },
      {
        type: "finish",
        reason: "stop",
        usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
        metadata: Prices.reported(0.00014)
      }
    ])]))))

  it.effect("is not known where tokens were not reported, and the total says so (MR-11)", () =>
    Effect.gen(function*() {
      const { view } = yield* play({ costUsd: "100" })
      assert.deepInclude(view.usage, { costUsd: "0", unpricedCalls: 1, unreportedCalls: 1 })
      assert.isAbove(view.usage.possible.tokens, 100)
      assert.notStrictEqual(view.usage.possible.costUsd, "0")
    }).pipe(Effect.provide(process([ScriptedModel.text("Done.", { usage: null })]))))
})

describe("a reservation", () => {
  it.effect("is recorded with the request: the prompt at most, and the longest answer, at their prices", () =>
    Effect.gen(function*() {
      const { events } = yield* play({ costUsd: "100" })
      const [asked] = only(events, "LLMCallRequested")
      const reserve = asked?.reserve ?? Budget.nothing
      assert.isAbove(reserve.tokens, 100)
      assert.strictEqual(
        reserve.costUsd,
        Usd.format(BigDecimal.sum(
          BigDecimal.multiply(Usd.decimal("0.001"), Usd.decimal(`${reserve.tokens - 100}`)),
          Usd.decimal("1")
        ))
      )
      assert.deepStrictEqual(asked?.parameters, { maxOutputTokens: 100 })
    }).pipe(Effect.provide(process(() => Effect.flatMap(MaxOutputTokens, (most) => ScriptedModel.text(`${most}`))))))

  it.effect("keeps a call from being made that could pass the limit on money (check 101, D49)", () =>
    Effect.gen(function*() {
      const { events, view } = yield* play({ costUsd: "1.10" })
      assert.strictEqual((yield* requests).length, 0)
      assert.strictEqual(view.status, "Failed")
      const [end] = only(events, "RunFailed")
      assert.deepInclude(end?.failure as object, { limit: "costUsd", allowed: "1.10", used: "0" })
      assert.include(end?.error, "the next call could use 1.")
    }).pipe(Effect.provide(process(["Done."]))))

  it.effect("tells the layer of the model how long the answer may be", () =>
    Effect.gen(function*() {
      const { view } = yield* play({ costUsd: "100" })
      assert.strictEqual(view.output, "at most 100")
    }).pipe(Effect
      .provide(process(() => Effect.flatMap(MaxOutputTokens, (most) => ScriptedModel.text(`at most ${most}`))))))

  it.effect("does not take away an answer that turns out dearer (D11, check 101)", () =>
    Effect.gen(function*() {
      const { view } = yield* play({ costUsd: "2" })
      assert.strictEqual(view.output, "Dear, but done.")
      assert.strictEqual(view.usage.costUsd, "91")
    }).pipe(Effect.provide(process([
      ScriptedModel.text("Dear, but done.", { usage: { input: 1000, output: 9000 } })
    ]))))

  it.effect("of a call that its process did not survive still counts, beside that of the next attempt", () => {
    const memory = MemoryStore.memory()
    return Effect.gen(function*() {
      const asked = yield* Deferred.make<void>()
      const runId = yield* Effect.gen(function*() {
        const runId = yield* start(Clerk, "Go.", { budget: { costUsd: "100" } })
        yield* executeUntil(runId, asked)
        return runId
      }).pipe(Effect
        .provide(process(() => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never), { memory })))
      yield* Effect.gen(function*() {
        const view = yield* execute(runId)
        const [first] = only(yield* eventsOf(runId), "LLMCallRequested")
        assert.strictEqual(view.output, "Done.")
        assert.deepStrictEqual(view.usage.possible, first?.reserve)
        assert.strictEqual(view.usage.costUsd, "0.06")
      }).pipe(Effect.provide(process(["Done."], { memory })))
    })
  })

  const torn = (description: string) =>
    ScriptedModel
      .failure(new AiError.NetworkError({ reason: "TransportError", method: "POST", url: "http://model", description }))

  it.effect("of an attempt that may have been charged for still counts, and of one that cannot have been does not", () =>
    Effect.gen(function*() {
      const { runId } = yield* play({ costUsd: "100" })
      yield* TestClock.adjust("10 seconds")
      yield* execute(runId)
      yield* TestClock.adjust("10 seconds")
      const view = yield* execute(runId)
      const [first] = only(yield* eventsOf(runId), "LLMCallRequested")
      assert.strictEqual(view.output, "Done.")
      assert.deepStrictEqual(view.usage.possible, first?.reserve)
    }).pipe(Effect.provide(process([
      [torn("fetch failed: connect ECONNREFUSED 127.0.0.1:1"), torn("read ECONNRESET"), "Done."]
    ]))))

  it.effect("holds the limit on tokens for a provider that reports none (MR-11)", () =>
    Effect.gen(function*() {
      const { view } = yield* play({ tokens: 800 })
      assert.strictEqual(view.status, "Failed")
      assert.isBelow((yield* requests).length, 5)
      assert.isAtMost(view.usage.possible.tokens, 800)
    }).pipe(Effect.provide(process(() => ScriptedModel.toolCall("read", { page: "7" }, { usage: null })))))
})

describe("a model without a price", () => {
  const unpriced = Prices.layer({ version: "test", models: {} })

  it.effect("is called under the limit that nobody stated, and the total says at least", () =>
    Effect.gen(function*() {
      const { events, view } = yield* play()
      assert.strictEqual(view.output, "Done.")
      assert.deepInclude(view.usage, { costUsd: "0", unpricedCalls: 1, unreportedCalls: 0 })
      assert.isUndefined(only(events, "LLMCallRequested")[0]?.reserve)
    }).pipe(Effect.provide(process(["Done."], { prices: unpriced }))))

  it.effect("is refused under a limit that was stated, before it is asked", () =>
    Effect.gen(function*() {
      const { events, view } = yield* play({ costUsd: "5" })
      assert.strictEqual((yield* requests).length, 0)
      assert.deepInclude(view.failure as object, { _tag: "ModelFailed", reason: "UnpricedModel", attempts: 0 })
      assert.include(view.reason, "the model `scripted` has no price, so a limit of 5 USD cannot be kept")
      assert.deepStrictEqual(only(events, "LLMCallFailed").map(({ attempt, reason }) => [attempt, reason]), [[
        0,
        "Refused"
      ]])
    }).pipe(Effect.provide(process(["Done."], { prices: unpriced }))))

  it.effect("is called if that is allowed", () =>
    Effect.gen(function*() {
      const { view } = yield* play({ costUsd: "5", unpriced: "allow" })
      assert.strictEqual(view.output, "Done.")
    }).pipe(Effect.provide(process(["Done."], { prices: unpriced }))))
})

describe("the budget of an agent inside a program", () => {
  const Outer = Program.make("outer", { input: Schema.String, output: Schema.Array(Schema.String), error: AgentError })
  const Short = Agent.make("short", { instructions: "Be short.", toolkit: [Read], budget: { turns: 2, toolCalls: 5 } })
  const both = Outer.toLayer(() =>
    Effect.forEach(
      ["one", "two"],
      (key) =>
        Short.run(key, "Write.")
          .pipe(Effect.catchTag(
            "BudgetExceeded",
            ({ allowed, limit, within }) => Effect.succeed(`${within}: ${allowed} ${limit}`)
          )),
      { concurrency: "unbounded" }
    )
  )
  const model = ScriptedModel.layer(({ path, turn }) => path === "two" && turn === 2 ? "Written." : reading)

  it.effect("limits that agent, and no other", () =>
    Effect.gen(function*() {
      const runId = yield* start(Outer, "x")
      const view = yield* execute(runId)
      assert.deepStrictEqual(view.output, ["one: 2 turns", "Written."])
      assert.strictEqual(view.usage.turns, 4)
      const { state } = view
      assert.deepInclude(Spending.usageBelow(state, "one"), { turns: 2, toolCalls: 2, inputTokens: 20 })
      assert.deepInclude(Spending.usageBelow(state, "two"), { turns: 2, toolCalls: 1, outputTokens: 10 })
      assert.deepStrictEqual(Spending.usageBelow(state, "on"), Budget.noUsage)
      assert.deepStrictEqual(
        Result.isSuccess(Spending.fits(state, {
          kind: "model",
          isFirst: true,
          reserve: undefined,
          within: [{ path: "two", budget: { turns: 3 } }],
          now: state.updatedAt
        })),
        true
      )
    }).pipe(Effect.provide(processOf(both, Layer.merge(model, world().layer)))))

  it.effect("ends the same, whatever the process dies of", () =>
    everyPrefix({
      program: Outer,
      input: "go",
      world: () => undefined,
      layer: () => both.pipe(Layer.provide([model, world().layer])),
      effects: () => []
    }))
})

describe("an agent with a tight budget, killed at every instant", () => {
  it.effect("ends the same while there is room for the call that was lost", () =>
    everyPrefix({
      program: Clerk,
      input: "Go.",
      start: { budget: { turns: 2, toolCalls: 2, tokens: 1200, costUsd: "3.00" } },
      world: () => undefined,
      layer: () =>
        Clerk.layer.pipe(Layer.provide([ScriptedModel.layer(() => reading), world().layer, priced(), counting])),
      effects: () => []
    }))

  it.effect("has spent or set aside, at every point of its log, what its calls reported by then", () =>
    Effect.gen(function*() {
      const { events, runId, view } = yield* play({ costUsd: "2.60" })
      assert.strictEqual(view.status, "Failed")
      let state = RunState.initial(runId)
      let reported = "0"
      for (const recorded of yield* recordedOf(runId)) {
        state = RunState.evolve(state, recorded)
        if (recorded.event._tag === "LLMCallCompleted") {
          reported = Usd.sum(reported, recorded.event.usage.costUsd ?? "0")
        }
        isAtMost(reported, Usd.sum(state.usage.costUsd, state.usage.possible.costUsd))
        isAtMost(Usd.sum(state.usage.costUsd, state.usage.possible.costUsd), "2.60")
      }
      assert.isAbove(only(events, "LLMCallCompleted").length, 2)
    }).pipe(Effect.provide(process(() => reading))))
})

const recordedOf = (runId: RunId) => Effect.flatMap(Runs, (runs) => Stream.runCollect(runs.events(runId)))

describe("a provider that wants to be asked again in an hour", () => {
  const limited = ScriptedModel.failure(new AiError.RateLimitError({ retryAfter: Duration.hours(1) }))

  it.effect("holds no worker, delays no shutdown, and is asked at its time by whoever is there then (PG-6)", () => {
    const memory = MemoryStore.memory()
    const worker = Worker.layer({ concurrency: 1, poll: "1 minute" }).pipe(
      Layer.provide(Clerk.layer),
      Layer.provide(Runtime.layer),
      Layer.provide(MemoryStore.layerOf(memory)),
      Layer.provide(Layer.merge(
        ScriptedModel.layer([[limited, "Done."]]),
        world().layer
      )),
      Layer.provide(quick)
    )
    return Effect.gen(function*() {
      const runs = yield* Runs
      const runId = yield* runs.start(Clerk, "Go.")
      const first = yield* Scope.make()
      yield* Layer.buildWithScope(Layer.fresh(worker), first)
      const asleep = yield* runs.await(runId, ({ status }) => status === "Sleeping")
      assert.strictEqual(asleep.wakeAt, 3_600_000)
      // The only slot is free for another run while this one waits.
      const other = yield* runs.start(Clerk, "Go too.")
      yield* runs.await(other, ({ status }) => status === "Sleeping")
      yield* Scope.close(first, yield* Effect.exit(Effect.void))

      yield* TestClock.adjust("59 minutes")
      yield* Layer.buildWithScope(Layer.fresh(worker), yield* Effect.scope)
      assert.strictEqual((yield* runs.state(runId)).status, "Sleeping")
      yield* TestClock.adjust("3 minutes")
      const done = yield* runs.await(runId)
      assert.strictEqual(done.output, "Done.")
      assert.isAtLeast(done.state.updatedAt, 3_600_000)
      assert.isBelow(done.state.activeMillis, 300_000)
    }).pipe(Effect.scoped, Effect.provide(Runs.layer.pipe(Layer.provideMerge(MemoryStore.layerOf(memory)))))
  })
})

describe("a model whose layer has a bug", () => {
  it.effect("is asked until the 15th, whatever else failed before", () =>
    Effect.gen(function*() {
      let { runId, view } = yield* play({ costUsd: "1000" })
      while (view.status === "Sleeping") {
        yield* TestClock.adjust("75 seconds")
        view = yield* execute(runId)
      }
      const failures = only(yield* eventsOf(runId), "LLMCallFailed")
      assert.strictEqual(failures.filter(({ reason }) => reason === "Defect").length, 15)
      assert.strictEqual(failures.length, 30)
    }).pipe(Effect.provide(process(({ attempt }) =>
      attempt % 2 === 0
        ? Effect.die("a bug")
        : ScriptedModel.failure(new AiError.InternalProviderError({ description: "busy" }))
    ))))
})

describe("a run that parks at its limit", () => {
  const limits = { turns: 1, costUsd: "100", atLimit: "park" } as const

  it.effect("goes on when an operator has raised the limit and released it, and repeats nothing (D35)", () =>
    Effect.gen(function*() {
      const runs = yield* Runs
      const { runId, view } = yield* play(limits)
      assert.strictEqual(view.status, "Stuck")
      assert.strictEqual(view.reason, "The run's budget allows 1 turn, and 1 is used")
      const [stuck] = only(yield* eventsOf(runId), "RunStuck")
      assert.deepInclude(stuck, { reason: "budget", key: "turn-2/model" })

      yield* runs.release(runId, { actor: "olga" })
      assert.strictEqual((yield* execute(runId)).status, "Stuck")
      yield* runs.changeBudget(runId, { turns: 2 }, { actor: "olga" })
      yield* runs.release(runId, { actor: "olga" })
      assert.strictEqual((yield* execute(runId)).output, "Done.")
      assert.strictEqual((yield* requests).length, 2)
    }).pipe(Effect.provide(process([reading, "Done."]))))

  it.effect("lets what is under way end first", () => {
    const tools = world()
    return Effect.gen(function*() {
      const { events, view } = yield* play({ ...limits, turns: 5, toolCalls: 2 })
      assert.strictEqual(view.status, "Stuck")
      assert.strictEqual(only(events, "RunStuck").length, 1)
      assert.strictEqual(only(events, "ToolCallRequested").length, 2)
      assert.strictEqual(only(events, "ToolCallCompleted").length, 2)
      const runs = yield* Runs
      const { runId } = view
      yield* runs.changeBudget(runId, { toolCalls: 4 }, { actor: "olga" })
      yield* runs.release(runId, { actor: "olga" })
      assert.strictEqual((yield* execute(runId)).output, "Done.")
      assert.strictEqual(tools.attempts.length, 4)
    }).pipe(Effect.provide(processOf(
      Clerk.layer.pipe(Layer.provide(priced()), Layer.provide(counting)),
      Layer.merge(
        ScriptedModel.layer([
          ScriptedModel.toolCalls(["1", "2", "3", "4"].map((page) => ({ name: "read", params: { page } }))),
          "Done."
        ]),
        tools.layer
      )
    )))
  })

  it.effect("can be cancelled there", () =>
    Effect.gen(function*() {
      const runs = yield* Runs
      const { runId } = yield* play(limits)
      assert.strictEqual((yield* runs.cancel(runId, { actor: "olga" })).status, "Cancelled")
    }).pipe(Effect.provide(process([reading, "Done."]))))

  it.effect("is parked before another attempt as before a first one", () =>
    Effect.gen(function*() {
      const { runId } = yield* play({ ...limits, wallMillis: 5000 })
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* execute(runId)).status, "Stuck")
      const runs = yield* Runs
      yield* runs.changeBudget(runId, { wallMillis: 60_000 }, { actor: "olga" })
      yield* runs.release(runId, { actor: "olga" })
      assert.strictEqual((yield* execute(runId)).output, "Done.")
    }).pipe(Effect.provide(process([
      [ScriptedModel.failure(new AiError.RateLimitError({ retryAfter: Duration.seconds(8) })), "Done."]
    ]))))
})

describe("raising a budget", () => {
  it.effect("lets a run go on that has not come to its limit", () => {
    const memory = MemoryStore.memory()
    return Effect.gen(function*() {
      const runId = yield* start(Clerk, "Go.", { budget: { turns: 1, costUsd: "100" } })
      const runs = yield* Runs
      yield* runs.changeBudget(runId, { turns: 2 }, { actor: "olga" })
      assert.strictEqual((yield* execute(runId)).output, "Done.")
      assert.strictEqual((yield* stateOf(runId)).budget.turns, 2)
    }).pipe(Effect.provide(process([reading, "Done."], { memory })))
  })
})
