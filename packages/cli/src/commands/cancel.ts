/**
 * `durable-agents cancel`: asks a run to stop.
 */
import * as Decision from "../Decision.ts"

/**
 * @category commands
 * @since 0.1.0
 */
export const cancel = Decision.operator("cancel", {
  act: (runs, run, by) => runs.cancel(run, by),
  said: "cancel requested",
  description:
    "Asks a run to stop. One that has not begun, or is stuck, ends at once; any other is ended by a worker, which lets " +
    "operations in flight end within the grace time. Asking again changes nothing.",
  short: "Ask a run to stop",
  reason: "ordered twice"
})
