/**
 * Load on one server over SQLite: many open feeds, and requests at a steady rate, while runs end and others begin.
 *
 *     node packages/server/scripts/load.ts --seconds 600 --feeds 200 --rate 50
 *
 * The server is a process of its own. Prints every ten seconds what that process holds in memory, and at the end how long answers
 * took, whether every feed got every event once and the end of its run, and how much memory grew in the second half. Ends with 1 if
 * anything failed, or if memory grew by more than `--growth` percent.
 */
import { AccessToken, Program } from "@durable-agents/core"
import { Server } from "@durable-agents/server"
import { Sqlite } from "@durable-agents/sqlite"
import { Clock, Console, Deferred, Effect, Layer, Redacted, Schedule, Schema, Semaphore } from "effect"
import { HttpServer } from "effect/http"
import { fork } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { Agent, request } from "node:http"
import { availableParallelism, loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    feeds: { type: "string", default: "200" },
    rate: { type: "string", default: "50" },
    /** How many runs are open at a time. */
    runs: { type: "string", default: "20" },
    /** With how many events a run ends, and another takes its place. */
    events: { type: "string", default: "60" },
    /** By how many percent memory may grow from the third to the last quarter of the time. */
    growth: { type: "string", default: "10" },
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
      const { rss } = process.memoryUsage()
      globalThis.gc?.()
      const { external, heapUsed } = process.memoryUsage()
      const { system, user } = process.cpuUsage()
      process.send?.({ rss, heap: heapUsed, external, cpuMicros: system + user })
    })
    return yield* Effect.never
  }).pipe(Effect.provide(Layer.provideMerge(Server.layer({ port: 0, programs: [Ship] }), Sqlite.layer({ file }))))

interface Memory {
  /** As it is; the other two after a collection of garbage. */
  readonly rss: number
  readonly heap: number
  readonly external: number
  readonly cpuMicros: number
}

interface Child {
  readonly url: URL
  readonly token: string
  readonly memory: Effect.Effect<Memory>
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

/** Reads a feed to its end; `undefined` if it was as it should be: every event once, in order, and then the end. */
const follow = ({ token, url }: Child, runId: string) =>
  Effect.callback<string | undefined>((resume) => {
    let next = 0
    let odd: string | undefined
    let ended = false
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
          if (line === "event: end") ended = true
          if (!line.startsWith("id: ")) continue
          if (Number(line.slice(4)) !== next) odd ??= `${line} came instead of ${next}`
          next++
        }
      })
      response.on("end", () => resume(Effect.succeed(odd ?? (ended ? undefined : `broke off before ${next}`))))
      response.on("error", (error) => resume(Effect.succeed(error.message)))
    })
    asked.on("error", (error) => resume(Effect.succeed(error.message)))
    asked.end()
    return Effect.sync(() => asked.destroy())
  })

/** A place for one run at a time, one after the other. */
interface Slot {
  readonly turns: Semaphore.Semaphore
  /** The runs that were here, and the one that is to come next. */
  readonly runs: Array<Deferred.Deferred<string>>
  runId: string
  events: number
}

