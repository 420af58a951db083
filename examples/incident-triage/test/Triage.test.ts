import { ScriptedModel } from "@durable-agents/agent"
import { EventStore, MemoryStore, type RunEvent, type RunId, Runs, Runtime } from "@durable-agents/core"
import { everyPrefix } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Layer, Stream } from "effect"
import { Production, State } from "../src/Production.ts"
import { Script } from "../src/Script.ts"
import { ToolsLayer, Triage } from "../src/Triage.ts"

const dana = "dana@example.com"
const goal = "31 % of the requests to checkout fail."
const objection = "The errors are older than that deploy."

const appOf = (production: Layer.Layer<Production>) =>
  Triage.layer.pipe(
    Layer.provideMerge(Runtime.layer),
    Layer.provide(ToolsLayer.pipe(Layer.provide(production))),
    Layer.provideMerge(Layer.merge(Script, MemoryStore.layer))
  )

const start = Effect.gen(function*() {
  const runs = yield* Runs
  const runtime = yield* Runtime
  const runId = yield* runs.start(Triage, goal)
  return { runs, runId, execute: runtime.execute(runId) }
})

/** Up to the fourth answer, in which two changes are to be undone. */
const upToTheCause = Effect.gen(function*() {
  const run = yield* start
  yield* run.execute
  yield* run.runs.deny(run.runId, { approval: "turn-2/call-1/approval", actor: dana, reason: objection })
  return { ...run, asked: yield* run.execute }
})

const log = (runId: RunId) => Effect.flatMap(Runs, (runs) => Stream.runCollect(runs.events(runId)))

describe("Triage", () => {
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
    const Slow = Layer.effect(
      Production,
      Effect.map(Production, (production) => ({
        ...production,
        status: (service) => wait(production.status(service)),
        deploys: (service) => wait(production.deploys(service)),
        configChanges: (service) => wait(production.configChanges(service)),
        logs: (service, text) => wait(production.logs(service, text))
      }))
    ).pipe(Layer.provide(Production.layerOf(new State())))
    return Effect.gen(function*() {
      const { execute } = yield* start
      assert.strictEqual((yield* execute).status, "AwaitingApproval")
    }).pipe(Effect.provide(appOf(Slow)))
  })

  it.effect("holds nothing but the call that a person has to allow", () =>
    Effect.gen(function*() {
      const { execute, runId } = yield* start
      const parked = yield* execute
      assert.deepStrictEqual(parked.pendingApprovals.map(({ key }) => key), ["turn-2/call-1/approval"])
      const calls = (yield* log(runId)).flatMap(({ event }) =>
        event._tag === "ToolCallCompleted" && event.turn === 2 ? [event.key] : []
      )
      assert.deepStrictEqual(calls, ["turn-2/call-2"])
    }).pipe(Effect.provide(appOf(Production.layerOf(new State())))))

  it.effect("asks in plain words, with the agent's reason", () =>
    Effect.gen(function*() {
      const { execute } = yield* start
      const [approval] = (yield* execute).pendingApprovals
      assert.strictEqual(
        approval?.reason,
        "This undoes deploy-812 in production. The agent says: checkout was deployed three minutes before the alert."
      )
    }).pipe(Effect.provide(appOf(Production.layerOf(new State())))))

  it.effect("undoes nothing that was denied, and tells the model why", () => {
    const state = new State()
    return Effect.gen(function*() {
      yield* upToTheCause
      const requests = yield* Effect.flatMap(ScriptedModel.Requests, ({ all }) => all)
      assert.include(JSON.stringify(requests.find(({ turn }) => turn === 3)?.prompt.content), objection)
      assert.deepStrictEqual(Array.from(state.undone.values()), [])
    }).pipe(Effect.provide(appOf(Production.layerOf(state))))
  })

  it.effect("asks for all approvals of one answer in one append", () => {
    const appends: Array<ReadonlyArray<RunEvent.RunEvent>> = []
    const Watched = Layer.effect(
      EventStore,
      Effect.map(EventStore, (store) => ({
        ...store,
        append: (runId, append) => {
          appends.push(append.events)
          return store.append(runId, append)
        }
      }))
    ).pipe(Layer.provideMerge(MemoryStore.layer))
    const App = Triage.layer.pipe(
      Layer.provideMerge(Runtime.layer),
      Layer.provide([Watched, Script, ToolsLayer.pipe(Layer.provide(Production.layerOf(new State())))])
    )
    return Effect.gen(function*() {
      const { asked } = yield* upToTheCause
      assert.lengthOf(asked.pendingApprovals, 2)
      const asking = appends.filter((events) => events.some(({ _tag }) => _tag === "ApprovalRequested"))
      assert.deepStrictEqual(
        asking.at(-1)?.flatMap((event) => event._tag === "ApprovalRequested" ? [event.key] : []),
        ["turn-4/call-1/approval", "turn-4/call-2/approval"]
      )
    }).pipe(Effect.provide(App))
  })

  it.effect("undoes the one that is allowed while the other is still being thought about", () => {
    const state = new State()
    return Effect.gen(function*() {
      const { execute, runId, runs } = yield* upToTheCause
      yield* runs.approve(runId, { approval: "turn-4/call-2/approval", actor: dana })
      const half = yield* execute
      assert.deepStrictEqual(half.pendingApprovals.map(({ key }) => key), ["turn-4/call-1/approval"])
      assert.deepStrictEqual(Array.from(state.undone.values()), ["config-1188"])

      yield* runs.deny(runId, { approval: "turn-4/call-1/approval", actor: dana, reason: "eu is on its way out" })
      const done = yield* execute
      assert.match(`${done.output}`, /checkout still fails/)
    }).pipe(Effect.provide(appOf(Production.layerOf(state))))
  })

  it.effect("ends the same, with each change undone once, whenever its process dies", () =>
    everyPrefix({
      program: Triage,
      input: goal,
      world: () => new State(),
      layer: (state) =>
        Triage.layer.pipe(Layer.provide([Script, ToolsLayer.pipe(Layer.provide(Production.layerOf(state)))])),
      effects: ({ undone }) => Array.from(undone.values()),
      outside: ({ pendingApprovals, runId }) =>
        Effect.flatMap(Runs, (runs) =>
          Effect.forEach(pendingApprovals, ({ key }) =>
            key.startsWith("turn-2")
              ? runs.deny(runId, { approval: key, actor: dana, reason: objection })
              : runs.approve(runId, { approval: key, actor: dana })))
    }))
})
