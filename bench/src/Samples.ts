/**
 * Several measurements of the same thing.
 */

/**
 * @category models
 * @since 0.1.0
 */
export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
  readonly samples: number
}

/**
 * The value below which this part of all lies, 0 to 1, between two of them where it falls between; NaN without values.
 *
 * @category folds
 * @since 0.1.0
 */
export const quantile = (values: ReadonlyArray<number>, part: number): number => {
  const sorted = values.toSorted((left, right) => left - right)
  const place = (sorted.length - 1) * part
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}

/**
 * @category folds
 * @since 0.1.0
 */
export const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)

/**
 * @category folds
 * @since 0.1.0
 */
export const spread = (values: ReadonlyArray<number>): Spread => ({
  median: rounded(median(values)),
  least: rounded(quantile(values, 0)),
  most: rounded(quantile(values, 1)),
  samples: values.length
})

/**
 * Four digits that count.
 *
 * @category folds
 * @since 0.1.0
 */
export const rounded = (value: number): number => Number(value.toPrecision(4))

/**
 * Ratios round by round: what disturbs both systems at the same time is not in them.
 *
 * @category folds
 * @since 0.1.0
 */
export const ratios = (ours: ReadonlyArray<number>, others: ReadonlyArray<number>): ReadonlyArray<number> =>
  ours.flatMap((value, round) => {
    const other = others[round]
    return other === undefined ? [] : [value / other]
  })
