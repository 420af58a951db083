/**
 * An incident from the alert to the report, in one process and in memory.
 */
import { Trace } from "@durable-agents/cli"
import { type PendingApproval, type RunId, Runs, Runtime } from "@durable-agents/core"
import { OpenAi } from "@durable-agents/openai"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Console, Effect, Layer, Option, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Person from "./Person.ts"
import { Production, State } from "./Production.ts"
import { Script } from "./Script.ts"
import { ToolsLayer, Triage } from "./Triage.ts"

const alert = "Alert at 14:31: 31 % of the requests to checkout fail. Find out why, and mend it."

const latencyMillis = 200

const main = Effect.gen(function*() {
  const runs = yield* Runs
  const runtime = yield* Runtime
  const runId = yield* runs.start(Triage, alert, { requestedBy: { kind: "program", id: "alerting" } })

  let run = yield* runtime.execute(runId)
  let shown = yield* show(runId, 0)
  // One answer of the model may propose several things. Each is decided by its own key, in any order, and nothing else of the
  // agent waits for it.
  while (run.pendingApprovals.length > 0) {
    yield* Effect.forEach(run.pendingApprovals, (approval) => decide(runId, approval))
    run = yield* runtime.execute(runId)
    shown = yield* show(runId, shown)
  }
  yield* Console.log(`\n${run.status}: ${plain(`${run.output ?? run.reason}`)}`)
  yield* Console.log(yield* readsTogether(runId))
})

/** Prints the log from a position on, and returns where it ends. */
const show = (runId: RunId, from: number) =>
  Effect.gen(function*() {
    const runs = yield* Runs
    const log = yield* Stream.runCollect(runs.events(runId))
    yield* Effect.forEach(log.slice(from), (recorded) => Console.log(Trace.line(recorded)))
    return log.length
  })

const decide = Effect.fnUntraced(function*(runId: RunId, approval: PendingApproval) {
  const runs = yield* Runs
  const { key, reason, subject } = approval
  yield* Console.log(`\n  ${plain(subject)}\n  ${plain(reason)}`)
  const objection = yield* Person.asked(approval)
  yield* Console.log(objection === undefined ? "  -> allowed\n" : `  -> no: ${objection}\n`)
  const decision = { approval: key, actor: "dana@example.com" }
  yield* objection === undefined
    ? runs.approve(runId, decision)
    // The reason is the result of the call: the model reads it, and looks elsewhere.
    : runs.deny(runId, { ...decision, reason: objection })
})

/** These words are the model's: nothing in them may control the terminal. */
const plain = (text: string): string => text.replace(/\p{Cc}/gu, " ")

/** Says how long the reads of the first answer took together. */
const readsTogether = Effect.fnUntraced(function*(runId: RunId) {
  const runs = yield* Runs
  const log = yield* Stream.runCollect(runs.events(runId))
  const calls = log.filter(({ event }) => "tool" in event && event.turn === 1)
  const reads = calls.filter(({ event }) => event._tag === "ToolCallCompleted")
  return `The ${reads.length} reads of turn 1 took ${latencyMillis} ms each and ${
    (calls.at(-1)?.at ?? 0) - (calls[0]?.at ?? 0)
  } ms together.`
})

/** A script that needs no network, or the model that the environment names. */
const Model = Layer.unwrap(Effect.map(
  Config.option(Config.NonEmptyString("LLM_MODEL")),
  Option.match({
    onNone: () => Script,
    onSome: () => OpenAi.layerConfig().pipe(Layer.provide(FetchHttpClient.layer))
  })
))

const App = Triage.layer.pipe(
  Layer.provideMerge(Runtime.layerMemory),
  Layer.provide([Model, ToolsLayer.pipe(Layer.provide(Production.layerOf(new State(), latencyMillis)))])
)

NodeRuntime.runMain(Effect.provide(main, App))
