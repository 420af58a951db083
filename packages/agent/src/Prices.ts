/**
 * What models cost, and what a call cost.
 */
import type { Budget } from "@durable-agents/core"
import { Usd } from "@durable-agents/core"
import { BigDecimal, Context, Layer, Result, Schema } from "effect"
import { models, version } from "./PublishedPrices.ts"

const Rate = Schema.String.check(Schema.isPattern(/^\d{1,12}(\.\d{1,12})?$/))

const Rates = Schema.Struct({
  input: Rate,
  cachedInput: Schema.optionalKey(Rate),
  cacheWrite: Schema.optionalKey(Rate),
  output: Rate
})

/**
 * US dollars per million tokens, as decimals in strings. Tokens from a cache, and tokens written to one, cost what other input
 * does if they have no price of their own. A prompt of more than `above.tokens` pays the prices there for the whole call.
 *
 * @category models
 * @since 0.1.0
 */
export const Price = Schema.Struct({
  ...Rates.fields,
  above: Schema.optionalKey(Schema.Struct({ tokens: Schema.Natural, ...Rates.fields }))
})

/**
 * @category models
 * @since 0.1.0
 */
export type Price = typeof Price.Type

/**
 * Prices by the names of models. A name also stands for its dated versions (`gpt-5.4-2026-03-05`), and one that ends in `*` for
 * all that begin alike; the longest that fits counts.
 *
 * @category models
 * @since 0.1.0
 */
export interface Table {
  /** Recorded with every call that it priced. */
  readonly version: string
  readonly models: Readonly<Record<string, Price>>
}

/**
 * The prices in use, the first table that knows a model counts. Default: those that this build publishes.
 *
 * @category references
 * @since 0.1.0
 */
export const Prices = Context.Reference<ReadonlyArray<Table>>("@durable-agents/agent/Prices", {
  defaultValue: () => [published]
})

/**
 * The prices that this build knows: list prices for text, at the standard tier. Models that are not here have no price.
 *
 * @category tables
 * @since 0.1.0
 */
export const published: Table = { version, models }

/**
 * Your own prices, before those that this build knows. Give it where the agent's layer is given.
 *
 * **Details**
 *
 * A price is recorded with the call, so a new table changes no cost that was recorded. A price of `"0"` makes a model free, such
 * as one on your own machine. Throws if a price is no decimal that is not negative, of at most 12 digits on either side.
 *
 * **Example**
 *
 * ```ts
 * import { Prices } from "@durable-agents/agent"
 *
 * const Own = Prices.layer({
 *   version: "contract-2026",
 *   models: { "qwen3:*": { input: "0", output: "0" }, "our-deployment": { input: "2.00", output: "8.00" } }
 * })
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (own: Table): Layer.Layer<never> => Layer.succeed(Prices, [decode(own), published])

const decode = Schema.decodeSync(Schema.Struct({
  version: Schema.NonEmptyString,
  models: Schema.Record(Schema.String, Price)
}))

/**
 * A price that was found, and in which table.
 *
 * @category models
 * @since 0.1.0
 */
export interface Found {
  readonly version: string
  readonly price: Price
}

/**
 * The price of the first of these names that has one. A table is asked for all of them before the next one is.
 *
 * @category lookups
 * @since 0.1.0
 */
export const find = (tables: ReadonlyArray<Table>, names: ReadonlyArray<string>): Found | undefined => {
  for (const { models, version } of tables) {
    for (const name of names) {
      const price = priceOf(models, name)
      if (price !== undefined) return { version, price }
    }
  }
  return undefined
}

const priceOf = (models: Table["models"], name: string): Price | undefined => {
  const fitting = Object.keys(models).filter((known) =>
    known.endsWith("*")
      ? name.startsWith(known.slice(0, -1))
      : name === known || (name.startsWith(known) && dated.test(name.slice(known.length)))
  )
  const [best] = fitting.toSorted((left, right) =>
    Number(right === name) - Number(left === name) || right.length - left.length
  )
  return best === undefined ? undefined : models[best]
}

const dated = /^[-@](\d{4}-\d{2}-\d{2}|\d{8}|latest)$/

/**
 * What a call cost, exactly; undefined if too little was reported to say.
 *
 * **Details**
 *
 * Cached tokens are charged once. Where more of them are reported than there was prompt, the prompt was counted without them.
 * Reasoning is part of the output.
 *
 * @category costs
 * @since 0.1.0
 */
export const costOf = (price: Price, usage: Omit<Budget.CallUsage, "costUsd">): string | undefined => {
  const { cacheWriteTokens: written = 0, cachedInputTokens: cached = 0, inputTokens, outputTokens } = usage
  if (inputTokens === undefined || outputTokens === undefined) return undefined
  const beside = cached + written
  const fresh = beside <= inputTokens ? inputTokens - beside : inputTokens
  const rates = ratesFor(price, fresh + beside)
  return total([
    [fresh, rates.input],
    [cached, rates.cachedInput ?? rates.input],
    [written, rates.cacheWrite ?? rates.input],
    [outputTokens, rates.output]
  ])
}

/**
 * The most that a call with so many tokens can cost: nothing comes from a cache, and all is written to one.
 *
 * @category costs
 * @since 0.1.0
 */
export const atMost = (price: Price, tokens: { readonly input: number; readonly output: number }): string => {
  const { cacheWrite, input, output } = ratesFor(price, tokens.input)
  const dearest = BigDecimal.max(Usd.decimal(input), Usd.decimal(cacheWrite ?? input))
  return total([[tokens.input, Usd.format(dearest)], [tokens.output, output]])
}

const ratesFor = ({ above, ...base }: Price, prompt: number): typeof Rates.Type =>
  above !== undefined && prompt > above.tokens ? above : base

const total = (items: ReadonlyArray<readonly [tokens: number, perMillion: string]>): string =>
  Usd.format(items.reduce(
    (sum, [tokens, perMillion]) =>
      BigDecimal.sum(sum, BigDecimal.multiply(Usd.decimal(perMillion), BigDecimal.make(BigInt(tokens), 6))),
    Usd.decimal("0")
  ))

/**
 * What a provider's layer puts on the `finish` part of an answer (its `metadata`) when the provider says itself what the call
 * cost. It wins over any table.
 *
 * @category costs
 * @since 0.1.0
 */
export const reported = (costUsd: string | number): { readonly durableAgents: { readonly costUsd: string } } => ({
  durableAgents: { costUsd: `${costUsd}` }
})

/**
 * Reads what `reported` wrote; undefined if that is not there, or no amount.
 *
 * @category costs
 * @since 0.1.0
 */
export const readReported = (metadata: unknown): string | undefined => {
  const read = decodeReported(metadata)
  if (Result.isFailure(read)) return undefined
  const plain = Usd.format(Usd.decimal(read.success.durableAgents.costUsd))
  return isUsd(plain) ? plain : undefined
}

const isUsd = Schema.is(Usd.Usd)

const decodeReported = Schema.decodeUnknownResult(Schema.Struct({
  durableAgents: Schema.Struct({ costUsd: Usd.Usd })
}))
