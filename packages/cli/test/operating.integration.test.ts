import { Agent, ScriptedModel } from "@durable-agents/agent"
import {
  EventStore,
  Program,
  RunEvent,
  type RunId,
  Runs,
  Runtime,
  RuntimeSettings,
  Signal,
  Step
} from "@durable-agents/core"
import { Sqlite } from "@durable-agents/sqlite"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { newFolder } from "./folders.ts"
import { commandsIn } from "./inProcess.ts"
import { assertFails, fixture, processesIn } from "./processes.ts"

const folder = newFolder()
const file = join(folder, "runs.db")
const store = `sqlite:${file}`
const unknown = "0198c0de-0000-7000-8000-000000000000"

const cli = commandsIn(folder, { DURABLE_AGENTS_STORE: store, DURABLE_AGENTS_ACTOR: "dana" })
const { begin: beginProcess } = processesIn(folder)

const dana = { kind: "person", id: "dana" } as const

const Paid = Signal.make("paid", Schema.Struct({ cents: Schema.Int }))
const Order = Program.make("order", { input: Schema.String, output: Schema.String })
const OrderLayer = Order.toLayer(() =>
  Effect.succeed("noted").pipe(
    Step.run("note", { output: Schema.String }),
    Effect.andThen(Paid.await("payment")),
    Effect.map(({ cents }) => `paid ${cents}`)
  )
)

const Pay = Tool.make("pay", {
  parameters: Schema.Struct({ order: Schema.String, cents: Schema.Natural }),
  success: Schema.String,
  needsApproval: true
}).annotate(Tool.Idempotent, true)
const Clerk = Agent.make("clerk", { instructions: "You pay.", toolkit: [Pay] })
const ClerkLayer = Clerk.layer.pipe(Layer.provide([
  ScriptedModel.layer([ScriptedModel.toolCall("pay", { order: "7", cents: 9000 }), "Done."]),
  Toolkit.make(Pay).toLayer({ pay: ({ cents }) => Effect.succeed(`paid ${cents}`) })
]))

const App = Layer.mergeAll(OrderLayer, ClerkLayer).pipe(
  Layer.provideMerge(Runtime.layer),
  Layer.provideMerge(Sqlite.layer({ file })),
  Layer.provide(Layer.succeed(RuntimeSettings, { ...RuntimeSettings.defaultValue(), suspendAfter: "5 millis" }))
)

const inApp = <A, E>(effect: Effect.Effect<A, E, Runs | Runtime | EventStore>) =>
  Effect.runPromise(Effect.provide(effect, App))

const begin = (program: typeof Order | typeof Clerk = Order) =>
  inApp(Effect.gen(function*() {
    const runs = yield* Runs
    const runId = yield* program === Order ? runs.start(Order, "A-1") : runs.start(Clerk, "Pay.")
    yield* (yield* Runtime).execute(runId)
    return runId
  }))

const goOn = (runId: RunId | string) => inApp(Effect.flatMap(Runtime, (runtime) => runtime.execute(runId as RunId)))

const logOf = async (runId: string) =>
  (await cli(["export", runId])).out.trimEnd().split("\n").map((line) => Result.getOrThrow(RunEvent.fromLine(line)))

const tagsOf = async (runId: string) => (await logOf(runId)).map(({ event }) => event._tag)

beforeAll(async () => {
  assert.strictEqual((await cli(["init-db"])).code, 0)
})

