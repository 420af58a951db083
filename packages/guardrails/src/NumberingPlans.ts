/**
 * The numbering plans of the countries, as `libphonenumber-js` has them: whether digits are a number of a country. The metadata is
 * read here, since parsing a number with the library takes a hundred times as long as to match it.
 */
import metadata from "libphonenumber-js/min/metadata"

interface Plan {
  /** All numbers of the country, without the trunk prefix. */
  readonly pattern: RegExp
  /** Where countries share a calling code, numbers of a known kind. */
  readonly kinds: RegExp | undefined
  readonly lengths: ReadonlyArray<number>
  readonly prefix: RegExp | undefined
  readonly replacement: string | undefined
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
  return {
    pattern: whole(pattern),
    kinds: kindsOf(row[11]),
    lengths: numbersOf(lengths),
    prefix: prefix === undefined ? undefined : new RegExp(`^(?:${prefix})`),
    replacement: typeof replacement === "string" ? replacement : undefined
  }
}

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`)

const kindsOf = (kinds: unknown): RegExp | undefined => {
  if (!Array.isArray(kinds)) return undefined
  const patterns = kinds.flatMap((kind: unknown) => {
    const pattern: unknown = Array.isArray(kind) ? kind[0] : undefined
    return typeof pattern === "string" ? [pattern] : []
  })
  return patterns.length === 0 ? undefined : whole(patterns.join("|"))
}

const numbersOf = (lengths: unknown): ReadonlyArray<number> =>
  Array.isArray(lengths) ? lengths.filter((length) => typeof length === "number") : []

/**
 * Whether digits are a number of a country, as it is dialled there or from abroad.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isNational = (digits: string, country: string): boolean => {
  const plan = planOf(country)
  return plan !== undefined && (fits(plan, digits) || fits(plan, withoutPrefix(plan, digits)))
}

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

/** The plans of what has a calling code, read when it is asked for. */
const plansOf = (code: string): ReadonlyArray<Plan> | undefined => {
  const known = byCode.get(code)
  if (known !== undefined) return known
  const countries: ReadonlyArray<string> | undefined = Object.hasOwn(metadata.country_calling_codes, code)
    ? Reflect.get(metadata.country_calling_codes, code)
    : undefined
  const own = nowhere.get(code)
  if (countries === undefined && own === undefined) return undefined
  const all = [...own === undefined ? [] : [own], ...(countries ?? []).map(planOf)].filter((plan) => plan !== undefined)
  byCode.set(code, all)
  return all
}

const byCode = new Map<string, ReadonlyArray<Plan>>()

/**
 * What digits after a plus sign are: a number, of a length that numbers have there, or neither.
 *
 * @category readers
 * @since 0.1.0
 */
export const international = (digits: string): "valid" | "possible" | "neither" => {
  let length = 1
  let all = plansOf(digits.slice(0, length))
  while (all === undefined && length < 3) all = plansOf(digits.slice(0, ++length))
  if (all === undefined) return "neither"
  const rest = digits.slice(length)
  let possible = false
  for (const plan of all) {
    // A trunk prefix makes it longer.
    if (rest.length < (plan.lengths[0] ?? 0)) continue
    const short = withoutPrefix(plan, rest)
    if (fits(plan, rest) || fits(plan, short)) return "valid"
    possible ||= plan.lengths.includes(rest.length) || plan.lengths.includes(short.length)
  }
  return possible ? "possible" : "neither"
}
