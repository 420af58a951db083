import { RecordedModel } from "@durable-agents/agent"
import { RunEvent } from "@durable-agents/core"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { copyFileSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { samplesOf } from "./exposition.ts"
import { newFolder } from "./folders.ts"
import { commandsIn } from "./inProcess.ts"
import { isHarmful } from "./nasty.ts"
import { assertFails, type Ended, fixture, outputOf, processesIn } from "./processes.ts"

const app = fixture("app.ts")
const unknown = "0198c0de-0000-7000-8000-000000000000"
const approval = "turn-1/call-1/approval"

/** A folder with a store of its own, which every command finds. */
const setUp = (from: string = templates.empty) => {
  const folder = newFolder()
  const file = join(folder, "runs.db")
  const refunds = join(folder, "refunds")
  if (from !== "") copyFileSync(from, file)
  writeFileSync(refunds, "")
  const environment = { DURABLE_AGENTS_STORE: "sqlite:runs.db", REFUNDS: refunds }
  const cli = commandsIn(folder, environment)
  const log = (run: string): ReadonlyArray<RunEvent.RunEvent> => {
    const database = new DatabaseSync(file, { readOnly: true })
    const rows = database.prepare("select type, payload from events where run_id = ? order by seq").all(run)
    database.close()
    return rows.map(({ payload, type }) => RunEvent.decode(`${type}`, JSON.parse(`${payload}`)))
  }
  return {
    /** Commands in processes of their own, and in this one. */
    ...processesIn(folder, environment),
    cli,
    folder,
    file,
    start: async (...args: ReadonlyArray<string>): Promise<string> =>
      outputOf(await cli(["start", ...args, "--app", app])).trim(),
    resume: async (run: string): Promise<string> => outputOf(await cli(["resume", run, "--app", app])),
    work: async () => saidBy(await cli(["worker", "--app", app, "--until-idle"])),
    log,
    tags: (run: string) => log(run).map(({ _tag }) => _tag),
    status: async (run: string) => JSON.parse(outputOf(await cli(["status", run, "--json"]))),
    refunds: () => readFileSync(refunds, "utf8").split("\n").filter((line) => line !== "")
  }
}

/** What a worker said that ended well. */
const saidBy = ({ code, err, out }: Ended): string => {
  assert.deepStrictEqual({ code, out }, { code: 0, out: "" })
  return err
}

/** What a worker answers where it says that its metrics are. */
const measuredBy = async (said: string) => {
  const url = /Metrics are on (http:\/\/127\.0\.0\.1:\d+)\/metrics/.exec(said)?.[1]
  const metrics = await fetch(`${url}/metrics`)
  assert.strictEqual(metrics.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
  assert.strictEqual((await fetch(`${url}/runs`)).status, 404)
  const health = await fetch(`${url}/health`)
  return { samples: samplesOf(await metrics.text()), code: health.status, health: await health.json() }
}

/** Stores that are made once and copied. */
const templates = { empty: "", parked: "" }
let run = ""

/** A store with a run of the agent that waits for a decision. */
const parked = () => setUp(templates.parked)

beforeAll(async () => {
  const empty = setUp()
  outputOf(await empty.cli(["init-db"]))
  templates.empty = empty.file
  const waiting = setUp()
  run = await waiting.start("support", "Refund A-1")
  assert.match(await waiting.resume(run), /is AwaitingApproval/)
  templates.parked = waiting.file
})

describe("durable-agents init-db", () => {
  it("creates a store, and leaves one that is there as it is (checks 19, 20)", async () => {
    const { cli, start, status } = setUp()
    const run = await start("ship", `{"id":"A-1","cents":1}`)
    assert.strictEqual(outputOf(await cli(["init-db"])), "sqlite:runs.db was there, and is ready\n")
    assert.strictEqual((await status(run)).status, "Pending")
    assert.deepStrictEqual(
      JSON.parse(outputOf(await cli(["init-db", "--json", "--store", "sqlite:other.db"]))),
      { store: "sqlite:other.db", created: true }
    )
  })

  it("says where it cannot", async () => {
    const { cli } = setUp()
    assertFails(await cli(["init-db", "--store", "sqlite:none/runs.db"]), 4, /its folder must exist/)
  })

  it("is what the others tell to use when there is no store", async () => {
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
        await cli([...args, "--store", "sqlite:none.db"]),
        4,
        /`durable-agents init-db --store sqlite:none\.db` creates it/
      )
    }
  })
})

