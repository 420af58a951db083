/**
 * The events of a stream, out of text that comes in any pieces.
 */
import { Effect, Option, Stream } from "effect"
import type { AiError } from "effect/ai"
import { Sse } from "effect/encoding"
import type { Pieces } from "./Pieces.ts"

/**
 * One server-sent event.
 *
 * @category models
 * @since 0.1.0
 */
export interface Event {
  /** `message` if the stream does not say. */
  readonly event: string
  /** The `data:` lines of the event, joined by newlines. */
  readonly data: string
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The length of one event, lines that are not over included, in UTF-16 code units. */
  readonly maxEventLength: number
  /** An event, or the stream, is larger than its bound. */
  readonly tooLarge: (what: string) => AiError.AiErrorReason
}

/**
 * Whether a body that begins like this is a stream of events, whatever its content type says.
 *
 * @category readers
 * @since 0.1.0
 */
export const beginsLikeOne = (text: string): boolean => /^\s*[:deir]/.test(text)

/**
 * Reads to the end; comments and reconnection times are passed over. A last event without an empty line after it counts.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  first: string,
  { next, whole }: Pieces,
  { maxEventLength, tooLarge }: Options
): Stream.Stream<Event, AiError.AiErrorReason> =>
  Stream.suspend(() => {
    let events: Array<Event> = []
    const parser = Sse.makeParser(
      (parsed) => {
        if (parsed._tag === "Event") events.push({ event: parsed.event, data: parsed.data })
      },
      { maxEventSize: maxEventLength + fieldName }
    )
    /** What a piece completes, and what comes after: a failure only after the events that were whole before it. */
    const feed = (text: string, after: Option.Option<State>): readonly [ReadonlyArray<Event>, Option.Option<State>] => {
      events = []
      const refused = parser.feed(text) !== undefined
      const large = events.findIndex(({ data }) => data.length > maxEventLength)
      return refused || large >= 0
        ? [
          events.slice(0, large < 0 ? undefined : large),
          Option.some(tooLarge("an event larger than the bound on events"))
        ]
        : [events, after]
    }
    return Stream.paginate<State, Event, AiError.AiErrorReason>(first, (state) =>
      typeof state === "string"
        ? Effect.succeed(feed(state, Option.some(undefined)))
        : state !== undefined
        ? Effect.fail(state)
        : Effect.flatMap(next, (text) => {
          if (text !== undefined) return Effect.succeed(feed(text, Option.some(undefined)))
          return whole()
            ? Effect.succeed(feed("\n\n", Option.none()))
            : Effect.fail(tooLarge("larger than the bound on answers"))
        }))
  })

/** What to do next: take this text, read on, or fail. */
type State = string | undefined | AiError.AiErrorReason

/** The parser counts the name of the field as well, if a line is not over. */
const fieldName = "data: ".length + 1
