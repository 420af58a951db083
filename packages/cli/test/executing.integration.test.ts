import { RunEvent } from "@durable-agents/core"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { isHarmful } from "./nasty.ts"
import { assertFails, fixture, outputOf, processesIn } from "./processes.ts"

const app = fixture("app.ts")
const unknown = "0198c0de-0000-7000-8000-000000000000"
const approval = "turn-1/call-1/approval"

/** A folder with a store of its own, which every command finds. */
const setUp = (from: string = templates.empty) => {
  const folder = mkdtempSync(join(tmpdir(), "durable-agents-cli-"))
  const file = join(folder, "runs.db")
  const refunds = join(folder, "refunds")
  if (from !== "") copyFileSync(from, file)
  writeFileSync(refunds, "")
  const processes = processesIn(folder, { DURABLE_AGENTS_STORE: "sqlite:runs.db", REFUNDS: refunds })
  const { cli } = processes
  const log = (run: string): ReadonlyArray<RunEvent.RunEvent> => {
    const database = new DatabaseSync(file, { readOnly: true })
    const rows = database.prepare("select type, payload from events where run_id = ? order by seq").all(run)
    database.close()
    return rows.map(({ payload, type }) => RunEvent.decode(`${type}`, JSON.parse(`${payload}`)))
  }
  return {
    ...processes,
    folder,
    file,
    start: (...args: ReadonlyArray<string>): string => outputOf(cli(["start", ...args, "--app", app])).trim(),
    resume: (run: string): string => outputOf(cli(["resume", run, "--app", app])),
    work: () => {
      const { code, err, out } = cli(["worker", "--app", app, "--until-idle"])
      assert.deepStrictEqual({ code, out }, { code: 0, out: "" })
      return err
    },
    log,
    tags: (run: string) => log(run).map(({ _tag }) => _tag),
    status: (run: string) => JSON.parse(outputOf(cli(["status", run, "--json"]))),
    refunds: () => readFileSync(refunds, "utf8").split("\n").filter((line) => line !== "")
  }
}

/** Stores that are made once and copied. */
const templates = { empty: "", parked: "" }
let run = ""

/** A store with a run of the agent that waits for a decision. */
const parked = () => setUp(templates.parked)

beforeAll(() => {
  const empty = setUp()
  outputOf(empty.cli(["init-db"]))
  templates.empty = empty.file
  const waiting = setUp()
  run = waiting.start("support", "Refund A-1")
  assert.match(waiting.resume(run), /is AwaitingApproval/)
  templates.parked = waiting.file
})

describe("durable-agents init-db", () => {
  it("creates a store, and leaves one that is there as it is (checks 19, 20)", () => {
    const { cli, start, status } = setUp()
    const run = start("ship", `{"id":"A-1","cents":1}`)
    assert.strictEqual(outputOf(cli(["init-db"])), "sqlite:runs.db was there, and is ready\n")
    assert.strictEqual(status(run).status, "Pending")
    assert.deepStrictEqual(
      JSON.parse(outputOf(cli(["init-db", "--json", "--store", "sqlite:other.db"]))),
      { store: "sqlite:other.db", created: true }
    )
  })

  it("says where it cannot", () => {
    const { cli } = setUp()
    assertFails(cli(["init-db", "--store", "sqlite:none/runs.db"]), 4, /its folder must exist/)
  })

  it("is what the others tell to use when there is no store", () => {
    const { cli } = setUp()
    for (
      const args of [
        ["start", "slow", "1", "--app", app],
        ["resume", unknown, "--app", app],
        ["worker", "--app", app, "--until-idle"],
        ["status", unknown],
        ["approve", unknown, approval, "--actor", "dana"],
        ["cancel", unknown, "--actor", "dana"],
        ["export", unknown]
      ]
    ) {
      assertFails(
        cli([...args, "--store", "sqlite:none.db"]),
        4,
        /`durable-agents init-db --store sqlite:none\.db` creates it/
      )
    }
  })
})

