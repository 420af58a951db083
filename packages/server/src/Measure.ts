/**
 * What the server measures.
 */
import { Duration, Effect, Metric } from "effect"

const requests = Metric.counter("durable_agents_http_requests_total", {
  description: "Requests that were answered, by endpoint and status",
  incremental: true
})

const durations = Metric.histogram("durable_agents_http_answer_seconds", {
  description: "Time until the answer began",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

const openFeeds = Metric.gauge("durable_agents_http_feeds", { description: "Event feeds that are being read" })

/**
 * @category updates
 * @since 0.1.0
 */
export const request = (endpoint: string, status: number, elapsed: Duration.Duration): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(requests, { endpoint, status: `${status}` }), 1),
    Metric.update(Metric.withAttributes(durations, { endpoint }), Duration.toSeconds(elapsed))
  )

let feeds = 0

/**
 * Counts a feed as open for as long as the scope is.
 *
 * @category updates
 * @since 0.1.0
 */
export const feed = Effect.acquireRelease(
  Effect.suspend(() => Metric.update(openFeeds, ++feeds)),
  () => Effect.suspend(() => Metric.update(openFeeds, --feeds))
)
