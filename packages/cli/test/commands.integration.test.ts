import {
  Approval,
  EventStore,
  Program,
  RunEvent,
  type RunId,
  Runs,
  Runtime,
  RuntimeSettings
} from "@durable-agents/core"
import { Sqlite } from "@durable-agents/sqlite"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { newFolder } from "./folders.ts"
import { commandsIn } from "./inProcess.ts"
import { everyEvent, runId } from "./logs.ts"
import { isHarmful } from "./nasty.ts"
import { assertFails, main, processesIn } from "./processes.ts"

const folder = newFolder()
const file = join(folder, "runs.db")
const damaged = join(folder, "damaged.db")
const store = `sqlite:${file}`
const unknown = "0198c0de-0000-7000-8000-000000000000"

const cli = commandsIn(folder)
const { cli: command, spawn } = processesIn(folder)

const Refund = Program.make("refund", { input: Schema.String, output: Schema.String, error: Schema.String })

const RefundLayer = Refund.toLayer((order) =>
  Effect.as(Approval.request("allow", { subject: `Refund ${order}` }), "refunded")
)

let waiting: RunId
let pending: RunId

const fill = Effect.gen(function*() {
  const runs = yield* Runs
  const runtime = yield* Runtime
  const { append } = yield* EventStore
  for (const { epoch, event, runId, seq } of everyEvent) {
    yield* append(runId, { expected: seq, events: [event], ...(epoch === undefined ? {} : { epoch }) })
  }
  waiting = yield* runs.start(Refund, "A-8891\u001b[31m", { labels: { team: "support" }, requestedBy: "dana" })
  yield* runtime.execute(waiting)
  pending = yield* runs.start(Refund, "A-1", { labels: { team: "sales" } })
})

beforeAll(() =>
  Effect.runPromise(Effect.provide(
    fill,
    RefundLayer.pipe(
      Layer.provideMerge(Runtime.layer),
      Layer.provideMerge(Sqlite.layer({ file })),
      Layer.provide(Layer.succeed(RuntimeSettings, { ...RuntimeSettings.defaultValue(), suspendAfter: "5 millis" }))
    )
  )).then(() => {
    const source = new DatabaseSync(file)
    source.exec(`vacuum into '${damaged}'`)
    source.close()
    const target = new DatabaseSync(damaged)
    target.exec("drop trigger events_never_change")
    target.exec("update events set payload = '{broken' where type = 'TimerFired'")
    target.exec("update events set payload = '{}' where type = 'StepCompleted'")
    target.close()
  })
)

describe("durable-agents rescore", () => {
  it("says what guardrails of now would have done with runs, and refuses what is no layer of them", async () => {
    const module = join(folder, "guardrails.mjs")
    writeFileSync(module, "export const guardrails = 1")
    const both = await cli(["rescore", runId, waiting, "--store", store, "--profile", "validation"])
    assert.deepStrictEqual({ code: both.code, err: both.err }, { code: 0, err: "" })
    assert.match(
      both.out,
      new RegExp(`^${runId}: \\d+ judged, \\d+ different\n[^]*${waiting}: 0 judged, 0 different\n$`)
    )
    const json = await cli(["rescore", waiting, "--store", store, "--json"])
    assert.deepStrictEqual(JSON.parse(json.out), { runId: waiting, judged: 0, differences: [] })
    assertFails(await cli(["rescore", unknown, "--store", store]), 3, /no run|not exist|There is no/i)
    assertFails(await cli(["rescore", waiting, "--store", store, "--guardrails", module]), 7, /exports no layer/)
  })
})