describe("durable-agents", () => {
  it("takes a run from its start over a decision to its end, each in a process of its own (checks 10, 16, 17, 46, 47, 54)", () => {
    const { cli, refunds, status, tags, work } = parked()
    assert.deepStrictEqual(tags(run), ["RunStarted", "LLMCallRequested", "LLMCallCompleted", "ApprovalRequested"])
    const waiting = status(run)
    assert.deepStrictEqual(
      waiting.pendingApprovals.map(({ arguments: shown, key, tool }: Record<string, unknown>) => ({
        key,
        shown,
        tool
      })),
      [{ key: approval, shown: { orderId: "A-1", cents: 6400 }, tool: "issue_refund" }]
    )
    work()
    assert.strictEqual(status(run).seq, waiting.seq)
    assert.match(
      outputOf(cli(["approve", run, approval, "--actor", "dana", "--comment", "seen the photo"])),
      /^approved turn-1\/call-1\/approval; the run is Running\nnext: [^]*durable-agents resume/
    )
    assert.deepStrictEqual(refunds(), [])
    const said = work()
    assert.match(said, new RegExp(`Executes run ${run} of support, lease \\d`))
    assert.match(said, new RegExp(`Run ${run} of support rests: Completed`))
    assert.strictEqual(refunds().length, 1)
    assert.strictEqual(status(run).output, "RF-6400")
    assert.match(outputOf(cli(["status", run])), /is Completed\n[^]*answer: RF-6400\n/)
    assert.match(outputOf(cli(["replay", run])), /approved by person dana[^]*comment: seen the photo/)
  })

  it("tells the model a denial with its reason, and the call never runs (check 48)", () => {
    const { cli, log, refunds, work } = parked()
    outputOf(cli(["deny", run, approval, "--reason", "wrong order"], { DURABLE_AGENTS_ACTOR: "dana" }))
    work()
    assert.deepStrictEqual(refunds(), [])
    const denied = log(run).flatMap((event) => event._tag === "ApprovalDenied" ? [event] : [])
    assert.deepStrictEqual(denied.map(({ actor, reason }) => [actor.id, reason]), [["dana", "wrong order"]])
  })
})

