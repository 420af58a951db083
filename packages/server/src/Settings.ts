/**
 * Limits on requests, and how event feeds breathe.
 */
import { Context, type Duration } from "effect"

/**
 * @category references
 * @since 0.1.0
 */
export interface ServerSettings {
  /** Bytes of a body; more is answered with 413. */
  readonly bodyBytes: number
  /** How deep arrays and objects of a body may be nested. */
  readonly bodyDepth: number
  /** How long headers and body of a request may take to arrive; then 408. */
  readonly arrival: Duration.Input
  /** How long an answer may take to begin; then 503. */
  readonly answer: Duration.Input
  /** Bytes of all headers of a request; more is answered with 431. */
  readonly headerBytes: number
  /** How often a feed without events sends a comment, so that nobody takes its connection for dead. */
  readonly heartbeat: Duration.Input
  /** A connection on which nothing moves in either direction is closed after this time. */
  readonly idle: Duration.Input
  /** How long requests may go on when the server ends. */
  readonly grace: Duration.Input
}

/**
 * 2 MiB and 200 levels of body, 16 KiB of headers, 15 seconds to arrive, 30 to answer, a heartbeat every 15 seconds, 2 minutes
 * without movement, 10 seconds of grace.
 *
 * @category references
 * @since 0.1.0
 */
export const ServerSettings = Context.Reference<ServerSettings>("@durable-agents/server/ServerSettings", {
  defaultValue: () => ({
    bodyBytes: 2 * 1024 * 1024,
    bodyDepth: 200,
    arrival: "15 seconds",
    answer: "30 seconds",
    headerBytes: 16 * 1024,
    heartbeat: "15 seconds",
    idle: "2 minutes",
    grace: "10 seconds"
  })
})
