/**
 * What an answer cost in tokens. The API counts what it read from its cache, what it wrote there, and the rest of the input apart.
 */
import { Json } from "@durable-agents/provider"
import { Option, Schema } from "effect"
import type { Response } from "effect/ai"

const Count = Schema.optionalKey(Schema.Unknown)

/**
 * Counts as they come. Null is a count that was not made, as if it were missing.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Fields = Schema.Struct({
  input_tokens: Count,
  cache_creation_input_tokens: Count,
  cache_read_input_tokens: Count,
  output_tokens: Count,
  output_tokens_details: Json.lenient(Schema.Struct({ thinking_tokens: Count }))
})

/**
 * @category models
 * @since 0.1.0
 */
export type Fields = typeof Fields.Type

/**
 * Later counts of a stream replace earlier ones; they are not added.
 *
 * @category combinators
 * @since 0.1.0
 */
export const update = (before: Fields, after: Fields): Fields => ({
  ...before,
  ...Object.fromEntries(Object.entries(after).filter(([, count]) => count !== undefined && count !== null))
})

/**
 * The counts with their total, which is unknown if one of its parts is there and makes no sense.
 *
 * @category readers
 * @since 0.1.0
 */
export const read = (usage: Fields = {}): typeof Response.Usage.Encoded => {
  const uncached = countOf(usage.input_tokens)
  const cacheWrite = countOf(usage.cache_creation_input_tokens)
  const cacheRead = countOf(usage.cache_read_input_tokens)
  const output = countOf(usage.output_tokens)
  const reasoning = countOf(usage.output_tokens_details?.thinking_tokens)
  const cached = [
    [usage.cache_creation_input_tokens, cacheWrite],
    [usage.cache_read_input_tokens, cacheRead]
  ] as const
  const isKnown = uncached !== undefined &&
    cached.every(([said, count]) => (said ?? undefined) === undefined || count !== undefined)
  return {
    inputTokens: {
      total: isKnown ? uncached + (cacheWrite ?? 0) + (cacheRead ?? 0) : undefined,
      // Not without the total: a sum of what is left would look complete.
      uncached: isKnown ? uncached : undefined,
      cacheRead,
      cacheWrite
    },
    outputTokens: {
      total: output,
      reasoning,
      text: output === undefined || reasoning === undefined || reasoning > output ? undefined : output - reasoning
    }
  }
}

const countOf = (said: unknown): number | undefined => Option.getOrUndefined(decode(said))

const decode = Schema.decodeUnknownOption(Schema.Natural)