describe("durable-agents start", () => {
  it("records one event with what it is told, and executes nothing (checks 21, 23)", () => {
    const { cli, log, refunds, status } = setUp()
    const said = outputOf(cli([
      ["start", "support", "Refund A-1", "--app", app, "--json", "--start-key", "ticket-7", "--label", "team=support"],
      [
        "--label",
        "region=eu",
        "--requested-by",
        "sam",
        "--budget",
        "turns=3,costUsd=0.50",
        "--system-prompt",
        "Be brief."
      ],
      ["--at", "2030-01-01T09:00:00+01:00", "--guardrail-profile", "strict"]
    ].flat()))
    const { runId, ...rest } = JSON.parse(said)
    assert.deepStrictEqual(rest, { program: "support", status: "Pending", seq: 1 })
    const [started, ...more] = log(runId)
    assert.deepStrictEqual([started?._tag, more, refunds()], ["RunStarted", [], []])
    if (started?._tag !== "RunStarted") return
    const { budget, goal, guardrailProfile, labels, requestedBy, startAtMillis, startKey, systemPrompt } = started
    const recorded = { budget, goal, guardrailProfile, labels, requestedBy, startAtMillis, startKey, systemPrompt }
    assert.deepStrictEqual(recorded, {
      budget: { turns: 3, toolCalls: 100, costUsd: "0.50" },
      goal: "Refund A-1",
      guardrailProfile: "strict",
      labels: { team: "support", region: "eu" },
      requestedBy: { kind: "person", id: "sam" },
      startAtMillis: Date.UTC(2030, 0, 1, 8),
      startKey: "ticket-7",
      systemPrompt: "Be brief."
    })
    assert.strictEqual(
      status(runId).next,
      "A worker with the program `support` takes it, not before 2030-01-01T08:00:00.000Z."
    )
  })

  it("gives the same run for the same start key, and refuses another input", () => {
    const { cli, start } = setUp()
    const first = start("support", "Refund A-1", "--start-key", "k")
    assert.strictEqual(start("support", "Refund A-1", "--start-key", "k"), first)
    const other = cli(["start", "support", "Refund A-2", "--start-key", "k", "--app", app])
    assertFails(other, 6, new RegExp(`belongs to run \`${first}\``))
  })

  it("takes a text or JSON, as the program does, from an argument, a file or standard input", () => {
    const { cli, folder, log, start } = setUp()
    writeFileSync(join(folder, "order.json"), `{\n  "id": "A-1",\n  "cents": 1\n}\n`)
    const inputOf = (run: string) => log(run).flatMap((event) => event._tag === "RunStarted" ? [event.input] : [])
    const piped = (program: string, text: string, ...args: ReadonlyArray<string>) =>
      outputOf(cli(["start", program, ...args, "--app", app], {}, text)).trim()
    assert.deepStrictEqual(inputOf(start("ship", "--input-file", "order.json")), [{ id: "A-1", cents: 1 }])
    assert.deepStrictEqual(inputOf(piped("ship", `{"id":"日本","cents":2}`, "-")), [{ id: "日本", cents: 2 }])
    assert.deepStrictEqual(inputOf(piped("support", `{"not":"parsed"}\n`, "--input-file", "-")), [`{"not":"parsed"}`])
    assert.deepStrictEqual(inputOf(start("slow", "7")), [7])
  })

  it("says what is wrong with its input or options, and records nothing", () => {
    const { cli, folder } = setUp()
    writeFileSync(join(folder, "latin1.txt"), Buffer.from([0x66, 0xfc, 0x72]))
    const fails = (args: ReadonlyArray<string>, why: RegExp, code = 2) =>
      assertFails(cli(["start", ...args, "--app", app]), code, why)
    fails(["refund", "x"], /it has no program `refund`; it has `support`, `ship`, `slow`/)
    fails(["ship", "{\"id\":"], /not JSON/)
    fails(["ship", `{"id":"A-1"}`], /does not fit `ship`: Missing key at \["cents"\]/)
    fails(["ship"], /needs an input/)
    fails(["support", " "], /does not fit `support`: a goal must not be blank/)
    fails(["support", "x".repeat(100_001)], /`input` has 100001 characters; 100000 are allowed/)
    fails(["support", "--input-file", "latin1.txt"], /`latin1\.txt` is not UTF-8/)
    fails(["support", "--input-file", "none.txt"], /`none\.txt` cannot be read/)
    fails(["support", "x", "--input-file", "latin1.txt"], /not both/)
    fails(["support", "x", "--budget", "steps=3"], /`steps` is no limit; there are `turns`/)
    fails(["support", "x", "--guardrail-profile", "mild"], /must be one of off, validation, lenient, standard, strict/)
    fails(["slow", "1", "--guardrail-profile", "strict"], /`guardrailProfile` is not known to this program/)
    fails(["support", "x", "--at", "tomorrow"], /no time with its offset/)
    assert.strictEqual(outputOf(cli(["runs"])), "no runs\n")
  })
})