describe("durable-agents replay", () => {
  const replay = (...args: ReadonlyArray<string>) => cli(["replay", runId, "--store", store, ...args])

  it("prints the whole trace under any locale, also where it knows not every event, and says so (check 99, D57)", async () => {
    const { code, err, out } = await replay()
    assert.strictEqual(code, 5)
    assert.match(err, /^durable-agents: Event 35 of run `[^`]+` cannot be read: [^\n]+\n$/)
    for (
      const text of [/a run of support starts/, /破損した商品 👩‍👩‍👧/, /40, written under 4 leases/, /the run completes/]
    ) {
      assert.match(out, text)
    }
    assert.isFalse(out.split("\n").some(isHarmful))
    const elsewhere = command(["replay", runId, "--store", store], { LC_ALL: "C", LANG: "C", TERM: "dumb" })
    assert.deepStrictEqual(elsewhere, { code, err, out })
  })

  it("prints the trace of a healthy run with exit code 0", async () => {
    const { code, err, out } = await cli(["replay", waiting.toUpperCase(), "--store", store])
    assert.deepStrictEqual({ code, err }, { code: 0, err: "" })
    assert.match(out, /waits for:\n {2}a decision on Refund A-8891\\u\{1b\}\[31m \(allow\), event 1/)
  })

  it("prints the log as JSON lines that can be read again", async () => {
    const { code, err, out } = await cli(["replay", waiting, "--store", store, "--json"])
    assert.deepStrictEqual({ code, err }, { code: 0, err: "" })
    assert.isFalse(out.split("\n").some(isHarmful))
    const events = out.trimEnd().split("\n").map((line) => Result.getOrThrow(RunEvent.fromLine(line)))
    assert.deepStrictEqual(events.map(({ event, seq }) => [seq, event._tag]), [
      [0, "RunStarted"],
      [1, "ApprovalRequested"]
    ])
  })

  it("prints one line an event with --short", async () => {
    const { code, err, out } = await cli(["replay", waiting, "--store", store, "--short"])
    assert.deepStrictEqual({ code, err }, { code: 0, err: "" })
    assert.match(out, /^seq= {2}0 {2}RunStarted [^\n]+\nseq= {2}1 {2}ApprovalRequested [^\n]+\n$/)
    const known = await replay("--short")
    assert.strictEqual(known.code, 5)
    assert.strictEqual(known.out.trimEnd().split("\n").length, everyEvent.length)
    assertFails(await replay("--short", "--json"), 2, /Give --short alone/)
  })

  it("shows damaged rows as what they are, with everything else", async () => {
    const { code, err, out } = await cli(["replay", runId, "--store", `sqlite:${damaged}`])
    assert.strictEqual(code, 5)
    assert.match(err, /^durable-agents: Event 17 of run [^\n]+`StepCompleted`[^\n]+\n$/)
    assert.match(out, /\?\? StepCompleted: the fields of this `StepCompleted`/)
    assert.match(out, /\?\? TimerFired: the fields of this `TimerFired`/)
    assert.match(out, /payload: \{broken/)
    assert.match(out, /the run completes/)
  })

  it("does as its flags say", async () => {
    const { out } = await replay("--color", "--width", "100", "--thinking")
    assert.isTrue(out.split("\n").includes("=".repeat(100)))
    assert.isTrue(out.includes("asks the model gpt-x"))
    assert.isTrue(out.includes("\u001b[32m"))
  })

  it("has no colours where there is no terminal, where NO_COLOR is set, or with --no-color", async () => {
    const at = (env: Record<string, string>, ...args: ReadonlyArray<string>) =>
      command(["replay", waiting, "--store", store, ...args], env).out
    assert.isFalse(at({ FORCE_COLOR: "1" }).includes("\u001b"))
    assert.isFalse(at({ NO_COLOR: "1" }).includes("\u001b"))
    assert.isFalse(at({ FORCE_COLOR: "1" }, "--no-color").includes("\u001b"))
  })

  it("says when there is no such run", async () => {
    assertFails(await cli(["replay", unknown, "--store", store]), 3, /no run `0198c0de-0000/)
  })

  it("says when the id of a run is malformed", async () => {
    assertFails(await cli(["replay", "42\u001b[31m", "--store", store]), 2, /`42\\u\{1b\}\[31m` is not the id of a run/)
  })

  it("ends quietly when its reader has gone", async () => {
    const { err, out } = spawn("sh", [
      "-c",
      `"$0" "$1" replay ${waiting} --store ${store} --thinking | head -n 1; "$0" "$1" --completions bash | true`,
      process.execPath,
      main
    ])
    assert.deepStrictEqual({ err, out }, { err: "", out: `run       ${waiting}\n` })
  })
})

