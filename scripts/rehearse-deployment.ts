/**
 * Goes through Dockerfile and docker-compose.yml where no container engine is: builds the image in a temporary folder, starts its
 * services as processes that cannot change it, on a PostgreSQL server of its own, and drains them. `pnpm rehearse`, by hand: it takes
 * a minute.
 */
import * as FakeProvider from "@durable-agents/testing/FakeProvider"
import * as PostgresServer from "@durable-agents/testing/PostgresServer"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Console, Deferred, Effect, Fiber, Redacted, Schema, type Scope, Stream } from "effect"
import { Yaml } from "effect/encoding"
import type { ChildProcess } from "node:child_process"
import { execFileSync, spawn } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Image from "./deployment/image.ts"

const root = join(import.meta.dirname, "..")
const read = (path: string) => readFileSync(join(root, path), "utf8")

const Compose = Schema.Struct({
  services: Schema.Record(
    Schema.String,
    Schema.Struct({
      entrypoint: Schema.optionalKey(Schema.Array(Schema.String)),
      command: Schema.optionalKey(Schema.Array(Schema.String)),
      secrets: Schema
        .Array(Schema.Union([Schema.String, Schema.Struct({ source: Schema.String, target: Schema.String })])),
      healthcheck: Schema.optionalKey(Schema.Struct({ test: Schema.optionalKey(Schema.Array(Schema.String)) }))
    })
  ),
  secrets: Schema.Record(Schema.String, Schema.Struct({ file: Schema.String }))
})

const { secrets, services } = Schema.decodeUnknownSync(Compose)(Yaml.parse(read("docker-compose.yml")))

/** As `node` in the image: a user who owns nothing. Only root can be another one. */
const somebody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

interface Process {
  readonly child: ChildProcess
  /** What it has said so far. */
  readonly said: () => string
  readonly ended: Effect.Effect<number | null>
  /** Waits until it says so. */
  readonly says: (what: RegExp) => Effect.Effect<string>
}

const start = (image: Image.Image, command: ReadonlyArray<string>): Effect.Effect<Process, never, Scope.Scope> =>
  Effect.gen(function*() {
    const [program = "", ...args] = command.map((word) => word.startsWith("/srv/") ? Image.inside(image, word) : word)
    const child = spawn(program, args, {
      ...somebody,
      cwd: Image.inside(image, image.workdir),
      env: { ...Image.environment(), HOME: "/", ...image.env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let said = ""
    const lookers = new Set<() => void>()
    const ended = Deferred.makeUnsafe<number | null>()
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text
        for (const look of lookers) look()
      })
    }
    child.once("close", (code) => Deferred.doneUnsafe(ended, Effect.succeed(code)))
    yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
    return {
      child,
      said: () => said,
      ended: Deferred.await(ended),
      says: (what) =>
        Effect.callback<string>((resume) => {
          const look = () => {
            const found = what.exec(said)?.[0]
            if (found !== undefined) resume(Effect.succeed(found))
          }
          lookers.add(look)
          child.once("close", (code) => resume(Effect.die(new Error(`it ended with ${code} and said\n${said}`))))
          look()
          return Effect.sync(() => void lookers.delete(look))
        })
    }
  })

const check = (what: string, holds: boolean, detail: unknown = "") =>
  holds ? Console.log(`  ok: ${what}`) : Effect.die(new Error(`not so: ${what} ${String(detail)}`))