describe("durable-agents resume", () => {
  it("executes a created run here, to its end (check 22)", () => {
    const { cli, start } = setUp()
    const run = start("ship", `{"id":"A-1","cents":1}`)
    const said = outputOf(cli(["resume", run, "--app", app]))
    assert.match(said, new RegExp(`^ship ${run} is Completed\n[^]*answer: shipped A-1\n`))
    assert.isFalse(said.split("\n").some(isHarmful))
  })

  it("prints a finished run as it is, appends nothing, and needs no app for it (check 11)", () => {
    const { cli, log, start } = setUp()
    const run = start("ship", `{"id":"A-1","cents":1}`)
    outputOf(cli(["resume", run, "--app", app]))
    const before = log(run)
    assert.match(outputOf(cli(["resume", run, "--app", "./gone.ts"])), /is Completed/)
    assert.deepStrictEqual(log(run), before)
  })

  it("leaves a parked run parked, appends nothing, and says how to go on (checks 11, 45)", () => {
    const { cli, log } = parked()
    const before = log(run)
    const said = outputOf(cli(["resume", run, "--app", app]))
    assert.include(said, `arguments: {"orderId": "A-1", "cents": 6400}`)
    assert.include(said, `  durable-agents approve ${run} ${approval} --actor NAME --store sqlite:runs.db\n`)
    assert.include(said, `  durable-agents replay ${run} --store sqlite:runs.db\n`)
    assert.deepStrictEqual(log(run), before)
  })

  it("waits for a run that another worker holds (check 12)", async () => {
    const { begin, cli, start, tags } = setUp()
    const run = start("slow", "1000")
    const worker = begin(["worker", "--app", app, "--until-idle"])
    await worker.says(/Executes run/)
    assert.match(outputOf(cli(["resume", run, "--app", app])), /is Completed/)
    assert.strictEqual((await worker.ended).code, 0)
    assert.deepStrictEqual(tags(run), ["RunStarted", "StepRequested", "StepCompleted", "RunCompleted"])
  })

  it("says when there is no such run, and when the app does not have its program (D19)", () => {
    const { cli, log, start } = setUp()
    assertFails(cli(["resume", unknown, "--app", app]), 3, /no run/)
    const run = start("ship", `{"id":"A-1","cents":1}`)
    const other = cli(["resume", run, "--app", fixture("open.ts")], { LLM_MODEL: "m" })
    assertFails(other, 7, /it has no program `ship`, of which this is a run; it has `writer`/)
    assert.strictEqual(log(run).length, 1)
  })

  it("asks the model that the environment names, at an address with or without a slash (H32, checks 89, 91)", async () => {
    const asked: Array<{ readonly url: string; readonly key: string; readonly body: string }> = []
    const server = createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (text: string) => {
        body += text
      })
      request.on("end", () => {
        asked.push({ url: `${request.url}`, key: `${request.headers.authorization}`, body })
        response.setHeader("content-type", "application/json")
        response.end(JSON.stringify({
          id: "c-1",
          model: "little-1",
          choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "A line." } }],
          usage: { prompt_tokens: 11, completion_tokens: 3 }
        }))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const { begin, cli, log } = setUp()
    for (const slash of ["", "/"]) {
      const env = {
        LLM_MODEL: "little",
        LLM_API_KEY: "sk-hunter2",
        LLM_BASE_URL: `http://127.0.0.1:${port}/v1${slash}`
      }
      const run = outputOf(cli(["start", "writer", "About the sea.", "--app", fixture("open.ts")])).trim()
      const resumed = await begin(["resume", run, "--app", fixture("open.ts")], env).ended
      assert.match(outputOf(resumed), /answer: A line\./)
      const requested = log(run).flatMap((event) => event._tag === "LLMCallRequested" ? [event.model] : [])
      assert.deepStrictEqual(requested, ["little"])
      assert.notInclude(outputOf(cli(["export", run])), "hunter2")
    }
    await new Promise((resolve) => server.close(resolve))
    assert.deepStrictEqual(asked.map(({ key, url }) => [url, key]), [
      ["/v1/chat/completions", "Bearer sk-hunter2"],
      ["/v1/chat/completions", "Bearer sk-hunter2"]
    ])
    assert.isTrue(asked.every(({ body }) => body.includes("About the sea.")))
  })
})