describe("durable-agents", () => {
  it("takes a run from its start over a decision to its end, each in a process of its own (checks 10, 16, 17, 46, 47, 54)", async () => {
    const { begin, refunds, tags } = parked()
    const command = (...args: ReadonlyArray<string>) => begin(args).ended
    const status = async (run: string) => JSON.parse(outputOf(await command("status", run, "--json")))
    const work = async () => saidBy(await command("worker", "--app", app, "--until-idle"))
    assert.deepStrictEqual(tags(run), ["RunStarted", "LLMCallRequested", "LLMCallCompleted", "ApprovalRequested"])
    const waiting = await status(run)
    assert.deepStrictEqual(
      waiting.pendingApprovals.map(({ arguments: shown, key, tool }: Record<string, unknown>) => ({
        key,
        shown,
        tool
      })),
      [{ key: approval, shown: { orderId: "A-1", cents: 6400 }, tool: "issue_refund" }]
    )
    await work()
    assert.strictEqual((await status(run)).seq, waiting.seq)
    assert.match(
      outputOf(await command("approve", run, approval, "--actor", "dana", "--comment", "seen the photo")),
      /^approved turn-1\/call-1\/approval; the run is Running\nnext: [^\n]*; if none runs, start one, [^]*durable-agents resume/
    )
    assert.deepStrictEqual(refunds(), [])
    const said = await work()
    assert.match(said, new RegExp(`Executes run ${run} of support, lease \\d`))
    assert.match(said, new RegExp(`Run ${run} of support rests: Completed`))
    assert.strictEqual(refunds().length, 1)
    assert.strictEqual((await status(run)).output, "RF-6400")
    assert.match(outputOf(await command("status", run)), /is Completed\n[^]*answer: RF-6400\n/)
    assert.match(outputOf(await command("replay", run)), /approved by person dana[^]*comment: seen the photo/)
  })

  it("tells the model a denial with its reason, and the call never runs (check 48)", async () => {
    const { cli, log, refunds, work } = parked()
    outputOf(await cli(["deny", run, approval, "--reason", "wrong order"], { DURABLE_AGENTS_ACTOR: "dana" }))
    await work()
    assert.deepStrictEqual(refunds(), [])
    const denied = log(run).flatMap((event) => event._tag === "ApprovalDenied" ? [event] : [])
    assert.deepStrictEqual(denied.map(({ actor, reason }) => [actor.id, reason]), [["dana", "wrong order"]])
  })
})

