/**
 * A store as a frozen process sees it: while it is frozen, every call waits, and so does every answer.
 */
import type { EventStore, RunQueue } from "@durable-agents/core"
import type { Layer } from "effect"
import { Effect, Latch } from "effect"
import * as StoreCalls from "./StoreCalls.ts"

/**
 * The switch of one process: open lets it run, closed freezes it, as SIGSTOP or a sleeping laptop would.
 *
 * @category constructors
 * @since 0.1.0
 */
export const thawed = (): Latch.Latch => Latch.makeUnsafe(true)

/**
 * The store behind that switch.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (latch: Latch.Latch): Layer.Layer<EventStore | RunQueue, never, EventStore | RunQueue> =>
  StoreCalls.layer((_, effect) =>
    latch.await.pipe(
      Effect.andThen(Effect.exit(effect)),
      Effect.flatMap((answer) => Effect.andThen(latch.await, answer))
    )
  )
