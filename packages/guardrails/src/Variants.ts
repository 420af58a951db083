/**
 * The ways in which a value may be written where it comes from.
 */
import type { Sink } from "./Sinks.ts"

/**
 * The value itself first, then numbers with other separators, dates with the month in words, addresses without what browsers add.
 *
 * @category constructors
 * @since 0.1.0
 */
export const of = ({ kind, value }: Pick<Sink, "kind" | "value">): ReadonlyArray<string> => {
  const text = value.trim()
  const all = [text, ...numbers(text), ...dates(text)]
  if (kind === "url") all.push(...addresses(text))
  if (kind === "recipient") all.push(text.replace(/[\s-]/g, ""), groups(text))
  return Array.from(new Set(all)).slice(0, 24)
}

const numbers = (text: string): ReadonlyArray<string> => {
  if (!/^-?\d{1,15}(\.\d{1,6})?$/.test(text)) return []
  const [whole = "", fraction = ""] = text.split(".")
  const digits = fraction.replace(/0+$/, "")
  const fractions = digits === "" ? ["", "00"] : [digits, digits.padEnd(2, "0")]
  return fractions.flatMap((part) =>
    ([[",", "."], [".", ","], [" ", ","], ["'", "."], ["", "."], ["", ","]] as const).map(([thousands, decimal]) =>
      whole.replace(/\B(?=(\d{3})+(?!\d))/g, thousands) + (part === "" ? "" : decimal + part)
    )
  )
}

const months = "january february march april may june july august september october november december".split(" ")

const dates = (text: string): ReadonlyArray<string> => {
  const [, year, month, day, time] = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d).*)?$/.exec(text) ?? []
  if (year === undefined || month === undefined || day === undefined) return []
  const name = months[Number(month) - 1] ?? month
  const short = name.slice(0, 3)
  const d = String(Number(day))
  const th = `${d}${/^1\d$/.test(d) ? "th" : ["th", "st", "nd", "rd"][Number(d) % 10] ?? "th"}`
  return [
    `${year}-${month}-${day}`,
    ...[name, short].flatMap((one) => [d, th].flatMap((at) => [`${one} ${at}`, `${at} ${one}`, `${at} of ${one}`])),
    `${day}.${month}.${year}`,
    `${day}/${month}/${year}`,
    `${month}/${day}/${year}`,
    ...(time === undefined ? [] : [`${year}-${month}-${day} ${time}`])
  ]
}

const addresses = (text: string): ReadonlyArray<string> => {
  const bare = text.replace(/^[a-z]+:\/\//i, "").replace(/\/$/, "")
  return [bare, bare.replace(/^www\./i, ""), `www.${bare.replace(/^www\./i, "")}`]
}

/** As account numbers are printed. */
const groups = (text: string): string =>
  /^[A-Za-z]{2}\d{2}[A-Za-z0-9]{8,32}$/.test(text) ? text.replace(/(.{4})(?=.)/g, "$1 ") : text
