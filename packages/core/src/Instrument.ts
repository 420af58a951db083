/**
 * Counters, gauges and histograms with labels, made so that an update costs a lookup, and so that labels cannot fill the memory.
 */
import type { Context } from "effect"
import { Metric } from "effect"

/**
 * One metric with its labels.
 *
 * @category models
 * @since 0.1.0
 */
export interface Instrument<Label extends string = string> {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  /** In the words of UCUM, as OpenTelemetry has it: `s`, `{run}`, `USD`. */
  readonly unit: string
  readonly labels: ReadonlyArray<Label>
  readonly description: string
  /** Adds to a counter, sets a gauge, puts a value into a histogram. Labels that are undefined are left out. */
  readonly update: (context: Context.Context<never>, value: number, labels: Labels<Label>) => void
  /** Adds to a gauge, or takes away from it. */
  readonly modify: (context: Context.Context<never>, value: number, labels: Labels<Label>) => void
}

/**
 * @category models
 * @since 0.1.0
 */
export type Labels<Label extends string> = { readonly [Name in Label]: string | undefined }

/** Values are names from code: programs, kinds, tags. If they are not, what is beyond so many series is added up in one more. */
const mostSeries = 1_000

const overflow = { overflow: "true" }

interface Fields<Label extends string> {
  readonly unit: string
  readonly labels: ReadonlyArray<Label>
  readonly description: string
}

type Series = Pick<Metric.Metric<number, unknown>, "updateUnsafe" | "modifyUnsafe">

const make = <Label extends string>(
  name: string,
  type: Instrument["type"],
  fields: Fields<Label>,
  series: (attributes: Readonly<Record<string, string>>) => Series
): Instrument<Label> => {
  const known = new Map<string, Series>()
  const { labels, unit } = fields

  const keep = (key: string, attributes: Readonly<Record<string, string>>): Series => {
    const made = series({ ...attributes, unit })
    known.set(key, made)
    return made
  }

  const find = (values: Labels<Label>): Series => {
    let key = ""
    for (const label of labels) key += `${values[label] ?? ""}\n`
    const found = known.get(key)
    if (found !== undefined) return found
    if (known.size >= mostSeries) return known.get("overflow") ?? keep("overflow", overflow)
    const attributes: Record<string, string> = {}
    for (const label of labels) {
      const value = values[label]
      if (value !== undefined) attributes[label] = value
    }
    return keep(key, attributes)
  }

  return {
    name,
    type,
    ...fields,
    update: (context, value, values) => find(values).updateUnsafe(value, context),
    modify: (context, value, values) => find(values).modifyUnsafe(value, context)
  }
}

/**
 * What only grows.
 *
 * @category constructors
 * @since 0.1.0
 */
export const counter = <const Label extends string>(name: string, fields: Fields<Label>): Instrument<Label> =>
  make(
    name,
    "counter",
    fields,
    (attributes) => Metric.counter(name, { description: fields.description, incremental: true, attributes })
  )

/**
 * What goes up and down.
 *
 * @category constructors
 * @since 0.1.0
 */
export const gauge = <const Label extends string>(name: string, fields: Fields<Label>): Instrument<Label> =>
  make(name, "gauge", fields, (attributes) => Metric.gauge(name, { description: fields.description, attributes }))

/**
 * How values are spread.
 *
 * @category constructors
 * @since 0.1.0
 */
export const histogram = <const Label extends string>(
  name: string,
  fields: Fields<Label> & { readonly boundaries: ReadonlyArray<number> }
): Instrument<Label> => {
  const { boundaries, ...rest } = fields
  return make(
    name,
    "histogram",
    rest,
    (attributes) => Metric.histogram(name, { description: fields.description, boundaries, attributes })
  )
}