describe("durable-agents runs", () => {
  const list = (...args: ReadonlyArray<string>) => cli(["runs", "--store", store, ...args])

  it("lists runs, newest first, with what they wait for", async () => {
    const { code, err, out } = await list("--width", "120")
    assert.deepStrictEqual({ code, err }, { code: 0, err: "" })
    const [first = "", second = "", third = "", ...rest] = out.trimEnd().split("\n")
    assert.match(first, new RegExp(`^${pending} {2}Pending +\\d+ s {2}refund {2}team=sales$`))
    assert.match(second, new RegExp(`^${waiting} {2}AwaitingApproval +\\d+ s {2}refund {2}team=support$`))
    assert.match(third, /^ {4}approval Refund A-8891\\u\{1b\}\[31m \(allow\), since \d{4}-/)
    assert.deepStrictEqual(rest, [])
  })

  it("breaks the lines of what a run waits for at the width", async () => {
    const { out } = await list("--width", "60", "--status", "AwaitingApproval")
    const [, ...waits] = out.trimEnd().split("\n")
    assert.isAbove(waits.length, 1)
    assert.isTrue(waits.every((line) => line.startsWith("    ") && line.length <= 66), out)
  })

  it("filters by status, program and label", async () => {
    const { out } = await list("--status", "Pending", "--program", "refund", "--label", "team=sales")
    assert.match(out, new RegExp(`^${pending}[^\n]*\n$`))
    assert.strictEqual((await list("--label", "team=sales", "--label", "region=eu")).out, "no runs\n")
  })

  it("goes on from a cursor", async () => {
    const { out } = await list("--limit", "1")
    const [, cursor] = /\nmore: --cursor '?([^'\n]+)'?\n$/.exec(out) ?? []
    assert.isDefined(cursor)
    assert.isTrue(out.startsWith(pending))
    assert.isTrue((await list("--limit", "1", "--cursor", `${cursor}`)).out.startsWith(waiting))
  })

  it("prints a page as JSON", async () => {
    const page = JSON.parse((await list("--json", "--limit", "1")).out)
    assert.strictEqual(page.items[0].runId, pending)
    assert.isString(page.next)
  })

  it("says what is wrong with a filter", async () => {
    assertFails(await list("--status", "Waiting", "--limit", "0"), 2, /Invalid value for flag --status|from 1 to 1000/)
    assertFails(await list("--label", "team"), 2, /--label/)
  })
})

describe("durable-agents explain", () => {
  it("says in plain words why a run does not move", async () => {
    const { code, err, out } = await cli(["explain", waiting, "--store", store])
    assert.deepStrictEqual({ code, err }, { code: 0, err: "" })
    assert.match(out, new RegExp(`^refund ${waiting} is AwaitingApproval\n`))
    assert.match(out, /\n- asks for a decision since [^\n]+\n/)
    assert.match(out, /\nnext: Approve or deny it; [^\n]+\n$/)
    assert.isFalse(out.includes("\u001b"))
  })

  it("explains as JSON", async () => {
    const explanation = JSON.parse((await cli(["explain", waiting, "--store", store, "--json"])).out)
    assert.strictEqual(explanation.runId, waiting)
    assert.strictEqual(explanation.mover, "approver")
    assert.strictEqual(explanation.waitsFor[0].wait.key, "allow")
  })

  it("says when there is no such run", async () => {
    assertFails(await cli(["explain", unknown, "--store", store]), 3, /no run/)
  })
})

