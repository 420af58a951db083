/**
 * Where the values of a call come from: each is looked for in the request, in what tools returned, in what the model said.
 */
import * as CanonicalText from "./CanonicalText.ts"
import type { Sink } from "./Sinks.ts"
import type { Origin, Source } from "./Sources.ts"
import * as Variants from "./Variants.ts"

/**
 * A value with where it was found.
 *
 * @category models
 * @since 0.1.0
 */
export interface Traced {
  readonly sink: Sink
  /** The most trusted of its sources. */
  readonly origin: Origin
  /** Where it stands in results, if it is in nothing more trusted. */
  readonly places: ReadonlyArray<Place>
}

/**
 * Where a value stands in a result.
 *
 * @category models
 * @since 0.1.0
 */
export interface Place {
  readonly source: Source
  /** Which text of the result, and from where to where. */
  readonly path: string
  readonly start: number
  readonly end: number
  /** The whole text that it is in. */
  readonly text: string
  /** In which encoding it stood there. */
  readonly form?: string
}

/** Places beyond these tell nothing more. */
const most = 16

/**
 * Traces values through sources, in one pass over each text for each way in which a value can be written.
 *
 * **Details**
 *
 * A value is found where its canonical form stands between borders of words, a number where an equal number stands, a date in
 * its usual forms. What is in a more trusted source is taken for that: nobody has to put a value into a result that the person has
 * said.
 *
 * @category operations
 * @since 0.1.0
 */
export const trace = (sinks: ReadonlyArray<Sink>, sources: ReadonlyArray<Source>): ReadonlyArray<Traced> => {
  const ranked = sources.toSorted((left, right) => order.indexOf(left.origin) - order.indexOf(right.origin))
  return sinks.map((sink): Traced => {
    const needles = Variants.of(sink).map(CanonicalText.value).filter((needle) => needle !== "")
    let origin: Origin = "nowhere"
    const places: Array<Place> = []
    const look = (occurrencesIn: (text: string) => ReadonlyArray<readonly [number, number]>) => {
      for (const source of ranked) {
        if (origin !== "nowhere" && source.origin !== origin) break
        for (const [start, end] of occurrencesIn(source.text)) {
          if (sink.kind !== "amount" && isOfDate(source.text, start, end)) continue
          origin = source.origin
          if (source.key === undefined || places.length >= most) break
          const from = source.locate(start)
          const { at } = source.locate(end - 1)
          places.push({
            source,
            path: from.path,
            start: from.at,
            end: from.form === undefined ? at + 1 : at,
            text: from.text,
            ...(from.form === undefined ? {} : { form: from.form })
          })
        }
      }
    }
    look((text) => occurrences(text, needles))
    const grouped = origin === "nowhere" ? Variants.grouped(sink) : undefined
    if (grouped !== undefined) {
      look((text) =>
        Array.from(text.matchAll(grouped), ({ 0: found, index }) => [index, index + found.length] as const).slice(
          0,
          most
        )
      )
    }
    return { sink, origin, places }
  })
}

const order: ReadonlyArray<Origin> = ["request", "instructions", "own", "third_party", "open_world", "model", "nowhere"]

const occurrences = (text: string, needles: ReadonlyArray<string>): ReadonlyArray<readonly [number, number]> => {
  const found: Array<readonly [number, number]> = []
  for (const needle of needles) {
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
      if (isWhole(text, at, needle)) found.push([at, at + needle.length])
      if (found.length >= most) return found
    }
  }
  return found
}

/** A value is no part of a longer word, number, name or address. */
const isWhole = (text: string, at: number, needle: string): boolean => {
  const end = at + needle.length
  return !(word.test(needle.charAt(0)) && joinsBefore.test(text.slice(Math.max(0, at - 2), at))) &&
    !(word.test(needle.charAt(needle.length - 1)) && joinsBehind.test(text.slice(end, end + 2))) &&
    !(number.test(needle) &&
      (/\d,$/.test(text.slice(Math.max(0, at - 2), at)) || /^,\d/.test(text.slice(end, end + 2))))
}

const word = /[\p{L}\p{N}]/u
/** The 13 of June 13 is the name of nothing. */
const isOfDate = (text: string, start: number, end: number): boolean =>
  end - start <= 2 && number.test(text.slice(start, end)) &&
  (month.test(text.slice(Math.max(0, start - 12), start)) || monthBehind.test(text.slice(end, end + 12)))

const months =
  "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|jan|fév|avr|juin|juil|aoû|déc|ene|abr|ago|dic|gen|mag|giu|lug|set|ott|fev|out|mrt|mei|sty|lut|kwi|maj|cze|lip|sie|wrz|paź|lis|gru"
const month = new RegExp(`(?<!\\p{L})(?:${months})\\p{L}{0,7}\\.? $`, "u")
const monthBehind = new RegExp(`^(?:st|nd|rd|th|\\.)? (?:of |de |di )?(?:${months})\\p{L}{0,7}(?!\\p{L})`, "u")

/** A comma may stand within a number; in a row of values it belongs to none of them. */
const number = /^[\d.,' ]+$/
const joinsBefore = /[\p{L}\p{N}]$|[\p{L}\p{N}][-_.@]$|@$/u
const joinsBehind = /^[\p{L}\p{N}]|^[-_.@][\p{L}\p{N}]/u
