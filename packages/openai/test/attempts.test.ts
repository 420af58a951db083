import { Agent } from "@durable-agents/agent"
import { MemoryStore, type RunEvent, Runs, Runtime } from "@durable-agents/core"
import { OpenAi } from "@durable-agents/openai"
import * as FakeProvider from "@durable-agents/testing/FakeProvider"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted, Schedule, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"

const Stock = Tool.make("stock", {
  description: "How many are in stock.",
  parameters: Schema.Struct({ item: Schema.String }),
  success: Schema.Struct({ left: Schema.Int })
}).annotate(Tool.Readonly, true)
const Kit = Toolkit.make(Stock)

const Keeper = Agent.make("keeper", {
  instructions: "You keep a shop.",
  toolkit: Kit,
  retry: Schedule.forever,
  attempts: 7
})

const key = "sk-secret-0123456789"

const Patient = Agent.make("patient", { instructions: "You keep a shop.", retry: Schedule.spaced("1 hour") })

/** Runs the agent to its end on a provider, or until it rests, and counts what is in the log. */
const run = (script: FakeProvider.Script, agent: typeof Keeper | typeof Patient = Keeper) =>
  Effect.gen(function*() {
    const provider = yield* FakeProvider.make(script)
    const model = OpenAi.layer({ model: "m", baseUrl: provider.baseUrl, apiKey: Redacted.make(key) })
    return yield* Effect.gen(function*() {
      const runs = yield* Runs
      const runId = yield* runs.start(agent, "How many bolts?")
      const begin = yield* Clock.currentTimeMillis
      const { status, wakeAt } = yield* (yield* Runtime).execute(runId)
      const events = (yield* Stream.runCollect(runs.events(runId))).map(({ event }) => event)
      assert.notInclude(JSON.stringify(events), key)
      const count = (tag: RunEvent.RunEvent["_tag"]) => events.filter((event) => event._tag === tag).length
      const kinds = events.flatMap((event) =>
        event._tag === "LLMCallFailed" ? [Object(event.failure).kind as string] : []
      )
      return {
        status,
        hours: wakeAt === undefined ? undefined : Math.round((wakeAt - begin) / 3_600_000),
        kinds,
        requests: provider.requests.length,
        attempts: count("LLMCallRequested"),
        answers: count("LLMCallCompleted"),
        outputs: events.flatMap((event) => event._tag === "RunCompleted" ? [event.output] : []),
        pending: provider.requests.filter(({ outcome }) => outcome === "pending").length
      }
    }).pipe(Effect.provide(Layer.mergeAll(Keeper.layer, Patient.layer).pipe(
      Layer.provideMerge(Runtime.layer),
      Layer.provideMerge(MemoryStore.layer),
      Layer.provide([
        model.pipe(Layer.provide(NodeHttpClient.layerUndici)),
        Kit.toLayer({ stock: () => Effect.succeed({ left: 12 }) })
      ])
    )))
  }).pipe(Effect.scoped)

const calls = FakeProvider.reply({ toolCalls: [{ name: "stock", arguments: { item: "bolt" } }] })

describe("an agent on a provider", () => {
  it.live("makes as many requests as attempts are recorded, whatever goes wrong (ME-2, ME-4, MR-8)", () =>
    Effect.gen(function*() {
      const done = yield* run([
        FakeProvider.respond(503, "busy"),
        FakeProvider.reset,
        FakeProvider.reply("torn", { after: 20, end: "close" }),
        FakeProvider.respond(429, { error: { code: "rate_limit_exceeded", message: "Slow." } }, {
          "retry-after-ms": "1"
        }),
        FakeProvider.respond(200, { error: { code: 502, message: "Down." } }),
        calls,
        FakeProvider.respond(200, "<html>"),
        FakeProvider.respond(529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
        FakeProvider.reply("Twelve.", { cut: "bytes" })
      ])
      assert.deepStrictEqual(done, {
        status: "Completed",
        hours: undefined,
        kinds: [
          "transient",
          "transient",
          "transient",
          "rate-limited",
          "transient",
          "malformed-output",
          "transient"
        ],
        requests: 9,
        attempts: 9,
        answers: 2,
        outputs: ["Twelve."],
        pending: 0
      })
    }))

  it.live("holds no worker while the provider wants to be left alone, and is not hurried by nonsense (ME-3)", () =>
    Effect.gen(function*() {
      const rests = (headers: Readonly<Record<string, string>>) =>
        Effect.map(run(FakeProvider.respond(429, "no", headers), Patient), ({ hours, requests, status }) => [
          status,
          hours,
          requests
        ])
      const inAYear = new Date(Date.UTC(2030, 0, 1)).toUTCString()
      assert.deepStrictEqual(yield* rests({ "retry-after": "18000" }), ["Sleeping", 5, 1])
      assert.deepStrictEqual(
        yield* rests({ "retry-after": inAYear, date: new Date(Date.UTC(2029, 11, 31, 18)).toUTCString() }),
        ["Sleeping", 6, 1]
      )
      assert.deepStrictEqual(yield* rests({ "x-ratelimit-reset-requests": "7h0m0s" }), ["Sleeping", 7, 1])
      for (const value of ["-5", "0", "soon", "1e9", inAYear]) {
        assert.deepStrictEqual(yield* rests({ "retry-after": value }), ["Sleeping", 1, 1], value)
      }
    }))

  it.live("gives up after the attempts that it has, and no request more (ME-4)", () =>
    Effect.gen(function*() {
      const { attempts, requests, status } = yield* run(FakeProvider.respond(500, "no"))
      assert.deepStrictEqual([status, requests, attempts], ["Failed", 7, 7])
    }))

  it.live("asks once where asking again cannot help, and records why (ME-1)", () =>
    Effect.gen(function*() {
      const table: ReadonlyArray<readonly [FakeProvider.Behaviour, string]> = [
        [FakeProvider.respond(400, { error: { code: "content_filter", message: "No." } }), "content-filtered"],
        [
          FakeProvider.respond(400, { error: { code: "context_length_exceeded", message: "Long." } }),
          "context-too-long"
        ],
        [FakeProvider.respond(400, { error: { message: "Bad." } }), "permanent"],
        [FakeProvider.respond(401, { error: { code: "invalid_api_key", message: `Wrong key ${key}.` } }), "permanent"],
        [FakeProvider.respond(404, { error: { code: "model_not_found", message: "None." } }), "permanent"],
        [FakeProvider.respond(429, { error: { code: "insufficient_quota", message: "Pay." } }), "quota"]
      ]
      for (const [behaviour, kind] of table) {
        const { attempts, kinds, requests, status } = yield* run(behaviour)
        assert.deepStrictEqual([status, requests, attempts, kinds], ["Failed", 1, 1, [kind]])
      }
    }))
})
