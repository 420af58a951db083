/**
 * Parts of streams: put together from the events of an endpoint, or made of answers and pieces of answers that come as a whole.
 */
import { Effect, Option, type Result, Stream } from "effect"
import type { AiError, Response } from "effect/ai"
import type * as Endpoint from "./Endpoint.ts"

type Parts = ReadonlyArray<Response.StreamPartEncoded>

/**
 * Reads the events of an answer up to its end, and no further.
 *
 * **Details**
 *
 * `step` says what an event adds to the answer; a `finish` among it ends the stream. `end` says what it means that there are no more
 * events before one came.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromEvents = <S, E>(events: Stream.Stream<Endpoint.Event, E>, read: {
  readonly start: S
  readonly step: (state: S, event: Endpoint.Event) => Result.Result<readonly [S, Parts], AiError.AiErrorReason>
  readonly end: (state: S) => Result.Result<readonly [S, Parts], AiError.AiErrorReason>
}): Stream.Stream<Response.StreamPartEncoded, E | AiError.AiErrorReason> =>
  events.pipe(
    Stream.map(Option.some),
    Stream.concat(Stream.succeed(Option.none())),
    Stream.mapAccumEffect(
      () => read.start,
      (state, event) =>
        Effect.fromResult(Option.match(event, {
          onNone: () => read.end(state),
          onSome: (said) => read.step(state, said)
        }))
    ),
    Stream.takeUntil(({ type }) => type === "finish")
  )

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
