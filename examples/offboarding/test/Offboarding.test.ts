import { ScriptedModel } from "@durable-agents/agent"
import { type Budget, Runs, Runtime, RuntimeSettings, type RunView } from "@durable-agents/core"
import { everyPrefix } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { AiError } from "effect/ai"
import { TestClock } from "effect/testing"
import { changes, Directory, DirectoryBusy, open } from "../src/Directory.ts"
import { Offboarding, OffboardingLayer } from "../src/Offboarding.ts"

const sam = { employee: "sam", manager: "dana@example.com" }
const threeDays = 3 * 24 * 60 * 60 * 1_000
const disable = { approval: "disable-accounts", actor: "dana@example.com" }

/** A run leaves memory at every wait, so that a test sees each one. */
const Settings = Layer.succeed(RuntimeSettings, {
  ...RuntimeSettings.defaultValue(),
  suspendAfter: "2 millis",
  keep: 0
})

const appOf = (directory: Layer.Layer<Directory>, model = ScriptedModel.layer(["Sam is gone."])) =>
  OffboardingLayer.pipe(
    Layer.provideMerge(Runtime.layerMemory),
    Layer.provide([directory, model, Settings])
  )

const begin = Effect.fnUntraced(function*(budget: Budget.Budget = {}) {
  const runs = yield* Runs
  const runtime = yield* Runtime
  const runId = yield* runs.start(Offboarding, sam, { budget })
  return { runs, runId, execute: pastRetries(runtime.execute(runId)) }
})

/** Executes a run, and lets the times pass at which something is tried again. */
const pastRetries = <E>(execute: Effect.Effect<RunView, E>): Effect.Effect<RunView, E> =>
  Effect.flatMap(execute, (run) => {
    const retry = run.waits.find(({ kind }) => kind === "retry")
    return retry?.until === undefined
      ? Effect.succeed(run)
      : Effect.andThen(TestClock.setTime(retry.until), pastRetries(execute))
  })

/** Agrees, and lets the grace period pass. */
const agree = Effect.fnUntraced(function*({ execute, runId, runs }: Effect.Success<ReturnType<typeof begin>>) {
  yield* execute
  yield* runs.approve(runId, disable)
  yield* execute
  yield* TestClock.adjust("3 days")
  return yield* execute
})

const busy = Effect.fail(new DirectoryBusy({ request: "anything" }))
const AlwaysBusy = Layer.succeed(Directory, { accounts: () => busy, disable: () => busy })

describe("Offboarding", () => {
  it.effect("asks, waits for three days to the millisecond, and disables each account once", () => {
    const records = open(":memory:")
    return Effect.gen(function*() {
      const run = yield* begin()
      const asked = yield* run.execute
      assert.strictEqual(asked.status, "AwaitingApproval")
      assert.strictEqual(asked.pendingApprovals[0]?.subject, "Disable the accounts of sam: mail, vpn, wiki")

      yield* run.runs.approve(run.runId, disable)
      const asleep = yield* run.execute
      assert.strictEqual(asleep.status, "Sleeping")

      yield* TestClock.adjust(threeDays - 1)
      assert.strictEqual((yield* run.execute).status, "Sleeping")
      assert.deepStrictEqual(changes(records), [])

      yield* TestClock.adjust(1)
      const done = yield* run.execute
      assert.deepStrictEqual(done.output, { disabled: ["mail", "vpn", "wiki"], note: "Sam is gone." })
      assert.deepStrictEqual(changes(records).map(({ account }) => account), ["mail", "vpn", "wiki"])
    }).pipe(Effect.provide(appOf(Directory.layerOf(records))))
  })

  it.effect("has every failure of the directory in its log, as it was", () => {
    const records = open(":memory:")
    return Effect.gen(function*() {
      const run = yield* begin()
      yield* agree(run)
      const log = yield* Stream.runCollect(run.runs.events(run.runId))
      assert.deepStrictEqual(
        log.flatMap(({ event }) => event._tag === "StepFailed" ? [[event.key, event.attempt, event.failure]] : []),
        [
          ["list-accounts", 1, { _tag: "DirectoryBusy", request: "list the accounts of sam" }],
          ["list-accounts", 2, { _tag: "DirectoryBusy", request: "list the accounts of sam" }],
          ["wiki/disable", 1, { _tag: "DirectoryBusy", request: "disable wiki of sam" }]
        ]
      )
    }).pipe(Effect.provide(appOf(Directory.layerOf(records))))
  })

  it.effect("disables nothing if the manager says no, and takes no other person's word", () => {
    const records = open(":memory:")
    return Effect.gen(function*() {
      const { execute, runId, runs } = yield* begin()
      yield* execute
      const refused = yield* Effect.flip(runs.approve(runId, { ...disable, actor: "sam@example.com" }))
      assert.strictEqual(refused._tag, "NotAnApprover")
      yield* runs.deny(runId, { ...disable, reason: "sam stays" })
      const done = yield* execute
      assert.deepStrictEqual(done.output, { disabled: [], note: "Nothing was disabled: sam stays" })
      assert.deepStrictEqual(changes(records), [])
    }).pipe(Effect.provide(appOf(Directory.layerOf(records))))
  })

  it.effect("does its work without a note when the budget does not allow one", () => {
    const records = open(":memory:")
    return Effect.gen(function*() {
      const done = yield* agree(yield* begin({ turns: 0 }))
      assert.deepStrictEqual(done.output, {
        disabled: ["mail", "vpn", "wiki"],
        note: "No note: the limit of turns is reached."
      })
      assert.lengthOf(changes(records), 3)
    }).pipe(Effect.provide(appOf(Directory.layerOf(records))))
  })

  it.effect("does its work without a note when the model fails or has nothing to say", () =>
    Effect.forEach(
      [
        [ScriptedModel.failure(new AiError.ContentPolicyError({ description: "no" })), "ContentPolicyError"],
        ["", "gave no answer"]
      ] as const,
      ([reply, why]) =>
        Effect.gen(function*() {
          const { output, status } = yield* agree(yield* begin())
          assert.strictEqual(status, "Completed")
          assert.include(JSON.stringify(output), why)
        }).pipe(Effect.provide(appOf(Directory.layerOf(open(":memory:")), ScriptedModel.layer([reply]))))
    ))

  it.effect("fails with the directory's own failure when it stays busy", () =>
    Effect.gen(function*() {
      const { execute } = yield* begin()
      const failed = yield* execute
      assert.strictEqual(failed.status, "Failed")
      assert.deepStrictEqual(failed.failure, { _tag: "DirectoryBusy", request: "anything" })
    }).pipe(Effect.provide(appOf(AlwaysBusy))))

  it.effect("ends the same, with one change for each account, whenever its process dies", () =>
    everyPrefix({
      program: Offboarding,
      input: sam,
      world: () => open(":memory:"),
      layer: (records) =>
        OffboardingLayer.pipe(Layer.provide([Directory.layerOf(records), ScriptedModel.layer(["Sam is gone."])])),
      effects: changes,
      outside: ({ pendingApprovals, runId }) =>
        Effect.flatMap(Runs, (runs) =>
          Effect.forEach(pendingApprovals, ({ key }) => runs.approve(runId, { ...disable, approval: key })))
    }))
})
