import { ScriptedModel } from "@durable-agents/agent"
import { EventStore, MemoryStore, type RunEvent } from "@durable-agents/core"
import { everyPrefix, People, runProgram } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Layer } from "effect"
import { Production, State } from "../src/Production.ts"
import { reply, Script } from "../src/Script.ts"
import { Rollback, ToolsLayer, Triage } from "../src/Triage.ts"

const objection = "The errors are older than that deploy."

/** Says no to the obvious cause, and yes to others. */
const Dana = People.as(
  "dana@example.com",
  People.forTool(Rollback, ({ change }) => change === "deploy-812" ? People.deny(objection) : People.approve)
)

const layerOf = (production: Layer.Layer<Production>, model = Script) =>
  Triage.layer.pipe(Layer.provide([model, ToolsLayer.pipe(Layer.provide(production))]))

const scenario = {
  program: Triage,
  input: "31 % of the requests to checkout fail.",
  world: () => new State(),
  layer: (state: State) => layerOf(Production.layerOf(state)),
  effects: ({ undone }: State) => Array.from(undone.values()),
  outside: Dana
}

describe("Triage", () => {
  it.effect("is told no, finds the cause in what checkout depends on, and undoes it in both regions", () =>
    Effect.gen(function*() {
      const { effects, output } = yield* runProgram(scenario)
      assert.deepStrictEqual(effects, ["config-1187", "config-1188"])
      assert.match(output ?? "", /^checkout is healthy again/)
    }))

  it.effect("makes all reads of one answer at the same time", () => {
    const all = Latch.makeUnsafe()
    let begun = 0
    /** Nobody gets an answer before four have asked. */
    const wait = <A, E>(look: Effect.Effect<A, E>) =>
      Effect.suspend(() => {
        begun += 1
        if (begun === 4) all.openUnsafe()
        return Effect.andThen(all.await, look)
      })
    const slow = (state: State) =>
      Layer.effect(
        Production,
        Effect.map(Production, (production) => ({
          ...production,
          status: (service) => wait(production.status(service)),
          deploys: (service) => wait(production.deploys(service)),
          configChanges: (service) => wait(production.configChanges(service)),
          logs: (service, text) => wait(production.logs(service, text))
        }))
      ).pipe(Layer.provide(Production.layerOf(state)))
    return Effect.gen(function*() {
      const { view } = yield* runProgram({ ...scenario, layer: (state) => layerOf(slow(state)) })
      assert.strictEqual(view.status, "Completed")
    })
  })

  it.effect("holds nothing but the call that a person has to allow", () =>
    Effect.gen(function*() {
      const { log, view } = yield* runProgram({ ...scenario, until: ({ status }) => status === "AwaitingApproval" })
      assert.deepStrictEqual(view.pendingApprovals.map(({ key }) => key), ["turn-2/call-1/approval"])
      assert.deepStrictEqual(
        log.flatMap(({ event }) => event._tag === "ToolCallCompleted" && event.turn === 2 ? [event.key] : []),
        ["turn-2/call-2"]
      )
    }))

  it.effect("asks in plain words, with the agent's own reason", () =>
    Effect.gen(function*() {
      const { view } = yield* runProgram({ ...scenario, until: ({ status }) => status === "AwaitingApproval" })
      assert.strictEqual(
        view.pendingApprovals[0]?.reason,
        "This undoes deploy-812 in production. The agent says: checkout was deployed three minutes before the alert."
      )
    }))

  it.effect("tells the model why a person said no", () =>
    Effect.gen(function*() {
      const requests: Array<ScriptedModel.Request> = []
      const model = ScriptedModel.layer((request) => {
        requests.push(request)
        return reply(request)
      })
      yield* runProgram({ ...scenario, layer: (state) => layerOf(Production.layerOf(state), model) })
      const shown = (turn: number) => JSON.stringify(requests.find((request) => request.turn === turn)?.prompt.content)
      assert.notInclude(shown(2), objection)
      assert.include(shown(3), objection)
    }))

  it.effect("asks for all approvals of one answer in one append", () =>
    Effect.gen(function*() {
      const appends: Array<ReadonlyArray<RunEvent.RunEvent>> = []
      const watched = Layer.effect(
        EventStore,
        Effect.map(EventStore, (store) => ({
          ...store,
          append: (runId, append) => {
            appends.push(append.events)
            return store.append(runId, append)
          }
        }))
      ).pipe(Layer.provideMerge(MemoryStore.layerOf(MemoryStore.memory())))
      yield* runProgram({ ...scenario, stores: Effect.succeed(watched) })
      const asked = appends.map((events) =>
        events.flatMap((event) => event._tag === "ApprovalRequested" ? [event.key] : [])
      )
      assert.deepStrictEqual(asked.filter((keys) => keys.length > 0), [
        ["turn-2/call-1/approval"],
        ["turn-4/call-1/approval", "turn-4/call-2/approval"]
      ])
    }))

  it.effect("undoes the one that is allowed while the other is still being thought about", () =>
    Effect.gen(function*() {
      const { effects, log, output } = yield* runProgram({
        ...scenario,
        outside: People.byKey({
          "turn-2/call-1/approval": People.deny(objection),
          "turn-4/call-1/approval": People.after("1 hour", People.deny("eu is switched off anyway")),
          "turn-4/call-2/approval": People.approve
        })
      })
      assert.deepStrictEqual(effects, ["config-1188"])
      assert.match(output ?? "", /^checkout still fails/)
      const seq = (tag: string, key: string) =>
        log.findIndex(({ event }) => event._tag === tag && "key" in event && event.key === key)
      assert.isBelow(
        seq("ToolCallCompleted", "turn-4/call-2"),
        seq("ApprovalDenied", "turn-4/call-1/approval")
      )
    }))

  it.effect("ends the same, with each change undone once, whenever its process dies", () => everyPrefix(scenario))
})
