import { RunEvent } from "@durable-agents/core"
import { assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { copyFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { collector, silent } from "./collector.ts"
import { newFolder } from "./folders.ts"
import { commandsIn } from "./inProcess.ts"
import { assertFails, fixture, outputOf } from "./processes.ts"

const app = fixture("app.ts")
const canary = "canary-4711"
const approval = "turn-1/call-1/approval"

let empty = ""

beforeAll(async () => {
  const { cli, file } = setUp()
  outputOf(await cli(["init-db"]))
  empty = file
})

const setUp = () => {
  const folder = newFolder()
  const file = join(folder, "runs.db")
  if (empty !== "") copyFileSync(empty, file)
  writeFileSync(join(folder, "refunds"), "")
  const cli = commandsIn(folder, { DURABLE_AGENTS_STORE: "sqlite:runs.db", REFUNDS: join(folder, "refunds") })
  const work = async (env: Readonly<Record<string, string>>) => {
    const { code, err } = await cli(["worker", "--app", app, "--until-idle"], env)
    assert.strictEqual(code, 0, err)
    return err
  }
  const log = (run: string): ReadonlyArray<RunEvent.RunEvent> => {
    const database = new DatabaseSync(file, { readOnly: true })
    const rows = database.prepare("select type, payload from events where run_id = ? order by seq").all(run)
    database.close()
    return rows.map(({ payload, type }) => RunEvent.decode(`${type}`, JSON.parse(`${payload}`)))
  }
  const start = async (...args: ReadonlyArray<string>): Promise<string> =>
    outputOf(await cli(["start", ...args, "--app", app])).trim()
  return { cli, file, log, start, work }
}

const collecting = async () => {
  const server = await collector()
  onTestFinished(server.close)
  return {
    ...server,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: server.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20of-this-test"
    }
  }
}

describe("a collector that the environment names", () => {
  it("is sent linked traces, metrics and logs of a run that another process goes on with, and nothing of what is said", async () => {
    const { cli, log, start, work } = setUp()
    const [first, second] = [await collecting(), await collecting()]
    const run = await start("support", `Refund A-1 for ${canary}`)
    await work(first.env)
    outputOf(await cli(["approve", run, approval, "--actor", "dana"]))
    await work({
      ...second.env,
      OTEL_SERVICE_NAME: "refunds",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test"
    })

    const [before] = first.spans().filter(({ name }) => name === "Run")
    const [after] = second.spans().filter(({ name }) => name === "Run")
    assert.deepInclude(before?.attributes, { runId: run, program: "support", rest: "Suspended" })
    assert.deepStrictEqual(after?.links, [["before", before?.traceId, before?.spanId]])
    assert.notStrictEqual(after?.traceId, before?.traceId)
    const tool = second.spans().find(({ name }) => name === "execute_tool issue_refund")
    assert.strictEqual(tool?.traceId, after?.traceId)
    assert.deepInclude(tool?.attributes, { "gen_ai.conversation.id": run, attempt: "1" })
    assert
      .isTrue(second.spans().some(({ name, parentSpanId }) =>
        name === "EventStore.append" && parentSpanId === after?.spanId
      ))
    for (const { name, parentSpanId } of [...first.spans(), ...second.spans()]) {
      assert.isTrue(parentSpanId !== undefined || name === "Run", `${name} begins a trace`)
    }

    assert.strictEqual(before?.resource["service.name"], "durable-agents")
    assert.deepInclude(after?.resource, { "service.name": "refunds", "deployment.environment.name": "test" })
    assert.notStrictEqual(before?.resource["service.instance.id"], after?.resource["service.instance.id"])
    assert.isTrue(first.sent.every(({ authorization }) => authorization === "Bearer of-this-test"))

    const points = [...first.points(), ...second.points()]
    const sum = (name: string, kind?: string) =>
      points.filter((point) =>
        point.name === `durable_agents_${name}` && (kind ?? point.attributes["kind"]) === point.attributes["kind"]
      )
        .reduce((total, { value }) => total + value, 0)
    const count = (tag: RunEvent.RunEvent["_tag"]) => log(run).filter(({ _tag }) => _tag === tag).length
    assert.deepStrictEqual({
      models: sum("operation_duration_seconds", "model"),
      tools: sum("operation_duration_seconds", "tool"),
      ended: sum("runs_ended_total"),
      claims: sum("claims_total"),
      waiting: first.points().find(({ name }) => name === "durable_agents_approvals_waiting")?.value
    }, {
      models: count("LLMCallCompleted"),
      tools: count("ToolCallCompleted"),
      ended: count("RunCompleted"),
      claims: 2,
      waiting: 0
    })

    const rests = second.lines().find(({ text }) => text.includes("rests: Completed"))
    assert.deepInclude(rests?.attributes, { runId: run, program: "support" })
    assert.notInclude(first.text() + second.text(), canary)
  })

  it("is sent what is said where that is asked for", async () => {
    const { start, work } = setUp()
    const { env, spans } = await collecting()
    await start("support", `Refund A-1 for ${canary}`)
    await work({ ...env, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" })
    const model = spans().find(({ name }) => name === "LanguageModel.generateText")
    assert.include(model?.attributes["gen_ai.input.messages"], canary)
  })

  it("is sent protobuf unless something else is asked for, and only what it is to have", async () => {
    const { start, work } = setUp()
    const { env: { OTEL_EXPORTER_OTLP_ENDPOINT }, sent } = await collecting()
    await start("ship", `{"id":"${canary}","cents":1}`)
    await work({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_LOGS_EXPORTER: "none" })
    assert.deepStrictEqual(new Set(sent.map(({ path }) => path)), new Set(["/v1/traces", "/v1/metrics"]))
    assert.isTrue(sent.every(({ body, contentType }) => contentType === "application/x-protobuf" && body.length > 50))
    await work({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: "true" })
    assert.isTrue(sent.every(({ body }) => !body.includes(canary)))
  })

  it("keeps no run from its end, and no process, when it is away or says nothing", async () => {
    const { log, start, work } = setUp()
    const { close, url } = await silent()
    onTestFinished(close)
    for (const OTEL_EXPORTER_OTLP_ENDPOINT of [url, "http://127.0.0.1:9"]) {
      const run = await start("ship", `{"id":"A-1","cents":1}`)
      const begun = performance.now()
      await work({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TIMEOUT: "300" })
      assert.isBelow(performance.now() - begun, 3_500)
      assert.strictEqual(log(run).at(-1)?._tag, "RunCompleted")
    }
  })

  it("is not guessed: what the variables hold has to be right", async () => {
    const { cli } = setUp()
    const fails = async (env: Readonly<Record<string, string>>, why: RegExp) =>
      assertFails(await cli(["worker", "--app", app, "--until-idle"], env), 2, why)
    await fails({ OTEL_EXPORTER_OTLP_ENDPOINT: "nowhere" }, /OTEL_ variables hold cannot be used: endpoints are URLs/)
    await fails(
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
      /http\/protobuf or http\/json/
    )
  })
})