describe("durable-agents worker", () => {
  it("drains on SIGTERM: what is in flight is recorded, and the run is not failed (WR-3)", async () => {
    const { begin, start, status, tags } = setUp()
    const run = start("slow", "1500")
    const worker = begin(["worker", "--app", app, "--poll", "50ms"])
    await worker.says(/Executes run/)
    worker.child.kill("SIGTERM")
    const { code, err, out } = await worker.ended
    assert.deepStrictEqual({ code, out }, { code: 0, out: "" })
    assert.match(err, /Stops: lets operations in flight end\n[^]*Stopped\n$/)
    assert.isTrue(err.trimEnd().split("\n").every((line) => /^\d{4}-\d\d-\d\dT[\d:.]+Z INFO {2}/.test(line)), err)
    assert.deepStrictEqual(tags(run).slice(0, 3), ["RunStarted", "StepRequested", "StepCompleted"])
    assert.include(["Running", "Completed"], status(run).status)
  })

  it("ends at once on a second signal, and leaves the run to the next (WR-3)", async () => {
    const { begin, start, tags } = setUp()
    const run = start("slow", "60000")
    const worker = begin(["worker", "--app", app])
    await worker.says(/Executes run/)
    worker.child.kill("SIGTERM")
    await worker.says(/Stops/)
    worker.child.kill("SIGTERM")
    assert.strictEqual((await worker.ended).code, 130)
    assert.deepStrictEqual(tags(run), ["RunStarted", "StepRequested"])
  })

  it("says what is wrong with its options", () => {
    const { cli } = setUp()
    assertFails(cli(["worker", "--app", app, "--concurrency", "0"]), 2, /from 1 to 10000/)
    assertFails(cli(["worker", "--app", app, "--lease", "soon"]), 2, /`soon` is no duration/)
    assert.match(cli(["worker", "--app", app, "--lease", "10ms"]).err, /`10ms` is too short; at least 1s/)
    assertFails(cli(["worker"]), 2, /Missing required flag: --app/)
  })
})

