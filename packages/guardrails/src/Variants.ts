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
export const of = ({ kind, path, value }: Pick<Sink, "kind" | "path" | "value">): ReadonlyArray<string> => {
  const text = value.trim()
  const all = [text, ...numbers(text), ...minor(path, text), ...dates(text)]
  // As records have it that put texts in quotes.
  if (text.includes("'")) all.push(text.replaceAll("'", "''"))
  if (kind === "url") all.push(...addresses(text))
  if (kind === "recipient") all.push(text.replace(/[\s-]/g, ""), groups(text))
  return Array.from(new Set(all)).slice(0, 24)
}

/** Cents as what they are a hundredth of, where the name of the argument says that it has such. */
const minor = (path: string, text: string): ReadonlyArray<string> => {
  const [, unit] = /(cent|minor|pence|micro)[a-z]*(?:_[a-z]+)?$/i.exec(path) ?? []
  if (unit === undefined || !/^\d{1,15}$/.test(text)) return []
  return numbers(String(Number(text) / (unit.toLowerCase() === "micro" ? 1_000_000 : 100)))
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

/**
 * How to look for a number of a phone, a card, an account, however its digits are grouped. Of a phone's, what stands before is written in
 * several ways.
 *
 * @category constructors
 * @since 0.1.0
 */
export const grouped = ({ kind, value }: Pick<Sink, "kind" | "value">): RegExp | undefined => {
  if (kind !== "recipient" && kind !== "id" && kind !== "credential") return undefined
  const bare = value.replace(/[\s()./-]/g, "").toLowerCase()
  const phone = /^\+\d{8,15}$/.test(bare)
  if (!phone && !/^(?=.{0,6}\d{5})[a-z]{0,3}\d[a-z\d]{6,33}$/.test(bare)) return undefined
  const signs = Array.from(phone ? bare.slice(bare.length > 10 ? 4 : 3) : bare)
  return new RegExp(
    `(?<![\\p{L}\\p{N}])${phone ? "[+\\d ()./-]{0,12}" : ""}${signs.join("[ ()./-]{0,2}")}(?![\\p{L}\\p{N}])`,
    "gu"
  )
}

/** As account numbers are printed. */
const groups = (text: string): string =>
  /^[A-Za-z]{2}\d{2}[A-Za-z0-9]{8,32}$/.test(text) ? text.replace(/(.{4})(?=.)/g, "$1 ") : text
