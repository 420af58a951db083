/**
 * The events of a run as they come, over reconnects and restarts of the server.
 */
import { type FeedEvent, recordedOf } from "@durable-agents/server/Api"
import { Effect, Result, Schedule, Stream } from "effect"
import type { Client, Failure } from "./Client.ts"
import type { Recorded } from "./Entry.ts"

type RunId = Recorded["runId"]

/** How the connection stands. */
export type Connection = "connecting" | "live" | "reconnecting" | "ended" | "failed"

const pause = Schedule.spaced("1 second")

/**
 * Follows a log until its run has ended. Every event is told once and in order, several at a time where they come fast. Fails only
 * with what trying again does not mend.
 */
export const follow = (client: Client, runId: RunId, tell: {
  readonly events: (events: ReadonlyArray<Recorded>) => void
  readonly connection: (connection: Connection) => void
}): Effect.Effect<void, Failure> => {
  let last: Recorded["seq"] | undefined
  const take = (items: ReadonlyArray<FeedEvent>) => {
    const events = items.flatMap((item) =>
      item.event === "message"
        ? Result.match(recordedOf(item.data), { onFailure: () => [], onSuccess: (found) => [found] })
        : []
    )
    last = events.at(-1)?.seq ?? last
    if (events.length > 0) tell.events(events)
    return items.some(({ event }) => event === "end")
  }
  const once = Effect.gen(function*() {
    const answer = yield* client.runs.events({
      params: { runId },
      query: {},
      headers: { accept: "text/event-stream", ...(last === undefined ? {} : { "last-event-id": last }) }
    })
    if (answer === undefined) return true
    if (!Stream.isStream(answer)) return false
    tell.connection("live")
    let ended = false
    yield* answer.pipe(
      Stream.groupedWithin(500, "40 millis"),
      Stream.runForEach((items) => Effect.sync(() => void (ended = take(items) || ended)))
    )
    return ended
  })
  return once.pipe(
    // What ends a stream early has been read up to its last event, and is read on from there.
    Effect.catchTags({
      HttpClientError: (error) => isPassing(error.response?.status) ? Effect.succeed(false) : Effect.fail(error),
      Retry: () => Effect.succeed(false),
      SseError: () => Effect.succeed(false),
      UnavailableProblem: () => Effect.succeed(false)
    }),
    Effect.tap((ended) => Effect.sync(() => tell.connection(ended ? "ended" : "reconnecting"))),
    Effect.repeat({ until: (ended) => ended, schedule: pause }),
    Effect.asVoid
  )
}

const isPassing = (status: number | undefined): boolean => status === undefined || status === 200 || status >= 500
