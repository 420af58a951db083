/**
 * Money as exact decimals in strings: never a floating-point number, never negative, never an exponent in what is written.
 */
import { BigDecimal, Schema } from "effect"

/**
 * An amount that is not negative, and short enough that sums stay exact at no cost: at most 40 digits on either side of the
 * point.
 *
 * @category models
 * @since 0.1.0
 */
export const Usd = Schema.String.check(Schema.isPattern(/^\d{1,40}(\.\d{1,40})?(e[+-]?\d{1,2})?$/))

/**
 * A sum of amounts, which is longer than what is summed.
 *
 * @category models
 * @since 0.1.0
 */
export const Total = Schema.String.check(Schema.isPattern(/^\d+(\.\d+)?(e[+-]?\d{1,2})?$/))

/**
 * Reads an amount.
 *
 * @category conversions
 * @since 0.1.0
 */
export const decimal = (text: string): BigDecimal.BigDecimal => BigDecimal.fromStringUnsafe(text)

/**
 * Plain digits, never an exponent: people read it, and databases.
 *
 * @category conversions
 * @since 0.1.0
 */
export const format = (value: BigDecimal.BigDecimal): string => {
  const { scale, value: digits } = BigDecimal.normalize(value)
  if (scale <= 0) return `${digits}${"0".repeat(-scale)}`
  const padded = `${digits}`.padStart(scale + 1, "0")
  return `${padded.slice(0, -scale)}.${padded.slice(-scale)}`
}

/**
 * Exact sum of two amounts.
 *
 * @category combinators
 * @since 0.1.0
 */
export const sum = (left: string, right: string): string =>
  left === "0" ? right : right === "0" ? left : format(BigDecimal.sum(decimal(left), decimal(right)))

/**
 * The exact difference, or nothing if that would be negative.
 *
 * @category combinators
 * @since 0.1.0
 */
export const subtract = (left: string, right: string): string =>
  right === "0" ? left : format(BigDecimal.max(decimal("0"), BigDecimal.subtract(decimal(left), decimal(right))))
