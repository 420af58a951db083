/**
 * Values as people write them in flags: budgets, durations, instants.
 */
import { Budget, IsoTime } from "@durable-agents/core"
import { type DateTime, Duration, Effect, Option, Record, Result, Schema, Struct } from "effect"
import * as Flag from "effect/cli/Flag"
import { keys, wrong } from "./Failure.ts"

/**
 * A flag whose text is read by a function that says what is wrong with it.
 *
 * @category flags
 * @since 0.1.0
 */
export const flag = <A>(name: string, read: (text: string) => Result.Result<A, string>): Flag.Flag<A> =>
  Flag.String(name).pipe(Flag.mapEffect((text) =>
    Effect.mapError(Effect.fromResult(read(text)), (problem) =>
      wrong(`Bad value for --${name}: ${problem}`))
  ))

/**
 * Reads how many of something each name may have, such as `refund=2`: whole numbers from 0 on.
 *
 * @category readers
 * @since 0.1.0
 */
export const amounts = (name: string) => (given: Readonly<Record<string, string>>) =>
  Effect.forEach(Object.entries(given), ([program, amount]) =>
    /^\d{1,9}$/.test(amount)
      ? Effect.succeed([program, Number(amount)] as const)
      : Effect.fail(wrong(`Bad value for --${name}: \`${amount}\` is no whole number from 0 on`)))
    .pipe(Effect.map(Record.fromEntries))

/**
 * An optional field, from a flag that may be missing.
 *
 * @category conversions
 * @since 0.1.0
 */
export const given = <A, B extends object>(flag: Option.Option<A>, field: (value: A) => B): B | {} =>
  Option.match(flag, { onNone: () => ({}), onSome: field })

const limits = Struct.keys(Budget.Budget.fields)
const decodeBudget = Schema.decodeUnknownResult(Budget.Budget)

/**
 * Reads the limits of a run, such as `turns=10,costUsd=0.50`.
 *
 * @category readers
 * @since 0.1.0
 */
export const budget = (text: string): Result.Result<Budget.Budget, string> =>
  Result.gen(function*() {
    const named = new Map<string, string | number>()
    for (const part of text.split(",")) {
      const [name = "", amount, ...more] = part.split("=").map((word) => word.trim())
      if (!limits.some((limit) => limit === name)) {
        return yield* Result.fail(`\`${name}\` is no limit; there are ${keys(limits)}`)
      }
      if (amount === undefined || more.length > 0) return yield* Result.fail(`\`${part.trim()}\` is not ${name}=AMOUNT`)
      if (named.has(name)) return yield* Result.fail(`\`${name}\` is given twice`)
      named.set(name, name === "costUsd" || !/^\d+$/.test(amount) ? amount : Number(amount))
    }
    const fields = Record.fromEntries(named)
    return yield* Result.mapError(decodeBudget(fields), () =>
      `\`${text.trim()}\`: costUsd wants a decimal such as 0.50, unpriced allow or refuse, atLimit refuse or park, the others whole numbers from 0 on`)
  })

const units: Readonly<Record<string, Duration.Unit>> = {
  ms: "millis",
  s: "seconds",
  min: "minutes",
  h: "hours",
  d: "days"
}

/**
 * Reads a duration, such as `500ms`, `30s`, `5min`, `2h` or `1d`. It is longer than nothing.
 *
 * @category readers
 * @since 0.1.0
 */
export const duration = (text: string): Result.Result<Duration.Duration, string> => {
  const [, amount = "", unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?) ?(ms|s|min|h|d)$/.exec(text.trim()) ?? []
  const known = units[unit]
  return known === undefined || Number(amount) === 0
    ? Result.fail(`\`${text}\` is no duration; write 500ms, 30s, 5min, 2h or 1d`)
    : Result.succeed(Duration.fromInputUnsafe(`${Number(amount)} ${known}`))
}

/**
 * The same, not shorter than this.
 *
 * @category readers
 * @since 0.1.0
 */
export const atLeast = (least: string) => (text: string): Result.Result<Duration.Duration, string> =>
  Result.gen(function*() {
    const [given, shortest] = [yield* duration(text), yield* duration(least)]
    return Duration.isLessThan(given, shortest)
      ? yield* Result.fail(`\`${text}\` is too short; at least ${least}`)
      : given
  })

/**
 * Reads a time in ISO 8601. It must say its offset, since the place that reads it may be in another zone.
 *
 * @category readers
 * @since 0.1.0
 */
export const instant = (text: string): Result.Result<DateTime.Utc, string> =>
  Result.fromOption(
    IsoTime.read(text),
    () => `\`${text}\` is no time with its offset; write 2026-12-24T18:00:00Z or 2026-12-24T18:00+01:00`
  )
