/**
 * Running a program that works until it is told to stop.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, type Scope } from "effect"

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
  countSignals()
  NodeRuntime.runMain(effect)
}

/**
 * Ends the process at once when it gets SIGTERM or SIGINT for the second time while the scope is open.
 *
 * @category running
 * @since 0.1.0
 */
export const endAtSecondSignal: Effect.Effect<void, never, Scope.Scope> = Effect.suspend(() =>
  Effect.asVoid(Effect.acquireRelease(Effect.sync(countSignals), (stop) => Effect.sync(stop)))
)

const countSignals = (): () => void => {
  let signals = 0
  const count = () => {
    signals += 1
    if (signals > 1) process.exit(130)
  }
  process.on("SIGTERM", count)
  process.on("SIGINT", count)
  return () => {
    process.off("SIGTERM", count)
    process.off("SIGINT", count)
  }
}
