/**
 * When a provider wants to be asked again, in all the forms that providers say it.
 */
import { DateTime, Duration, Option, Result } from "effect"
import { Headers } from "effect/http"

/**
 * The delay that the headers of an answer name; undefined if they name none that makes sense.
 *
 * **Details**
 *
 * The first that is there counts: `retry-after-ms`, `retry-after` in seconds or as a date, and for status 429 the headers that say
 * when a limit is lifted (`x-ratelimit-reset-*`, `anthropic-ratelimit-*-reset`): of the limits that are used up the one that is
 * lifted last, of all limits if none is said to be used up. Dates are compared with the answer's own `date`, so that clocks need
 * not agree; without one with `now`, milliseconds since 1970. What is not positive, or longer than a week, is none: such a value
 * is a mistake, and the caller's own back-off is the better answer.
 *
 * @category readers
 * @since 0.1.0
 */
export const ofHeaders = (headers: Headers.Headers, status: number, now: number): Duration.Duration | undefined => {
  const base = Option.match(Option.flatMap(header(headers, "date"), dateOf), {
    onNone: () => now,
    onSome: (date) => date
  })
  const named = Option.firstSomeOf([
    Option.flatMap(header(headers, "retry-after-ms"), (millis) => sensible(numberOf(millis))),
    Option.flatMap(header(headers, "retry-after"), (value) => sensible(delayOf(value, base)))
  ])
  const saysWhen = "retry-after" in headers || "retry-after-ms" in headers
  return Option.getOrUndefined(Option.map(saysWhen || status !== 429 ? named : resetOf(headers, base), Duration.millis))
}

/**
 * The delay that a text such as `1.5s`, `2m59.56s` or `20ms` names, as some providers put it into bodies.
 *
 * @category readers
 * @since 0.1.0
 */
export const ofText = (text: string): Duration.Duration | undefined =>
  Option.getOrUndefined(Option.map(sensible(spanOf(text)), Duration.millis))

const longest = Duration.toMillis(Duration.weeks(1))

const sensible = (millis: number | undefined): Option.Option<number> =>
  millis !== undefined && millis > 0 && millis <= longest ? Option.some(Math.ceil(millis)) : Option.none()

const header = (headers: Headers.Headers, name: string): Option.Option<string> => Option.fromUndefinedOr(headers[name])

const numberOf = (text: string): number | undefined =>
  /^\s*\d{1,15}(\.\d{1,9})?\s*$/.test(text) ? Number(text) : undefined

const dateOf = (text: string): Option.Option<number> =>
  Option.map(Result.getSuccess(Headers.parseHttpDate(text)), DateTime.toEpochMillis)

const delayOf = (value: string, base: number): number | undefined => {
  const seconds = numberOf(value)
  return seconds === undefined
    ? Option.getOrUndefined(Option.map(dateOf(value), (date) => date - base))
    : seconds * 1000
}

/** Names of limits and of what is left of them, and how the time of their reset is written. */
const limits: ReadonlyArray<
  readonly [reset: RegExp, remaining: string, millis: (text: string, base: number) => number | undefined]
> = [
  [/^x-ratelimit-reset(-\w+)?$/, "x-ratelimit-remaining$1", (text, base) => spanOf(text) ?? epochOf(text, base)],
  [
    /^anthropic-ratelimit-([\w-]+)-reset$/,
    "anthropic-ratelimit-$1-remaining",
    (text, base) => Option.getOrUndefined(Option.map(DateTime.make(text), (at) => DateTime.toEpochMillis(at) - base))
  ]
]

const resetOf = (headers: Headers.Headers, base: number): Option.Option<number> => {
  const resets = Object.entries(headers).flatMap(([name, text]) =>
    limits.flatMap(([reset, remaining, millis]) =>
      reset.test(name)
        ? Option.toArray(Option.map(sensible(millis(text, base)), (delay) => ({
          delay,
          usedUp: Number(headers[name.replace(reset, remaining)] ?? "1") === 0
        })))
        : []
    )
  )
  const usedUp = resets.filter((reset) => reset.usedUp)
  const delays = (usedUp.length > 0 ? usedUp : resets).map(({ delay }) => delay)
  return delays.length === 0 ? Option.none() : Option.some(Math.max(...delays))
}

const unitMillis: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

const spanOf = (text: string): number | undefined => {
  const spans = [...text.trim().matchAll(/(\d{1,15}(?:\.\d{1,12})?)(ms|[smhd])/g)]
  return spans.length === 0 || spans.map(([span]) => span).join("") !== text.trim()
    ? undefined
    : spans.reduce((sum, [, amount, unit = ""]) => sum + Number(amount) * (unitMillis[unit] ?? Number.NaN), 0)
}

/** A number is a time in milliseconds or seconds since 1970 if it is as large as these are, and otherwise seconds from now. */
const epochOf = (text: string, base: number): number | undefined => {
  const value = numberOf(text)
  if (value === undefined) return undefined
  return value > 1e11 ? value - base : value > 1e8 ? value * 1000 - base : value * 1000
}