describe("durable-agents start", () => {
  it("records one event with what it is told, and executes nothing (checks 21, 23)", async () => {
    const { cli, log, refunds, status } = setUp()
    const said = outputOf(await cli([
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
      budget: { turns: 3, toolCalls: 100, costUsd: "0.50", unpriced: "refuse" },
      goal: "Refund A-1",
      guardrailProfile: "strict",
      labels: { team: "support", region: "eu" },
      requestedBy: { kind: "person", id: "sam" },
      startAtMillis: Date.UTC(2030, 0, 1, 8),
      startKey: "ticket-7",
      systemPrompt: "Be brief."
    })
    assert.strictEqual(
      (await status(runId)).next,
      "A worker with the program `support` takes it, not before 2030-01-01T08:00:00.000Z. If none runs, start one."
    )
  })

  it("gives the same run for the same start key, and refuses another input", async () => {
    const { cli, start } = setUp()
    const first = await start("support", "Refund A-1", "--start-key", "k")
    assert.strictEqual(await start("support", "Refund A-1", "--start-key", "k"), first)
    const other = await cli(["start", "support", "Refund A-2", "--start-key", "k", "--app", app])
    assertFails(other, 6, new RegExp(`belongs to run \`${first}\``))
  })

  it("takes a text or JSON, as the program does, from an argument, a file or standard input", async () => {
    const { cli, folder, log, start } = setUp()
    writeFileSync(join(folder, "order.json"), `{\n  "id": "A-1",\n  "cents": 1\n}\n`)
    const inputOf = (run: string) => log(run).flatMap((event) => event._tag === "RunStarted" ? [event.input] : [])
    const piped = async (program: string, text: string, ...args: ReadonlyArray<string>) =>
      outputOf(await cli(["start", program, ...args, "--app", app], {}, text)).trim()
    assert.deepStrictEqual(inputOf(await start("ship", "--input-file", "order.json")), [{ id: "A-1", cents: 1 }])
    assert.deepStrictEqual(inputOf(await piped("ship", `{"id":"日本","cents":2}`, "-")), [{ id: "日本", cents: 2 }])
    assert.deepStrictEqual(inputOf(await piped("support", `{"not":"parsed"}\n`, "--input-file", "-")), [
      `{"not":"parsed"}`
    ])
    assert.deepStrictEqual(inputOf(await start("slow", "7")), [7])
  })

  it("says what is wrong with its input or options, and records nothing", async () => {
    const { cli, folder } = setUp()
    writeFileSync(join(folder, "latin1.txt"), Buffer.from([0x66, 0xfc, 0x72]))
    const fails = async (args: ReadonlyArray<string>, why: RegExp, code = 2) =>
      assertFails(await cli(["start", ...args, "--app", app]), code, why)
    await fails(["refund", "x"], /it has no program `refund`; it has `support`, `ship`, `slow`/)
    await fails(["ship", "{\"id\":"], /not JSON/)
    await fails(["ship", `{"id":"A-1"}`], /does not fit `ship`: Missing key at \["cents"\]/)
    await fails(["ship"], /needs an input/)
    await fails(["support", " "], /does not fit `support`: a goal must not be blank/)
    await fails(["support", "x".repeat(100_001)], /`input` has 100001 characters; 100000 are allowed/)
    await fails(["support", "--input-file", "latin1.txt"], /`latin1\.txt` is not UTF-8/)
    await fails(["support", "--input-file", "none.txt"], /`none\.txt` cannot be read/)
    await fails(["support", "x", "--input-file", "latin1.txt"], /not both/)
    await fails(["support", "x", "--budget", "steps=3"], /`steps` is no limit; there are `turns`/)
    await fails(
      ["support", "x", "--guardrail-profile", "mild"],
      /must be one of off, validation, lenient, standard, strict/
    )
    await fails(["slow", "1", "--guardrail-profile", "strict"], /`guardrailProfile` is not known to this program/)
    await fails(["support", "x", "--at", "tomorrow"], /no time with its offset/)
    assert.strictEqual(outputOf(await cli(["runs"])), "no runs\n")
  })
})

describe("durable-agents resume", () => {
  it("executes a created run here, to its end (check 22)", async () => {
    const { cli, start } = setUp()
    const run = await start("ship", `{"id":"A-1","cents":1}`)
    const said = outputOf(await cli(["resume", run, "--app", app]))
    assert.match(said, new RegExp(`^ship ${run} is Completed\n[^]*answer: shipped A-1\n`))
    assert.isFalse(said.split("\n").some(isHarmful))
  })

  it("prints a finished run as it is, appends nothing, and needs no app for it (check 11)", async () => {
    const { cli, log, start } = setUp()
    const run = await start("ship", `{"id":"A-1","cents":1}`)
    outputOf(await cli(["resume", run, "--app", app]))
    const before = log(run)
    assert.match(outputOf(await cli(["resume", run, "--app", "./gone.ts"])), /is Completed/)
    assert.deepStrictEqual(log(run), before)
  })

  it("leaves a parked run parked, appends nothing, and says how to go on (checks 11, 45)", async () => {
    const { cli, log } = parked()
    const before = log(run)
    const said = outputOf(await cli(["resume", run, "--app", app]))
    assert.include(said, `arguments: {"orderId": "A-1", "cents": 6400}`)
    assert.include(said, `  durable-agents approve ${run} ${approval} --actor NAME --store sqlite:runs.db\n`)
    assert.include(said, `  durable-agents deny ${run} ${approval} --actor NAME --reason TEXT --store sqlite:runs.db\n`)
    const known = outputOf(await cli(["status", run], { DURABLE_AGENTS_ACTOR: "dana" }))
    assert.include(known, `  durable-agents approve ${run} ${approval} --store sqlite:runs.db\n`)
    assert.include(known, `  durable-agents deny ${run} ${approval} --reason TEXT --store sqlite:runs.db\n`)
    assert.include(said, `  durable-agents replay ${run} --store sqlite:runs.db\n`)
    assert.deepStrictEqual(log(run), before)
  })

  it("waits for a run that another worker holds (check 12)", async () => {
    const { begin, cli, start, tags } = setUp()
    const run = await start("slow", "1000")
    const worker = begin(["worker", "--app", app, "--limit", "ship=1", "--limit", "slow=3", "--until-idle"])
    await worker.says(/Executes run/)
    assert.match(outputOf(await cli(["resume", run, "--app", app])), /is Completed/)
    assert.strictEqual((await worker.ended).code, 0)
    assert.deepStrictEqual(tags(run), ["RunStarted", "StepRequested", "StepCompleted", "RunCompleted"])
  })

  it("says when there is no such run, and when the app does not have its program (D19)", async () => {
    const { cli, log, start } = setUp()
    assertFails(await cli(["resume", unknown, "--app", app]), 3, /no run/)
    const run = await start("ship", `{"id":"A-1","cents":1}`)
    const other = await cli(["resume", run, "--app", fixture("open.ts")], { LLM_MODEL: "m" })
    assertFails(other, 7, /it has no program `ship`, of which this is a run; it has `writer`/)
    assert.strictEqual(log(run).length, 1)
  })

  it("asks the model of the provider that the environment names", async () => {
    const asked: Array<{ readonly url: string; readonly key: string }> = []
    const server = createServer((request, response) => {
      asked.push({ url: `${request.url}`, key: `${request.headers["x-api-key"]}` })
      request.resume().on("end", () => {
        response.setHeader("content-type", "application/json")
        response.end(JSON.stringify({
          id: "msg_1",
          type: "message",
          model: "claude-1",
          content: [{ type: "text", text: "A line." }],
          stop_reason: "end_turn",
          usage: { input_tokens: 11, output_tokens: 3 }
        }))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const { cli, log } = setUp()
    const env = {
      LLM_MODEL: "little",
      LLM_PROVIDER: "anthropic",
      ANTHROPIC_API_KEY: "sk-hunter2",
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`
    }
    const run = outputOf(await cli(["start", "writer", "About the sea.", "--app", fixture("open.ts")])).trim()
    const resume = (more: Record<string, string>) =>
      cli(["resume", run, "--app", fixture("open.ts")], { ...env, ...more })
    assertFails(await resume({}), 7, /ANTHROPIC_BASE_URL: set ANTHROPIC_MODEL \(and ANTHROPIC_API_KEY\)/)
    assertFails(await resume({ LLM_PROVIDER: "hunter2" }), 7, /LLM_PROVIDER must be `openai` or `anthropic`/)
    assert.match(outputOf(await resume({ ANTHROPIC_MODEL: "claude-test" })), /answer: A line\./)
    await new Promise((resolve) => server.close(resolve))
    assert.deepStrictEqual(asked, [{ url: "/v1/messages", key: "sk-hunter2" }])
    const requested = log(run).flatMap((event) => event._tag === "LLMCallRequested" ? [event.model] : [])
    assert.deepStrictEqual(requested, ["claude-test"])
    assert.notInclude(outputOf(await cli(["export", run])), "hunter2")
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
    const { cli, log } = setUp()
    for (const slash of ["", "/"]) {
      const env = {
        LLM_MODEL: "little",
        LLM_API_KEY: "sk-hunter2",
        LLM_BASE_URL: `http://127.0.0.1:${port}/v1${slash}`
      }
      const run = outputOf(await cli(["start", "writer", "About the sea.", "--app", fixture("open.ts")])).trim()
      const resumed = await cli(["resume", run, "--app", fixture("open.ts")], env)
      assert.match(outputOf(resumed), /answer: A line\./)
      const requested = log(run).flatMap((event) => event._tag === "LLMCallRequested" ? [event.model] : [])
      assert.deepStrictEqual(requested, ["little"])
      assert.notInclude(outputOf(await cli(["export", run])), "hunter2")
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
    const run = await start("slow", "1500")
    const worker = begin(["worker", "--app", app, "--poll", "50ms"])
    await worker.says(/Executes run/)
    worker.child.kill("SIGTERM")
    const { code, err, out } = await worker.ended
    assert.deepStrictEqual({ code, out }, { code: 0, out: "" })
    assert.match(err, / INFO {2}Worker pid \d+ \([0-9a-f]{4}…\) on sqlite:runs\.db executes /)
    assert.match(err, /Stops: lets operations in flight end\n[^]*Stopped\n$/)
    assert.isTrue(err.trimEnd().split("\n").every((line) => /^\d{4}-\d\d-\d\dT[\d:.]+Z INFO {2}/.test(line)), err)
    assert.deepStrictEqual(tags(run).slice(0, 3), ["RunStarted", "StepRequested", "StepCompleted"])
    assert.include(["Running", "Completed"], (await status(run)).status)
  })

  it("answers for its metrics and health, ends at once on a second signal, and leaves the run to the next (WR-3)", async () => {
    const { begin, start, tags } = setUp()
    const run = await start("slow", "60000")
    const worker = begin(["worker", "--app", app, "--metrics", "0"])
    await worker.says(/Executes run/)
    const { code, health, samples } = await measuredBy(worker.said())
    assert.deepStrictEqual({ code, status: health.status }, { code: 200, status: "Healthy" })
    assert.strictEqual(samples.get(`durable_agents_runs_executing{program="slow"}`), 1)
    assert.strictEqual(samples.get(`durable_agents_claims_total{program="slow",takeover="false"}`), 1)
    assert.strictEqual(samples.get("durable_agents_runs_due"), 0)
    worker.child.kill("SIGTERM")
    await worker.says(/Stops/)
    worker.child.kill("SIGTERM")
    assert.strictEqual((await worker.ended).code, 130)
    assert.deepStrictEqual(tags(run), ["RunStarted", "StepRequested"])
  })

  it("says what is wrong with its options", async () => {
    const { cli } = setUp()
    assertFails(await cli(["worker", "--app", app, "--concurrency", "0"]), 2, /from 1 to 10000/)
    assertFails(await cli(["worker", "--app", app, "--lease", "soon"]), 2, /`soon` is no duration/)
    assert.match((await cli(["worker", "--app", app, "--lease", "10ms"])).err, /`10ms` is too short; at least 1s/)
    assertFails(await cli(["worker", "--app", app, "--metrics", "here:99999"]), 2, /--metrics says is no address/)
    assertFails(await cli(["worker"]), 2, /Missing required flag: --app/)
  })
})

describe("durable-agents --app", () => {
  it("says when its layer cannot be built, or lacks a program, before anything is executed (D19)", async () => {
    const { cli } = setUp()
    const worker = (name: string) => cli(["worker", "--app", fixture(name), "--until-idle"])
    assertFails(await worker("broken.ts"), 7, /its layer cannot be built: the directory is away/)
    assertFails(await worker("forgetful.ts"), 7, /does not register the program `lost`, which it lists/)
    assertFails(await worker("empty.ts"), 7, /its layer registers no program/)
  })

  it("has settings that hold for starts and workers alike", async () => {
    const { folder, status } = setUp()
    const cli = commandsIn(folder, { DURABLE_AGENTS_STORE: "sqlite:runs.db", NAMESPACE: "staging" })
    try {
      const run = outputOf(await cli(["start", "ship", `{"id":"A-1","cents":1}`, "--app", app])).trim()
      saidBy(await cli(["worker", "--app", app, "--until-idle"]))
      assert.strictEqual((await status(run)).status, "Completed")
    } finally {
      delete process.env["NAMESPACE"]
    }
  })

  it("runs on the store that is named, also where the layer brings one (check 18)", async () => {
    const { cli } = setUp()
    const run = outputOf(await cli(["start", "echo", "hello", "--app", fixture("memory.ts")])).trim()
    assert.match(outputOf(await cli(["resume", run, "--app", fixture("memory.ts")])), /answer: hello/)
    assert.match(outputOf(await cli(["status", run])), /is Completed/)
  })

  it("says which variables name a model when an agent has none, and never the key", async () => {
    const { cli } = setUp()
    const worker = (env: Record<string, string>) => cli(["worker", "--app", fixture("open.ts"), "--until-idle"], env)
    const secret = "hunter2"
    assertFails(
      await worker({ LLM_API_KEY: secret }),
      7,
      /the agent `writer` has no model: [^\n]*LLM_MODEL, LLM_API_KEY and LLM_BASE_URL/
    )
    for (const LLM_BASE_URL of [secret, `http//dana:${secret}@llm`, `ftp://dana:${secret}@llm`]) {
      const { code, err } = await worker({ LLM_MODEL: "m", LLM_API_KEY: secret, LLM_BASE_URL })
      assert.strictEqual(code, 7)
      assert.notInclude(err, secret)
    }
  })

  it("says in the log that an agent inside a program has no model, and lets the run wait for one", async () => {
    const { cli, log, status } = setUp()
    const run = outputOf(await cli(["start", "report", "the sea", "--app", fixture("nested.ts")])).trim()
    outputOf(await cli(["resume", run, "--app", fixture("nested.ts")]))
    assert.strictEqual((await status(run)).status, "Sleeping")
    const failures = log(run).flatMap((event) => event._tag === "LLMCallFailed" ? [event] : [])
    assert.match(
      failures[0]?.error ?? "",
      /LLM_MODEL, LLM_API_KEY and LLM_BASE_URL: set LLM_MODEL \([^)]+\)$/
    )
    assert.isFalse(failures[0]?.final)
  })

  it("needs no model for starting, nor for an app with a model of its own", async () => {
    const { cli, resume, start } = setUp()
    outputOf(await cli(["start", "writer", "About the sea.", "--app", fixture("open.ts")]))
    assert.match(await resume(await start("support", "Refund A-1")), /is AwaitingApproval/)
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
    await work()
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
    await work()
    assert.strictEqual(refunds().length, wins ? 1 : 0)
  })

  it("never decide a request by the key of an earlier one (AP-3, D31, check 52)", async () => {
    const { cli, log, refunds, resume, start, work } = setUp()
    const run = await start("support", "Refund one by one")
    await resume(run)
    outputOf(await cli(["approve", run, approval, "--actor", "dana"]))
    await work()
    const before = log(run)
    for (const command of ["approve", "deny"]) {
      const stale = await cli([command, run, approval, "--actor", "dana"])
      assertFails(
        stale,
        6,
        /already granted by `dana` \(status AwaitingApproval\); it waits for `turn-2\/call-1\/approval`/
      )
    }
    assert.deepStrictEqual(log(run), before)
    assert.strictEqual(refunds().length, 1)
  })

  it("are refused with the status by runs that wait for nothing, and unknown runs are (AP-4, checks 49, 50)", async () => {
    const { cli, log, start } = setUp()
    const run = await start("ship", `{"id":"A-1","cents":1}`)
    const decide = async () => [
      await cli(["approve", run, approval, "--actor", "dana"]),
      await cli(["deny", run, approval, "--actor", "dana"]),
      await cli(["approve", run, "--actor", "dana"])
    ]
    for (const ended of await decide()) assertFails(ended, 6, /\(status Pending\)/)
    outputOf(await cli(["resume", run, "--app", app]))
    const before = log(run)
    for (const ended of await decide()) assertFails(ended, 6, /\(status Completed\)/)
    assertFails(await cli(["cancel", run, "--actor", "dana"]), 6, /has ended already[^\n]* \(status Completed\)/)
    assert.deepStrictEqual(log(run), before)
    assertFails(await cli(["approve", unknown, approval, "--actor", "dana"]), 3, /no run/)
    assertFails(await cli(["cancel", unknown, "--actor", "dana"]), 3, /no run/)
  })

  it("want to know who decides, and about what", async () => {
    const { cli } = parked()
    assertFails(
      await cli(["approve", run, approval]),
      2,
      /Missing required flag: --actor \(or set DURABLE_AGENTS_ACTOR\)/
    )
    assertFails(await cli(["deny", run, approval, "--actor", " "]), 2, /`actor` is empty/)
    assertFails(
      await cli(["deny", run, "--actor", "dana"]),
      2,
      /Which approval\? [^\n]* waits for `turn-1\/call-1\/approval`/
    )
  })

  it("take edited arguments that fit the tool as it was described, and record no others", async () => {
    const { cli, folder, log, refunds, work } = parked()
    const approve = (...args: ReadonlyArray<string>) => cli(["approve", run, approval, "--actor", "dana", ...args])
    assertFails(await approve("--arguments", "{"), 2, /not JSON/)
    assertFails(
      await approve("--arguments", `{"orderId":1,"cents":-1}`),
      2,
      /do not fit `issue_refund`: Expected string at \["orderId"\]; Expected a value greater than or equal to 0/
    )
    assert.strictEqual(log(run).length, 4)
    writeFileSync(join(folder, "edited.json"), `{"orderId":"A-1","cents":50}\n`)
    outputOf(await approve("--arguments-file", "edited.json"))
    await work()
    assert.deepStrictEqual(refunds().map((line) => line.split(" ").slice(1)), [["A-1", "50"]])
  })

  it("print JSON for programs", async () => {
    const { cli } = parked()
    const said = JSON.parse(outputOf(await cli(["approve", run, approval, "--actor", "dana", "--json"])))
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
  it("ends a run that has not begun at once, and asks one that has", async () => {
    const { cli, start, status, work } = parked()
    const fresh = await start("ship", `{"id":"A-1","cents":1}`)
    assert.match(outputOf(await cli(["cancel", fresh, "--actor", "dana"])), /the run is Cancelled\n$/)
    assert.match(
      outputOf(await cli(["cancel", run, "--actor", "dana", "--reason", "ordered twice"])),
      /the run is Cancelling\nnext: a worker/
    )
    await work()
    assert.deepStrictEqual([(await status(run)).status, (await status(run)).reason], ["Cancelled", "ordered twice"])
  })
})

describe("durable-agents export", () => {
  it("writes the whole log to a file or to standard output, the same", async () => {
    const { cli, folder } = parked()
    const printed = outputOf(await cli(["export", run]))
    assert.strictEqual(outputOf(await cli(["export", run, "--output", "run.jsonl"])), "")
    assert.strictEqual(readFileSync(join(folder, "run.jsonl"), "utf8"), printed)
    assert.strictEqual(printed, outputOf(await cli(["replay", run, "--json"])))
  })

  it("keeps who may read the file, what leads to it, and what is no file", async () => {
    const { cli, folder } = parked()
    const printed = outputOf(await cli(["export", run]))
    const [file, link, pipe] = [join(folder, "own.jsonl"), join(folder, "link.jsonl"), join(folder, "pipe")]
    writeFileSync(file, "before", { mode: 0o600 })
    symlinkSync(file, link)
    assert.strictEqual(outputOf(await cli(["export", run, "--output", link])), "")
    assert.isTrue(lstatSync(link).isSymbolicLink())
    assert.deepStrictEqual([readFileSync(file, "utf8"), statSync(file).mode & 0o777], [printed, 0o600])
    execFileSync("mkfifo", [pipe])
    const [read] = await Promise.all([readFile(pipe, "utf8"), cli(["export", run, "--output", pipe])])
    assert.strictEqual(read, printed)
    assert.isTrue(lstatSync(pipe).isFIFO())
    assertFails(await cli(["export", run, "--output", "."]), 1, /cannot be written/)
  })

  it("says when there is no such run, or no such place", async () => {
    const { cli } = parked()
    assertFails(await cli(["export", unknown, "--output", "run.jsonl"]), 3, /no run/)
    assertFails(
      await cli(["export", run, "--output", "none/run.jsonl"]),
      1,
      /`none\/run\.jsonl` cannot be written: its folder/
    )
  })
})

describe("durable-agents record", () => {
  it("writes what the model was asked and answered, to a file or to standard output, the same", async () => {
    const { cli, folder } = parked()
    const printed = outputOf(await cli(["record", run]))
    assert.strictEqual(outputOf(await cli(["record", run, "--output", "model.json"])), "")
    assert.strictEqual(readFileSync(join(folder, "model.json"), "utf8"), printed)
    const recording = await Effect.runPromise(RecordedModel.fromText(printed))
    assert.isAtLeast(recording.calls.length, 1)
    assert.isTrue(recording.calls.every(({ answer }) => answer !== undefined))
    assertFails(await cli(["record", unknown]), 3, /no run/)
  })
})

describe("durable-agents replay --verify", () => {
  const payload = (file: string, type: string, change: string): void => {
    const database = new DatabaseSync(file)
    database.exec("drop trigger if exists events_never_change")
    database.exec(`update events set payload = ${change} where type = '${type}'`)
    database.close()
  }

  it("finds a log whole that nobody touched", async () => {
    const { cli, work } = parked()
    outputOf(await cli(["approve", run, approval, "--actor", "dana"]))
    await work()
    const said = outputOf(await cli(["replay", run, "--verify"]))
    assert.match(
      said,
      /^checked: \d+ events: positions, leases,[^]*checked: 2 prompts of 2 model calls, built anew\nthe log is whole\n$/
    )
    const json = JSON.parse(outputOf(await cli(["replay", run, "--verify", "--json"])))
    assert.deepStrictEqual([json.runId, json.differences], [run, []])
  })

  it("says what was changed, with an exit code of its own", async () => {
    const { cli, file, work } = parked()
    outputOf(await cli(["approve", run, approval, "--actor", "dana"]))
    await work()
    payload(file, "ToolCallCompleted", `replace(payload, 'RF-6400', 'RF-1')`)
    const { code, err, out } = await cli(["replay", run, "--verify", "--width", "200"])
    assert.strictEqual(code, 8)
    assert.match(err, /^durable-agents: The log of run `[^`]+` is not what its writers left: 1 thing differs\n$/)
    assert.match(out, /differs: event \d+\n {2}the prompt of `turn-2\/model` is sha256:/)
    payload(file, "RunStarted", `replace(payload, 'Refund A-1', 'Refund A-2')`)
    assert.match(
      (await cli(["replay", run, "--verify", "--width", "200"])).out,
      /differs: event 0\n {2}the digest of the input is sha256:/
    )
  })

  it("says what it cannot read", async () => {
    const { cli, file } = parked()
    payload(file, "ApprovalRequested", "'{broken'")
    const { code, err } = await cli(["replay", run, "--verify"])
    assert.strictEqual(code, 5)
    assert.match(err, /^durable-agents: Event 3 of run [^\n]+\n$/)
  })
})
