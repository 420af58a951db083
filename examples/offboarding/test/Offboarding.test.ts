import { ScriptedModel } from "@durable-agents/agent"
import { Runs } from "@durable-agents/core"
import { everyPrefix, People, runProgram } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AiError } from "effect/ai"
import { changes, Directory, DirectoryBusy, open } from "../src/Directory.ts"
import { Offboarding, OffboardingLayer } from "../src/Offboarding.ts"

const accounts = ["mail", "vpn", "wiki"]
const threeDays = 3 * 24 * 60 * 60 * 1_000

const scenario = (model = ScriptedModel.layer(["Sam is gone."])) => ({
  program: Offboarding,
  input: { employee: "sam", manager: "dana@example.com" },
  world: () => open(":memory:"),
  layer: (records: ReturnType<typeof open>) =>
    OffboardingLayer.pipe(Layer.provide([Directory.layerOf(records), model])),
  effects: changes,
  // Without a name it is the first who may decide: the manager.
  outside: People.approve
})

const busy = Effect.fail(new DirectoryBusy({ request: "anything" }))
const AlwaysBusy = Layer.succeed(Directory, { accounts: () => busy, disable: () => busy })

describe("Offboarding", () => {
  it.effect("asks, waits for three days, and disables each account once", () =>
    Effect.gen(function*() {
      const { log, output, world } = yield* runProgram(scenario())
      assert.deepStrictEqual(output, { disabled: accounts, note: "Sam is gone." })
      assert.deepStrictEqual(changes(world), accounts.map((account) => ({ employee: "sam", account })))

      const at = (tag: string) => log.find(({ event }) => event._tag === tag)?.at ?? 0
      assert.strictEqual(at("TimerFired") - at("TimerStarted"), threeDays)
    }))

  it.effect("asks the manager, in words that say what is about to happen", () =>
    Effect.gen(function*() {
      const { view } = yield* runProgram({ ...scenario(), until: ({ status }) => status === "AwaitingApproval" })
      const [asked] = view.pendingApprovals
      assert.strictEqual(asked?.subject, "Disable the accounts of sam: mail, vpn, wiki")
      assert.deepStrictEqual(asked?.approvers, ["dana@example.com"])
    }))

  it.effect("has every failure of the directory in its log, as it was", () =>
    Effect.gen(function*() {
      const { log } = yield* runProgram(scenario())
      assert.deepStrictEqual(
        log.flatMap(({ event }) => event._tag === "StepFailed" ? [[event.key, event.attempt, event.failure]] : []),
        [
          ["list-accounts", 1, { _tag: "DirectoryBusy", request: "list the accounts of sam" }],
          ["list-accounts", 2, { _tag: "DirectoryBusy", request: "list the accounts of sam" }],
          ["wiki/disable", 1, { _tag: "DirectoryBusy", request: "disable wiki of sam" }]
        ]
      )
    }))

  it.effect("fails with the directory's own failure when it stays busy", () =>
    Effect.gen(function*() {
      const { view } = yield* runProgram({
        ...scenario(),
        layer: OffboardingLayer.pipe(Layer.provide([AlwaysBusy, ScriptedModel.layer([])]))
      })
      assert.strictEqual(view.status, "Failed")
      assert.deepStrictEqual(view.failure, { _tag: "DirectoryBusy", request: "anything" })
    }))

  it.effect("disables nothing if the manager says no, and takes nobody else's word", () =>
    Effect.gen(function*() {
      const { effects, output } = yield* runProgram({
        ...scenario(),
        outside: [
          ({ pendingApprovals, runId }) =>
            Effect.flatMap(Runs, (runs) =>
              Effect.forEach(pendingApprovals, ({ key }) =>
                Effect.map(
                  Effect.flip(runs.approve(runId, { approval: key, actor: "sam@example.com" })),
                  ({ _tag }) => assert.strictEqual(_tag, "NotAnApprover")
                ))),
          People.deny("sam stays")
        ]
      })
      assert.deepStrictEqual(output, { disabled: [], note: "Nothing was disabled: sam stays" })
      assert.deepStrictEqual(effects, [])
    }))

  it.effect("does its work without a note when the budget does not allow one", () =>
    Effect.gen(function*() {
      const { output } = yield* runProgram({ ...scenario(), start: { budget: { turns: 0 } } })
      assert.deepStrictEqual(output, { disabled: accounts, note: "No note: the limit of turns is reached." })
    }))

  it.effect("does its work without a note when the model fails, or has nothing to say", () =>
    Effect.gen(function*() {
      const noteOf = (reply: ScriptedModel.Reply | string) =>
        Effect.map(runProgram(scenario(ScriptedModel.layer([reply]))), ({ output }) => output?.note)
      const refusal = new AiError.ContentPolicyError({ description: "not this" })
      assert.strictEqual(
        yield* noteOf(ScriptedModel.failure(refusal)),
        "No note: The model failed in turn 1 after 1 attempt (ContentPolicyError): Content policy violation: not this"
      )
      assert.strictEqual(yield* noteOf(""), "No note: The model gave no answer in turn 1: it ended with an empty text")
    }))

  it.effect("ends the same, with one change for each account, whenever its process dies", () => everyPrefix(scenario()))
})
