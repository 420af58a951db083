/**
 * The main job: an agent's run is killed in the middle of a payment, and another process finishes it.
 */
import type { Recorded, RunEventOf } from "@durable-agents/core"
import { Digest, EventStore, Runs } from "@durable-agents/core"
import { Sqlite } from "@durable-agents/sqlite"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Fiber, Layer, Option, Schema, Stream } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Options, parse, usage } from "./Options.ts"
import { type Books, books } from "./Payments.ts"
import * as Person from "./Person.ts"
import * as Printer from "./Printer.ts"
import { stay } from "./Stay.ts"
import { attempts, Support } from "./Support.ts"
import { stop, worker } from "./WorkerProcess.ts"

const startKey = "the-main-job"
const runId = Digest.derivedRunId("default", Support.name, startKey)

/** What happened, as the log grows; whoever is asked decides before the next line. */
const follow = (printer: Printer.Printer, events: Array<Recorded>) =>
  Effect.flatMap(EventStore, (store) =>
    Stream.runForEach(store.changes(runId), (recorded) =>
      Effect.gen(function*() {
        events.push(recorded)
        yield* printer.event(recorded)
        yield* sayWhenNext(recorded, printer)
        if (recorded.event._tag === "ApprovalRequested") yield* decide(recorded.event, printer)
      })))

/** A pause of a second is over before it is read; a longer one is announced. */
const sayWhenNext = ({ at, event }: Recorded, printer: Printer.Printer) => {
  if (event._tag !== "LLMCallFailed" || event.wakeAtMillis === undefined) return Effect.void
  const seconds = (event.wakeAtMillis - at) / 1_000
  return seconds < 1.5
    ? Effect.void
    : printer
      .line(`          the model is asked again in ${seconds.toFixed(1)} s, attempt ${
        event.attempt + 1
      } of ${attempts}`)
}

const decide = (request: RunEventOf<"ApprovalRequested">, printer: Printer.Printer) =>
  Effect.gen(function*() {
    const runs = yield* Runs
    const isGranted = yield* Person.asked(request, printer)
    const decision = { approval: request.key, actor: "dana@example.com" }
    yield* isGranted ? runs.approve(runId, decision) : runs.deny(runId, { ...decision, reason: "not this time" })
  })

const ordersOf = ({ cents, goal }: Options, folder: string) => ({
  store: join(folder, "runs.db"),
  ledger: join(folder, "payments.db"),
  startKey,
  order: /[A-Z]-\d+/.exec(goal)?.[0] ?? "A-8891",
  cents
})

const demo = (options: Options, folder: string) =>
  Effect.gen(function*() {
    const orders = ordersOf(options, folder)
    const printer = Printer.make()
    const events: Array<Recorded> = []

    const runs = yield* Runs
    const first = yield* worker({ ...orders, goal: options.goal, killAt: options.killAt })
    const log = yield* Effect.forkChild(follow(printer, events))
    const isKilled = yield* Effect.raceAllFirst([
      Effect.as(first.killMe, true),
      // The last event is seen here about when the worker says that it has stored it.
      Effect.flatMap(Fiber.join(log), () =>
        events.at(-1)?.event._tag === options.killAt ? Effect.as(first.killMe, true) : Effect.succeed(false)),
      first.ended
    ])
    let written = events.length
    if (isKilled) {
      written = (yield* runs.state(runId)).seq
      yield* printer.hasPrinted(written)
      yield* stop(first.child, "SIGKILL")
      yield* printer.note("process killed here")
      const second = yield* worker(orders)
      yield* Effect.raceFirst(Fiber.join(log), second.ended)
    }
    yield* printer.line("")
    yield* printer.line(isKilled ? toldOfKill(events, written) : toldOfOne(options))
    const counted = yield* books(orders.ledger)
    yield* printer.line(`attempts ${counted.attempts}, refunds ${counted.refunds}`)
    return { isBalanced: balances(counted, events), isCompleted: events.at(-1)?.event._tag === "RunCompleted" }
  }).pipe(
    Effect.scoped,
    Effect.provide(Layer.provideMerge(Runs.layer, Sqlite.layer({ file: join(folder, "runs.db") })))
  )

const toldOfOne = ({ killAt }: Options): string => {
  if (killAt === "nothing") return "One process wrote all of it."
  return killAt === "payment"
    ? "Nobody was killed: no money was moved."
    : `Nobody was killed: the worker wrote no ${killAt}.`
}

/** `written` events were in the log when the first worker was killed. */
const toldOfKill = (events: ReadonlyArray<Recorded>, written: number): string => {
  const last = events.length - 1
  if (last < written) {
    return "The process was killed right after it had recorded the end of the run: nothing was left to do."
  }
  const from = events.find(({ event }) => event._tag === "RunRecovered")?.seq ?? written
  return `Seq ${from} to ${last} were written by a different process than seq ${from - 1}.`
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
    const { isBalanced, isCompleted } = yield* demo(options, folder)
    if (options.keep) yield* Effect.sync(() => console.log(whereToLook(folder)))
    if (!isBalanced) yield* fail("The books do not balance.", 1)
    else if (!isCompleted) yield* fail("The run did not complete.", 1)
    if (options.serve) return yield* stay({ ...ordersOf(options, folder), goal: options.goal, startKey: "yours" })
  }))

const fail = (why: string, exitCode: number) =>
  Effect.sync(() => {
    console.error(why)
    process.exitCode = exitCode
  })

const main = Effect.gen(function*() {
  const options = yield* parse(process.argv.slice(2))
  if (options === undefined) yield* Effect.sync(() => console.log(usage))
  else yield* inFolder(options)
}).pipe(Effect.catchTags({
  BadOption: ({ message }) => fail(`${message}\n\n${usage}`, 2),
  // One that was killed, or that ended as if it had done its work, has no code that says so.
  WorkerEnded: (error) => fail(error.message, error.exitCode || 1)
}))

NodeRuntime.runMain(main)
