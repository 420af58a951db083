/**
 * An answer in one piece, cut as if a provider had streamed it: for models of tests.
 */
import { Stream } from "effect"
import type { Response } from "effect/ai"

/**
 * The stream of an answer: texts word by word, arguments in pieces of eight characters, everything else as it is.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromParts = (
  parts: ReadonlyArray<Response.PartEncoded>
): Stream.Stream<Response.StreamPartEncoded> => Stream.fromIterable(parts.flatMap(piecesOf)).pipe(Stream.rechunk(1))

const piecesOf = (part: Response.PartEncoded, index: number): ReadonlyArray<Response.StreamPartEncoded> => {
  switch (part.type) {
    case "text":
    case "reasoning": {
      const { metadata, text, type } = part
      const id = `${type}-${index}`
      return [
        { type: `${type}-start`, id },
        ...(text.match(/\s*\S+|\s+$/g) ?? []).map((delta) => ({ type: `${type}-delta`, id, delta }) as const),
        { type: `${type}-end`, id, ...(metadata === undefined ? {} : { metadata }) }
      ]
    }
    case "tool-call": {
      const { id, name, params } = part
      const json = JSON.stringify(params) ?? ""
      return [
        { type: "tool-params-start", id, name },
        ...(json.match(/[^]{1,8}/g) ?? []).map((delta) => ({ type: "tool-params-delta", id, delta }) as const),
        { type: "tool-params-end", id },
        part
      ]
    }
    default:
      return [part]
  }
}
