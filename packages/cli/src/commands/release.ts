/**
 * `durable-agents release`: lets a stuck run go on.
 */
import * as Decision from "../Decision.ts"

/**
 * @category commands
 * @since 0.1.0
 */
export const release = Decision.operator("release", {
  act: (runs, run, by) => runs.release(run, by),
  said: "released",
  description:
    "Lets a stuck run go on, once the cause is mended: `explain` says what it is. If it is stuck since nobody knows how an " +
    "operation ended, say so first, with `resolve`.",
  short: "Let a stuck run go on",
  reason: "the bug is fixed"
})
