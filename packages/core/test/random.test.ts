import type { Journal, RunView } from "@durable-agents/core"
import {
  Approval,
  Branch,
  CurrentStep,
  MemoryStore,
  Program,
  RunEvent,
  Runs,
  RunState,
  Runtime,
  Signal,
  Step,
  Timer
} from "@durable-agents/core"
import { CrashingStore, everyPrefix, replayLogs, runProgram, twoWorkers } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Schedule, Schema } from "effect"
import { TestClock } from "effect/testing"
import { quick } from "./fixtures.ts"

/** A program as data. Names are given by the place in the tree, so keys keep their meaning. */
type Tree =
  | { readonly _tag: "Step"; readonly turns: number; readonly failures: number }
  | { readonly _tag: "Timer"; readonly millis: number }
  | { readonly _tag: "Signal" }
  | { readonly _tag: "Approval" }
  | { readonly _tag: "Sequence" | "Parallel" | "Race" | "FailFast"; readonly parts: ReadonlyArray<Tree> }

/** A small random number generator, so that a failing seed can be run again. */
const randomOf = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    state ^= state >>> 12
    return Math.abs(state) % below
  }
}

const treeOf = (random: (below: number) => number, depth: number, interrupts: boolean): Tree => {
  const kind = random(depth <= 0 ? 6 : 12)
  if (kind < 3) return { _tag: "Step", turns: random(6), failures: random(8) === 0 ? 9 : random(3) === 0 ? 1 : 0 }
  if (kind === 3) return { _tag: "Timer", millis: random(2) === 0 ? random(50) : 60_000 * (1 + random(5)) }
  if (kind === 4) return { _tag: "Signal" }
  if (kind === 5) return { _tag: "Approval" }
  const parts = Array.from({ length: 2 + random(2) }, () => treeOf(random, depth - 1, interrupts))
  const tags = interrupts
    ? (["Sequence", "Parallel", "Race", "FailFast"] as const)
    : (["Sequence", "Parallel"] as const)
  return { _tag: tags[random(tags.length)] ?? "Sequence", parts }
}

interface World {
  readonly attempts: Map<string, number>
  readonly trace: Array<string>
}

const interpret = (tree: Tree, name: string, world: World): Effect.Effect<string, string, Journal> => {
  const shown = (value: string) =>
    Effect.sync(() => {
      world.trace.push(name)
      return value
    })
  switch (tree._tag) {
    case "Step":
      return Effect.gen(function*() {
        const { key } = yield* CurrentStep
        for (let i = 0; i < tree.turns; i++) yield* Effect.yieldNow
        const tried = (world.attempts.get(key) ?? 0) + 1
        world.attempts.set(key, tried)
        return tried <= tree.failures ? yield* Effect.fail(`${name} failed`) : name
      }).pipe(
        Step.run(name, {
          output: Schema.String,
          error: Schema.String,
          ...(tree.failures === 1 ? { retry: Schedule.recurs(3) } : {})
        }),
        Effect.catchTag("BudgetExceeded", Effect.die),
        Effect.matchEffect({
          onFailure: (error) => Effect.flatMap(shown(error), Effect.fail),
          onSuccess: shown
        })
      )
    case "Timer":
      return Effect.andThen(Timer.sleep(name, tree.millis), shown(name))
    case "Signal":
      return Effect.flatMap(Signal.receive(name), (payload) => shown(`${name}=${JSON.stringify(payload)}`))
    case "Approval":
      return Effect.flatMap(Approval.request(name, { subject: name }), ({ _tag }) => shown(`${name}=${_tag}`))
    case "Sequence":
      return Effect.map(
        Effect.forEach(tree.parts, (part, index) => caught(interpret(part, `${name}${index}`, world))),
        (all) => all.join(";")
      )
    case "Parallel":
      return Effect.map(
        Effect.forEach(tree.parts, (part, index) => caught(interpret(part, `${name}${index}`, world)), {
          concurrency: "unbounded"
        }),
        (all) => all.join("|")
      )
    case "FailFast":
      return caught(Effect.map(
        Effect.forEach(tree.parts, (part, index) => interpret(part, `${name}${index}`, world), {
          concurrency: "unbounded"
        }),
        (all) => all.join("&")
      ))
    case "Race":
      return caught(Branch.race(
        `${name}race`,
        Object.fromEntries(tree.parts.map((part, index) => [`b${index}`, interpret(part, `${name}${index}`, world)]))
      ))
  }
}

const caught = (effect: Effect.Effect<string, string, Journal>): Effect.Effect<string, never, Journal> =>
  Effect.catch(effect, (error) => Effect.succeed(`!${error}`))

const outside = (view: RunView) =>
  Effect.gen(function*() {
    const runs = yield* Runs
    for (const { key } of view.pendingApprovals) {
      yield* key.length % 2 === 0
        ? runs.approve(view.runId, { approval: key, actor: "dana" })
        : runs.deny(view.runId, { approval: key, actor: "dana", reason: "no" })
    }
    for (const wait of view.waits) {
      if (wait.kind === "signal") yield* runs.signal(view.runId, wait.subject, wait.subject, { id: wait.key })
    }
  })

const programOf = (tree: Tree) => ({
  program: Program.make("random", { input: Schema.String, output: Schema.String, error: Schema.String }),
  handler: (world: World) => () => interpret(tree, "n", world)
})

