/**
 * Offboards sam, on two files: one of the runs and one of the directory. Kill it at any moment and start it again; it goes on
 * where the log ends.
 */
import { ScriptedModel } from "@durable-agents/agent"
import { Trace } from "@durable-agents/cli"
import { EventStore, type RunId, Runs, Runtime, Worker } from "@durable-agents/core"
import { Sqlite } from "@durable-agents/sqlite"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Duration, Effect, Layer, Schema, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { join } from "node:path"
import { createInterface } from "node:readline/promises"
import { changes, Directory, open } from "./Directory.ts"
import { Offboarding, OffboardingLayer } from "./Offboarding.ts"

const employee = "sam"
const manager = "dana@example.com"

const offboard = Effect.fn("offboard")(function*(grace: Duration.Duration) {
  const runs = yield* Runs
  const store = yield* EventStore

  // The start key makes this safe to repeat: the second process gets the run of the first one.
  const runId = yield* runs.start(
    Offboarding,
    { employee, manager, graceMillis: Duration.toMillis(grace) },
    { startKey: employee, requestedBy: manager }
  )
  const { seq } = yield* runs.state(runId)

  const show = Stream.runForEach(store.changes(runId), (recorded) =>
    Effect.andThen(
      recorded.seq === seq && seq > 1 ? Console.log("-- from here on by another process") : Effect.void,
      Console.log(Trace.line(recorded))
    ))

  // The worker does the work. What is left here is to show the log until it ends, and to ask the manager meanwhile.
  yield* Effect.raceFirst(show, Effect.andThen(decide(runId), Effect.never))
})

/** Asks about whatever waits for a decision, until the run has ended. */
const decide = Effect.fnUntraced(function*(runId: RunId) {
  const runs = yield* Runs
  while (true) {
    const { pendingApprovals } = yield* runs.await(runId, (run) => run.pendingApprovals.length > 0)
    if (pendingApprovals.length === 0) return
    for (const { key, reason, subject } of pendingApprovals) {
      const isGranted = yield* asked(`${subject}\n(${reason})`)
      const decision = { approval: key, actor: manager }
      yield* (isGranted ? runs.approve(runId, decision) : runs.deny(runId, { ...decision, reason: "not now" })).pipe(
        // The first decision counts. If somebody was faster, nothing is left to decide.
        Effect.catchTags({ ApprovalNotPending: () => Effect.void, WaitClosed: () => Effect.void })
      )
    }
  }
})

/** At a terminal somebody is asked; without one, the manager always agrees. */
const asked = (question: string): Effect.Effect<boolean> =>
  process.stdin.isTTY
    ? Effect.promise((signal) => {
      const terminal = createInterface({ input: process.stdin, output: process.stdout })
      return terminal.question(`\n${question} [Y/n] `, { signal })
        .then((answer) => !/^\s*n/i.test(answer))
        .finally(() => terminal.close())
    })
    : Effect.succeed(true)

/** Everything that executes runs, over the files in a folder. */
const app = (folder: string) =>
  Worker.layer({ poll: "200 millis" }).pipe(
    Layer.provide(OffboardingLayer),
    Layer.provideMerge(Runtime.layer),
    Layer.provideMerge(Sqlite.layer({ file: join(folder, "runs.db") })),
    Layer.provide([
      Directory.layer(join(folder, "directory.db")),
      // Stands for a real model, so that this runs offline.
      ScriptedModel.layer(["Sam's accounts are closed; thank you for letting us know in good time."])
    ])
  )

const giveUp = ({ message }: Error) =>
  Effect.sync(() => {
    console.error(message)
    process.exitCode = 1
  })

const command = Command.make("offboarding", {
  folder: Flag.Directory("folder", { mustExist: true }).pipe(
    Flag.withDescription("Where the two files are kept; the default is the current folder"),
    Flag.withDefault(".")
  ),
  grace: Flag.String("grace").pipe(
    Flag.withSchema(Schema.DurationFromString),
    Flag.withDescription("How long the accounts stay after the decision, such as `3 seconds`; the default is 3 days"),
    Flag.withDefault(Duration.days(3))
  )
}, ({ folder, grace }) =>
  Effect.gen(function*() {
    yield* Effect.provide(offboard(grace), app(folder))
    const made = changes(open(join(folder, "directory.db")))
    yield* Console.log(`The directory made ${made.length} changes: ${made.map(({ account }) => account).join(", ")}`)
  }))

Command.run(command, { version: "0.1.0" }).pipe(
  // Such as: these files hold an offboarding with another grace period.
  Effect.catchTags({ StartConflict: giveUp, StoreError: giveUp }),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain
)
