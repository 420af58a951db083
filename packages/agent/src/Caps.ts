/**
 * Bounds on the numbers in a call's arguments.
 */
import { BigDecimal, Option } from "effect"
import type { Schema } from "effect"
import { isList } from "./ToolResult.ts"

/**
 * The least and the most that a number may be. Without `min` it may not be negative. Decimals that a number cannot hold are
 * given as text.
 *
 * @category models
 * @since 0.1.0
 */
export interface Cap {
  readonly min?: number | string
  readonly max?: number | string
}

/**
 * Caps by the path of an argument: `cents`, `payment.amount`. Of a list, every element is meant: `lines.cents`.
 *
 * @category models
 * @since 0.1.0
 */
export type Caps = Readonly<Record<string, Cap>>

/**
 * What an argument does not keep to; without its value.
 *
 * @category models
 * @since 0.1.0
 */
export interface Excess {
  readonly field: string
  readonly words: string
}

/**
 * Finds the arguments that are out of their bounds. What is absent is within; what is there and is no plain number is not.
 *
 * @category checks
 * @since 0.1.0
 */
export const exceeded = (caps: Caps, args: Schema.Json): ReadonlyArray<Excess> =>
  Object.entries(caps).flatMap(([field, cap]) => {
    const words = at(args, field.split(".")).flatMap((value) => check(cap, value))[0]
    return words === undefined ? [] : [{ field, words: `\`${field}\` ${words}` }]
  })

const at = (json: Schema.Json | undefined, path: ReadonlyArray<string>): ReadonlyArray<Schema.Json> => {
  if (json === undefined || json === null) return []
  if (isList(json)) return json.flatMap((item) => at(item, path))
  const [name, ...rest] = path
  if (name === undefined) return [json]
  return typeof json === "object" && Object.hasOwn(json, name)
    ? at(Object.entries(json).find(([key]) => key === name)?.[1], rest)
    : []
}

const check = (cap: Cap, value: Schema.Json): ReadonlyArray<string> => {
  const amount = typeof value === "number" || typeof value === "string" ? read(value) : Option.none()
  if (Option.isNone(amount)) return ["must be a plain number"]
  const least = read(cap.min ?? 0)
  const most = cap.max === undefined ? Option.none() : read(cap.max)
  const isLow = Option.isSome(least) && BigDecimal.isLessThan(amount.value, least.value)
  const isHigh = Option.isSome(most) && BigDecimal.isGreaterThan(amount.value, most.value)
  return isLow || isHigh ? [`must be ${bounds(cap)}`] : []
}

const bounds = ({ max, min = 0 }: Cap): string => max === undefined ? `${min} or more` : `from ${min} to ${max}`

/** Long digits and exponents are no amounts, and comparing them could take forever. */
const plain = /^[+-]?\d{1,100}(\.\d{1,100})?(e[+-]?\d{1,3})?$/i

const read = (value: number | string): Option.Option<BigDecimal.BigDecimal> => {
  const text = String(value).trim()
  return plain.test(text) ? BigDecimal.fromString(text.replace(/^\+/, "")) : Option.none()
}

/**
 * Why caps cannot be meant, if so.
 *
 * @category checks
 * @since 0.1.0
 */
export const problem = (caps: Caps): string | undefined => {
  for (const [field, { max, min }] of Object.entries(caps)) {
    const least = read(min ?? 0)
    const most = max === undefined ? least : read(max)
    if (field.trim() === "" || field.split(".").includes("")) return `names a field that cannot be: \`${field}\``
    if (Option.isNone(least) || Option.isNone(most)) return `wants decimal numbers for \`${field}\``
    if (BigDecimal.isLessThan(most.value, least.value)) return `allows nothing for \`${field}\``
  }
  return undefined
}
