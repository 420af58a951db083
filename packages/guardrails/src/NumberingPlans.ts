/**
 * The numbering plans of the countries, as `libphonenumber-js` has them: whether digits are a number of a country. The metadata is
 * read here, since parsing a number with the library takes a hundred times as long as to match it.
 */
import metadata from "libphonenumber-js/min/metadata"
import type { Term } from "./DigitPatterns.ts"
import * as DigitPatterns from "./DigitPatterns.ts"

interface Plan {
  /** All numbers of the country, without the trunk prefix. */
  readonly pattern: RegExp
  /** Where countries share a calling code, numbers of a known kind. */
  readonly kinds: RegExp | undefined
  readonly lengths: ReadonlyArray<number>
  readonly prefix: RegExp | undefined
  readonly replacement: string | undefined
  /** The numbers, with the trunk prefix and without. */
  readonly dialled: Term
  /** Whether these are all; else only the regular expression knows how to take the prefix away. */
  readonly isWhole: boolean
  /** What may stand before a number from abroad, or any number where these are not all. */
  readonly prefixes: Term
  /** By how many digits a number from abroad gets shorter without it, if that is known. */
  readonly shortens: { readonly least: number; readonly most: number } | undefined
}

const plans = new Map<string, Plan | undefined>()

/** Rows of the metadata are lists: a number is given in the third place, how it is dialled at home from the sixth on. */
const planOf = (country: string): Plan | undefined => {
  if (!plans.has(country)) plans.set(country, readPlan(rowOf(country)))
  return plans.get(country)
}

const rowOf = (country: string): ReadonlyArray<unknown> =>
  isCountry(country) ? Object.values(metadata.countries[country] ?? []) : []

/**
 * Whether there is a country of that name.
 *
 * @category guards
 * @since 0.1.0
 */
export const isCountry = (name: string): name is keyof typeof metadata.countries =>
  Object.hasOwn(metadata.countries, name)

const readPlan = (row: ReadonlyArray<unknown>): Plan | undefined => {
  const [, , pattern, lengths, , own, , parsed, replacement] = row
  if (typeof pattern !== "string") return undefined
  const prefix = typeof parsed === "string" ? parsed : typeof own === "string" ? own : undefined
  const kinds = kindsOf(row[11])
  const replaced = typeof replacement === "string" ? replacement : undefined
  const numbers = termOf(pattern, kinds, lengthsOf(lengths))
  return {
    pattern: whole(pattern),
    kinds: kinds === undefined ? undefined : whole(kinds),
    lengths: lengthsOf(lengths),
    prefix: prefix === undefined ? undefined : new RegExp(`^(?:${prefix})`),
    replacement: replaced,
    ...withPrefix(numbers, prefix, replaced)
  }
}

const termOf = (pattern: string, kinds: string | undefined, lengths: ReadonlyArray<number>): Term | undefined => {
  const all = DigitPatterns.read(pattern)
  const known = kinds === undefined ? all : DigitPatterns.read(kinds)
  if (all === undefined || known === undefined) return undefined
  const both = DigitPatterns.and(all, known)
  return DigitPatterns.alt(lengths.map((length) => DigitPatterns.ofLength(both, length)))
}

/** Anything: a regular expression has to say. */
const anything = DigitPatterns.read("\\d{0,24}") ?? DigitPatterns.never

