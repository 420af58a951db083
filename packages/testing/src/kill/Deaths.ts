/**
 * Runs of one program whose processes die one after the other, and how they ended all the same.
 */
import type { Recorded, RunId, RunView } from "@durable-agents/core"
import { Runs, RunState } from "@durable-agents/core"
import { assert } from "@effect/vitest"
import { Effect, Fiber, Option, Stream } from "effect"
import { randomUUID } from "node:crypto"
import * as Ending from "../Ending.ts"
import * as LogText from "../LogText.ts"
import type { Canonical } from "./Canonical.ts"
import type { Fate } from "./Conductor.ts"
import { conduct } from "./Conductor.ts"
import * as Instant from "./Instant.ts"
import type { Call } from "./Ledger.ts"
import * as Orders from "./Orders.ts"
import type { Place } from "./Place.ts"

/** How long a process may live until all its runs have come to their instants. */
const patience = "2 minutes"

/**
 * A run to start, and where its processes die: the first, then the one that took over, and so on.
 *
 * @category models
 * @since 0.1.0
 */
export interface Doomed {
  readonly canonical: Canonical
  readonly deaths: ReadonlyArray<Instant.Instant>
  /** Default `approved`. */
  readonly fate?: Fate
}

/**
 * A run that has ended all the same.
 *
 * @category models
 * @since 0.1.0
 */
export interface Survivor extends Doomed {
  readonly view: RunView
  readonly events: ReadonlyArray<Recorded>
  readonly effects: ReadonlyArray<string>
  readonly calls: ReadonlyArray<Call>
}

/**
 * Starts these runs, lets processes die until every run has had its deaths, and this process finish. Those outside decide all the
 * time, or only when everybody has died.
 *
 * @category combinators
 * @since 0.1.0
 */
export const survive = Effect.fnUntraced(function*(
  { ledger, orders, runs, worker }: Place,
  doomed: ReadonlyArray<Doomed>,
  decide: "always" | "last" = "always"
) {
  const outside = <A, E>(effect: Effect.Effect<A, E, Runs>) => Effect.provide(effect, runs)
  const service = yield* outside(Runs)
  const started = yield* Effect.forEach(
    doomed,
    (one) => Effect.map(one.canonical.start(service, randomUUID()), (runId) => ({ ...one, runId }))
  )
  const decided = Effect.forEach(started, ({ fate = "approved", runId }) => outside(conduct(runId, fate)), {
    concurrency: "unbounded"
  })
  const early = decide === "always" ? yield* Effect.forkScoped(decided) : undefined
  const rounds = Math.max(0, ...doomed.map(({ deaths }) => deaths.length))
  const died = new Map<RunId, number>()
  for (let round = 0; round < rounds; round++) {
    const deaths: Record<string, Instant.Instant> = {}
    for (const { deaths: own, runId } of started) {
      const instant = own[round]
      if (instant === undefined || (round > 0 && RunState.isEnded((yield* service.state(runId)).state))) continue
      deaths[runId] = instant
      died.set(runId, round + 1)
    }
    const process = yield* Orders.start({ ...orders, worker: `${round}`, concurrency: doomed.length, deaths })
    const end = yield* Effect.timeoutOption(process.gone, patience)
    if (Option.isNone(end)) {
      const late = started.find(({ runId }) =>
        died.get(runId) === round + 1 && ledger.deaths().get(runId) !== round + 1
      )
      const events = late === undefined ? [] : yield* Stream.runCollect(service.events(late.runId))
      assert.fail(`A run does not come to where its process dies. ${told({ deaths: late?.deaths ?? [], events })}`)
    }
    assert.strictEqual(end.value, "SIGKILL")
  }
  yield* worker
  const views = yield* early === undefined ? decided : Fiber.join(early)
  const made = ledger.effects()
  const deaths = ledger.deaths()
  const calls = ledger.calls()
  return yield* Effect.forEach(started, ({ canonical, runId, ...one }, index) =>
    Effect.gen(function*() {
      const events = yield* Stream.runCollect(service.events(runId))
      const view = views[index]
      if (view === undefined) return yield* Effect.die("every run has ended")
      assert.strictEqual(deaths.get(runId) ?? 0, died.get(runId) ?? 0, told({ ...one, events }))
      return {
        ...one,
        canonical,
        deaths: one.deaths.slice(0, died.get(runId) ?? 0),
        view,
        events,
        effects: made.get(runId) ?? [],
        calls: calls.filter((call) => call.runId === runId)
      }
    }))
}, Effect.scoped)

/**
 * Fails unless a run whose processes died ended as one whose process did not, with each effect once.
 *
 * @category assertions
 * @since 0.1.0
 */
export const assertSame = (survivor: Survivor, undisturbed: Survivor): void => {
  const words = told(survivor)
  assert.strictEqual(survivor.view.status, undisturbed.view.status, words)
  assert.deepStrictEqual(survivor.view.output, undisturbed.view.output, words)
  assert.deepStrictEqual(survivor.effects, undisturbed.effects, words)
  assert.isUndefined(Ending.problemOf(survivor.events), words)
}

/**
 * Where its processes died, and its log.
 *
 * @category conversions
 * @since 0.1.0
 */
export const told = ({ deaths, events }: Pick<Survivor, "deaths" | "events">): string =>
  [
    `Its processes died ${deaths.map(Instant.describe).join(", then ")}.`,
    ...LogText.end(events.map(LogText.line))
  ].join("\n")