describe("durable-agents pause, unpause, signal and budget", () => {
  it("take a run out of work, send it what it waits for, and put it back, each with its actor in the log (D35)", async () => {
    const runId = await begin()
    const suggests = async () => (await cli(["status", runId], { DURABLE_AGENTS_ACTOR: "" })).out
    assert.include(await suggests(), `\n  durable-agents signal ${runId} paid JSON --actor NAME --store `)
    const paused = await cli(["pause", runId, "--reason", "closed"])
    assert.include(await suggests(), `\n  durable-agents unpause ${runId} --actor NAME --store `)
    assert.deepStrictEqual([paused.code, paused.out.split(";")[0]], [0, "paused"])
    const sent = await cli(["signal", runId, "paid", "{\"cents\":7}", "--id", "i-1", "--actor", "bank", "--json"])
    assert.deepInclude(JSON.parse(sent.out), { runId, status: "Paused", signal: "paid", actor: "bank" })
    await cli(["signal", runId, "paid", "{\"cents\":8}", "--id", "i-1"])
    assert.strictEqual((await cli(["budget", runId, "turns=40, costUsd=2"])).code, 0)
    assert.strictEqual((await cli(["unpause", runId, "--actor", "kim"])).code, 0)
    assert.strictEqual((await goOn(runId)).output, "paid 7")
    const log = (await logOf(runId)).map(({ event }) => event)
    assert.deepInclude(log.find(({ _tag }) => _tag === "RunPaused"), { actor: dana, reason: "closed" })
    assert.deepInclude(log.find(({ _tag }) => _tag === "RunResumed"), { actor: { kind: "person", id: "kim" } })
    assert.lengthOf(log.filter(({ _tag }) => _tag === "SignalReceived"), 1)
    assert.deepInclude(log.find(({ _tag }) => _tag === "BudgetChanged"), { actor: dana })
    for (const command of [["pause"], ["signal", "paid"], ["budget", "turns=1"]]) {
      const [name = "", ...rest] = command
      assertFails(await cli([name, runId, ...rest]), 6, /has ended already/)
      assertFails(await cli([name, unknown, ...rest]), 3, /There is no run/)
    }
  })

  it("take a payload from a file, and say what is wrong with one", async () => {
    const runId = await begin()
    writeFileSync(join(folder, "payload.json"), "{\"cents\":5}")
    assertFails(await cli(["signal", runId, "paid", "{cents"]), 2, /Bad payload/)
    assertFails(await cli(["signal", runId, "paid", "1", "--payload-file", "payload.json"]), 2, /Give the payload once/)
    assertFails(await cli(["budget", runId, "fun=1"]), 2, /Bad limits: `fun` is no limit/)
    assert.strictEqual((await cli(["signal", runId, "paid", "--payload-file", "payload.json"])).code, 0)
    assert.strictEqual((await goOn(runId)).output, "paid 5")
  })
})

describe("durable-agents release and resolve", () => {
  it("say of a run that is not stuck, and of an operation that is settled or unknown, that there is nothing to do", async () => {
    const runId = await begin()
    assertFails(await cli(["release", runId]), 6, /AwaitingSignal/)
    const resolve = (...args: ReadonlyArray<string>) => cli(["resolve", runId, ...args])
    assertFails(await resolve("note", "--happened", "\"x\""), 6, /has its outcome already/)
    assertFails(await resolve("other", "--did-not-happen", "no"), 6, /does not wait for/)
    assertFails(await resolve("note"), 2, /either --happened/)
    assertFails(await resolve("note", "--happened", "1", "--did-not-happen", "no"), 2, /either --happened/)
    assert.notInclude(await tagsOf(runId), "RunReleased")
  })

  it("let a run go on that is stuck since nobody knew how a call ended", async () => {
    const runId = await begin()
    await inApp(Effect.gen(function*() {
      const { seq } = yield* (yield* Runs).state(runId)
      const key = "charge"
      yield* (yield* EventStore).append(runId, {
        expected: seq,
        epoch: 1,
        events: [
          { _tag: "StepRequested", key, attempt: 1, idempotencyKey: "k" },
          { _tag: "RunStuck", reason: "unknownOutcome", detail: "how did it end?", key }
        ]
      })
    }))
    const [resolve, release] = (await cli(["status", runId])).out.split("\n").filter((line) =>
      /^ {2}durable/.test(line)
    )
    assert.match(`${resolve}`, /^ {2}durable-agents resolve \S+ charge --happened JSON --store /)
    assert.match(`${release}`, /^ {2}durable-agents release \S+ --store /)
    const happened = await cli(["resolve", runId, "charge", "--happened", "{\"receipt\":\"R-1\"}", "--json"])
    assert.deepInclude(JSON.parse(happened.out), { operation: "charge", resolution: "Happened", status: "Stuck" })
    assert.strictEqual((await cli(["release", runId, "--reason", "looked it up"])).code, 0)
    const log = (await logOf(runId)).map(({ event }) => event)
    assert.deepInclude(log.at(-1), { _tag: "RunReleased", actor: dana, reason: "looked it up" })
    assert.deepInclude(log.at(-2), { _tag: "StepCompleted", key: "charge", output: { receipt: "R-1" }, actor: dana })
  })
})

