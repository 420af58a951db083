/**
 * The log of one run: a page of it, or all of it as server-sent events that go on with the run.
 */
import { type Recorded, RunEvent, type RunId, Runs } from "@durable-agents/core"
import { Context, Deferred, Effect, Layer, Option, Schedule, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { StillIn } from "./Identity.ts"
import * as Measure from "./Measure.ts"
import { invalid } from "./Refusal.ts"
import { ServerSettings } from "./Settings.ts"
import { type Item, Tails } from "./Tails.ts"

/**
 * Ends the feeds of a server that is about to end, so that its clients go on elsewhere. Never of itself.
 *
 * @category references
 * @since 0.1.0
 */
export const Draining = Context.Reference<Deferred.Deferred<void>>("@durable-agents/server/Draining", {
  defaultValue: () => Deferred.makeUnsafe()
})

/**
 * What all feeds of a server read from.
 *
 * @category layers
 * @since 0.1.0
 */
export const tails: Layer.Layer<Tails, never, Runs> = Layer.suspend(() => Tails.layer(itemOf))

/** Where a page ends that has large events, in characters. */
const pageLength = 4_000_000

/**
 * A page from a position on, as the lines that were recorded: up to `limit`, and fewer if they are large.
 *
 * @category responses
 * @since 0.1.0
 */
export const page = Effect.fnUntraced(function*(runId: RunId, from: number, limit: number) {
  const lines: Array<string> = []
  let length = 0
  let next: number | undefined
  yield* Stream.runForEachWhile((yield* Runs).events(runId, from), (recorded) =>
    Effect.sync(() => {
      if (lines.length === limit || length >= pageLength) next = recorded.seq
      else length += lines[lines.push(RunEvent.toLine(recorded)) - 1]?.length ?? 0
      return next === undefined
    }))
  return HttpServerResponse.text(`{"items":[${lines.join(",")}]${next === undefined ? "" : `,"next":${next}`}}`, {
    contentType: "application/json"
  })
})

/**
 * Every event from a position on, once and in order, each with its position as id; when the run has ended `end`, and then nothing.
 * A reader who has it all is told so by 204, which keeps browsers from asking again.
 *
 * **Details**
 *
 * `field` is where the request names the position. Events are sent as fast as the reader takes them, so a slow one costs a page of events, however long the log is. All who follow
 * one run read its newest events from the store together. A reader whose token opens nothing any more is cut off at the next
 * heartbeat.
 *
 * @category responses
 * @since 0.1.0
 */
export const feed = Effect.fnUntraced(function*(runId: RunId, from: number, field: ReadonlyArray<string>) {
  const runs = yield* Runs
  const { heartbeat } = yield* ServerSettings
  const draining = yield* Draining
  const stillIn = yield* StillIn
  const before = from === 0 ? undefined : yield* Stream.runHead(Stream.take(runs.events(runId, from - 1), 1))
  if (before !== undefined) {
    if (Option.isNone(before)) {
      return yield* invalid(field, "is beyond the end of the log")
    }
    if (endStatus(before.value) !== undefined) return HttpServerResponse.empty({ status: 204 })
  }
  const events = Stream.flatMap(
    (yield* Tails).follow(runId, from),
    // Many may have come at once; nobody has to take them at once.
    (found) => Stream.fromIterable(pieces(found), { chunkSize: 1 })
  )
  const beats = Stream.map(Stream.fromSchedule(Schedule.spaced(heartbeat)), () => ":\n\n")
  // What comes first tells the client, and everything between, that the feed stands.
  const all = Stream.concat(Stream.make(":\n\n"), Stream.merge(events, beats, { haltStrategy: "left" }))
  return HttpServerResponse.stream(
    Stream.unwrap(Effect.as(Measure.feed, all)).pipe(
      Stream.interruptWhen(Deferred.await(draining)),
      Stream.interruptWhen(Effect.repeat(Effect.delay(stillIn, heartbeat), { until: (isIn) => !isIn })),
      Stream.encodeText
    ),
    { contentType: "text/event-stream", headers: { "cache-control": "no-store", "x-accel-buffering": "no" } }
  )
})

function* pieces(found: ReadonlyArray<Item>): Iterable<string> {
  for (let index = 0; index < found.length; index += 32) {
    yield found.slice(index, index + 32).map(({ text }) => text).join("")
  }
}

const itemOf = (recorded: Recorded): Item => {
  const status = endStatus(recorded)
  const end = status === undefined ? "" : `event: end\ndata: {"status":"${status}"}\n\n`
  return {
    seq: recorded.seq,
    text: `id: ${recorded.seq}\ndata: ${RunEvent.toLine(recorded)}\n\n${end}`,
    isLast: status !== undefined
  }
}

const endStatus = ({ event }: Recorded): "Completed" | "Failed" | "Cancelled" | undefined => {
  switch (event._tag) {
    case "RunCompleted":
      return "Completed"
    case "RunFailed":
      return "Failed"
    case "RunCancelled":
      return "Cancelled"
    default:
      return undefined
  }
}
