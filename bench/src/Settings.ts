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
  /** How many rounds before them are thrown away at least: what is in them is compiled while it runs. From 1 on. */
  readonly warmUps: number
  /** About how long one round of one system takes, in milliseconds. */
  readonly roundMillis: number
  /** How many runs are there that nobody executes. */
  readonly crowd: { readonly parked: number; readonly finished: number }
}

/**
 * Five rounds of about a second; ten thousand runs that wait, a million that have ended.
 *
 * @category references
 * @since 0.1.0
 */
export const Settings = Context.Reference<Settings>("@durable-agents/bench/Settings", {
  defaultValue: () => ({ rounds: 5, warmUps: 3, roundMillis: 1_000, crowd: { parked: 10_000, finished: 1_000_000 } })
})
