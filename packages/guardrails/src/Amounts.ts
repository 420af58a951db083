/**
 * Amounts in arguments: a decimal, and a currency where one is named.
 */
import { BigDecimal, Option, Result } from "effect"
import type { Schema } from "effect"

/**
 * @category models
 * @since 0.1.0
 */
export interface Amount {
  readonly value: BigDecimal.BigDecimal
  /** Three capital letters; undefined if none is named. */
  readonly currency: string | undefined
}

/**
 * Reads a number or a text: `12.50`, `EUR 12.50`, `12.50 EUR`, `€12.50`. None if it is anything else, separators of thousands
 * included, since they mean different things in different places.
 *
 * @category readers
 * @since 0.1.0
 */
export const read = (json: Schema.Json): Option.Option<Amount> => {
  if (typeof json !== "number" && typeof json !== "string") return Option.none()
  const text = String(json).normalize("NFKC").trim()
  const [, before = "", sign = "", digits = "", after = ""] = shape.exec(text) ?? []
  if (digits === "" || (before !== "" && after !== "")) return Option.none()
  const named = (before + after).toUpperCase()
  return Option.map(BigDecimal.fromString(`${sign === "-" ? "-" : ""}${digits}`), (value) => ({
    value,
    currency: named === "" ? undefined : signs.get(named) ?? named
  }))
}

const shape =
  /^([A-Za-z]{3}|[€$£¥₹])?\s{0,3}([+-]?)(\d{1,60}(?:\.\d{1,60})?(?:e[+-]?\d{1,2})?)\s{0,3}([A-Za-z]{3}|[€$£¥₹])?$/i

const signs = new Map([["€", "EUR"], ["$", "USD"], ["£", "GBP"], ["¥", "JPY"], ["₹", "INR"]])

/**
 * The sums of what stands at a path, by currency; or why that is no amount. `currency` is the path of what names it, if the amounts
 * do not. With `lenient` what is no amount is left out.
 *
 * @category readers
 * @since 0.1.0
 */
export const sums = (
  json: Schema.Json,
  field: string,
  currency?: string,
  lenient = false
): Result.Result<ReadonlyMap<string, BigDecimal.BigDecimal>, string> => {
  const found = new Map<string, BigDecimal.BigDecimal>()
  const named = currency === undefined ? undefined : at(json, currency)[0]
  for (const one of at(json, field)) {
    const amount = Option.getOrUndefined(read(one))
    if (amount === undefined || BigDecimal.isNegative(amount.value)) {
      if (lenient) continue
      return Result.fail(`\`${field}\` must be a plain amount that is not negative`)
    }
    const own = amount.currency ?? (typeof named === "string" ? named.trim().toUpperCase() : "")
    found.set(own, BigDecimal.sum(found.get(own) ?? BigDecimal.fromBigInt(0n), amount.value))
  }
  return Result.succeed(found)
}

/**
 * The values at the path of an argument; of lists, those of every element.
 *
 * @category readers
 * @since 0.1.0
 */
export const at = (json: Schema.Json | undefined, path: string): ReadonlyArray<Schema.Json> =>
  below(json, path.split("."))

const below = (json: Schema.Json | undefined, path: ReadonlyArray<string>): ReadonlyArray<Schema.Json> => {
  if (json === undefined || json === null) return []
  if (Array.isArray(json)) return json.flatMap((item: Schema.Json) => below(item, path))
  const [name, ...rest] = path
  if (name === undefined) return [json]
  return typeof json === "object" ? below(new Map(Object.entries(json)).get(name), rest) : []
}