const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(0)} MB`

const load = Effect.gen(function*() {
  const server = yield* child
  const seconds = Number(values.seconds)
  const rate = Number(values.rate)
  const feeds = Number(values.feeds)
  const runLength = Number(values.events)
  const answers: Array<number> = []
  const failures: Array<string> = []
  const timed = Effect.fnUntraced(function*(begun: number, asked: ReturnType<typeof call>) {
    const { status, text } = yield* asked
    answers.push((yield* Clock.currentTimeMillis) - begun)
    if (status < 200 || status > 204) failures.push(`${status} ${text}`)
    return text
  })

  const begin = Effect.fnUntraced(function*(slot: Slot, begun: number) {
    const text = yield* timed(begun, call(server, "POST", "/runs", { input: "an order" }))
    slot.runId = JSON.parse(text).runId
    slot.events = 1
    const run = slot.runs.at(-1)
    slot.runs.push(Deferred.makeUnsafe())
    if (run !== undefined) yield* Deferred.succeed(run, slot.runId)
  })
  const end = (slot: Slot, begun: number) => timed(begun, call(server, "POST", `/runs/${slot.runId}/cancel`, {}))

  const ask = Effect.fnUntraced(function*(index: number) {
    // What waits for its turn has been asked by then.
    const begun = yield* Clock.currentTimeMillis
    const slot = slots[index % slots.length]
    if (slot === undefined) return
    yield* slot.turns.withPermits(1)(Effect.gen(function*() {
      const kind = Math.floor(index / slots.length) % 4
      if (kind === 1) return yield* timed(begun, call(server, "GET", "/runs?limit=20"))
      if (kind === 3) return yield* timed(begun, call(server, "GET", `/runs/${slot.runId}`))
      if (slot.events >= runLength) {
        yield* end(slot, begun)
        return yield* begin(slot, begun)
      }
      slot.events++
      const payload = { index, filler: "x".repeat(500) }
      return yield* timed(begun, call(server, "POST", `/runs/${slot.runId}/signals/tick`, { payload }))
    }))
  })

  const slots = Array.from({ length: Number(values.runs) }, (): Slot => ({
    turns: Semaphore.makeUnsafe(1),
    runs: [Deferred.makeUnsafe()],
    runId: "",
    events: 0
  }))
  for (const slot of slots) yield* begin(slot, yield* Clock.currentTimeMillis)
  const broken: Array<string> = []
  let read = 0
  for (let index = 0; index < feeds; index++) {
    const slot = slots[index % slots.length]
    yield* Effect.forkScoped(Effect.gen(function*() {
      for (let turn = 0;; turn++) {
        const run = slot?.runs[turn]
        if (run === undefined) return
        const why = yield* follow(server, yield* Deferred.await(run))
        read++
        if (why !== undefined) broken.push(why)
      }
    }))
  }

  const samples: Array<Memory> = []
  yield* Effect.forkScoped(Effect.repeat(
    Effect.flatMap(server.memory, (memory) => {
      samples.push(memory)
      const { external, heap, rss } = memory
      return Console
        .log(`${answers.length} answers, ${failures.length} failures, ${read} feeds read, ${broken.length} broken; ` +
          `rss ${megabytes(rss)}, heap ${megabytes(heap)}, external ${megabytes(external)}`)
    }),
    Schedule.fixed("10 seconds")
  ))

  const busy = () => `${(loadavg()[0] ?? 0).toFixed(1)} of ${availableParallelism()}`
  const before = busy()
  let sent = 0
  let done = 0
  yield* Effect.repeat(
    Effect.suspend(() => Effect.forkScoped(Effect.ensuring(ask(sent++), Effect.sync(() => done++)))),
    Schedule.fixed(1000 / rate).pipe(Schedule.upTo({ times: seconds * rate - 1 }))
  )
  // Answers that are under way, and feeds that are behind, have a minute to arrive.
  const settled = (holds: () => boolean) =>
    Effect.repeat(Effect.sync(holds), {
      until: (done) => done,
      schedule: Schedule.spaced("100 millis").pipe(Schedule.upTo({ times: 600 }))
    })
  yield* settled(() => done === sent)
  for (const slot of slots) yield* end(slot, yield* Clock.currentTimeMillis)
  const begun = slots.reduce((sum, { runs }) => sum + runs.length - 1, 0)
  const expected = begun * feeds / slots.length
  yield* settled(() => read >= expected)

  const sorted = answers.toSorted((left, right) => left - right)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
  const mean = (of: (memory: Memory) => number, from: number) => {
    const part = samples.slice(Math.floor(samples.length * from), Math.floor(samples.length * (from + 0.25)))
    return part.reduce((sum, memory) => sum + of(memory), 0) / Math.max(1, part.length)
  }
  const growth = (of: (memory: Memory) => number) => (mean(of, 0.75) / mean(of, 0.5) - 1) * 100
  const [rss, heap] = [growth(({ rss }) => rss), growth(({ heap }) => heap)]
  const cpu = (samples.at(-1)?.cpuMicros ?? 0) / 10_000 / seconds
  yield* Console
    .log(`${answers.length} answers in ${seconds} s: median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms; ` +
      `${failures.length} failures\n` +
      `${begun} runs, ${read} of ${expected} feeds read to their end, ${broken.length} broken, with a gap or with a duplicate\n` +
      `memory of the server from the third to the last quarter: rss ${megabytes(mean(({ rss }) => rss, 0.5))} to ` +
      `${megabytes(mean(({ rss }) => rss, 0.75))} (${rss.toFixed(1)} %), heap ${
        megabytes(mean(({ heap }) => heap, 0.5))
      } to ` +
      `${megabytes(mean(({ heap }) => heap, 0.75))} (${heap.toFixed(1)} %); at most ${values.growth} % are allowed\n` +
      `the server took ${cpu.toFixed(0)} % of one core; load of the machine ${before} cores before, ${busy()} after`)
  for (const failure of [...failures.slice(0, 5), ...broken.slice(0, 5)]) yield* Console.error(failure)
  const grown = Math.max(rss, heap) > Number(values.growth)
  const failed = failures.length + broken.length > 0 || read < expected || grown
  yield* Effect.sync(() => void (process.exitCode = failed ? 1 : 0))
})

const main = values.serve === undefined ? Effect.scoped(load) : serve(values.serve)
Effect.runPromise(Effect.andThen(main, Effect.sync(() => agent.destroy())))