describe("durable-agents fork", () => {
  it("starts a new run from the first events, which verifies, executes and says where it comes from", async () => {
    const runId = await begin()
    await cli(["signal", runId, "paid", "{\"cents\":1}"])
    await goOn(runId)
    const ended = (await logOf(runId)).length
    assertFails(await cli(["fork", runId, "--at", `${ended}`]), 6, /end of the run.*status Completed/)
    const { code, out } = await cli(["fork", runId, "--at", "4", "--reason", "again", "--label", "try=2"])
    assert.strictEqual(code, 0)
    const id = out.trim()
    const [first] = await logOf(id)
    assert.deepInclude(first?.event, {
      requestedBy: dana,
      forkedFrom: { runId, seq: 4, reason: "again" },
      labels: { try: "2" }
    })
    const verified = await cli(["replay", id, "--verify"])
    assert.deepStrictEqual([verified.code, verified.out.trimEnd().split("\n").at(-1)], [0, "the log is whole"])
    assert.include((await cli(["replay", id])).out, `begins with the first 4 events of ${runId}`)
    await cli(["signal", id, "paid", "{\"cents\":2}"])
    assert.strictEqual((await goOn(id)).output, "paid 2")
    const again = await cli(["fork", id, "--at", "3", "--start-key", "k", "--json"])
    assert.deepInclude(JSON.parse(again.out), { forkedFrom: { runId: id, seq: 3 }, status: "Running" })
    assert.strictEqual(
      JSON.parse((await cli(["fork", id, "--at", "3", "--start-key", "k", "--json"])).out).runId,
      JSON.parse(again.out).runId
    )
    assertFails(await cli(["fork", id, "--at", "2", "--start-key", "k"]), 6, /start/i)
    const grandchild = await cli(["replay", JSON.parse(again.out).runId, "--verify"])
    assert.strictEqual(grandchild.code, 0)
    assert.include(grandchild.out, "copied from a fork of a fork")
    assertFails(await cli(["fork", unknown, "--at", "1"]), 3, /There is no run/)
  })
})

describe("durable-agents approve --edit", () => {
  const editor = (script: string) => {
    writeFileSync(join(folder, "editor.cjs"), script)
    return { EDITOR: `"${process.execPath}" "${join(folder, "editor.cjs")}"` }
  }
  const change = (body: string) =>
    editor(`const fs = require("node:fs"); const file = process.argv.at(-1); let text = fs.readFileSync(file, "utf8");
      ${body}; fs.writeFileSync(file, text)`)

  it("opens what is asked in an editor, and allows the call with what is saved", async () => {
    const runId = await begin(Clerk)
    const approve = (env: Record<string, string>, ...args: ReadonlyArray<string>) =>
      cli(["approve", runId, "turn-1/call-1/approval", ...args], env)
    const before = await tagsOf(runId)
    assertFails(await approve({}, "--edit"), 2, /set VISUAL or EDITOR/)
    assertFails(await approve(change("text = ''"), "--edit"), 2, /nothing was recorded/)
    assertFails(await approve(editor("process.exit(3)"), "--edit"), 2, /ended with 3/)
    assertFails(await approve(change("text = text.replace('9000', '-1')"), "--edit"), 2, /do not fit `pay`/)
    const broken = await approve(change("text = '{'"), "--edit")
    assertFails(broken, 2, /Bad arguments.*they are still in/)
    const kept = /still in (\S+)/.exec(broken.err)?.[1] ?? ""
    assert.isTrue(existsSync(kept))
    assert.strictEqual(readFileSync(kept, "utf8"), "{")
    assertFails(await approve({}, "--edit", "--arguments", "{}"), 2, /either --edit/)
    assert.deepStrictEqual(await tagsOf(runId), before)
    const done = await approve(change("text = text.replace('9000', '4500')"), "--edit")
    assert.deepStrictEqual([done.code, done.err], [0, ""])
    assert.strictEqual((await goOn(runId)).output, "Done.")
    const events = (await logOf(runId)).map(({ event }) => event)
    assert.deepInclude(events.find(({ _tag }) => _tag === "ToolCallRequested"), {
      arguments: { order: "7", cents: 4500 }
    })
    assertFails(await approve(change("text = '{}'"), "--edit"), 6, /was already granted/)
  })
})