describe("durable-agents --app", () => {
  it("takes a plain object, a default export, and a package that the folder can import", () => {
    const { cli, folder } = setUp()
    const from = JSON.stringify(pathToFileURL(app).href)
    writeFileSync(join(folder, "plain.js"), `import { app as it } from ${from}; export const app = { ...it }`)
    writeFileSync(join(folder, "other.mjs"), `import { app } from ${from}; export default app`)
    mkdirSync(join(folder, "node_modules/@acme/agents"), { recursive: true })
    writeFileSync(
      join(folder, "node_modules/@acme/agents/package.json"),
      JSON.stringify({ name: "@acme/agents", type: "module", exports: { ".": { import: "./main.js" } } })
    )
    writeFileSync(join(folder, "node_modules/@acme/agents/main.js"), `export { app } from ${from}`)
    for (const module of ["plain.js", "./other.mjs", "@acme/agents"]) {
      const run = outputOf(cli(["start", "ship", `{"id":"A-1","cents":1}`, "--app", module])).trim()
      assert.match(outputOf(cli(["resume", run, "--app", module])), /is Completed/)
    }
  })

  it("says what is wrong with a module, in one line", () => {
    const { cli, folder } = setUp()
    const modules: ReadonlyArray<readonly [text: string, why: RegExp]> = [
      ["throw new Error(\"boom\\n  at somewhere\")", /it cannot be loaded: Error: boom at somewhere$/m],
      ["export const", /it cannot be loaded: SyntaxError/],
      ["import \"no-such-package\"", /it cannot be loaded: Error: Cannot find package 'no-such-package'/],
      ["export const agents = 1", /it exports no `app`/],
      ["export const app = 1", /its `app` lacks something: /],
      ["export const app = { programs: [] }", /its `app` lacks something: Missing key at \["layer"\]/],
      ["export const app = { layer: {} }", /its `app` lacks something: Missing key at \["programs"\]/],
      ["export const app = { programs: [{}], layer: 1 }", /its `app` lacks something: /]
    ]
    for (const [text, why] of modules) {
      writeFileSync(join(folder, "app.mjs"), text)
      assertFails(cli(["start", "x", "y", "--app", "./app.mjs"]), 7, why)
    }
    assertFails(
      cli(["start", "x", "y", "--app", "./none.ts"]),
      7,
      /`\.\/none\.ts` cannot be used: there is no such file/
    )
    assertFails(cli(["start", "x", "y", "--app", "."]), 7, /is a folder/)
    assertFails(cli(["start", "x", "y", "--app", "no-such-package"]), 7, /Cannot find package 'no-such-package'/)
  })

  it("says when its layer cannot be built, or lacks a program, before anything is executed (D19)", () => {
    const { cli } = setUp()
    const worker = (name: string) => cli(["worker", "--app", fixture(name), "--until-idle"])
    assertFails(worker("broken.ts"), 7, /its layer cannot be built: the directory is away/)
    assertFails(worker("forgetful.ts"), 7, /does not register the program `lost`, which it lists/)
    assertFails(worker("empty.ts"), 7, /its layer registers no program/)
  })

  it("runs on the store that is named, also where the layer brings one (check 18)", () => {
    const { cli } = setUp()
    const run = outputOf(cli(["start", "echo", "hello", "--app", fixture("memory.ts")])).trim()
    assert.match(outputOf(cli(["resume", run, "--app", fixture("memory.ts")])), /answer: hello/)
    assert.match(outputOf(cli(["status", run])), /is Completed/)
  })

  it("says which variables name a model when an agent has none, and never the key", () => {
    const { cli } = setUp()
    const worker = (env: Record<string, string>) => cli(["worker", "--app", fixture("open.ts"), "--until-idle"], env)
    const secret = "hunter2"
    assertFails(
      worker({ LLM_API_KEY: secret }),
      7,
      /the agent `writer` has no model: [^\n]*LLM_MODEL, LLM_API_KEY and LLM_BASE_URL/
    )
    for (const LLM_BASE_URL of [secret, `http//dana:${secret}@llm`, `ftp://dana:${secret}@llm`]) {
      const { code, err } = worker({ LLM_MODEL: "m", LLM_API_KEY: secret, LLM_BASE_URL })
      assert.strictEqual(code, 7)
      assert.notInclude(err, secret)
    }
  })

  it("says in the log that an agent inside a program has no model, and lets the run wait for one", () => {
    const { cli, log, status } = setUp()
    const run = outputOf(cli(["start", "report", "the sea", "--app", fixture("nested.ts")])).trim()
    outputOf(cli(["resume", run, "--app", fixture("nested.ts")]))
    assert.strictEqual(status(run).status, "Sleeping")
    const failures = log(run).flatMap((event) => event._tag === "LLMCallFailed" ? [event] : [])
    assert.match(
      failures[0]?.error ?? "",
      /LLM_MODEL, LLM_API_KEY and LLM_BASE_URL: Expected string at \["LLM_MODEL"\]$/
    )
    assert.isFalse(failures[0]?.final)
  })

  it("needs no model for starting, nor for an app with a model of its own", () => {
    const { cli, resume, start } = setUp()
    outputOf(cli(["start", "writer", "About the sea.", "--app", fixture("open.ts")]))
    assert.match(resume(start("support", "Refund A-1")), /is AwaitingApproval/)
  })
})