const main = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "durable-agents-deployment-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  chmodSync(folder, 0o755)

  yield* Console.log("docker build")
  const image = yield* Effect.sync(() =>
    Image.build({ context: root, into: folder, say: (instruction) => process.stdout.write(`  ${instruction}\n`) })
  )

  yield* Console.log("secrets, and the database")
  const safe = join(folder, "secrets")
  execFileSync(join(root, "examples/deploy/secrets.sh"), [safe], { stdio: "ignore" })
  const secret = (name: string) => join(safe, (secrets[name]?.file ?? "").replace(/^.*\//, ""))
  const value = (name: string) => readFileSync(secret(name), "utf8")
  const provider = yield* FakeProvider.make(({ body }) => answer(JSON.stringify(body), hold))
  const server = yield* PostgresServer.make({ password: value("postgres-password") })
  const { port } = new URL(server.url)
  for (const name of ["owner", "worker", "server"]) {
    const text = value(name).replace("@postgres:5432/", `@127.0.0.1:${port}/`)
      .replace("LLM_MODEL=", "LLM_MODEL=scripted").replace("LLM_BASE_URL=", `LLM_BASE_URL=${provider.baseUrl}`)
    writeFileSync(secret(name), text)
  }
  // Only this process is root: the others come through the folder as in a container, where each sees its own file.
  chmodSync(safe, 0o755)
  const database = server.url.replace(/\/postgres$/, "/durable_agents")
  yield* query(server.url, "create database durable_agents")
  const roles = /<<'SQL'\n(.*)\nSQL/s.exec(read("examples/deploy/roles.sh"))?.[1] ?? ""
  yield* query(
    database,
    roles.replace(/^\\set .*\n/gm, "").replace(/:'(\w+)'/g, (_, name: string) => `'${value(`${name}-password`)}'`)
  )

  const metrics = yield* freePort
  const service = (name: string, more: ReadonlyArray<string> = [], instead?: ReadonlyArray<string>) => {
    const { command = image.command, entrypoint = image.entrypoint, secrets = [] } = services[name] ?? { secrets: [] }
    const env = secrets.find((used) => typeof used !== "string" && used.target === "env")
    const file = typeof env === "object" ? secret(env.source) : ""
    return start(image, [
      ...entrypoint.map((word) => word.replace("/run/secrets/env", file)),
      ...(instead ??
        [...command, ...more].map((word) => word === "0.0.0.0" ? "127.0.0.1" : word === "9464" ? `${metrics}` : word))
    ])
  }

  yield* Console.log("docker compose run --rm rights")
  const tables = yield* service("tables")
  yield* check("tables end with 0", (yield* tables.ended) === 0, tables.said())
  yield* query(/DATABASE_URL=(.*)/.exec(value("owner"))?.[1] ?? "", read("packages/postgres/operations/grants.sql"))

  yield* Console.log("docker compose run --rm tables tokens create")
  const created = yield* service("tables", [], ["tokens", "create", "dana", "--role", "starter", "--role", "approver"])
  const token = yield* created.says(/dat_\S+/)

  yield* Console.log("docker compose up --detach worker server")
  const answers = yield* service("server", ["--port", "0"])
  const url = yield* answers.says(/http:\/\/127\.0\.0\.1:\d+/)
  const healthy = Effect.suspend(() =>
    Effect.flatMap(
      start(image, image.healthcheck.map((word) => word.replace("http://127.0.0.1:8787", url))),
      (it) => it.ended
    )
  )
  yield* check("its health check says that it is healthy", (yield* healthy) === 0)
  const worker = yield* service("worker")
  yield* worker.says(/executes support/)
  const [, ...asks] = services["worker"]?.healthcheck?.test ?? []
  const workerHealth = yield* start(image, asks.map((word) => word.replace(":9464/", `:${metrics}/`)))
  yield* check("the health check of a worker says that it is healthy", (yield* workerHealth.ended) === 0)
  const tries = yield* start(image, ["sh", "-c", `echo >> ${Image.inside(image, "/srv/packages/cli/src/main.ts")}`])
  yield* check("no process can change the image", process.getuid?.() !== 0 || (yield* tries.ended) !== 0)

  yield* Console.log("a run, over HTTP")
  const ask = (path: string, body?: unknown, headers = {}) =>
    Effect.promise(() =>
      fetch(`${url}${path}`, {
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers }
      })
    )
  yield* check("without a token nobody comes in", (yield* Effect.promise(() => fetch(`${url}/runs`))).status === 401)
  const begin = (input: string) =>
    Effect.flatMap(ask("/runs", { program: "support", input }), (made) => Effect.promise(() => made.json()))
      .pipe(Effect.map((made) => Schema.decodeUnknownSync(Schema.Struct({ runId: Schema.String }))(made).runId))
  const until = (run: string, what: string) =>
    Effect.flatMap(
      ask(`/runs/${run}/events`, undefined, { accept: "text/event-stream" }),
      ({ body }) =>
        Stream.fromReadableStream({
          evaluate: () => body ?? new ReadableStream<Uint8Array>(),
          onError: (cause) => cause
        }).pipe(
          Stream.decodeText(),
          Stream.scan(() => "", (before, text: string) => before + text),
          Stream.takeUntil((text) => text.includes(what)),
          Stream.runLast,
          Effect.orDie
        )
    )
  const run = yield* begin("Refund order A-8891")
  yield* until(run, "ApprovalRequested")
  const decided = yield* ask(`/runs/${run}/approve`, { approval: "turn-1/call-1/approval" })
  yield* check("a person decides", decided.status === 204)
  yield* until(run, "RunCompleted")

  yield* Console.log("docker compose stop")
  const slow = yield* begin("slow")
  yield* Deferred.await(asked)
  worker.child.kill(image.stopSignal as NodeJS.Signals)
  yield* worker.says(/Stops/)
  yield* Deferred.succeed(hold.until, undefined)
  yield* check("a worker ends with 0", (yield* worker.ended) === 0, worker.said())
  const log = yield* Effect.flatMap(ask(`/runs/${slow}/events`), (page) => Effect.promise(() => page.text()))
  yield* check("what was in flight is recorded", log.includes("LLMCallCompleted"), log)
  answers.child.kill(image.stopSignal as NodeJS.Signals)
  yield* check("a server ends with 0", (yield* answers.ended) === 0, answers.said())
  yield* check("its health check says that it is not there", (yield* healthy) === 1)
})

const asked = Deferred.makeUnsafe<void>()
const hold = { until: Deferred.makeUnsafe<void>() }

/** A model that asks for one refund, and answers slowly to who asks for that. */
const answer = (body: string, held: typeof hold): FakeProvider.Behaviour =>
  body.includes("slow")
    ? FakeProvider.reply("Done.", {
      before: Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(held.until))
    })
    : body.includes("RF-")
    ? FakeProvider.reply("It is refunded.")
    : FakeProvider.reply({ toolCalls: [{ name: "issue_refund", arguments: { orderId: "A-8891", cents: 6400 } }] })

/** A port that was free a moment ago. */
const freePort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})

const query = (url: string, statements: string) =>
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    for (const statement of statements.split(/;\s*$/m).filter((text) => text.trim() !== "")) {
      yield* sql.unsafe(statement)
    }
  }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })), Effect.orDie)

const fiber = Effect.runFork(Effect.scoped(Effect.timeout(main, "10 minutes")))
process.once("SIGINT", () => Effect.runFork(Fiber.interrupt(fiber)))
await Effect.runPromise(Fiber.join(fiber))
