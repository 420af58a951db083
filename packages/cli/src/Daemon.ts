/**
 * Running a program that works until it is told to stop.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import type { Effect } from "effect"

/**
 * `NodeRuntime.runMain` for daemons: the first SIGTERM or SIGINT interrupts the program, so that a worker drains; the second one
 * ends the process at once, with exit code 130, and leaves whatever is in flight to the next worker.
 *
 * **Example**
 *
 * ```ts
 * import { Daemon } from "@durable-agents/cli"
 * import { Effect } from "effect"
 *
 * Daemon.run(Effect.never)
 * ```
 *
 * @category running
 * @since 0.1.0
 */
export const run = <A, E>(effect: Effect.Effect<A, E>): void => {
  endAtSecondSignal()
  NodeRuntime.runMain(effect)
}

/**
 * Ends the process at once when it gets SIGTERM or SIGINT for the second time from now on.
 *
 * @category running
 * @since 0.1.0
 */
export const endAtSecondSignal = (): void => {
  let signals = 0
  const count = () => {
    signals += 1
    if (signals > 1) process.exit(130)
  }
  process.on("SIGTERM", count)
  process.on("SIGINT", count)
}
