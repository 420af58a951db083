/**
 * Numbers, durations, times and people in words. The same under every locale.
 */
import type { Actor, Budget } from "@durable-agents/core"
import { DateTime, Option } from "effect"
import * as Printable from "./Printable.ts"

/**
 * @category units
 * @since 0.1.0
 */
export const count = (value: number): string => {
  const [whole = "", ...fraction] = `${value}`.split(".")
  return [whole.replace(/(?<=\d)(?=(\d{3})+$)/g, ","), ...fraction].join(".")
}

/**
 * A number with the noun that it counts.
 *
 * @category units
 * @since 0.1.0
 */
export const counted = (value: number, singular: string, plural = `${singular}s`): string =>
  `${count(value)} ${value === 1 ? singular : plural}`

/**
 * A duration: milliseconds below a second, seconds below a minute, then every unit that is not zero.
 *
 * @category units
 * @since 0.1.0
 */
export const duration = (millis: number): string => {
  if (!Number.isFinite(millis) || millis < 1000) return `${millis} ms`
  const seconds = Math.floor(millis / 1000)
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [Number((millis / 1000 - Math.floor(seconds / 60) * 60).toFixed(3)), "s"]
  ] as const
  return parts.filter(([value]) => value > 0).map(([value, unit]) => `${count(value)} ${unit}`).join(" ")
}

/**
 * About how long, by the largest unit only.
 *
 * @category units
 * @since 0.1.0
 */
export const roughly = (millis: number): string => {
  const units = [[86_400_000, "d"], [3_600_000, "h"], [60_000, "min"]] as const
  const [size, unit] = units.find(([size]) => millis >= size) ?? [1000, "s"]
  return `${count(Math.max(0, Math.floor(millis / size)))} ${unit}`
}

const iso = (millis: number): string | undefined =>
  Option.getOrUndefined(Option.map(DateTime.make(millis), DateTime.formatIso))

/**
 * @category units
 * @since 0.1.0
 */
export const date = (millis: number): string => iso(millis)?.split("T")[0] ?? "no date"

/**
 * The time of day in UTC, to the millisecond.
 *
 * @category units
 * @since 0.1.0
 */
export const time = (millis: number): string => iso(millis)?.split("T")[1]?.replace("Z", "") ?? `${millis} ms`

/**
 * @category units
 * @since 0.1.0
 */
export const instant = (millis: number): string => {
  const text = iso(millis)
  return text === undefined ? `${millis} ms` : `${text.replace("T", " ").replace("Z", "")} UTC`
}

/**
 * @category units
 * @since 0.1.0
 */
export const actor = ({ id, kind }: Actor): string => `${kind} ${Printable.inline(id)}`

/**
 * What is known of the money that was spent: `at least` where some calls have no known cost, and that it is not known where no
 * call has one. `allowed` is the limit.
 *
 * @category units
 * @since 0.1.0
 */
export const cost = ({ costUsd, unpricedCalls }: Budget.Usage, allowed?: string): string => {
  if (unpricedCalls > 0 && costUsd === "0") {
    return allowed === undefined ? "cost not known" : `cost not known of ${allowed} USD`
  }
  const least = unpricedCalls > 0 ? "at least " : ""
  return `${least}${costUsd}${allowed === undefined ? "" : ` of ${allowed}`} USD`
}