describe("durable-agents tokens", () => {
  it("creates tokens whose secrets are shown once, lists and revokes them (D32)", async () => {
    const created = await cli(["tokens", "create", "dana@example.com", "--role", "approver", "--role", "starter"])
    assert.strictEqual(created.code, 0)
    assert.match(created.out, /^dat_[0-9a-f]{64}\n$/)
    const secret = created.out.trim()
    const json = await cli(["tokens", "create", "op", "--role", "operator", "--expires", "12h", "--json"])
    const token = JSON.parse(json.out)
    assert.match(token.secret, /^dat_[0-9a-f]{64}$/)
    assert.strictEqual(token.expiresAt - token.createdAt, 12 * 3_600_000)
    const listed = await cli(["tokens", "list"])
    assert.match(listed.out, /good {5}dana@example.com {2}approver,starter {2}since /)
    assert.lengthOf(listed.out.trimEnd().split("\n"), 2)
    const all = JSON.parse((await cli(["tokens", "list", "--json"])).out)
    assert.deepStrictEqual(all.items.map(({ holder }: { holder: string }) => holder).sort(), ["dana@example.com", "op"])
    assert.strictEqual((await cli(["tokens", "revoke", token.tokenId])).code, 0)
    assert.match((await cli(["tokens", "list"])).out, /revoked {2}op {2}operator /)
    const { out: elsewhere } = await cli(["tokens", "list", "--namespace", "other"])
    assert.strictEqual(elsewhere, "no tokens\n")
    for (const text of [created.err, listed.out, JSON.stringify(all), json.err]) {
      assert.notInclude(text, secret.slice(4, 14))
      assert.notInclude(text, token.secret.slice(4, 14))
    }
    assert.notInclude(readFileSync(file, "latin1"), secret)
  })

  it("says what is wrong with a role, a holder, a duration and an id", async () => {
    assertFails(await cli(["tokens", "create", "dana", "--role", "king"]), 2, /`king` is no role; there are viewer/)
    assertFails(await cli(["tokens", "create", "dana"]), 2, /role/)
    assertFails(await cli(["tokens", "create", " ", "--role", "viewer"]), 2, /The holder is a name/)
    assertFails(await cli(["tokens", "create", "dana", "--role", "viewer", "--expires", "soon"]), 2, /is no duration/)
    assertFails(await cli(["tokens", "revoke", "nope"]), 3, /There is no token `nope`/)
  })
})

describe("durable-agents replay --follow", () => {
  it("prints every event as it comes, and ends with the run", async () => {
    const runId = await begin()
    const { child, ended } = beginProcess(["replay", runId, "--follow", "--json", "--store", store])
    let out = ""
    const first = new Promise<void>((resolve) =>
      child.stdout?.on("data", (chunk: string) => {
        out += chunk
        if (out.includes("SignalAwaited")) resolve()
      })
    )
    await first
    await cli(["signal", runId, "paid", "{\"cents\":3}"])
    await goOn(runId)
    assert.strictEqual((await ended).code, 0)
    const events = out.trimEnd().split("\n").map((line) => Result.getOrThrow(RunEvent.fromLine(line)))
    assert.deepStrictEqual(events, await logOf(runId))
    const short = await cli(["replay", runId, "--follow"])
    assert.strictEqual(short.code, 0)
    assert.match(short.out, /^seq= {2}0 {2}RunStarted [^]*RunCompleted [^\n]*\n$/)
    assertFails(await cli(["replay", runId, "--follow", "--verify"]), 2, /without --verify/)
  }, 30_000)
})

describe("durable-agents runs", () => {
  it("lists runs by who started them and by when (D37)", async () => {
    const own = await inApp(Effect.flatMap(Runs, (runs) => runs.start(Order, "A", { requestedBy: "sam" })))
    const ids = async (...args: ReadonlyArray<string>) =>
      JSON.parse((await cli(["runs", "--json", ...args])).out).items.map(({ runId }: { runId: string }) => runId)
    assert.deepStrictEqual(await ids("--requested-by", "sam"), [own])
    assert.deepStrictEqual(await ids("--requested-by", "sam", "--started-before", "2020-01-01T00:00:00Z"), [])
    assert.include(await ids("--started-from", "2020-01-01T00:00:00Z"), own)
    assertFails(await cli(["runs", "--started-from", "yesterday"]), 2, /is no time/)
  })
})

describe("durable-agents worker --json", () => {
  it("says what it does as JSON, one object a line", async () => {
    const { code, err, out } = await cli(["worker", "--app", fixture("app.ts"), "--until-idle", "--json"])
    assert.deepStrictEqual({ code, out }, { code: 0, out: "" })
    const lines = err.trimEnd().split("\n").map((line): Record<string, unknown> => JSON.parse(line))
    assert.deepInclude(lines.at(-1), { level: "Info", message: "Nothing is due" })
    assert.match(String(lines[0]?.["message"]), /^Worker .* executes /)
  })
})
