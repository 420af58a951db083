/**
 * Patterns of digits as terms that are matched digit by digit: what is left of a pattern behind a digit is found out once, and of many
 * patterns together at the price of one. Numbering plans are written in such patterns.
 */

/**
 * A set of rows of digits, none of them endless.
 *
 * @category models
 * @since 0.1.0
 */
export interface Term {
  readonly id: number
  readonly parts:
    | { readonly _tag: "Never" | "Empty" }
    | { readonly _tag: "Digit"; readonly mask: number }
    | { readonly _tag: "Seq" | "And"; readonly first: Term; readonly second: Term }
    | { readonly _tag: "Alt"; readonly options: ReadonlyArray<Term> }
  /** Whether nothing more is needed. */
  readonly ends: boolean
  /** Lengths of the shortest and of the longest row. */
  readonly least: number
  readonly most: number
  /** What is left behind a digit, as far as it was asked for. */
  readonly rest: Array<Term | undefined>
}

/** Terms that say the same are one term; what nobody asks for is not made. */
const terms = new Map<string, Term>()

const term = (key: string, parts: Term["parts"], ends: boolean, least: number, most: number): Term => {
  const known = terms.get(key)
  if (known !== undefined) return known
  const made = { id: terms.size, parts, ends, least, most, rest: Array.from({ length: 10 }, () => undefined) }
  terms.set(key, made)
  return made
}

/**
 * Nothing matches.
 *
 * @category terms
 * @since 0.1.0
 */
export const never = term("never", { _tag: "Never" }, false, Infinity, -Infinity)

const empty = term("empty", { _tag: "Empty" }, true, 0, 0)

const digit = (mask: number): Term => mask === 0 ? never : term(`d${mask}`, { _tag: "Digit", mask }, false, 1, 1)

/** As many digits, whatever they are. */
const any = (length: number): Term => anys[length] ??= length <= 0 ? empty : seq(digit(1023), any(length - 1))

const anys: Array<Term | undefined> = []

/**
 * The one and then the other.
 *
 * @category terms
 * @since 0.1.0
 */
export const seq = (first: Term, second: Term): Term => {
  if (first === never || second === never) return never
  if (first === empty) return second
  if (second === empty) return first
  // From the left to the right, so that the same is written in one way.
  if (first.parts._tag === "Seq") return seq(first.parts.first, seq(first.parts.second, second))
  return term(
    `s${first.id},${second.id}`,
    { _tag: "Seq", first, second },
    first.ends && second.ends,
    first.least + second.least,
    first.most + second.most
  )
}

/**
 * One of these.
 *
 * @category terms
 * @since 0.1.0
 */
export const alt = (of: ReadonlyArray<Term>): Term => {
  const all = new Set(of.flatMap((option) => option.parts._tag === "Alt" ? option.parts.options : [option]))
  all.delete(never)
  for (const option of all) {
    if (option === empty || !isAny(option)) continue
    // Any digits cover what is as long.
    for (const other of all) {
      if (other !== option && other.least === option.least && other.most === option.least) all.delete(other)
    }
  }
  const options = Array.from(all).sort((a, b) => a.id - b.id)
  if (options.length < 2) return options[0] ?? never
  return term(
    `o${options.map(({ id }) => id).join()}`,
    { _tag: "Alt", options },
    options.some(({ ends }) => ends),
    Math.min(...options.map(({ least }) => least)),
    Math.max(...options.map(({ most }) => most))
  )
}

/**
 * The one and the other as well.
 *
 * @category terms
 * @since 0.1.0
 */
export const and = (a: Term, b: Term): Term => {
  const least = Math.max(a.least, b.least)
  const most = Math.min(a.most, b.most)
  if (least > most) return never
  if (a === b) return a
  const [first, second] = a.id < b.id ? [a, b] : [b, a]
  return term(`a${first.id},${second.id}`, { _tag: "And", first, second }, first.ends && second.ends, least, most)
}

/**
 * What of a term has this length.
 *
 * @category terms
 * @since 0.1.0
 */