describe("durable-agents --store", () => {
  it("falls back to the environment", async () => {
    assert.strictEqual((await cli(["explain", waiting], { DURABLE_AGENTS_STORE: store })).code, 0)
    assertFails(await cli(["explain", waiting]), 2, /Missing required flag: --store \(or set DURABLE_AGENTS_STORE\)/)
  })

  it("refuses what is not a store, and repeats no secret", async () => {
    for (
      const ended of [
        await cli(["runs", "--store", "mysql://dana:hunter2@db.example.com/runs"]),
        await cli(["runs", "--store", "postgres://dana:hunter2/half@db.example.com/runs"]),
        await cli(["runs"], { DURABLE_AGENTS_STORE: "sqlite:runs.db?key=hunter2" }),
        await cli(["replay", "postgres://dana:hunter2@db/runs", "--store", store])
      ]
    ) {
      assertFails(ended, 2, /Bad store: |is not the id of a run/)
      assert.isFalse(ended.err.includes("hunter2"))
    }
  })

  it("falls back to DATABASE_URL where that is an address of PostgreSQL, and to no other", async () => {
    const other = await cli(["runs"], { DATABASE_URL: "mysql://dana:hunter2@db.example.com/runs" })
    assertFails(
      other,
      2,
      /Bad store: DATABASE_URL is not an address of PostgreSQL; give --store or set DURABLE_AGENTS_STORE/
    )
    assertFails(
      await cli(["runs"], { DATABASE_URL: "postgres:hunter2" }),
      2,
      /Bad store: an address of PostgreSQL goes on/
    )
    assertFails(await cli(["runs"], { DATABASE_URL: "" }), 2, /Missing required flag: --store/)
    const env = { DATABASE_URL: "mysql://db.example.com/runs" }
    assert.strictEqual((await cli(["explain", waiting, "--store", store], env)).code, 0)
    assert.strictEqual((await cli(["explain", waiting], { ...env, DURABLE_AGENTS_STORE: store })).code, 0)
  })

  it("guesses what a path without its kind was to be", async () => {
    assertFails(await cli(["runs", "--store", "mine/runs.db"]), 2, /; did you mean `sqlite:mine\/runs\.db`\?/)
    const { err } = await cli(["runs", "--store", "dana:hunter2@runs.db"])
    assert.notInclude(err, "hunter2")
  })

  it("opens only what exists", async () => {
    const before = readdirSync(folder)
    assertFails(await cli(["replay", waiting, "--store", "sqlite:none.db"]), 4, /there is no file `none\.db`/)
    assertFails(await cli(["runs", "--store", `sqlite:${folder}`]), 4, /is not a file/)
    assert.deepStrictEqual(readdirSync(folder), before)
  })

  it("says when a file is no database, and leaves it as it is", async () => {
    const text = join(folder, "notes.txt")
    writeFileSync(text, "remember the milk\n".repeat(100))
    assertFails(await cli(["runs", "--store", `sqlite:${text}`]), 4, /is not an SQLite database/)
    assert.strictEqual(readFileSync(text, "utf8"), "remember the milk\n".repeat(100))
  })
})

describe("durable-agents", () => {
  it("explains itself", () => {
    for (const args of [[], ["replay", "--help"]]) {
      const { code, err, out } = command(args)
      assert.deepStrictEqual({ code, err }, { code: 0, err: "" })
      assert.match(out, /USAGE\n {2}durable-agents/)
      assert.isFalse(out.includes("\u001b"))
    }
  })

  it("knows its version, which is the package's", async () => {
    const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
    assert.strictEqual((await cli(["--version"])).out, `durable-agents v${manifest.version}\n`)
  })

  it("completes itself in a shell", async () => {
    const script = (await cli(["--completions", "bash"])).out
    // As readline does it for a line whose last word is the one to be completed.
    const complete = `${script}
      for line in "exp" "runs --st" "runs --status St" "tokens " "approve --e"; do
        COMP_LINE="durable-agents $line" COMP_POINT=\${#COMP_LINE} COMPREPLY=()
        IFS=" " read -ra COMP_WORDS <<< "$COMP_LINE"
        [[ $line == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
        _durable_agents durable-agents "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD - 1]}"
        echo "\${COMPREPLY[*]}"
      done`
    assert.deepStrictEqual(spawn("bash", ["--norc", "-c", complete]), {
      code: 0,
      out: "explain export\n--store --status --started-from --started-before\nStuck\ncreate list revoke\n--edit\n",
      err: ""
    })
  })

  it("says what is wrong with a command line", async () => {
    assertFails(await cli(["rerun"]), 2, /Unknown subcommand "rerun"/)
    assertFails(await cli(["replay"]), 2, /Missing required argument: run .*replay --help/)
    assertFails(await cli(["replay", waiting, "--stor", store]), 2, /Unrecognized flag: --stor .*--store/)
    for (const width of ["0", "-3", "19"]) {
      assertFails(await cli(["status", waiting, "--width", width, "--store", store]), 2, /a number from 20 on/)
    }
  })

  it.runIf(existsSync("/dev/full"))("says that nothing can be written, where nothing can", () => {
    for (const args of [["runs"], ["export", runId], ["replay", runId, "--follow"]]) {
      const all = [process.execPath, main, ...args, "--store", store]
      const { code, err } = spawn("sh", ["-c", "\"$0\" \"$@\" > /dev/full", ...all])
      assert.deepStrictEqual([code, err], [
        1,
        "durable-agents: Standard output cannot be written: ENOSPC: no space left on device, write\n"
      ], args[0])
    }
  })
})