describe("durable-agents approve and deny", () => {
  it("record exactly one of many approvals at once, and the call runs once (AP-1, check 51)", async () => {
    const { begin, log, refunds, work } = parked()
    const actors = ["dana", "eve", "sam"]
    const ended = await Promise.all(actors.map((actor) => begin(["approve", run, approval, "--actor", actor]).ended))
    assert.deepStrictEqual(ended.map(({ code }) => code).toSorted(), [0, 6, 6])
    const granted = log(run).flatMap((event) => event._tag === "ApprovalGranted" ? [event.actor.id] : [])
    assert.deepStrictEqual(granted, actors.filter((_, index) => ended[index]?.code === 0))
    for (const { code, err } of ended) {
      if (code === 6) assert.include(err, `was already granted by \`${granted[0]}\``)
    }
    work()
    assert.strictEqual(refunds().length, 1)
  })

  it("record one of an approval and a denial at once, and the loser hears which (AP-2, check 51)", async () => {
    const { begin, log, refunds, work } = parked()
    const [approved, denied] = await Promise.all([
      begin(["approve", run, approval, "--actor", "dana"]).ended,
      begin(["deny", run, approval, "--actor", "eve", "--reason", "no"]).ended
    ])
    const decisions = log(run).flatMap((event) => /^Approval(Granted|Denied)$/.test(event._tag) ? [event._tag] : [])
    const wins = approved.code === 0
    assert.deepStrictEqual([approved.code, denied.code], wins ? [0, 6] : [6, 0])
    assert.deepStrictEqual(decisions, [wins ? "ApprovalGranted" : "ApprovalDenied"])
    assert.match(wins ? denied.err : approved.err, wins ? /already granted by `dana`/ : /already denied by `eve`/)
    work()
    assert.strictEqual(refunds().length, wins ? 1 : 0)
  })

  it("never decide a request by the key of an earlier one (AP-3, D31, check 52)", () => {
    const { cli, log, refunds, resume, start, work } = setUp()
    const run = start("support", "Refund one by one")
    resume(run)
    outputOf(cli(["approve", run, approval, "--actor", "dana"]))
    work()
    const before = log(run)
    for (const command of ["approve", "deny"]) {
      const stale = cli([command, run, approval, "--actor", "dana"])
      assertFails(
        stale,
        6,
        /already granted by `dana` \(status AwaitingApproval\); it waits for `turn-2\/call-1\/approval`/
      )
    }
    assert.deepStrictEqual(log(run), before)
    assert.strictEqual(refunds().length, 1)
  })

  it("are refused with the status by runs that wait for nothing, and unknown runs are (AP-4, checks 49, 50)", () => {
    const { cli, log, start } = setUp()
    const run = start("ship", `{"id":"A-1","cents":1}`)
    const decide = () => [
      cli(["approve", run, approval, "--actor", "dana"]),
      cli(["deny", run, approval, "--actor", "dana"]),
      cli(["approve", run, "--actor", "dana"])
    ]
    for (const ended of decide()) assertFails(ended, 6, /\(status Pending\)/)
    outputOf(cli(["resume", run, "--app", app]))
    const before = log(run)
    for (const ended of decide()) assertFails(ended, 6, /\(status Completed\)/)
    assertFails(cli(["cancel", run, "--actor", "dana"]), 6, /\(status Completed\)/)
    assert.deepStrictEqual(log(run), before)
    assertFails(cli(["approve", unknown, approval, "--actor", "dana"]), 3, /no run/)
    assertFails(cli(["cancel", unknown, "--actor", "dana"]), 3, /no run/)
  })

  it("want to know who decides, and about what", () => {
    const { cli } = parked()
    assertFails(cli(["approve", run, approval]), 2, /Missing required flag: --actor/)
    assertFails(cli(["deny", run, approval, "--actor", " "]), 2, /`actor` is empty/)
    assertFails(
      cli(["deny", run, "--actor", "dana"]),
      2,
      /Which approval\? [^\n]* waits for `turn-1\/call-1\/approval`/
    )
  })

  it("take edited arguments that fit the tool as it was described, and record no others", () => {
    const { cli, folder, log, refunds, work } = parked()
    const approve = (...args: ReadonlyArray<string>) => cli(["approve", run, approval, "--actor", "dana", ...args])
    assertFails(approve("--arguments", "{"), 2, /not JSON/)
    assertFails(
      approve("--arguments", `{"orderId":1,"cents":-1}`),
      2,
      /do not fit `issue_refund`: Expected string at \["orderId"\]; Expected a value greater than or equal to 0/
    )
    assert.strictEqual(log(run).length, 4)
    writeFileSync(join(folder, "edited.json"), `{"orderId":"A-1","cents":50}\n`)
    outputOf(approve("--arguments-file", "edited.json"))
    work()
    assert.deepStrictEqual(refunds().map((line) => line.split(" ").slice(1)), [["A-1", "50"]])
  })

  it("print JSON for programs", () => {
    const { cli } = parked()
    const said = JSON.parse(outputOf(cli(["approve", run, approval, "--actor", "dana", "--json"])))
    assert.deepStrictEqual(said, {
      runId: run,
      program: "support",
      status: "Running",
      seq: 5,
      approval,
      decision: "granted",
      actor: "dana"
    })
  })
})

