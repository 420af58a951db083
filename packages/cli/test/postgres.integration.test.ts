import * as PostgresServer from "@durable-agents/testing/PostgresServer"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { PgClient } from "@effect/sql-pg"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Redacted, Result, Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { readFileSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer, type Server } from "node:net"
import { join } from "node:path"
import * as Store from "../src/Store.ts"
import { collector } from "./collector.ts"
import { newFolder } from "./folders.ts"
import { commandsIn } from "./inProcess.ts"
import { assertFails, type Begun, costlyOf, type Ended, fixture, main, outputOf, processesIn } from "./processes.ts"

const app = fixture("app.ts")
const approval = "turn-1/call-1/approval"
const password = "hunter2/@:?"
const secret = /hunter2/
const unknown = "0198c0de-0000-7000-8000-000000000000"

const folder = newFolder()
const refunds = join(folder, "refunds")
const environment = { REFUNDS: refunds }
const inProcess = commandsIn(folder, environment)
const { beginWith } = processesIn(folder, environment)

const scope = Scope.makeUnsafe()
let url = ""
/** A role that may look, and nothing else. */
let reader = ""
let server: PostgresServer.PostgresServer
let silent: Server
/** What became of stores whose server is not there, and after how long, since this takes a while. */
let away: ReadonlyArray<Promise<{ readonly said: string; readonly millis: number }>> = []

/** A command that ended has said no secret. */
const discreet = ({ code, err, out }: Ended): Ended => {
  assert.notMatch(out, secret)
  assert.notMatch(err, secret)
  return { code, err, out }
}

const cli = async (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = { DATABASE_URL: url }) =>
  discreet(await inProcess(args, env))

/** The same in processes of their own. */
const begin = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}): Begun => {
  const begun = beginWith([main, ...args], { DATABASE_URL: url, ...env })
  return { ...begun, ended: begun.ended.then(discreet) }
}
const command = (...args: ReadonlyArray<string>) => begin(args).ended

const sql = (...statements: ReadonlyArray<string>) =>
  Effect.runPromise(Effect.gen(function*() {
    const client = yield* PgClient.make({ url: Redacted.make(url), maxConnections: 1 })
    for (const statement of statements) yield* client.unsafe(statement)
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer)))

const at = (change: (url: URL) => void): string => {
  const other = new URL(url)
  change(other)
  return other.href
}

beforeAll(async () => {
  server = await Effect.runPromise(Scope.provide(PostgresServer.make({ password }), scope))
  url = server.url
  reader = at((url) => {
    url.username = "reader"
  })
  writeFileSync(refunds, "")
  silent = createServer()
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
  const { port } = silent.address() as AddressInfo
  away = [port, 1].map(async (port) => {
    const store = Result.getOrThrow(Store.parse(`postgres://dana:hunter2@127.0.0.1:${port}/runs`))
    const from = performance.now()
    const error = await Effect
      .runPromise(Layer.build(Store.layer(store, "read")).pipe(
        Effect.scoped,
        Effect.flip,
        Effect.provide(NodeServices.layer)
      ))
    return { said: error.message, millis: performance.now() - from }
  })
})

afterAll(() => {
  silent.close()
  return Effect.runPromise(Scope.close(scope, Exit.void))
})

