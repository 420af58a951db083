import { AccessToken, type Role } from "@durable-agents/core"
import { Server } from "@durable-agents/server"
import { Sqlite } from "@durable-agents/sqlite"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { HttpServer } from "effect/http"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { app } from "./fixtures/app.ts"
import { newFolder } from "./folders.ts"
import { commandsIn } from "./inProcess.ts"
import { assertFails, fixture, outputOf } from "./processes.ts"

const folder = newFolder()
const file = join(folder, "runs.db")
const there = { DURABLE_AGENTS_STORE: `sqlite:${file}`, DURABLE_AGENTS_ACTOR: "not-the-holder" }
const unknown = "0198c0de-0000-7000-8000-000000000000"

/** On the store, as workers are. */
const onStore = commandsIn(folder, { REFUNDS: join(folder, "refunds") })
const work = async () =>
  assert.strictEqual((await onStore(["worker", "--app", fixture("app.ts"), "--until-idle"], there)).code, 0)

/** Without any store in its environment. */
const cli = commandsIn(newFolder())

const tokenFor = (holder: string, ...roles: readonly [Role, ...ReadonlyArray<Role>]) =>
  Effect.runPromise(AccessToken.issue({ holder, roles }).pipe(
    Effect.map(({ secret }) => Redacted.value(secret)),
    Effect.provide(Sqlite.layer({ file }))
  ))

/** A server on loopback until the function that comes with it is called. */
const serve = (port = 0) =>
  Effect.runPromise(Effect.gen(function*() {
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(
      Layer.fresh(Server.layer({ programs: app.programs, port }))
        .pipe(Layer.provideMerge(Layer.fresh(Sqlite.layer({ file })))),
      scope
    )
    const { address } = Context.get(context, HttpServer.HttpServer)
    const bound = address._tag === "UnixPathAddress" ? 0 : address.port
    return {
      port: bound,
      url: `http://127.0.0.1:${bound}`,
      stop: () => Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }))

let server: Awaited<ReturnType<typeof serve>>
let token: string
/** Through the server, as somebody with every role. */
const through = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}, input = "") =>
  cli(args, { DURABLE_AGENTS_URL: server.url, DURABLE_AGENTS_TOKEN: token, ...env }, input)
const said = async (...args: ReadonlyArray<string>) => outputOf(await through(args))
const json = async (...args: ReadonlyArray<string>) => JSON.parse(await said(...args, "--json"))

