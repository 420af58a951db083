/**
 * Logs as people read them when a test fails.
 */
import type { Recorded } from "@durable-agents/core"
import { RunEvent } from "@durable-agents/core"

/**
 * One event in one line: position, lease, type, key, and the rest of its fields as JSON.
 *
 * @category conversions
 * @since 0.1.0
 */
export const line = ({ epoch, event, seq }: Recorded): string => {
  const { payload, type } = RunEvent.encode(event)
  const { key, ...fields } = JSON.parse(payload)
  const rest = event._tag === "RunStarted" ? { program: fields.program, input: fields.input } : fields
  const words = [
    `${seq}`.padStart(3),
    epoch === undefined ? "outside" : `lease ${epoch}`,
    type,
    ...(key === undefined ? [] : [`\`${key}\``]),
    ...Object.entries(rest).filter(([name]) => !quiet.has(name)).map(([name, value]) => `${name}=${short(value)}`)
  ]
  return words.join("  ")
}

const quiet = new Set(["idempotencyKey", "usage", "promptDigest", "shown", "durationMillis", "epoch"])

/**
 * The last lines of a log.
 *
 * @category conversions
 * @since 0.1.0
 */
export const end = (lines: ReadonlyArray<string>, max = 40): ReadonlyArray<string> =>
  lines.length <= max ? lines : [`  … ${lines.length - max} events before`, ...lines.slice(-max)]

/**
 * A value in at most so many characters.
 *
 * @category conversions
 * @since 0.1.0
 */
export const short = (value: unknown, max = 160): string => {
  const text = value === undefined ? "nothing" : JSON.stringify(value) ?? String(value)
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`
}