describe("durable-agents on PostgreSQL", () => {
  it(
    "takes a run from its start over a decision and a killed worker to its end, in many processes",
    async () => {
      const created = (await Promise.all([command("init-db"), command("init-db")])).map(outputOf)
      const place = `postgres://127.0.0.1:${new URL(url).port}/postgres`
      assert.sameMembers(created, [`${place} was created\n`, `${place} was there, and is ready\n`])
      await sql(
        `create role reader login password '${password}'`,
        "grant usage on schema durable_agents to reader",
        "grant select on all tables in schema durable_agents to reader"
      )

      const run = outputOf(await command("start", "support", "Refund A-1", "--app", app)).trim()
      const { code, err } = await cli(["worker", "--app", app, "--until-idle"])
      assert.strictEqual(code, 0)
      assert.match(err, new RegExp(` INFO {2}Worker pid \\d+ \\([0-9a-f]{4}…\\) on ${place} executes support`))
      assert.match(err, new RegExp(`Run ${run} of support rests: AwaitingApproval`))

      const waits = outputOf(await cli(["status", run], { DATABASE_URL: reader }))
      assert.include(waits, `  durable-agents approve ${run} ${approval} --actor NAME\n`)
      const flagged = outputOf(await cli(["status", run, "--store", reader], {}))
      assert.include(flagged, `  durable-agents approve ${run} ${approval} --actor NAME --store "$DATABASE_URL"\n`)
      const other = outputOf(await cli(["status", run, "--store", reader], { DATABASE_URL: "postgres://db/other" }))
      assert.include(other, `  durable-agents approve ${run} ${approval} --actor NAME --store URL\n`)

      assert.match(
        outputOf(await command("approve", run, approval, "--actor", "dana")),
        new RegExp(`^approved ${approval}; the run is Running\n[^]*\n  durable-agents resume ${run} --app MODULE\n$`)
      )
      const seen = await collector()
      const telling = { OTEL_EXPORTER_OTLP_ENDPOINT: seen.url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" }
      const first = begin(["worker", "--app", app], { HANG: "yes", OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" })
      await first.says(/refunded, and hangs/)
      const second = begin(["worker", "--app", app], telling)
      await second.says(/executes support/)
      first.child.kill("SIGKILL")
      await second.says(new RegExp(`Run ${run} of support rests: Completed`))
      second.child.kill("SIGTERM")
      assert.strictEqual((await second.ended).code, 0)
      seen.close()
      const keys = readFileSync(refunds, "utf8").trimEnd().split("\n").map((line) => line.split(" ")[0])
      assert.lengthOf(keys, 2)
      assert.strictEqual(keys[0], keys[1])

      const env = { DATABASE_URL: reader, LOADS: join(folder, "loads") }
      const [verified, exported] = await Promise.all([
        begin(["replay", run, "--verify"], env).ended,
        beginWith(["--import", fixture("loads.ts"), main, "export", run], env).ended
      ])
      // The driver of its store alone.
      assert.deepStrictEqual(costlyOf(readFileSync(env.LOADS, "utf8")), ["postgres"])
      assert.match(outputOf(verified), /\nthe log is whole\n$/)
      assert.match(
        outputOf(await cli(["explain", run], env)),
        new RegExp(`^support ${run} is Completed\n`)
      )
      const events = outputOf(exported).trimEnd().split("\n").map((line) => JSON.parse(line))
      assert.deepStrictEqual(events.map(({ seq }) => seq), events.map((_, seq) => seq))
      assert.strictEqual(events.at(-1)["type"], "RunCompleted")
      // The trace of the worker that was killed is known from the log, though it could send nothing of it.
      const [before, after] = events.flatMap(({ traceparent }) => traceparent === undefined ? [] : [`${traceparent}`])
      const [taken] = seen.spans().filter(({ name }) => name === "Run")
      assert.strictEqual(after, `00-${taken?.traceId}-${taken?.spanId}-01`)
      assert.deepStrictEqual(taken?.links.map(([of, ...ids]) => [of, `00-${ids.join("-")}-01`]), [["before", before]])
      assert.deepStrictEqual(
        seen.spans().filter(({ name, parentSpanId }) => parentSpanId === undefined && name !== "Run").map(({ name }) =>
          name
        ),
        []
      )
      const measured = (name: string) => seen.points().find((point) => point.name === `durable_agents_${name}`)?.value
      assert.strictEqual(measured("recoveries_total"), 1)
      assert.strictEqual(measured("retries_total"), 1)
      const { items } = JSON.parse(outputOf(await cli(["runs", "--json"], env)))
      assert.deepStrictEqual(items.map(({ runId, status }: Record<string, unknown>) => [runId, status]), [[
        run,
        "Completed"
      ]])
    },
    60_000
  )

  it("lets a role look that may do nothing else, and says what it may not", async () => {
    const env = { DATABASE_URL: reader }
    const run = outputOf(await cli(["start", "ship", `{"id":"A-1","cents":1}`, "--app", app])).trim()
    for (const args of [["status", run], ["replay", run, "--short"], ["explain", run]]) outputOf(await cli(args, env))
    assertFails(
      await cli(["cancel", run, "--actor", "dana"], env),
      4,
      /in `append`: permission denied for table \w+ \(SQLSTATE 42501\)\n$/
    )
    assertFails(await cli(["init-db"], { ...env, DURABLE_AGENTS_SCHEMA: "own" }), 4, /permission denied for database/)
    assert.match(outputOf(await cli(["resume", run, "--app", app])), /is Completed\n[^]*answer: shipped A-1\n/)
    assert.match(outputOf(await cli(["resume", run, "--app", app], env)), /is Completed/)
    assertFails(await cli(["status", unknown], env), 3, /no run/)
  })

  it("keeps stores in schemas apart, makes none but by init-db, and brings an older one to this build's tables", async () => {
    const env = { DATABASE_URL: url, DURABLE_AGENTS_SCHEMA: "other" }
    for (const args of [["runs"], ["start", "slow", "1", "--app", app], ["worker", "--app", app, "--until-idle"]]) {
      assertFails(
        await cli(args, env),
        4,
        /schema `other` holds no runs: [^\n]*; `durable-agents init-db` creates it\n$/
      )
    }
    assert.isTrue(JSON.parse(outputOf(await cli(["init-db", "--json"], env))).created)
    assert.strictEqual(outputOf(await cli(["runs"], env)), "no runs\n")
    await sql(
      "drop table other.run_summaries, other.run_labels, other.pending_approvals",
      "delete from other.migrations where version = 4"
    )
    assertFails(
      await cli(["runs", "--store", url], { DURABLE_AGENTS_SCHEMA: "other" }),
      4,
      /is of an older build: [^\n]*; `durable-agents init-db --store "\$DATABASE_URL"` upgrades it\n$/
    )
    const upgraded = JSON.parse(outputOf(await cli(["init-db", "--json"], env)))
    assert.deepStrictEqual([upgraded.created, upgraded.upgraded], [false, true])
    assert.match(outputOf(await cli(["init-db"], env)), / was there, and is ready\n$/)
    await sql("insert into other.migrations (version, name, digest, breaking) values (98, 'split_events', '', true)")
    for (const args of [["runs"], ["init-db"]]) {
      assertFails(await cli(args, env), 4, /was changed by a newer build \(migration 98, `split_events`\)/)
    }
  })

  it("says in one line what is wrong with a database, where, and never the password", async () => {
    const port = new URL(url).port
    const fails = async (address: string, why: RegExp) =>
      assertFails(await cli(["runs", "--store", address], {}), 4, why)
    await fails(
      at((url) => {
        url.password = "hunter2-wrong"
      }),
      new RegExp(`\`127.0.0.1:${port}/postgres\`: password authentication failed for user "postgres"`)
    )
    await fails(
      at((url) => {
        url.pathname = "/none"
      }),
      new RegExp(`\`127.0.0.1:${port}/none\`: database "none" does not exist`)
    )
    await fails(`${url}?sslmode=hunter2`, /sslmode that is not known/)
    await fails(`${url}?sslmode=require`, /does not take TLS/)
    await fails(url.replace("hunter2", "hunter2%zz"), /a part that cannot be read/)
  })

  it("finds out soon that the server is away, or does not answer", async () => {
    const [mute, refused] = await Promise.all(away)
    if (mute === undefined || refused === undefined) return assert.fail()
    assert.match(mute.said, /`127\.0\.0\.1:\d+\/runs`: the server did not answer in time$/)
    assert.match(refused.said, /`127\.0\.0\.1:1\/runs`: there is no connection to the database \(ECONNREFUSED\)$/)
    for (const { millis } of [mute, refused]) assert.isBelow(millis, 10_000)
  })
})
