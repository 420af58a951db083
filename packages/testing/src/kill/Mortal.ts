/**
 * The processes that die on purpose. Many runs die in one process, each of them at an instant of its own: a run that has reached
 * its instant stands still, and when all stand, the process kills itself.
 */
import { EventStore, RunQueue } from "@durable-agents/core"
import { Effect, Layer } from "effect"
import type { World } from "./Canonical.ts"
import type { Instant } from "./Instant.ts"
import { nameOf } from "./Instant.ts"
import type { Ledger, Operation } from "./Ledger.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Mortal {
  /** The store as runs see it that stand still sooner or later. */
  readonly layer: Layer.Layer<EventStore | RunQueue, never, EventStore | RunQueue>
  /** The world as they see it. */
  readonly world: World
}

/**
 * A process in which these runs are to die. `kill` must not return.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (deaths: ReadonlyMap<string, Instant>, ledger: Ledger, kill: () => void): Mortal => {
  const standing = new Set<string>()
  const ended = new Set<string>()
  const written = new Map<string, Set<string>>()
  const waiting = new Map<string, () => void>()

  const look = (): void => {
    if (deaths.size > 0 && Array.from(deaths.keys()).every((runId) => standing.has(runId) || ended.has(runId))) kill()
  }

  const stand = (runId: string) =>
    Effect.suspend(() => {
      standing.add(runId)
      ledger.dies(runId)
      look()
      return Effect.never
    })

  const isReady = (runId: string, once: ReadonlyArray<string> = []) =>
    once.every((event) => written.get(runId)?.has(event))

  const wrote = (runId: string, events: ReadonlyArray<string>): void => {
    if (!deaths.has(runId)) return
    const own = written.get(runId) ?? new Set()
    written.set(runId, own)
    for (const event of events) own.add(event)
    if (events.some((event) => event === "RunCompleted")) {
      ended.add(runId)
      look()
    }
    waiting.get(runId)?.()
  }

  const ready = (runId: string, once: ReadonlyArray<string> | undefined) =>
    Effect.callback<void>((resume) => {
      const check = () => {
        if (isReady(runId, once)) resume(Effect.void)
      }
      waiting.set(runId, check)
      check()
    })

  const store = Effect.map(EventStore, (store) => ({
    ...store,
    append: (runId, append) =>
      Effect.suspend(() => {
        if (append.epoch === undefined) return store.append(runId, append)
        if (standing.has(runId)) return Effect.never
        const instant = deaths.get(runId)
        const events = append.events.map(nameOf)
        const isHere = instant !== undefined && "at" in instant && events.includes(instant.at)
        if (isHere && instant.when === "before") return stand(runId)
        return Effect.tap(
          store.append(runId, append),
          () => isHere ? stand(runId) : Effect.sync(() => wrote(runId, events))
        )
      })
  } satisfies EventStore["Service"]))

  const queue = Effect.map(RunQueue, (queue) => ({
    ...queue,
    release: (release) => Effect.suspend(() => standing.has(release.runId) ? Effect.never : queue.release(release))
  } satisfies RunQueue["Service"]))

  const call = <A>({ runId }: Operation, name: string, f: () => A) =>
    Effect.suspend(() => {
      if (standing.has(runId)) return Effect.never
      const answer = f()
      const instant = deaths.get(runId)
      return instant !== undefined && "gapOf" in instant && instant.gapOf === name
        ? Effect.andThen(ready(runId, instant.once), stand(runId))
        : Effect.succeed(answer)
    })

  return {
    layer: Layer.merge(Layer.effect(EventStore, store), Layer.effect(RunQueue, queue)),
    world: {
      ask: (operation, name) => call(operation, name, () => ledger.ask(operation, name)),
      act: (operation, name) => call(operation, name, () => ledger.act(operation, name))
    }
  }
}
