import { Runs } from "@durable-agents/core"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Schema, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest, HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiClient, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { createServer } from "node:http"
import { Api } from "../src/Api.ts"
import { LocalUser, Server } from "../src/index.ts"
import { call, execute, memory, Ship, type Stores, tokenFor } from "./serving.ts"

/** Serves routes as an application would. */
const served = <E>(
  routes: Layer.Layer<never, E, HttpRouter.HttpRouter | Stores | Layer.Success<typeof NodeHttpServer.layerHttpServices>>
) =>
  Effect.gen(function*() {
    const context = yield* Layer
      .build(HttpRouter.serve(routes, { disableListenLog: true, disableLogger: true })
        .pipe(Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))))
    const { address } = Context.get(context, HttpServer.HttpServer)
    return HttpServer.formatAddress(address)
  })

const test = <E>(title: string, body: Effect.Effect<void, E, Stores | Runs>) =>
  it.live(title, () => Effect.scoped(Effect.provide(body, Layer.provideMerge(Runs.layer, memory()))))

describe("Server.routes", () => {
  test(
    "answer below a path of another server, and let nobody in without a token",
    Effect.scoped(Effect.gen(function*() {
      const hello = HttpRouter.add("GET", "/hello", HttpServerResponse.text("hello"))
      const url = yield* served(Layer.merge(hello, Server.routes({ programs: [Ship], prefix: "/agents" })))
      assert.strictEqual((yield* call(`${url}/hello`)).body, "hello")
      assert.strictEqual((yield* call(`${url}/agents/runs`)).status, 401)
      assert.strictEqual((yield* call(`${url}/runs`)).status, 404)
      const token = yield* tokenFor("sam", "starter", "operator")
      const started = yield* call(`${url}/agents/runs`, { token, json: { input: "A-1" } })
      assert.strictEqual(started.status, 201)
      const at = `/agents/runs/${started.body.runId}`
      assert.strictEqual(started.headers.get("location"), at)
      assert.strictEqual((yield* call(`${url}${at}`, { token })).body.status, "Pending")
      const forked = yield* call(`${url}${at}/fork?at=1`, { token, json: {} })
      assert.strictEqual(forked.headers.get("location"), `/agents/runs/${forked.body.runId}`)
      assert.strictEqual((yield* call(`${url}/agents/runs`, { token, json: { input: "" } })).status, 422)
      assert.strictEqual((yield* call(`${url}/agents/health`)).status, 200)
      assert.strictEqual((yield* call(`${url}/agents/docs`)).status, 200)
      const { servers } = (yield* call(`${url}/agents/openapi.json`)).body
      assert.deepStrictEqual(servers, [{ url: "/agents" }])
      assert.include((yield* call(`${url}/agents/docs`)).body, JSON.stringify(servers))
    }))
  )

  test(
    "let a local user in where one is named",
    Effect.scoped(Effect.gen(function*() {
      const url = yield* served(Layer.provide(Server.routes(), Layer.succeed(LocalUser, "dana")))
      assert.strictEqual((yield* call(`${url}/me`)).body.name, "dana")
    }))
  )
})

describe("Server.handlers", () => {
  test(
    "answer in an API that has endpoints of one's own, with one document and one typed client",
    Effect.scoped(Effect.gen(function*() {
      const Mine = HttpApiGroup.make("mine").add(HttpApiEndpoint.get("hello", "/hello", { success: Schema.String }))
      const Both = Api.add(Mine)
      const MineLayer = HttpApiBuilder.group(
        Both,
        "mine",
        (handlers) => handlers.handle("hello", () => Effect.succeed("hello"))
      )
      const url = yield* served(HttpApiBuilder.layer(Both, { openapiPath: "/openapi.json" })
        .pipe(Layer.provide([MineLayer, Server.handlers({ programs: [Ship] })])))
      const token = yield* tokenFor("dana", "starter", "approver", "operator")
      const client = yield* HttpApiClient.make(Both, {
        baseUrl: url,
        transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(token))
      })
      assert.strictEqual(yield* client.mine.hello(), "hello")
      const { runId } = yield* client.runs.start({ payload: { program: "ship", input: "A-1" }, headers: {} })
      yield* execute(runId)
      const [entry] = (yield* client.desk.approvals({ query: {} })).items
      if (entry === undefined) return assert.fail("nobody asks")
      assert.strictEqual(entry.runId, runId)
      yield* client.runs.deny({ params: { runId }, payload: { approval: entry.approval.key, reason: "no" } })
      const refused = yield* Effect
        .flip(client.runs.approve({ params: { runId }, payload: { approval: entry.approval.key } }))
      assert.deepInclude(refused, { _tag: "ApprovalNotPendingProblem", runId, runStatus: "Running" })
      const page = yield* client.runs.events({ params: { runId }, query: { limit: 1 }, headers: {} })
      assert.property(page, "items")
      const feed = yield* client.runs.events({ params: { runId }, query: {}, headers: { accept: "text/event-stream" } })
      if (!Stream.isStream(feed)) return assert.fail("not a feed")
      const first = yield* Stream.runCollect(Stream.take(feed, 2))
      assert.deepStrictEqual(
        first.map((item) => item.event === "message" ? [item.id, item.data.type] : []),
        [["0", "RunStarted"], ["1", "StepRequested"]]
      )
      yield* client.runs.pause({ params: { runId }, payload: null })
      assert.strictEqual((yield* client.runs.get({ params: { runId } })).status, "Paused")
      assert.include(Object.keys((yield* call(`${url}/openapi.json`)).body.paths), "/hello")
    })).pipe(Effect.provide(FetchHttpClient.layer))
  )
})