describe("durable-agents cancel", () => {
  it("ends a run that has not begun at once, and asks one that has", () => {
    const { cli, start, status, work } = parked()
    const fresh = start("ship", `{"id":"A-1","cents":1}`)
    assert.match(outputOf(cli(["cancel", fresh, "--actor", "dana"])), /the run is Cancelled\n$/)
    assert.match(
      outputOf(cli(["cancel", run, "--actor", "dana", "--reason", "ordered twice"])),
      /the run is Cancelling\nnext: a worker/
    )
    work()
    assert.deepStrictEqual([status(run).status, status(run).reason], ["Cancelled", "ordered twice"])
  })
})

describe("durable-agents export", () => {
  it("writes the whole log to a file or to standard output, the same", () => {
    const { cli, folder } = parked()
    const printed = outputOf(cli(["export", run]))
    assert.strictEqual(outputOf(cli(["export", run, "--output", "run.jsonl"])), "")
    assert.strictEqual(readFileSync(join(folder, "run.jsonl"), "utf8"), printed)
    assert.strictEqual(printed, outputOf(cli(["replay", run, "--json"])))
  })

  it("says when there is no such run, or no such place", () => {
    const { cli } = parked()
    assertFails(cli(["export", unknown, "--output", "run.jsonl"]), 3, /no run/)
    assertFails(
      cli(["export", run, "--output", "none/run.jsonl"]),
      1,
      /`none\/run\.jsonl` cannot be written: its folder/
    )
  })
})

describe("durable-agents replay --verify", () => {
  const payload = (file: string, type: string, change: string): void => {
    const database = new DatabaseSync(file)
    database.exec("drop trigger if exists events_never_change")
    database.exec(`update events set payload = ${change} where type = '${type}'`)
    database.close()
  }

  it("finds a log whole that nobody touched", () => {
    const { cli, work } = parked()
    outputOf(cli(["approve", run, approval, "--actor", "dana"]))
    work()
    const said = outputOf(cli(["replay", run, "--verify"]))
    assert.match(
      said,
      /^checked: \d+ events: positions, leases,[^]*checked: 2 prompts of 2 model calls, built anew\nthe log is whole\n$/
    )
    const json = JSON.parse(outputOf(cli(["replay", run, "--verify", "--json"])))
    assert.deepStrictEqual([json.runId, json.differences], [run, []])
  })

  it("says what was changed, with an exit code of its own", () => {
    const { cli, file, work } = parked()
    outputOf(cli(["approve", run, approval, "--actor", "dana"]))
    work()
    payload(file, "ToolCallCompleted", `replace(payload, 'RF-6400', 'RF-1')`)
    const { code, err, out } = cli(["replay", run, "--verify", "--width", "200"])
    assert.strictEqual(code, 8)
    assert.match(err, /^durable-agents: The log of run `[^`]+` is not what its writers left: 1 thing differs\n$/)
    assert.match(out, /differs: event \d+\n {2}the prompt of `turn-2\/model` is sha256:/)
    payload(file, "RunStarted", `replace(payload, 'Refund A-1', 'Refund A-2')`)
    assert.match(
      cli(["replay", run, "--verify", "--width", "200"]).out,
      /differs: event 0\n {2}the digest of the input is sha256:/
    )
  })

  it("says what it cannot read", () => {
    const { cli, file } = parked()
    payload(file, "ApprovalRequested", "'{broken'")
    const { code, err } = cli(["replay", run, "--verify"])
    assert.strictEqual(code, 5)
    assert.match(err, /^durable-agents: Event 3 of run [^\n]+\n$/)
  })
})
