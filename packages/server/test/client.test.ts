import { Budget, EventStore, type RunId, Runs } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Api } from "../src/Api.ts"
import { call, execute, memory, serve, Ship, tokenFor } from "./serving.ts"

const App = () => Layer.merge(Layer.provideMerge(Runs.layer, memory()), FetchHttpClient.layer)

describe("a typed client", () => {
  it.live("sends the letters that a header carries, and refuses others before anything is sent", () =>
    Effect.gen(function*() {
      const { url } = yield* serve()
      const token = yield* tokenFor("sam", "starter")
      const client = yield* HttpApiClient.make(Api, {
        baseUrl: url,
        transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(token))
      })
      const start = (key: string) =>
        client.runs.start({ headers: { "idempotency-key": key }, payload: { program: "ship", input: "A-1" } })
      const { runId, startKey } = yield* start("Größe 7, \x85 ÿ")
      assert.strictEqual(startKey, "Größe 7, \x85 ÿ")
      assert.strictEqual((yield* start("Größe 7, \x85 ÿ")).runId, runId)
      for (const key of ["заказ", "💥", "a\nb", "a\0", " a", "a ", ""]) {
        assert.strictEqual((yield* Effect.flip(start(key)))._tag, "SchemaError", key)
      }
      assert.lengthOf((yield* client.runs.list({ query: {} })).items, 1)
    }).pipe(Effect.scoped, Effect.provide(App())))

  it.live("reads what was sent: what is absent is absent, and null is what a program returned", () =>
    Effect.gen(function*() {
      const { url } = yield* serve()
      const token = yield* tokenFor("dana", "approver")
      const client = yield* HttpApiClient.make(Api, {
        baseUrl: url,
        transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(token))
      })
      const sent = (path: string) => Effect.map(call(`${url}${path}`, { token }), ({ body }) => body)
      const runs = yield* Runs
      const waits = yield* runs.start(Ship, "A-1")
      const ends = yield* runs.start(Ship, "A-2")
      const fails = yield* runs.start(Ship, "A-3")
      const end = (runId: RunId, event: Parameters<EventStore["Service"]["append"]>[1]["events"][number]) =>
        Effect.flatMap(EventStore, (store) => store.append(runId, { expected: 1, events: [event] }))
      yield* execute(waits)
      yield* end(ends, { _tag: "RunCompleted", output: null, usage: Budget.noUsage })
      yield* end(fails, {
        _tag: "RunFailed",
        reason: "Error",
        error: "no parcel",
        failure: null,
        usage: Budget.noUsage
      })
      for (const runId of [waits, ends, fails]) {
        const { now: _, ...read } = yield* client.runs.get({ params: { runId } })
        const { now: _now, ...body } = yield* sent(`/runs/${runId}`)
        assert.deepStrictEqual(Object.entries(read), Object.entries(body))
        const explained = yield* client.runs.explain({ params: { runId } })
        assert.deepStrictEqual<unknown>(explained, yield* sent(`/runs/${runId}/explain`))
      }
      assert.isNull((yield* client.runs.get({ params: { runId: ends } })).output)
      assert.isNull((yield* client.runs.get({ params: { runId: fails } })).failure)
      assert.deepStrictEqual<unknown>(yield* client.desk.programs(), yield* sent("/programs"))
      assert.deepStrictEqual<unknown>(yield* client.desk.approvals({ query: {} }), yield* sent("/approvals"))
      assert.deepStrictEqual<unknown>(yield* client.runs.list({ query: {} }), yield* sent("/runs"))
    }).pipe(Effect.scoped, Effect.provide(App())))
})
