/**
 * How long an answer may be.
 */
import { Context } from "effect"

/**
 * The most tokens that the answer to a call of a model may have, reasoning included, as whoever pays for it says; undefined if
 * nobody does. A layer of a model asks its provider for no more.
 *
 * **Details**
 *
 * It is the `MaxOutputTokens` of `@durable-agents/agent`, by its key: neither package stands on the other.
 *
 * @category references
 * @since 0.1.0
 */
export const MaxOutputTokens = Context.Reference<number | undefined>("@durable-agents/agent/MaxOutputTokens", {
  defaultValue: () => undefined
})
