/**
 * Answers of models with faults in them, as data that a law can generate: wrong types, missing and repeated fields, bytes that are
 * changed, lost, or come in any pieces.
 */
import { Schema } from "effect"

/**
 * What is wrong with an answer. Every value is one, and none at all is a sound answer.
 *
 * @category models
 * @since 0.1.0
 */
export const Faults = Schema.Struct({
  /** At which of the places in the JSON, counted through and around, which odd value is put. */
  edits: Schema.Array(Schema.Struct({ place: Schema.Natural, value: Schema.Natural })).check(Schema.isMaxLength(4)),
  /** Which bytes become which, and after which of them nothing more comes; null: all come as they are. */
  broken: Schema.NullOr(Schema.Struct({
    flips: Schema.Array(Schema.Struct({ place: Schema.Natural, byte: Schema.Natural })).check(Schema.isMaxLength(3)),
    end: Schema.NullOr(Schema.Natural)
  })),
  /** Where pieces end. */
  cut: Schema.Array(Schema.Natural)
})

/**
 * @category models
 * @since 0.1.0
 */
export type Faults = typeof Faults.Type

/**
 * The JSON with its edits, one after the other.
 *
 * @category combinators
 * @since 0.1.0
 */
export const edited = (json: unknown, { edits }: Faults): unknown =>
  edits.reduce<unknown>((value, edit) => {
    const places = placesIn(value)
    const place = places[edit.place % places.length]
    return place === undefined ? value : put(value, place, odd[edit.value % odd.length] ?? same)
  }, json)

/**
 * The text in UTF-8 with its bytes changed, up to its end, in pieces.
 *
 * @category combinators
 * @since 0.1.0
 */
export const pieces = (text: string, { broken, cut }: Faults): ReadonlyArray<Uint8Array> => {
  const { end, flips } = broken ?? { end: null, flips: [] }
  const bytes = new TextEncoder().encode(text)
  if (bytes.length === 0) return []
  for (const { byte, place } of flips) bytes[place % bytes.length] = byte % 256
  const kept = end === null ? bytes : bytes.subarray(0, end % (bytes.length + 1))
  const places = [...cut.map((place) => place % (kept.length + 1)).toSorted((one, other) => one - other), kept.length]
  return places.map((place, nth) => kept.subarray(nth === 0 ? 0 : places[nth - 1], place))
}

type Path = ReadonlyArray<string | number>

/** All places, breadth first, the whole included. */
const placesIn = (json: unknown): ReadonlyArray<Path> => {
  const found: Array<Path> = [[]]
  for (let at = 0; at < found.length; at++) {
    const path = found[at] ?? []
    const value = path.reduce<unknown>((inside, name) => Object(inside)[name], json)
    if (typeof value !== "object" || value === null) continue
    for (const name of Array.isArray(value) ? value.keys() : Object.keys(value)) found.push([...path, name])
  }
  return found
}

/** What is put in the place of a value: one, none, or several where it is one of a list. */
type Put = (value: unknown) => ReadonlyArray<unknown>

const put = (json: unknown, [name, ...rest]: Path, what: Put): unknown => {
  if (name === undefined) return what(json)[0]
  if (Array.isArray(json)) {
    return json.flatMap((one, index) => index !== name ? [one] : rest.length === 0 ? what(one) : [put(one, rest, what)])
  }
  return Object.fromEntries(Object.entries(Object(json)).flatMap(([key, value]) =>
    key !== name
      ? [[key, value]]
      : (rest.length === 0 ? what(value).slice(0, 1) : [put(value, rest, what)]).map((one) => [key, one])
  ))
}

const same: Put = (value) => [value]

const nested = (depth: number): unknown => depth === 0 ? null : [nested(depth - 1)]

const values: ReadonlyArray<unknown> = [
  null,
  "",
  " ",
  "x",
  "null",
  "{\"a\":",
  "ü🙂\u0000\ud800",
  "__proto__",
  "y".repeat(5000),
  0,
  -1,
  1.5,
  2 ** 60,
  1e300,
  true,
  false,
  [],
  [null],
  [[]],
  {},
  { type: "text" },
  { error: { message: "no", code: "rate_limit_exceeded" } },
  JSON.parse("{\"__proto__\":{\"text\":\"x\"},\"toString\":1}"),
  nested(200)
]

const odd: ReadonlyArray<Put> = [
  () => [],
  (value) => [value, value],
  (value) => [[value]],
  (value) => [{ value }],
  (value) => [JSON.stringify(value)],
  ...values.map((value): Put => () => [value])
]
