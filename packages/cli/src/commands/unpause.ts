/**
 * `durable-agents unpause`: puts a paused run back to work.
 */
import * as Decision from "../Decision.ts"

/**
 * @category commands
 * @since 0.1.0
 */
export const unpause = Decision.operator("unpause", {
  act: (runs, run, by) => runs.resume(run, by),
  said: "in work again",
  description:
    "Puts a paused run back to work. Nothing is executed here: a worker goes on with it, or `resume`. Any other run is left " +
    "as it is.",
  short: "Put a paused run back to work",
  reason: "the warehouse is open"
})