/** More of them by `SEEDS=200`. */
const seeds = Number(process.env["SEEDS"] ?? 6)

describe("generated programs", () => {
  for (let seed = 1; seed <= seeds; seed++) {
    it.effect(`without interruptions end the same from every instant (seed ${seed})`, () => {
      const { handler, program } = programOf(treeOf(randomOf(seed * 7919), 3, false))
      return everyPrefix<World, string, string, string>({
        program,
        input: "go",
        world: () => ({ attempts: new Map(), trace: [] }),
        layer: (world) => program.toLayer(handler(world)),
        outside
      })
    }, 60_000)
  }

  for (let seed = 1; seed <= seeds; seed++) {
    it.effect(
      `with races and fail-fast always end, never stuck, with one outcome for each operation (seed ${seed})`,
      () => {
        const { handler, program } = programOf(treeOf(randomOf(seed * 104_729), 3, true))
        return everyPrefix<World, string, string, string>({
          program,
          input: "go",
          world: () => ({ attempts: new Map(), trace: [] }),
          layer: (world) => program.toLayer(handler(world)),
          outside,
          compare: ({ state }) => RunState.isEnded(state)
        })
      },
      60_000
    )
  }

  for (let seed = 1; seed <= seeds; seed++) {
    it.effect(`end the same by two workers as by one (seed ${seed})`, () => {
      const { handler, program } = programOf(treeOf(randomOf(seed * 7919), 3, false))
      return twoWorkers<World, string, string, string>({
        program,
        input: "go",
        world: () => ({ attempts: new Map(), trace: [] }),
        layer: (world) => program.toLayer(handler(world)),
        outside,
        stride: 5,
        races: 6,
        seed
      })
    }, 60_000)
  }

  for (let seed = 1; seed <= seeds; seed++) {
    it.effect(`always replay from any prefix of their logs (seed ${seed})`, () =>
      Effect.gen(function*() {
        const { handler, program } = programOf(treeOf(randomOf(seed * 32_452_843), 3, true))
        const layer = (world: World) => program.toLayer(handler(world))
        const world = (): World => ({ attempts: new Map(), trace: [] })
        const { log } = yield* runProgram({ program, input: "go", world, layer, outside })
        const lines = log.map(RunEvent.toLine)
        const logs = lines.map((_, index) => ({ name: `${index}`, text: lines.slice(0, index + 1).join("\n") }))
        const replayed = yield* replayLogs({ logs, layer: layer(world()) })
        assert.strictEqual(replayed.at(-1)?.verdict, "ends")
      }), 60_000)
  }

  for (let seed = 1; seed <= seeds; seed++) {
    it.effect(`are given what is recorded in the order of the first time (seed ${seed})`, () =>
      Effect.gen(function*() {
        const { handler, program } = programOf(treeOf(randomOf(seed * 15_485_863), 3, false))
        const memory = MemoryStore.memory()
        const live: World = { attempts: new Map(), trace: [] }
        const outsideLayer = Layer.provideMerge(Runs.layer, MemoryStore.layerOf(memory))
        const runId = yield* Effect.flatMap(Runs, (runs) => runs.start(program, "go"))
          .pipe(Effect.provide(outsideLayer))
        const execute = Effect.flatMap(Runtime, (runtime) => runtime.execute(runId))
        const processOf = (world: World, stores: MemoryStore.Memory, doomed: CrashingStore.Doomed) =>
          program.toLayer(handler(world)).pipe(
            Layer.provideMerge(Runtime.layer),
            Layer.provide(CrashingStore.layer(doomed)),
            Layer.provide(MemoryStore.layerOf(stores)),
            Layer.provide(quick)
          )
        for (let round = 0; round < 100; round++) {
          live.trace.length = 0
          const view = yield* Effect.provide(execute, processOf(live, memory, CrashingStore.doomed()), { local: true })
          if (RunState.isEnded(view.state)) break
          yield* Effect.provide(outside(view), outsideLayer)
          const after = yield* Effect.provide(Effect.flatMap(Runs, (runs) => runs.state(runId)), outsideLayer)
          if (after.seq === view.seq && after.wakeAt !== undefined) yield* TestClock.setTime(after.wakeAt)
        }
        const row = memory.runs.get(runId)
        assert.isDefined(row)
        if (row === undefined) return
        for (let length = 1; length < row.events.length; length++) {
          const copy = MemoryStore.memory()
          const prefix = { ...row, events: row.events.slice(0, length), owner: null, wakeAt: 0, outsideSeq: 0 }
          copy.runs.set(runId, prefix)
          copy.timed.add(prefix)
          const world: World = { attempts: new Map(live.attempts), trace: [] }
          const doomed = CrashingStore.doomed({ at: 0, when: "before" })
          yield* Effect.raceFirst(
            Effect.exit(Effect.provide(execute, processOf(world, copy, doomed), { local: true })),
            Deferred.await(doomed.death)
          )
          const settled = new Set(prefix.events.flatMap(({ payload, type }) => {
            const { final = true, key, name } = JSON.parse(payload)
            if (type === "SignalReceived") return [name]
            return final === true && /Completed|Failed|Fired|Granted|Denied/.test(type) ? [key] : []
          }))
          const expected = live.trace.filter((name) => settled.has(name))
          assert.deepStrictEqual(world.trace, expected.slice(0, world.trace.length), `at ${length}`)
        }
      }), 60_000)
  }
})