const withPrefix = (
  numbers: Term | undefined,
  prefix: string | undefined,
  replacement: string | undefined
): Pick<Plan, "dialled" | "isWhole" | "prefixes" | "shortens"> => {
  if (numbers === undefined) {
    return { dialled: DigitPatterns.never, isWhole: false, prefixes: anything, shortens: undefined }
  }
  if (prefix === undefined) {
    return { dialled: numbers, isWhole: true, prefixes: DigitPatterns.never, shortens: { least: 0, most: 0 } }
  }
  const prefixes = DigitPatterns.read(prefix.replaceAll("$", "")) ?? anything
  const [, local = "", trunk = prefix] = /^\(([^()]*)\)\$\|(\d)$/.exec(prefix) ?? []
  const lead = DigitPatterns.read(trunk)
  const short = local === "" ? DigitPatterns.never : DigitPatterns.read(local)
  const area = /^(\d+)\$1$/.exec(replacement ?? "")?.[1] ?? ""
  // A prefix that a number can begin with in one way only is taken away by putting it before all numbers, and an area code that is
  // put before local numbers by taking it from them.
  const isTaken = local === ""
    ? replacement === undefined
    : area !== "" && short !== undefined && DigitPatterns.afterAll(short, trunk) === DigitPatterns.never
  if (lead === undefined || short === undefined || !isTaken || !DigitPatterns.isPrefixFree(lead)) {
    return { dialled: numbers, isWhole: false, prefixes, shortens: undefined }
  }
  // A number from abroad is not a local one.
  const isLonger = short.most < numbers.least
  const inArea = DigitPatterns.and(short, DigitPatterns.afterAll(numbers, area))
  return {
    dialled: DigitPatterns.alt([numbers, DigitPatterns.seq(lead, numbers), inArea]),
    isWhole: true,
    prefixes: isLonger ? lead : prefixes,
    shortens: isLonger ? { least: lead.least, most: lead.most } : undefined
  }
}

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`)

const kindsOf = (kinds: unknown): string | undefined => {
  if (!Array.isArray(kinds)) return undefined
  const patterns = kinds.flatMap((kind: unknown) => {
    const pattern: unknown = Array.isArray(kind) ? kind[0] : undefined
    return typeof pattern === "string" ? [pattern] : []
  })
  return patterns.length === 0 ? undefined : patterns.join("|")
}

const lengthsOf = (lengths: unknown): ReadonlyArray<number> =>
  Array.isArray(lengths) ? lengths.filter((length) => typeof length === "number") : []

/**
 * Numbers of some countries that have one length.
 *
 * @category models
 * @since 0.1.0
 */
export interface Numbers {
  /** Those that are matched digit by digit. */
  readonly dialled: Term
  /** Digits that numbers of the others begin with, a bit for each. */
  readonly leads: number
  readonly others: ReadonlyArray<Plan>
}

const numbersIn = (all: ReadonlyArray<Plan>, length: number): Numbers => {
  const others = all.filter(({ isWhole }) => !isWhole)
  let leads = 0
  for (let digit = 0; digit < 10; digit++) {
    if (others.some(({ prefixes }) => mayLead(prefixes, String(digit)))) leads |= 1 << digit
  }
  return {
    dialled: DigitPatterns.alt(all.map(({ dialled }) => DigitPatterns.ofLength(dialled, length))),
    leads,
    others
  }
}

/**
 * The numbers of countries, as they are dialled there or from abroad, that have this length.
 *
 * @category readers
 * @since 0.1.0
 */
export const numbersOf = (countries: Iterable<string>, length: number): Numbers =>
  numbersIn(Array.from(countries, planOf).filter((plan) => plan !== undefined), length)

/**
 * Whether digits of that length are one of the numbers that are not matched digit by digit.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isOther = ({ leads, others }: Numbers, digits: string): boolean =>
  (leads >> (digits.charCodeAt(0) - 48) & 1) === 1 &&
  others.some((plan) => mayLead(plan.prefixes, digits) && fits(plan, withoutPrefix(plan, digits)))

const isOneOf = (numbers: Numbers, digits: string): boolean =>
  DigitPatterns.afterAll(numbers.dialled, digits).ends || isOther(numbers, digits)

/** Whether digits may begin with a prefix. */
const mayLead = (prefixes: Term, digits: string): boolean => {
  let rest = prefixes
  for (let at = 0; at < digits.length && !rest.ends && rest !== DigitPatterns.never; at++) {
    rest = DigitPatterns.after(rest, digits.charCodeAt(at) - 48)
  }
  return rest !== DigitPatterns.never
}

/**
 * Whether digits are a number of a country, as it is dialled there or from abroad.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isNational = (digits: string, country: string): boolean =>
  isOneOf(numbersOf([country], digits.length), digits)

const fits = ({ kinds, lengths, pattern }: Plan, digits: string): boolean =>
  lengths.includes(digits.length) && pattern.test(digits) && (kinds === undefined || kinds.test(digits))

const withoutPrefix = ({ prefix, replacement }: Plan, digits: string): string => {
  const found = prefix?.exec(digits)
  if (found === null || found === undefined || found[0] === "") return digits
  return replacement !== undefined && found.at(-1) !== undefined && found.length > 1
    ? digits.replace(prefix ?? "", replacement)
    : digits.slice(found[0].length)
}

/** Numbers of no country: free phones, satellites. */
const nowhere: ReadonlyMap<string, Plan> =
  new Map(Object.entries(Object(Reflect.get(metadata, "nonGeographic"))).flatMap(([code, row]) => {
    const plan = readPlan(Object.values(Object(row)))
    return plan === undefined ? [] : [[code, plan]]
  }))

interface Code {
  readonly plans: ReadonlyArray<Plan>
  /** By the length of what stands behind the calling code. */
  readonly numbers: Array<FromAbroad | undefined>
}

interface FromAbroad {
  readonly numbers: Numbers
  /** Whether numbers have that length. */
  readonly isPossible: boolean
  /** Whose numbers have that length with a trunk prefix. */
  readonly longer: ReadonlyArray<Plan>
}

const fromAbroad = (all: ReadonlyArray<Plan>, length: number): FromAbroad => {
  // A trunk prefix makes it longer.
  const plans = all.filter(({ lengths }) => length >= (lengths[0] ?? 0))
  return {
    numbers: numbersIn(plans, length),
    isPossible: plans.some(({ lengths }) => lengths.includes(length)),
    longer: plans.filter(({ lengths, shortens }) =>
      shortens === undefined ||
      lengths.some((short) => short >= length - shortens.most && short <= length - shortens.least)
    )
  }
}

/** What has a calling code, read when it is asked for. */
const codeOf = (code: string): Code | undefined => {
  const known = byCode.get(code)
  if (known !== undefined) return known
  const countries: ReadonlyArray<string> | undefined = Object.hasOwn(metadata.country_calling_codes, code)
    ? Reflect.get(metadata.country_calling_codes, code)
    : undefined
  const own = nowhere.get(code)
  if (countries === undefined && own === undefined) return undefined
  const plans = [...own === undefined ? [] : [own], ...(countries ?? []).map(planOf)].filter((plan) =>
    plan !== undefined
  )
  const made = { plans, numbers: [] }
  byCode.set(code, made)
  return made
}

const byCode = new Map<string, Code>()

/**
 * What digits after a plus sign are: a number, of a length that numbers have there, or neither.
 *
 * @category readers
 * @since 0.1.0
 */
export const international = (digits: string): "valid" | "possible" | "neither" => {
  let length = 1
  let code = codeOf(digits.slice(0, length))
  while (code === undefined && length < 3) code = codeOf(digits.slice(0, ++length))
  if (code === undefined) return "neither"
  const rest = digits.slice(length)
  const { isPossible, longer, numbers } = code.numbers[rest.length] ??= fromAbroad(code.plans, rest.length)
  if (isOneOf(numbers, rest)) return "valid"
  return isPossible ||
      longer.some((plan) => mayLead(plan.prefixes, rest) && plan.lengths.includes(withoutPrefix(plan, rest).length))
    ? "possible"
    : "neither"
}