export const ofLength = (from: Term, length: number): Term => {
  if (from.least > length || from.most < length) return never
  if (from.least === from.most) return from
  return from.parts._tag === "Alt"
    ? alt(from.parts.options.map((option) => ofLength(option, length)))
    : and(from, any(length))
}

/**
 * What is left of a term behind a digit.
 *
 * @category readers
 * @since 0.1.0
 */
export const after = (from: Term, digit: number): Term => from.rest[digit] ??= derive(from, digit)

const derive = ({ parts }: Term, digit: number): Term => {
  switch (parts._tag) {
    case "Never":
    case "Empty":
      return never
    case "Digit":
      return (parts.mask >> digit & 1) === 1 ? empty : never
    case "Seq": {
      const rest = seq(after(parts.first, digit), parts.second)
      return parts.first.ends ? alt([rest, after(parts.second, digit)]) : rest
    }
    case "Alt":
      return alt(parts.options.map((option) => after(option, digit)))
    case "And": {
      const first = after(parts.first, digit)
      const second = after(parts.second, digit)
      return isAny(second)
        ? ofLength(first, second.least)
        : isAny(first)
        ? ofLength(second, first.least)
        : and(first, second)
    }
  }
}

const isAny = (a: Term): boolean => a.least === a.most && a === any(a.least)

/**
 * What is left of a term behind digits.
 *
 * @category readers
 * @since 0.1.0
 */
export const afterAll = (from: Term, digits: string): Term => {
  let rest = from
  for (let at = 0; at < digits.length && rest !== never; at++) rest = after(rest, digits.charCodeAt(at) - 48)
  return rest
}

/**
 * Whether no row of a term begins another one, so that what begins with a row does so in one way.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isPrefixFree = (from: Term, seen: Set<Term> = new Set()): boolean => {
  if (seen.has(from)) return true
  seen.add(from)
  const rests = Array.from({ length: 10 }, (_, digit) => after(from, digit)).filter((rest) => rest !== never)
  return from.ends ? rests.length === 0 : rests.every((rest) => isPrefixFree(rest, seen))
}

/**
 * Reads a regular expression of digits, classes, groups, alternatives and counts; `undefined` if it holds anything else.
 *
 * @category readers
 * @since 0.1.0
 */
export const read = (pattern: string): Term | undefined => {
  const tokens = pattern.match(/\\d|\(\?:|\[[\d-]+\]|\{\d+(?:,\d+)?\}|[\d()|?]/g) ?? []
  if (tokens.join("") !== pattern) return undefined
  let at = 0
  const options = (): Term => {
    const all = [row()]
    while (tokens[at] === "|") {
      at++
      all.push(row())
    }
    return alt(all)
  }
  const row = (): Term => {
    const items: Array<Term> = []
    while (at < tokens.length && tokens[at] !== "|" && tokens[at] !== ")") items.push(counted(item()))
    return items.reduceRight((rest, one) => seq(one, rest), empty)
  }
  const item = (): Term => {
    const token = tokens[at++] ?? ""
    if (token !== "(" && token !== "(?:") return digit(maskOf(token))
    const inner = options()
    at++
    return inner
  }
  const counted = (one: Term): Term => {
    const token = tokens[at] ?? ""
    if (token !== "?" && !token.startsWith("{")) return one
    at++
    const [from = 0, to = from] = token === "?" ? [0, 1] : token.slice(1, -1).split(",").map(Number)
    let all: Term = empty
    for (let count = to; count > 0; count--) all = count > from ? alt([empty, seq(one, all)]) : seq(one, all)
    return all
  }
  const whole = options()
  return at === tokens.length ? whole : undefined
}

const maskOf = (token: string): number => {
  if (token === "\\d") return 1023
  let mask = 0
  for (const [, from = "", to = from] of token.matchAll(/(\d)(?:-(\d))?/g)) {
    for (let digit = Number(from); digit <= Number(to); digit++) mask |= 1 << digit
  }
  return mask
}
