/**
 * How much is measured.
 */
import { Context } from "effect"

/**
 * @category references
 * @since 0.1.0
 */
export interface Settings {
  /** How often the systems take turns. */
  readonly rounds: number
  /** About how long one round of one system takes, in milliseconds. */
  readonly roundMillis: number
}

/**
 * Five rounds of about a second.
 *
 * @category references
 * @since 0.1.0
 */
export const Settings = Context.Reference<Settings>("@durable-agents/bench/Settings", {
  defaultValue: () => ({ rounds: 5, roundMillis: 1_000 })
})
