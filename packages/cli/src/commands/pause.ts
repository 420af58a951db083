/**
 * `durable-agents pause`: takes a run out of work.
 */
import * as Decision from "../Decision.ts"

/**
 * @category commands
 * @since 0.1.0
 */
export const pause = Decision.operator("pause", {
  act: (runs, run, by) => runs.pause(run, by),
  said: "paused",
  description:
    "Takes a run out of work until `unpause`: operations in flight end and are recorded, and no other begins. Decisions and " +
    "signals are taken meanwhile, and acted on later. Pausing again changes nothing.",
  short: "Take a run out of work",
  reason: "the warehouse is closed"
})
