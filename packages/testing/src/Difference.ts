/**
 * Where two values first differ, in a way that a person reads at once.
 */
import { Schema } from "effect"
import * as LogText from "./LogText.ts"

/**
 * @category models
 * @since 0.1.0
 */
export const Difference = Schema.Struct({
  /** Where, such as `effects[1].cents`. */
  path: Schema.String,
  expected: Schema.String,
  actual: Schema.String
})

/**
 * @category models
 * @since 0.1.0
 */
export type Difference = typeof Difference.Type

/**
 * The first place, in reading order, where two values are not the same; undefined if there is none. Maps and sets are compared in
 * their order, objects by their own fields in any order; an absent field and an undefined one are the same.
 *
 * @category combinators
 * @since 0.1.0
 */
export const first = (expected: unknown, actual: unknown, path = ""): Difference | undefined => {
  if (expected === actual || Object.is(expected, actual)) return undefined
  const left = members(expected)
  const right = members(actual)
  if (left === undefined || right === undefined || left.kind !== right.kind) {
    return { path, expected: LogText.short(plain(expected)), actual: LogText.short(plain(actual)) }
  }
  for (const name of new Set([...left.values.keys(), ...right.values.keys()])) {
    const found = first(left.values.get(name), right.values.get(name), left.path(path, name))
    if (found !== undefined) return found
  }
  return undefined
}

interface Members {
  readonly kind: string
  readonly values: ReadonlyMap<unknown, unknown>
  readonly path: (base: string, name: unknown) => string
}

const members = (value: unknown): Members | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  if (value instanceof Date) return { kind: "time", values: new Map([["getTime()", value.getTime()]]), path: field }
  if (Array.isArray(value)) return { kind: "list", values: new Map(value.entries()), path: element }
  if (value instanceof Set) return { kind: "set", values: new Map([...value].entries()), path: element }
  if (value instanceof Map) {
    return isKeyedByText(value)
      ? { kind: "map", values: value, path: (base, name) => `${base}.get(${JSON.stringify(name)})` }
      : { kind: "entries", values: new Map([...value].entries()), path: element }
  }
  return { kind: "object", values: new Map(Object.entries(value)), path: field }
}

const isKeyedByText = (map: ReadonlyMap<unknown, unknown>): boolean =>
  [...map.keys()].every((key) => typeof key === "string")

const element = (base: string, name: unknown): string => `${base}[${String(name)}]`
const field = (base: string, name: unknown): string => base === "" ? String(name) : `${base}.${String(name)}`

/** What JSON says of maps and sets is that they are empty. */
const plain = (value: unknown): unknown => value instanceof Map ? [...value] : value instanceof Set ? [...value] : value
