/**
 * The programs whose logs are stored in `logs/`, and how those logs came to be. A log that is there is never written again: it
 * stands for one that an older build has left in somebody's database.
 *
 * `node packages/agent/test/storedLogs.ts` writes those that are not there yet.
 */
import { Agent, ScriptedModel, ToolPolicy } from "@durable-agents/agent"
import {
  Approval,
  Branch,
  MemoryStore,
  Program,
  type Recorded,
  RunEvent,
  Runs,
  Runtime,
  Signal,
  Step,
  Timer
} from "@durable-agents/core"
import { CrashingStore, People, runProgram, type Script, Signals } from "@durable-agents/testing"
import { Console, Deferred, Duration, Effect, Layer, pipe, Schedule, Schema, Stream } from "effect"
import { AiError, Tool, Toolkit } from "effect/ai"
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { Clerk, execute, quick, world } from "./fixtures.ts"

const { failure, toolCall, toolCalls } = ScriptedModel

class Busy extends Schema.TaggedError<Busy>()("Busy", { line: Schema.Int }) {}

const Dial = pipe(
  Tool.make("dial", { parameters: Schema.Struct({ to: Schema.String }), success: Schema.String, failure: Busy })
    .annotate(Tool.Idempotent, true),
  ToolPolicy.retry(Schedule.spaced("1 minute").pipe(Schedule.upTo({ times: 3 })))
)
const Phone = Toolkit.make(Dial)
const Caller = Agent.make("caller", { instructions: "You make calls.", toolkit: Phone })

const Open = Tool.make("open", { parameters: Schema.Struct({ page: Schema.Int }), success: Schema.String })
  .annotate(Tool.Readonly, true)
const Archive = Toolkit.make(Open)
const Archivist = Agent.make("archivist", {
  instructions: "You read old papers.",
  toolkit: Archive,
  compaction: { above: 1000, keepTurns: 1 }
})

const Errand = Program.make("errand", { input: Schema.String, output: Schema.Array(Schema.String) })

const errand = Errand.toLayer(Effect.fn("Errand")(function*(what) {
  const found = yield* Effect.succeed(`found ${what}`).pipe(
    Step.run("look", { output: Schema.String }),
    Effect.orDie
  )
  const notes = yield* Effect.all([Clerk.run("one", "Pay the first."), Clerk.run("two", "Pay the second.")], {
    concurrency: "unbounded"
  }).pipe(Effect.orDie)
  const decision = yield* Approval.request("send", { subject: "Send it?" })
  const answer = yield* Branch.race("patience", {
    told: Effect.map(Signal.receive("answer"), (payload) => `told ${JSON.stringify(payload)}`),
    bored: Effect.as(Timer.sleep("three-days", "3 days"), "bored")
  })
  return [found, ...notes, decision._tag, answer]
}))

/** Everything that the stored logs need, as one process builds it. */
export const layerOf = (model: Parameters<typeof ScriptedModel.layer>[0]) => {
  let dialled = 0
  return Layer.mergeAll(Clerk.layer, Caller.layer, Archivist.layer, errand).pipe(Layer.provide([
    ScriptedModel.layer(model),
    world().layer,
    Archive.toLayer({ open: ({ page }) => Effect.succeed(`${page}: ${"old words ".repeat(120)}`) }),
    Phone.toLayer({
      dial: ({ to }) =>
        Effect.suspend(() => ++dialled < 3 ? Effect.fail(new Busy({ line: dialled })) : Effect.succeed(to))
    })
  ]))
}

const approval = toolCall("pay", { order: "A-8891", cents: 6400 })
const rateLimit = failure(new AiError.RateLimitError({ retryAfter: Duration.seconds(30) }))

type Log = Effect.Effect<ReadonlyArray<Recorded>, unknown>

/** The log of a run from its start to its end, or to where it rests in a status. */
const logOf = <Output, Error>(
  program: Program.Program<string, Output, Error>,
  model: Parameters<typeof ScriptedModel.layer>[0],
  options: { readonly outside?: Script; readonly turns?: number; readonly until?: string } = {}
): Log =>
  Effect.map(
    runProgram({
      program,
      input: "Do it.",
      layer: layerOf(model),
      until: ({ status }) => status === options.until,
      ...(options.outside === undefined ? {} : { outside: options.outside }),
      ...(options.turns === undefined ? {} : { start: { budget: { turns: options.turns } } })
    }),
    ({ log }) => log
  )

