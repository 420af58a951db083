/**
 * Load on one server over SQLite: many open feeds, and requests at a steady rate.
 *
 *     node packages/server/scripts/load.ts --seconds 600 --feeds 200 --rate 50
 *
 * Prints every ten seconds what the server's process holds in memory, and at the end how long answers took and whether every feed
 * got every event once. Ends with 1 if anything failed.
 */
import { AccessToken, Program } from "@durable-agents/core"
import { Server } from "@durable-agents/server"
import { Sqlite } from "@durable-agents/sqlite"
import { Clock, Console, Effect, Layer, Redacted, Ref, Schedule, Schema } from "effect"
import { HttpServer } from "effect/http"
import { fork } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { Agent, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    feeds: { type: "string", default: "200" },
    rate: { type: "string", default: "50" },
    runs: { type: "string", default: "20" },
    serve: { type: "string" }
  }
})

const Ship = Program.make("ship", { input: Schema.String, output: Schema.String })

/** The server, in a process of its own, which says where it is, and how much it holds whenever it is asked. */
const serve = (file: string) =>
  Effect.gen(function*() {
    const { secret } = yield* AccessToken.issue({ holder: "load", roles: ["starter", "operator"] })
    const server = yield* HttpServer.HttpServer
    process.send?.({ url: HttpServer.formatAddress(server.address), token: Redacted.value(secret) })
    process.on("message", () => {
      globalThis.gc?.()
      process.send?.({ rss: process.memoryUsage().rss, heap: process.memoryUsage().heapUsed })
    })
    return yield* Effect.never
  }).pipe(Effect.provide(Layer.provideMerge(Server.layer({ port: 0, programs: [Ship] }), Sqlite.layer({ file }))))

interface Child {
  readonly url: URL
  readonly token: string
  readonly memory: Effect.Effect<{ readonly rss: number; readonly heap: number }>
}

const child = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "durable-agents-load-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const process_ = yield* Effect.acquireRelease(
    Effect.sync(() =>
      fork(fileURLToPath(import.meta.url), ["--serve", join(folder, "runs.db")], { execArgv: ["--expose-gc"] })
    ),
    (process_) => Effect.sync(() => process_.kill())
  )
  const next = Effect.callback<ReturnType<typeof JSON.parse>>((resume) => {
    process_.once("message", (message) => resume(Effect.succeed(message)))
  })
  const { token, url } = yield* next
  return { url: new URL(url), token, memory: Effect.suspend(() => (process_.send("memory"), next)) } satisfies Child
})

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** One request, to the end of its answer. */
const call = ({ token, url }: Child, method: string, path: string, json?: unknown) =>
  Effect.callback<{ readonly status: number; readonly text: string }>((resume) => {
    const asked = request({
      agent,
      host: url.hostname,
      port: url.port,
      method,
      path,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" }
    }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk))
      response.on("end", () => resume(Effect.succeed({ status: response.statusCode ?? 0, text })))
    })
    asked.on("error", (error) => resume(Effect.succeed({ status: 0, text: error.message })))
    asked.end(json === undefined ? undefined : JSON.stringify(json))
  })

/** A feed, and the position of the event that it waits for; -1 if it got another one than that. */
const follow = ({ token, url }: Child, runId: string, seen: { next: number }) =>
  Effect.callback<string>((resume) => {
    const asked = request({
      host: url.hostname,
      port: url.port,
      path: `/runs/${runId}/events`,
      headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" }
    }, (response) => {
      let rest = ""
      response.setEncoding("utf8").on("data", (chunk: string) => {
        const lines = (rest + chunk).split("\n")
        rest = lines.pop() ?? ""
        for (const line of lines) {
          if (line.startsWith("id: ")) seen.next = Number(line.slice(4)) === seen.next ? seen.next + 1 : -1
        }
      })
      response.on("end", () => resume(Effect.succeed("ended")))
      response.on("error", (error) => resume(Effect.succeed(error.message)))
    })
    asked.on("error", (error) => resume(Effect.succeed(error.message)))
    asked.end()
    return Effect.sync(() => asked.destroy())
  })

