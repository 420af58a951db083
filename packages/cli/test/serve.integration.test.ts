import { AccessToken, type Role } from "@durable-agents/core"
import { Sqlite } from "@durable-agents/sqlite"
import { assert, describe, it, onTestFinished } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { createServer } from "node:net"
import { join } from "node:path"
import { collector } from "./collector.ts"
import { newFolder } from "./folders.ts"
import { commandsIn } from "./inProcess.ts"
import { assertFails, fixture, outputOf, processesIn } from "./processes.ts"

const app = fixture("app.ts")

/** A folder with a store, and servers over it in processes of their own. */
const setUp = async (telling: Readonly<Record<string, string>> = {}) => {
  const folder = newFolder()
  const environment = { DURABLE_AGENTS_STORE: "sqlite:runs.db", REFUNDS: join(folder, "refunds") }
  const cli = commandsIn(folder, environment)
  outputOf(await cli(["init-db"]))
  const { begin } = processesIn(folder, environment)
  return {
    cli,
    begin,
    /** A server, when it listens. */
    serve: async (...args: ReadonlyArray<string>) => {
      const server = begin(["serve", "--port", "0", ...args], telling)
      await server.says(/Answers on /)
      return { ...server, url: server.said().match(/Answers on (\S+) /)?.[1] ?? "" }
    },
    tokenFor: (holder: string, ...roles: readonly [Role, ...ReadonlyArray<Role>]) =>
      Effect.runPromise(Effect.map(AccessToken.issue({ holder, roles }), ({ secret }) =>
        Redacted.value(secret)).pipe(Effect.provide(Sqlite.layer({ file: join(folder, "runs.db") }))))
  }
}

const call = async (url: string, json?: unknown, token?: string) => {
  const response = await fetch(url, {
    ...(json === undefined ? {} : { method: "POST", body: JSON.stringify(json) }),
    headers: {
      "content-type": "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` })
    }
  })
  const text = await response.text()
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) }
}

describe("durable-agents serve", () => {
  it("starts and decides what workers in other processes execute, and executes nothing (checks 54, 86)", async () => {
    const seen = await collector()
    onTestFinished(seen.close)
    const telling = { OTEL_EXPORTER_OTLP_ENDPOINT: seen.url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" }
    const { cli, serve } = await setUp(telling)
    const server = await serve("--app", app, "--user", "dana")
    const work = async () => assert.strictEqual((await cli(["worker", "--app", app, "--until-idle"], telling)).code, 0)
    assert.include(await (await fetch(`${server.url}/`)).text(), "dashboard.js")
    const started = await call(`${server.url}/runs`, { program: "support", input: "Refund order A-1" })
    assert.strictEqual(started.status, 201)
    const run = `${server.url}/runs/${started.body.runId}`
    assert.deepInclude((await call(run)).body, { status: "Pending", seq: 1 })
    await work()
    const asked = (await call(`${server.url}/approvals`)).body.items
    assert.deepInclude(asked[0].approval, { tool: "issue_refund", arguments: { orderId: "A-1", cents: 6400 } })
    const approval = asked[0].approval.key
    assert.strictEqual((await call(`${run}/approve`, { approval })).status, 204)
    const decided = (await call(run)).body
    assert.deepInclude(decided, { status: "Running", pendingApprovals: [] })
    await work()
    assert.deepInclude((await call(run)).body, { status: "Completed", output: "RF-6400" })
    assert.strictEqual((await call(`${run}/approve`, { approval })).body.decision.actor.id, "dana")
    server.child.kill("SIGTERM")
    const { code, err, out } = await server.ended
    assert.deepStrictEqual({ code, out }, { code: 0, out: `${server.url}\n` })
    assert.match(err, /whoever is on this machine acts as dana\n[^]*Stops: lets requests end\n[^]*Stopped\n$/)
    // From the request over the start to both executions.
    const named = (name: string) => seen.spans().filter((span) => span.name === name)
    const [asking] = named("Runs.start")
    const posts = named("POST").filter(({ attributes }) => attributes["http.route"] === "/runs")
    assert.deepStrictEqual(posts.map(({ spanId, traceId }) => [traceId, spanId]), [[
      asking?.traceId,
      asking?.parentSpanId
    ]])
    const links = named("Run").flatMap(({ links }) => links).filter(([of]) => of === "start")
    assert.deepStrictEqual(links, Array(2).fill(["start", asking?.traceId, asking?.spanId]))
  })

  it("wants a token for every request once there is one, and before other machines can reach it (D32)", async () => {
    const { begin, serve, tokenFor } = await setUp()
    const open = await begin(["serve", "--host", "0.0.0.0", "--port", "0"]).ended
    assertFails(open, 1, /which other machines reach, and there is no token/)
    const token = await tokenFor("vera", "viewer")
    const server = await serve("--host", "0.0.0.0")
    const url = server.url.replace("0.0.0.0", "127.0.0.1")
    assert.strictEqual((await call(`${url}/runs`)).status, 401)
    assert.deepStrictEqual((await call(`${url}/me`, undefined, token)).body, { name: "vera", roles: ["viewer"] })
    assert.strictEqual((await call(`${url}/runs`, { program: "ship", input: "x" }, token)).status, 403)
    server.child.kill("SIGTERM")
    assert.strictEqual((await server.ended).code, 0)
    assert.notInclude((await server.ended).err, token)
  })

  it("says in one line why it cannot listen", async () => {
    const { cli } = await setUp()
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve))
    const address = taken.address()
    const port = typeof address === "object" && address !== null ? `${address.port}` : ""
    assertFails(await cli(["serve", "--port", port]), 1, /Nothing can listen on `127\.0\.0\.1`, port \d+: .*EADDRINUSE/)
    taken.close()
    assertFails(await cli(["serve", "--port", "65536"]), 2, /--port/)
    assertFails(await cli(["serve", "--store", "sqlite:none.db"]), 4, /there is no file/)
  })
})
