/**
 * Logs as plain lines on standard error, so that standard output holds nothing but what was asked for.
 */
import { Cause, Console, Logger, References } from "effect"
import { hostname } from "node:os"
import * as Printable from "./Printable.ts"
import * as WorkerName from "./WorkerName.ts"

const here = encodeURIComponent(hostname())

const word = (value: unknown): string =>
  value instanceof Error ? value.message : typeof value === "string" ? value : JSON.stringify(value) ?? String(value)

/**
 * One line an entry: time, level, what is said, and why, without a stack; then those annotations that it does not say anyway.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Logger.layer([
  Logger.make<unknown, void>(({ cause, date, fiber, logLevel, message }) => {
    const said = (Array.isArray(message) ? message : [message]).map(word)
    const reasons = cause.reasons.length === 0 ? [] : [word(Cause.squash(cause))]
    const text = [...said, ...reasons].join(": ")
    // The engine's own lines say in words whose they are.
    const annotations = Object.entries(fiber.getRef(References.CurrentLogAnnotations))
      .filter(([, value]) => !text.includes(word(value)))
      .map(([name, value]) => `${name}=${word(value)}`)
    const line = [text, ...annotations].join(" ")
    fiber.getRef(Console.Console)
      .error(`${date.toISOString()} ${logLevel.toUpperCase().padEnd(5)} ${
        Printable.inline(WorkerName.shortened(line, here))
      }`)
  })
])

/**
 * The same as JSON, one object a line: `time` (ISO 8601), `level`, `message`, `reason` if there is one, and `annotations`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerJson = Logger.layer([
  Logger.make<unknown, void>(({ cause, date, fiber, logLevel, message }) => {
    const line = JSON.stringify({
      time: date.toISOString(),
      level: logLevel,
      message: (Array.isArray(message) ? message : [message]).map(word).join(": "),
      ...(cause.reasons.length === 0 ? {} : { reason: word(Cause.squash(cause)) }),
      annotations: fiber.getRef(References.CurrentLogAnnotations)
    })
    fiber.getRef(Console.Console).error(Printable.jsonText(line))
  })
])
