import { Agent, ModelDeltas, ScriptedModel } from "@durable-agents/agent"
import type { RunEvent } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schedule, Stream } from "effect"
import { AiError, LanguageModel, type Response } from "effect/ai"
import { TestClock } from "effect/testing"
import { eventsOf, execute, executeUntil, Kit, only, play, processOf, start, world } from "./fixtures.ts"

const { failure, toolCalls } = ScriptedModel

const Clerk = Agent.make("clerk", {
  instructions: "You are a clerk.",
  toolkit: Kit,
  stream: true,
  retry: Schedule.forever,
  timeout: "1 minute"
})
const Silent = Agent.make("clerk", { instructions: "You are a clerk.", toolkit: Kit, retry: Schedule.forever })

const script: ScriptedModel.Script = [
  [
    failure(new AiError.InternalProviderError({ description: "down" })),
    toolCalls([{ name: "read", params: { page: "1" } }], { text: "I look it up." })
  ],
  "It says so on page 1."
]

const around = (model: typeof script = script) => Layer.merge(ScriptedModel.layer(model), world().layer)

/** Everything that is said from now on. */
const listening = Effect.gen(function*() {
  const heard: Array<ModelDeltas.Delta> = []
  const listeners = yield* ModelDeltas.Listeners
  const listener = (delta: ModelDeltas.Delta) => {
    heard.push(delta)
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => listeners.add(listener)),
    () => Effect.sync(() => listeners.delete(listener))
  )
  return heard
})

const words = (deltas: ReadonlyArray<ModelDeltas.Delta>) =>
  deltas.map((delta) =>
    "text" in delta ? `${delta.attempt} ${delta._tag} ${delta.text}` : `${delta.attempt} ${delta._tag}`
  )

/** What a log says, without what differs from run to run. */
const told = (events: ReadonlyArray<RunEvent.RunEvent>) =>
  events.map((event) => ({ ...event, durationMillis: 0, idempotencyKey: "", wakeAtMillis: 0, inputDigest: "" }))

/** A model that streams what it is told to, by attempt. */
const streaming = (...streams: ReadonlyArray<Stream.Stream<Response.StreamPartEncoded, AiError.AiError>>) =>
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.suspend(() => {
      let asked = 0
      return LanguageModel.make({
        generateText: () => Effect.die("it was asked for a stream"),
        streamText: () => streams[Math.min(asked++, streams.length - 1)] ?? Stream.empty
      })
    })
  )

const piece = (delta: string) => ({ type: "text-delta", id: "1", delta }) as const
const whole = (text: string) =>
  Stream.fromIterable<Response.StreamPartEncoded>([
    { type: "text-start", id: "1" },
    piece(text),
    { type: "text-end", id: "1" },
    { type: "finish", reason: "stop", usage: { inputTokens: {}, outputTokens: {} } }
  ])

const broken = AiError.make({
  module: "Test",
  method: "streamText",
  reason: new AiError.NetworkError({ reason: "TransportError", method: "POST", url: "https://models.example" })
})

const playClerk = Effect.gen(function*() {
  const heard = yield* listening
  const runId = yield* start(Clerk, "Do it.")
  const view = yield* execute(runId)
  return { runId, view, heard, events: yield* eventsOf(runId) }
})