/** A worker dies after the money has moved and before that is written down; another one finishes. */
const killed: Log = Effect.gen(function*() {
  const memory = MemoryStore.memory()
  const outside = Layer.provideMerge(Runs.layer, MemoryStore.layerOf(memory))
  const agent = layerOf([toolCall("pay", { order: "A", cents: 100 }), "Paid."])
  const once = (doomed: CrashingStore.Doomed) =>
    Effect.raceFirst(execute(runId), Deferred.await(doomed.death)).pipe(
      Effect.provide(
        agent.pipe(
          Layer.provideMerge(Runtime.layer),
          Layer.provide(CrashingStore.layer(doomed)),
          Layer.provide(MemoryStore.layerOf(memory)),
          Layer.provide(quick)
        ),
        { local: true }
      ),
      Effect.exit
    )
  const runId = yield* Effect.flatMap(Runs, (runs) => runs.start(Clerk, "Do it.")).pipe(Effect.provide(outside))
  yield* once(CrashingStore.doomed({ at: 2, when: "before" }))
  memory.aliveUntil.clear()
  yield* once(CrashingStore.doomed())
  return yield* Effect.flatMap(Runs, (runs) => Stream.runCollect(runs.events(runId))).pipe(Effect.provide(outside))
})

/** Each log that is stored, by the name of its file. */
const logs: Readonly<Record<string, Log>> = {
  refund: logOf(Clerk, [[rateLimit, approval], "Paid."], { outside: People.as("dana", People.approve) }),
  decisions: logOf(Clerk, [
    toolCalls([
      { name: "read", params: { page: "1" } },
      { name: "pay", params: { order: "A", cents: 6000 } },
      { name: "pay", params: { order: "B", cents: 7000 } },
      { name: "send", params: { to: "sam" } }
    ]),
    "Done."
  ], {
    outside: [
      People.byKey({ "turn-1/call-2/approval": People.edit({ order: "A", cents: 1 }) }),
      People.as("lee", People.deny("not this one"))
    ]
  }),
  "odd-calls": logOf(Clerk, [
    toolCalls([
      { name: "nothing", params: {}, id: "same" },
      { name: "pay", params: { order: 7 }, id: "same" },
      { name: "pay", params: { order: "A", cents: 1 }, id: "same" }
    ]),
    toolCall("read", { page: "1" }, { finishReason: "length" }),
    "Done."
  ]),
  "late-retries": logOf(Caller, [toolCall("dial", { to: "zoe" }), "Called."]),
  "model-failed": logOf(Clerk, [failure(new AiError.AuthenticationError({ kind: "InvalidKey" }))]),
  "budget-exceeded": logOf(Clerk, [toolCall("read", { page: "1" }), "Read."], { turns: 1 }),
  cancelled: logOf(Clerk, [approval], {
    outside: ({ runId }) => Effect.flatMap(Runs, (runs) => runs.cancel(runId, { actor: "olga", reason: "wrong order" }))
  }),
  parked: logOf(Clerk, [approval], { until: "AwaitingApproval" }),
  inside: logOf(
    Errand,
    ({ path, turn }) => turn === 1 ? toolCall("pay", { order: path, cents: 100 }) : `Paid for ${path}.`,
    { outside: [People.approve, Signals.send("answer", { yes: true }, { after: "1 day" })] }
  ),
  compacted: logOf(Archivist, [
    toolCall("open", { page: 1 }),
    toolCalls([{ name: "open", params: { page: 2 } }, { name: "open", params: { page: "three" } }], { text: "Go on." }),
    toolCall("open", { page: 4 }),
    toolCall("open", { page: 5 }),
    toolCall("open", { page: 6 }),
    "Read."
  ]),
  killed
}

const folder = join(import.meta.dirname, "logs")

/** The logs that are stored. */
export const storedLogs = (): ReadonlyArray<{ readonly name: string; readonly text: string }> =>
  globSync(join(folder, "*.jsonl")).toSorted().map((file) => ({
    name: basename(file),
    text: readFileSync(file, "utf8")
  }))

const write = Effect.gen(function*() {
  for (const [name, log] of Object.entries(logs)) {
    const file = join(folder, `${name}.jsonl`)
    if (existsSync(file)) continue
    const events = yield* log
    writeFileSync(file, events.map((recorded) => `${RunEvent.toLine(recorded)}\n`).join(""))
    yield* Console.log(`${file}: ${events.length} events`)
  }
})

if (import.meta.main) await Effect.runPromise(write)
