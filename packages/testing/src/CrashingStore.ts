/**
 * A store whose process dies at a chosen instant: right before or right after one of its writes.
 */
import type { EventStore, Owner, RunQueue } from "@durable-agents/core"
import type { Layer } from "effect"
import { Deferred, Effect } from "effect"
import * as StoreCalls from "./StoreCalls.ts"

/**
 * When a process dies: at its `at`-th write (0 is the first; appends of a worker and releases count), before it or after it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Instant {
  readonly at: number
  readonly when: "before" | "after"
}

/**
 * One process that is going to die, or not.
 *
 * @category models
 * @since 0.1.0
 */
export interface Doomed {
  readonly instant: Instant | undefined
  /** How many writes it has begun. */
  writes: number
  dead: boolean
  /** What it died at: the write, in words, and for an append the position of the last event in the log at that moment. */
  last: { readonly write: string; readonly seq: number | undefined } | undefined
  /** The names under which it held leases. */
  readonly owners: Set<Owner>
  /** Done when it has died. */
  readonly death: Deferred.Deferred<void>
}

/**
 * A process that dies at an instant; without one it only counts its writes.
 *
 * @category constructors
 * @since 0.1.0
 */
export const doomed = (instant?: Instant): Doomed => ({
  instant,
  writes: 0,
  dead: false,
  last: undefined,
  owners: new Set(),
  death: Deferred.makeUnsafe()
})

/**
 * The store as that process sees it. After its death every call is a defect, so nothing of it can reach the store any more.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (process: Doomed): Layer.Layer<EventStore | RunQueue, never, EventStore | RunQueue> =>
  StoreCalls.layer(around(process))

/**
 * The same as something around each call.
 *
 * @category combinators
 * @since 0.1.0
 */
export const around = (process: Doomed): StoreCalls.Around => {
  const die = (call: StoreCalls.Call) =>
    Effect.suspend(() => {
      process.dead = true
      const stored = process.instant?.when === "after" ? call.append?.events.length ?? 0 : 0
      const seq = call.append === undefined ? undefined : call.append.expected + stored - 1
      process.last = { write: StoreCalls.describe(call), seq }
      return Effect.andThen(Deferred.succeed(process.death, undefined), Effect.die("the process is dead"))
    })

  return (call, effect) =>
    Effect.suspend(() => {
      if (process.dead) return Effect.die("the process is dead")
      if (call.owner !== undefined) process.owners.add(call.owner)
      const isWrite = call.name === "release" || call.append?.epoch !== undefined
      if (!isWrite) return effect
      const index = process.writes++
      if (process.instant?.at !== index) return effect
      return process.instant.when === "before" ? die(call) : Effect.andThen(effect, die(call))
    })
}