describe("an agent that streams", () => {
  it.live("tells who listens what the model says, attempt by attempt", () =>
    Effect.gen(function*() {
      const { heard, runId, view } = yield* playClerk
      assert.strictEqual(view.output, "It says so on page 1.")
      const first = heard.filter(({ key }) => key === "turn-1/model")
      assert.deepStrictEqual(words(first), [
        "1 Began",
        "1 Voided",
        "2 Began",
        "2 Text I",
        "2 Text  look",
        "2 Text  it",
        "2 Text  up.",
        "2 Arguments ",
        "2 Arguments {\"page\":",
        "2 Arguments \"1\"}",
        "2 Ended"
      ])
      assert.deepStrictEqual(first.map(({ index }) => index), [0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8])
      assert.isTrue(heard.every((delta) => delta.runId === runId))
      const last = heard.filter(({ turn }) => turn === 2)
      assert.strictEqual(last.map((delta) => delta._tag === "Text" ? delta.text : "").join(""), view.output)
    }).pipe(Effect.provide(processOf(Clerk.layer, around())), Effect.scoped))

  it.live("records what an agent records that does not", () =>
    Effect.gen(function*() {
      const playing = (agent: typeof Clerk) =>
        Effect.gen(function*() {
          const runId = yield* start(agent, "Do it.")
          yield* execute(runId)
          return told(yield* eventsOf(runId))
        }).pipe(Effect.provide(processOf(agent.layer, around())))
      assert.deepStrictEqual(yield* playing(Clerk), yield* playing(Silent))
    }))

  it.live("voids what a stream said that broke, and tries again", () =>
    Effect.gen(function*() {
      const { events, heard, view } = yield* playClerk
      assert.strictEqual(view.output, "Whole.")
      assert.deepStrictEqual(words(heard), [
        "1 Began",
        "1 Text Hal",
        "1 Voided",
        "2 Began",
        "2 Text Torn",
        "2 Voided",
        "3 Began",
        "3 Text Whole.",
        "3 Ended"
      ])
      assert.strictEqual(only(events, "LLMCallRequested").length, 3)
      assert.deepStrictEqual(only(events, "LLMCallFailed").map(({ attempt, final }) => [attempt, final]), [[1, false], [
        2,
        false
      ]])
    }).pipe(
      Effect.provide(processOf(
        Clerk.layer,
        Layer.merge(
          streaming(
            Stream.concat(Stream.make(piece("Hal")), Stream.fail(broken)),
            Stream.make(piece("Torn")),
            whole("Whole.")
          ),
          world().layer
        )
      )),
      Effect.scoped
    ))

  it.effect("ends an attempt whose stream takes too long, and closes it (ME-8)", () => {
    const begun = Deferred.makeUnsafe<void>()
    const closed = Deferred.makeUnsafe<void>()
    const endless = Stream.make(piece("Hm")).pipe(
      Stream.concat(Stream.fromEffectDrain(Deferred.succeed(begun, undefined))),
      Stream.concat(Stream.never),
      Stream.ensuring(Deferred.succeed(closed, undefined))
    )
    return Effect.gen(function*() {
      const heard = yield* listening
      const runId = yield* start(Clerk, "Do it.")
      const fiber = yield* Effect.forkChild(execute(runId))
      yield* Deferred.await(begun)
      yield* TestClock.adjust("1 minute")
      yield* Deferred.await(closed)
      assert.strictEqual((yield* Fiber.join(fiber)).status, "Sleeping")
      yield* TestClock.adjust("1 second")
      const view = yield* execute(runId)
      assert.strictEqual(view.output, "Here.")
      assert.deepStrictEqual(words(heard), [
        "1 Began",
        "1 Text Hm",
        "1 Voided",
        "2 Began",
        "2 Text Here.",
        "2 Ended"
      ])
      assert.deepStrictEqual(only(yield* eventsOf(runId), "LLMCallFailed").map(({ reason }) => reason), ["Timeout"])
    }).pipe(
      Effect.provide(processOf(Clerk.layer, Layer.merge(streaming(endless, whole("Here.")), world().layer))),
      Effect.scoped
    )
  })

  it.live("closes the stream when it is interrupted", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const closed = yield* Deferred.make<void>()
      const endless = Stream.make(piece("Hm")).pipe(
        Stream.concat(Stream.fromEffectDrain(Deferred.succeed(begun, undefined))),
        Stream.concat(Stream.never),
        Stream.ensuring(Deferred.succeed(closed, undefined))
      )
      const heard = yield* listening
      yield* Effect.gen(function*() {
        const runId = yield* start(Clerk, "Do it.")
        yield* executeUntil(runId, begun)
        yield* Deferred.await(closed)
      }).pipe(Effect.provide(processOf(Clerk.layer, Layer.merge(streaming(endless), world().layer))))
      assert.deepStrictEqual(words(heard), ["1 Began", "1 Text Hm", "1 Voided"])
    }).pipe(Effect.scoped))
})

describe("ModelDeltas.of", () => {
  it.live("is a stream of one run, and never waits for a slow reader, which gets the newest", () =>
    Effect.gen(function*() {
      const go = yield* Deferred.make<void>()
      const runId = yield* start(Clerk, "Do it.")
      const slow = yield* Effect.forkChild(
        ModelDeltas.of(runId).pipe(
          Stream.tap(() => Deferred.await(go)),
          Stream.takeUntil(({ _tag }) => _tag === "Ended"),
          Stream.runCollect
        ),
        { startImmediately: true }
      )
      yield* start(Clerk, "Something else.").pipe(Effect.flatMap(execute))
      yield* execute(runId)
      yield* Deferred.succeed(go, undefined)
      const heard = yield* Fiber.join(slow)
      assert.isTrue(heard.every((delta) => delta.runId === runId))
      assert.isBelow(heard.length, 1200)
      assert.strictEqual(heard.at(-1)?._tag, "Ended")
      assert.strictEqual(heard.at(-1)?.index, 3001)
    }).pipe(Effect.provide(processOf(Clerk.layer, around(["word ".repeat(3000).trimEnd()])))))

  it.live("hears nothing of agents that do not stream", () =>
    Effect.gen(function*() {
      const heard = yield* listening
      yield* play()
      assert.deepStrictEqual(heard, [])
    }).pipe(Effect.provide(processOf(Silent.layer, around())), Effect.scoped))
})
