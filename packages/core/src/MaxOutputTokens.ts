/**
 * How long an answer of a model may be.
 */
import { Context } from "effect"

/**
 * The most tokens that the answer to a call of a model may have, reasoning included, as whoever pays for it says; undefined if
 * nobody does. A layer of a model asks its provider for no more.
 *
 * @category references
 * @since 0.1.0
 */
export const MaxOutputTokens = Context.Reference<number | undefined>("@durable-agents/core/MaxOutputTokens", {
  defaultValue: () => undefined
})
