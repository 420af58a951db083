/**
 * The logs of runs behind a server: read by page, and followed across breaks.
 */
import type { Recorded, RunId, Seq } from "@durable-agents/core"
import { StoreError } from "@durable-agents/core"
import { type EventLine, recordedOf } from "@durable-agents/server/Api"
import { Effect, Option, Schedule, Stream } from "effect"
import { ServerFailure } from "../Failure.ts"
import type { ServerClient } from "./ServerClient.ts"

/** Events may be large, and a page is read as a whole. */
const limit = 200

/** How long a server that went away may take to come back: half a minute. */
const returning = Schedule.spaced("500 millis").pipe(Schedule.upTo({ times: 60 }))

const isAway = (error: unknown): boolean =>
  error instanceof StoreError && error.cause instanceof ServerFailure && error.cause.kind === "away"

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = ({ client, failed, ofQuestion }: ServerClient) => {
  const recorded = (line: EventLine) =>
    Effect.mapError(
      Effect.fromResult(recordedOf(line)),
      (problem) => failed("read", "failed", `sent an event ${line.seq} that cannot be read: ${problem}`)
    )

  const page = Effect.fnUntraced(function*(runId: RunId, from: Seq) {
    const answer = yield* client.runs.events({ params: { runId }, query: { from, limit }, headers: {} }).pipe(
      // As with a store, a run that is unknown has no events.
      Effect.catchTag("RunNotFoundProblem", () => Effect.void),
      Effect.catchTags(ofQuestion("read"))
    )
    if (answer === undefined) return [[], Option.none<Seq>()] as const
    if (Stream.isStream(answer)) return yield* failed("read", "failed", "sent a feed instead of a page")
    const events = yield* Effect.forEach(answer.items, recorded)
    return [events, Option.fromNullishOr(answer.next)] as const
  })

  const events = (runId: RunId, from: Seq = 0): Stream.Stream<Recorded, StoreError> =>
    Stream.paginate(from, (position) => page(runId, position))

  const changes = (runId: RunId, from: Seq = 0): Stream.Stream<Recorded, StoreError> =>
    Stream.suspend(() => {
      let next = from
      let isOver = false
      const over = Effect.sync(() => {
        isOver = true
        return Stream.empty
      })
      const open = Effect.gen(function*() {
        const answer = yield* client.runs.events({
          params: { runId },
          query: { from: next },
          headers: { accept: "text/event-stream" }
        }).pipe(
          Effect.catchTag("RunNotFoundProblem", () => Effect.void),
          Effect.catchTags(ofQuestion("read"))
        )
        // Nothing is left to be sent.
        if (answer === undefined) return yield* over
        return Stream.isStream(answer) ? answer : yield* failed("read", "failed", "sent a page instead of a feed")
      })
      return Stream.unwrap(open).pipe(
        Stream.mapError((error) =>
          error instanceof StoreError
            ? error
            : error._tag === "SchemaError"
            ? failed("read", "failed", "sent an event that cannot be read")
            : failed("read", "away", "broke off its feed")
        ),
        Stream.mapEffect((event) =>
          event.event === "end" ? Effect.as(over, []) : Effect.map(recorded(event.data), (one) => [one])
        ),
        Stream.flattenIterable,
        Stream.tap(({ seq }) => Effect.sync(() => void (next = seq + 1))),
        Stream.retry(Schedule.while(returning, ({ input }) => isAway(input))),
        // A server that is about to end sends its readers away.
        Stream.repeat(Schedule.while(Schedule.spaced("500 millis"), () => !isOver))
      )
    })

  return { events, changes }
}
