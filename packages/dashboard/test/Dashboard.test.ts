import { MemoryStore } from "@durable-agents/core"
import { LocalUser, Server } from "@durable-agents/server"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { createServer } from "node:http"
import { Dashboard } from "../src/index.ts"

const urlOf = ({ address }: HttpServer.HttpServer["Service"]) => HttpServer.formatAddress(address)

const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, { headers, redirect: "manual" })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })

const names = ["", "dashboard.js", "dashboard.css", "icon.svg"]

describe("Dashboard.routes", () => {
  it.live("serves the page to anybody, with a policy that allows its own files only", () =>
    Effect.gen(function*() {
      const server = yield* Layer
        .build(Server.layer({ port: 0, beside: Dashboard.routes() })
          .pipe(Layer.provide(MemoryStore.layerOf(MemoryStore.memory()))))
      const url = urlOf(Context.get(server, HttpServer.HttpServer))
      for (const name of names) {
        const { headers, status } = yield* get(`${url}/${name}`)
        assert.strictEqual(status, 200, name)
        assert.strictEqual(headers.get("content-security-policy"), Dashboard.contentSecurityPolicy)
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
        assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
        const etag = headers.get("etag") ?? ""
        for (const known of [etag, etag.replace("W/", ""), `"other", ${etag}`, `"a,b",${etag}`, "*"]) {
          assert.strictEqual((yield* get(`${url}/${name}`, { "if-none-match": known })).status, 304, known)
        }
        assert.strictEqual((yield* get(`${url}/${name}`, { "if-none-match": "\"other\"" })).status, 200)
        assert.isNull((yield* get(`${url}/${name}`, { "accept-encoding": "gzip;q=0" })).headers.get("content-encoding"))
        const plain = yield* get(`${url}/${name}`, { "accept-encoding": "identity" })
        assert.isNull(plain.headers.get("content-encoding"))
        assert.strictEqual(plain.text, (yield* get(`${url}/${name}`, { "accept-encoding": "gzip" })).text)
      }
      assert.strictEqual((yield* get(`${url}/dashboard.js.map`)).status, 404)
      assert.strictEqual((yield* get(`${url}/runs`)).status, 200)
    }).pipe(Effect.scoped))

  it.live("is found below the prefix of the API", () =>
    Effect.gen(function*() {
      const mounted = HttpRouter.serve(
        Layer.mergeAll(Server.routes({ prefix: "/ops/agents" }), Dashboard.routes({ prefix: "/ops/agents" })),
        { disableLogger: true, disableListenLog: true }
      )
      const server = yield* Layer.build(mounted.pipe(
        Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })),
        Layer.provide([MemoryStore.layerOf(MemoryStore.memory()), Layer.succeed(LocalUser, "dana")])
      ))
      const url = urlOf(Context.get(server, HttpServer.HttpServer))
      const moved = yield* get(`${url}/ops/agents`)
      assert.strictEqual(new URL(moved.headers.get("location") ?? "", `${url}/ops/agents`).href, `${url}/ops/agents/`)
      const odd = yield* get(`${url}/ops/agents;/https:elsewhere.example`)
      assert.strictEqual(odd.status, 302)
      assert.strictEqual(new URL(odd.headers.get("location") ?? "", `${url}/ops/agents`).origin, url)
      for (const name of [...names, "me"]) {
        assert.strictEqual((yield* get(`${url}/ops/agents/${name}`)).status, 200, name)
      }
    }).pipe(Effect.scoped))
})