/** Waits until this holds, up to a minute. */
const settle = (holds: Effect.Effect<boolean>) =>
  Effect.repeat(holds, {
    until: (done) => done,
    schedule: Schedule.spaced("100 millis").pipe(Schedule.upTo({ times: 600 }))
  })

const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(0)} MB`

const load = Effect.gen(function*() {
  const server = yield* child
  const seconds = Number(values.seconds)
  const rate = Number(values.rate)
  const runIds: Array<string> = []
  for (let index = 0; index < Number(values.runs); index++) {
    const { text } = yield* call(server, "POST", "/runs", { input: `order ${index}` })
    runIds.push(JSON.parse(text).runId)
  }
  const feeds = Array.from({ length: Number(values.feeds) }, (_, index) => ({
    runId: runIds[index % runIds.length] ?? "",
    seen: { next: 0 }
  }))
  const broken = yield* Ref.make<ReadonlyArray<string>>([])
  for (const { runId, seen } of feeds) {
    yield* Effect.forkScoped(Effect.flatMap(follow(server, runId, seen), (why) =>
      Ref.update(broken, (all) => [...all, why])))
  }
  const answers: Array<number> = []
  const failures: Array<string> = []
  const ask = Effect.fnUntraced(function*(index: number) {
    const runId = runIds[index % runIds.length]
    const begun = yield* Clock.currentTimeMillis
    const { status, text } = yield* index % 2 === 0
      ? call(server, "POST", `/runs/${runId}/signals/tick`, { payload: { index, filler: "x".repeat(500) } })
      : call(server, "GET", index % 4 === 1 ? "/runs?limit=20" : `/runs/${runId}`)
    answers.push((yield* Clock.currentTimeMillis) - begun)
    if (status !== 200 && status !== 204) failures.push(`${status} ${text}`)
  })
  yield* Effect.forkScoped(Effect.repeat(
    Effect.flatMap(
      server.memory,
      ({ heap, rss }) =>
        Console
          .log(`${answers.length} answers, ${failures.length} failures; rss ${megabytes(rss)}, heap ${megabytes(heap)}`)
    ),
    Schedule.spaced("10 seconds")
  ))
  let sent = 0
  yield* Effect.repeat(
    Effect.suspend(() => Effect.forkScoped(ask(sent++))),
    Schedule.fixed(1000 / rate).pipe(Schedule.upTo({ times: seconds * rate - 1 }))
  )
  // Answers that are under way, and feeds that are behind, have a minute to arrive.
  const isDone = Effect.sync(() => answers.length >= sent)
  yield* settle(isDone)
  const lengths = new Map<string, number>()
  for (const runId of runIds) lengths.set(runId, JSON.parse((yield* call(server, "GET", `/runs/${runId}`)).text).seq)
  yield* settle(Effect.sync(() => feeds.every(({ runId, seen }) => seen.next === lengths.get(runId))))
  const odd = feeds.filter(({ seen }) => seen.next === -1).length
  const behind = feeds.filter(({ runId, seen }) => seen.next !== lengths.get(runId)).length - odd
  const sorted = answers.toSorted((left, right) => left - right)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
  yield* Console
    .log(`${answers.length} answers in ${seconds} s: median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms; ` +
      `${failures.length} failures, ${
        (yield* Ref.get(broken)).length
      } broken feeds, ${odd} feeds with a gap or a duplicate, ${behind} behind, ` +
      `${Array.from(lengths.values()).reduce((sum, length) => sum + length, 0)} events`)
  for (const failure of failures.slice(0, 5)) yield* Console.error(failure)
  const failed = failures.length + (yield* Ref.get(broken)).length + odd + behind > 0
  yield* Effect.sync(() => void (process.exitCode = failed ? 1 : 0))
})

const main = values.serve === undefined ? Effect.scoped(load) : serve(values.serve)
Effect.runPromise(Effect.andThen(main, Effect.sync(() => agent.destroy())))
