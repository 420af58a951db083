/**
 * Parts of streams, for answers and pieces of answers that come as a whole.
 */
import type { Response } from "effect/ai"

/**
 * The parts of a whole answer, as if they had been streamed.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromParts = (parts: ReadonlyArray<Response.PartEncoded>): ReadonlyArray<Response.StreamPartEncoded> =>
  parts.flatMap((part, index): ReadonlyArray<Response.StreamPartEncoded> => {
    const id = `${index}`
    switch (part.type) {
      case "text":
        return [{ type: "text-start", id }, { type: "text-delta", id, delta: part.text }, { type: "text-end", id }]
      case "reasoning":
        return reasoning(id, part.text, part.metadata)
      default:
        return [part]
    }
  })

/**
 * Reasoning that comes at once; an empty one begins and ends.
 *
 * @category constructors
 * @since 0.1.0
 */
export const reasoning = (
  id: string,
  text: string,
  metadata: Response.ReasoningPartEncoded["metadata"]
): ReadonlyArray<Response.StreamPartEncoded> => [
  { type: "reasoning-start", id },
  ...(text === "" ? [] : [{ type: "reasoning-delta", id, delta: text } as const]),
  { type: "reasoning-end", id, ...(metadata === undefined ? {} : { metadata }) }
]
