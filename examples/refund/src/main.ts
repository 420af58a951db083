/**
 * The main job: an agent's run is killed in the middle of a payment, and another process finishes it.
 */
import type { Recorded, RunEventOf } from "@durable-agents/core"
import { Digest, EventStore, Runs } from "@durable-agents/core"
import { Sqlite } from "@durable-agents/sqlite"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Deferred, Effect, Fiber, Layer, Option, Schema, Stream } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Options, parse, usage } from "./Options.ts"
import { type Books, books } from "./Payments.ts"
import * as Person from "./Person.ts"
import * as Printer from "./Printer.ts"
import { Support } from "./Support.ts"

const startKey = "the-main-job"
const runId = Digest.derivedRunId("default", Support.name, startKey)

/** One worker process, and the moment at which it asks to be killed. It is stopped when the scope closes. */
const worker = (orders: Record<string, unknown>) =>
  Effect.gen(function*() {
    const killMe = yield* Deferred.make<void>()
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => fork(join(import.meta.dirname, "worker.ts"), [JSON.stringify(orders)])),
      (child) => stop(child, "SIGTERM")
    )
    child.once("message", () => Deferred.doneUnsafe(killMe, Effect.void))
    return { child, killMe: Deferred.await(killMe) }
  })

const stop = (child: ChildProcess, signal: NodeJS.Signals): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill(signal)
  })

/** What happened, as the log grows; whoever is asked decides before the next line. */
const follow = (printer: Printer.Printer, events: Array<Recorded>) =>
  Effect.flatMap(EventStore, (store) =>
    Stream.runForEach(store.changes(runId), (recorded) =>
      Effect.gen(function*() {
        events.push(recorded)
        yield* printer.event(recorded)
        if (recorded.event._tag === "ApprovalRequested") yield* decide(recorded.event, printer)
      })))

const decide = (request: RunEventOf<"ApprovalRequested">, printer: Printer.Printer) =>
  Effect.gen(function*() {
    const runs = yield* Runs
    const isGranted = yield* Person.asked(request, printer)
    const decision = { approval: request.key, actor: "dana@example.com" }
    yield* isGranted ? runs.approve(runId, decision) : runs.deny(runId, { ...decision, reason: "not this time" })
  })

const demo = (options: Options, folder: string) =>
  Effect.gen(function*() {
    const ledger = join(folder, "payments.db")
    const orders = {
      store: join(folder, "runs.db"),
      ledger,
      startKey,
      order: /[A-Z]-\d+/.exec(options.goal)?.[0] ?? "A-8891",
      cents: options.cents
    }
    const printer = Printer.make()
    const events: Array<Recorded> = []

    const runs = yield* Runs
    const first = yield* worker({ ...orders, goal: options.goal, killAt: options.killAt })
    const log = yield* Effect.forkChild(follow(printer, events))
    const isKilled = yield* Effect.raceFirst(
      Effect.as(first.killMe, true),
      Effect.as(Fiber.join(log), false)
    )
    if (isKilled) {
      const { seq } = yield* runs.state(runId)
      yield* printer.hasPrinted(seq)
      yield* stop(first.child, "SIGKILL")
      yield* printer.note("process killed here")
      yield* worker(orders)
    }
    yield* Fiber.join(log)
    yield* printer.line("")
    yield* printer.line(tell(events, isKilled, options))
    const counted = yield* books(ledger)
    yield* printer.line(`attempts ${counted.attempts}, refunds ${counted.refunds}`)
    return balances(counted, events)
  }).pipe(
    Effect.scoped,
    Effect.provide(Layer.provideMerge(Runs.layer, Sqlite.layer({ file: join(folder, "runs.db") })))
  )

const tell = (events: ReadonlyArray<Recorded>, isKilled: boolean, { killAt }: Options): string => {
  if (!isKilled) {
    return killAt === "nothing"
      ? "One process wrote all of it."
      : `Nobody was killed: the run ended before ${killAt}.`
  }
  const takeover = events.find(({ event }) => event._tag === "RunRecovered")
  const last = events.at(-1)?.seq
  return takeover === undefined || last === undefined
    ? "The process was killed with nothing left to do."
    : `Seq ${takeover.seq} to ${last} were written by a different process than seq ${takeover.seq - 1}.`
}

/** What the log says was refunded is what the ledger says was paid, each call once. */
const balances = ({ cents, refunds }: Books, events: ReadonlyArray<Recorded>): boolean => {
  const asked =
    new Map(events.flatMap(({ event }) =>
      event._tag === "ToolCallRequested" ? [[event.key, centsOf(event.arguments)] as const] : []
    ))
  const paid = events.flatMap(({ event }) =>
    event._tag === "ToolCallCompleted" && event.isFailure !== true ? [asked.get(event.key) ?? 0] : []
  )
  return refunds === paid.length && cents === paid.reduce((sum, each) => sum + each, 0)
}

const centsOf = (args: Schema.Json): number => Option.getOrElse(decodeCents(args), () => ({ cents: 0 })).cents
const decodeCents = Schema.decodeUnknownOption(Schema.Struct({ cents: Schema.Int }))

const whereToLook = (folder: string): string => `
The payments are in ${join(folder, "payments.db")}, and the whole story is told by

  npx -y pnpm@12.21.0 --silent run cli replay ${runId} --store sqlite:${join(folder, "runs.db")}`

const inFolder = (options: Options) =>
  Effect.scoped(Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "durable-agents-"))),
      (folder) => Effect.sync(() => options.keep ? undefined : rmSync(folder, { recursive: true, force: true }))
    )
    const isBalanced = yield* demo(options, folder)
    if (options.keep) yield* Effect.sync(() => console.log(whereToLook(folder)))
    if (isBalanced) return
    yield* Effect.sync(() => {
      console.error("The books do not balance.")
      process.exitCode = 1
    })
  }))

const main = Effect.gen(function*() {
  const options = yield* parse(process.argv.slice(2))
  if (options === undefined) yield* Effect.sync(() => console.log(usage))
  else yield* inFolder(options)
}).pipe(Effect.catchTag("BadOption", (error) =>
  Effect.sync(() => {
    console.error(`${error.message}\n\n${usage}`)
    process.exitCode = 2
  })))

NodeRuntime.runMain(main)