describe("durable-agents --url", () => {
  beforeAll(async () => {
    outputOf(await onStore(["init-db"], there))
    token = await tokenFor("vera", "starter", "approver", "operator")
    server = await serve()
    return () => server.stop()
  })

  it("starts, decides with edited arguments, and shows a run to its end as the holder of the token (HC-1, D36)", async () => {
    const started = await json("start", "support", "Refund order A-1", "--label", "team=it", "--start-key", "k1")
    assert.strictEqual(
      (await said("start", "support", "Refund order A-1", "--label", "team=it", "--start-key", "k1")).trim(),
      started.runId
    )
    const run: string = started.runId
    await work()
    const key = "turn-1/call-1/approval"
    const status = await said("status", run, "--url", server.url)
    assert.include(status, `durable-agents approve ${run} ${key} --url ${server.url}\n`)
    assert.notInclude(status, "resume")
    assert.strictEqual((await json("status", run)).mover, "approver")
    assert.include(await said("explain", run), "AwaitingApproval")
    assert.match(
      await said("runs", "--label", "team=it", "--status", "AwaitingApproval"),
      new RegExp(`^${run}  AwaitingApproval`)
    )
    assert.strictEqual((await json("runs", "--requested-by", "vera")).items[0].runId, run)
    const editor = join(folder, "editor.mjs")
    writeFileSync(
      editor,
      "import fs from 'node:fs'; const f = process.argv[2];\nfs.writeFileSync(f, fs.readFileSync(f, 'utf8').replace('6400', '5900'))\n"
    )
    const bad = join(folder, "bad-editor.mjs")
    writeFileSync(
      bad,
      "import fs from 'node:fs';\nfs.writeFileSync(process.argv[2], '{\"orderId\":\"A-1\",\"cents\":\"much\"}')\n"
    )
    const before = (await json("status", run)).seq
    assertFails(
      await through(["approve", run, key, "--edit"], { EDITOR: `"${process.execPath}" "${bad}"` }),
      2,
      /`arguments` do not fit `issue_refund`: .*cents/
    )
    assert.deepInclude(await json("status", run), { seq: before, status: "AwaitingApproval" })
    const approved =
      outputOf(await through(["approve", run, key, "--edit"], { EDITOR: `"${process.execPath}" "${editor}"` }))
    assert.match(approved, /^approved turn-1\/call-1\/approval; the run is Running\nnext: a worker goes on with it\n$/)
    assertFails(await through(["deny", run, key]), 6, /was already granted by `vera`/)
    await work()
    assert.strictEqual((await json("status", run)).output, "RF-5900")
    assert.strictEqual(await said("export", run), outputOf(await onStore(["export", run], there)))
    assert.strictEqual(await said("replay", run), outputOf(await onStore(["replay", run], there)))
    assert.include(await said("replay", run, "--verify"), "the log is whole")
    assertFails(await through(["cancel", run]), 6, /has ended already/)
    assertFails(await through(["start", "support", "Another", "--start-key", "k1"]), 6, /`k1` belongs to run/)
  })

  it("operates on a run: pause, unpause, signal, budget, fork, cancel, release and resolve with their answers", async () => {
    const run: string = (await json("start", "ship", "{\"id\":\"o-1\",\"cents\":5}")).runId
    assert.deepInclude(await json("pause", run, "--reason", "closed"), { status: "Paused", actor: "vera" })
    assert.deepInclude(await json("signal", run, "paid", "{\"cents\":5}", "--id", "s-1"), { signal: "paid" })
    const { seq } = await json("signal", run, "paid", "{\"cents\":5}", "--id", "s-1")
    assert.strictEqual((await json("budget", run, "turns=7")).budget.turns, 7)
    assert.strictEqual((await json("unpause", run)).seq, seq + 2)
    const forked = await json("fork", run, "--at", "1", "--label", "copy=yes")
    assert.deepInclude(forked, { program: "ship", forkedFrom: { runId: run, seq: 1 }, actor: "vera" })
    assertFails(await through(["fork", run, "--at", "99"]), 6, /cannot be forked at 99: that /)
    assertFails(await through(["release", run]), 6, /does not take this now \(status Pending\)/)
    assertFails(
      await through(["resolve", run, "nothing", "--happened", "1"]),
      6,
      /does not wait for `nothing`|has its outcome/
    )
    assert.strictEqual((await json("cancel", run)).status, "Cancelled")
    assertFails(await through(["status", unknown]), 3, /There is no run/)
    assertFails(await through(["export", unknown]), 3, /There is no run/)
    assertFails(await through(["pause", unknown]), 3, /There is no run/)
  })

  it("knows keys in any letters, and the same ones as the store", async () => {
    const key = "заказ № 7 💥\nline"
    const order = ["ship", "{\"id\":\"o-7\",\"cents\":5}", "--start-key", key]
    const run: string = (await json("start", ...order)).runId
    assert.strictEqual((await said("start", ...order)).trim(), run)
    assert.strictEqual(outputOf(await onStore(["start", ...order, "--app", fixture("app.ts")], there)).trim(), run)
    assertFails(await through(["start", ...order, "--label", "a=b"]), 6, /belongs to run .* started with other content/)
    const slow: string = (await json("start", "slow", "1", "--start-key", key)).runId
    assert.notStrictEqual(slow, run)
    const { seq } = await json("signal", run, "paid", "{\"cents\":5}", "--id", key)
    assert.strictEqual((await json("signal", run, "paid", "{ \"cents\": 5 }", "--id", key)).seq, seq)
    assertFails(await through(["signal", run, "paid", "6", "--id", key]), 6, /belongs to another signal of run/)
    const fork = ["fork", run, "--at", "1", "--start-key", `${key} again`]
    const forked: string = (await json(...fork)).runId
    assert.strictEqual((await said(...fork)).trim(), forked)
    assertFails(await through([...fork, "--budget", "turns=2"]), 6, /belongs to run .* started with other content/)
    for (const args of [["start", ...order.slice(0, 3), ""], ["signal", run, "paid", "6", "--id", ""]]) {
      const there_ = await onStore(args[0] === "start" ? [...args, "--app", fixture("app.ts")] : args, there)
      for (const ended of [await through(args), there_]) assertFails(ended, 2, /`(startKey|id)` (is empty|Expected)/)
    }
    assertFails(await through(["start", "slow", "1", "--budget", "turns=0"]), 2, /`turns` must be more than 0/)
    assertFails(await through(["runs", "--requested-by", "a\0b"]), 4, /does not take this: `requestedBy`/)
  })

  it("refuses an input, a program and another name than the token's, as the store would", async () => {
    assertFails(await through(["start", "ship", "{\"id\":7}"]), 2, /`input` does not fit `ship`/)
    assertFails(await through(["start", "ship", "no json"]), 2, /The input is not JSON/)
    assertFails(await through(["start", "other", "x"]), 2, /no program `other`; it has `support`, `ship`, `slow`/)
    assertFails(await through(["start", "support", "x", "--app", "./app.ts"]), 2, /either --app or --url/)
    assertFails(await through(["start", "support", "x", "--requested-by", "eve"]), 2, /who its token is of, `vera`/)
    assertFails(await through(["pause", unknown, "--actor", "eve"]), 2, /who its token is of, `vera`/)
    assertFails(await through(["runs", "--cursor", "nonsense"]), 4, /is not a cursor of this list/)
  })

  it("follows a run across a restart of the server, without a gap or a second time", async () => {
    const own = await serve()
    const run: string = (await json("start", "ship", "{\"id\":\"o-2\",\"cents\":5}", "--url", own.url)).runId
    const following = cli(["replay", run, "--follow", "--json"], {
      DURABLE_AGENTS_URL: own.url,
      DURABLE_AGENTS_TOKEN: token
    })
    await said("pause", run)
    await own.stop()
    await said("unpause", run)
    const again = await serve(own.port)
    await said("cancel", run)
    assert.strictEqual(outputOf(await following), await said("export", run))
    assert.strictEqual((await json("status", run)).seq, 5)
    await again.stop()
  })

  it("says plainly what lets nobody in, what is not permitted, and that nobody answers", async () => {
    const viewer = await tokenFor("otto", "viewer")
    const env = { DURABLE_AGENTS_TOKEN: viewer }
    outputOf(await through(["runs"], env))
    assertFails(await through(["pause", unknown], env), 6, /does not permit this: This wants the role `operator`/)
    assertFails(await through(["runs"], { DURABLE_AGENTS_TOKEN: "" }), 4, /wants a token: set DURABLE_AGENTS_TOKEN/)
    const bad = await through(["runs"], { DURABLE_AGENTS_TOKEN: "dat_secret" })
    assertFails(bad, 4, /does not know the token in DURABLE_AGENTS_TOKEN/)
    const odd = await through(["runs"], { DURABLE_AGENTS_TOKEN: "dat_\u00e9secret" })
    assertFails(odd, 2, /holds is no token/)
    for (const { err, out } of [bad, odd]) assert.notInclude(err + out, "secret")
    assertFails(
      await through(["runs", "--url", "http://127.0.0.1:9"]),
      4,
      /The server `127.0.0.1:9` cannot be reached: /
    )
    assertFails(await through(["runs", "--url", `${server.url}/below`]), 4, /does not answer as a server/)
  })

  it("refuses addresses with credentials without repeating them, and two places at once", async () => {
    for (const url of ["https://u:secret@example.com", "https://example.com/?token=secret", "ftp://secret", "secret"]) {
      const flag = await cli(["runs", "--url", url])
      const variable = await cli(["runs"], { DURABLE_AGENTS_URL: url })
      for (const ended of [flag, variable]) {
        assertFails(ended, 2, /Bad url: /)
        assert.notInclude(ended.err, "secret")
      }
    }
    assertFails(await cli(["runs", "--url", server.url, "--store", "sqlite:x.db"]), 2, /either --store or --url/)
  })

  it("is of no use to commands that need the store", async () => {
    for (
      const args of [
        ["worker", "--app", "x"],
        ["resume", unknown, "--app", "x"],
        ["serve"],
        ["init-db"],
        ["tokens", "list"],
        ["record", unknown]
      ]
    ) {
      assertFails(await cli([...args, "--url", server.url]), 2, /works on a store.*so --url is of no use/)
      assertFails(await through(args), 2, /works on a store.*so DURABLE_AGENTS_URL is of no use/)
    }
  })
})
