/**
 * What a model call may spend at most, set aside before it is made, and whether it may be made at all.
 */
import type { Budget, Operation, ToolDescription } from "@durable-agents/core"
import { Allowances, Journal, Usd } from "@durable-agents/core"
import { BigDecimal, Effect } from "effect"
import type { Prompt } from "effect/ai"
import * as Prices from "./Prices.ts"
import * as Tokens from "./Tokens.ts"

/**
 * What is assumed, and asked of models in the table of prices, when an agent does not say how long an answer may be. All models
 * in that table take it.
 */
const usualOutputTokens = 16_384

/**
 * What is set aside for a call.
 *
 * @category models
 * @since 0.1.0
 */
export interface Reservation {
  readonly reserve: Budget.Spend | undefined
  /** What the provider is asked for. */
  readonly maxOutputTokens: number | undefined
  readonly refusal: Exclude<Operation.Spec<never, never, never>["request"]["refusal"], string>
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Call {
  readonly key: string
  /** Those that may be asked, one after the other. */
  readonly models: ReadonlyArray<string>
  readonly maxOutputTokens: number | undefined
  readonly messages: ReadonlyArray<Prompt.Message>
  readonly tools: ReadonlyArray<ToolDescription>
}

/**
 * Sets aside what a call may spend, if a limit of the run or of a part around it asks for that, and if the call can still be
 * made. What is recorded is never computed again.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function*(call: Call) {
  const journal = yield* Journal
  const known = journal.recorded(call.key)
  const none: Reservation = { reserve: undefined, maxOutputTokens: call.maxOutputTokens, refusal: undefined }
  if (known?._tag === "Operation" && known.outcome !== undefined) return none
  const budgets = [journal.budget(), ...(yield* Allowances).map(({ budget }) => budget)]
  const prices = yield* Prices.Prices
  const asked = call.models.map((model) => ({ model, price: Prices.find(prices, [model])?.price }))
  const capped = budgets.filter(({ costUsd }) => costUsd !== undefined)
  const strict = capped.find(({ unpriced }) => unpriced === "refuse")
  const stranger = asked.find(({ price }) => price === undefined)
  if (strict !== undefined && stranger !== undefined) {
    return { ...none, refusal: unpriced(stranger.model, strict.costUsd ?? "") }
  }
  const isPriced = asked.some(({ price }) => price !== undefined)
  if (!budgets.some(({ tokens }) => tokens !== undefined) && !(isPriced && capped.length > 0)) return none
  const count = yield* loaded(journal, call.key)
  const output = call.maxOutputTokens ?? usualOutputTokens
  return {
    ...none,
    reserve: asked.map(({ model, price }): Budget.Spend => {
      const input = promptOf(count, model, call)
      return { tokens: input + output, costUsd: price === undefined ? "0" : Prices.atMost(price, { input, output }) }
    }).reduce(dearest),
    maxOutputTokens: call.maxOutputTokens ?? (stranger === undefined ? output : undefined)
  }
})

/** Whichever of the models is asked. */
const dearest = (one: Budget.Spend, other: Budget.Spend): Budget.Spend => ({
  tokens: Math.max(one.tokens, other.tokens),
  costUsd: Usd.format(BigDecimal.max(Usd.decimal(one.costUsd), Usd.decimal(other.costUsd)))
})

const promptOf = (count: Tokens.Count, model: string, { messages, tools }: Call): number =>
  messages.reduce(
    (sum, message) => sum + tokensOf(count, model, message),
    Tokens.atMost(count, model, toolTexts(tools))
  )

/** Loading takes longer than the quiet that suspends a run, so it counts as work. */
const loaded = (journal: Journal["Service"], key: string): Effect.Effect<Tokens.Count> =>
  Effect.flatMap(Tokens.Tokenizer, (tokenizer) =>
    Effect.suspend(() => {
      const done = journal.acting(key)
      return Effect.ensuring(tokenizer, Effect.sync(done))
    }))

const toolTexts = (tools: ReadonlyArray<ToolDescription>): ReadonlyArray<string> =>
  tools.map(({ description, name, parameters }) => JSON.stringify({ name, description, parameters }))

/** Messages do not change, and a conversation is the one before with more of them, so each is counted once. */
const tokensOf = (count: Tokens.Count, model: string, message: Prompt.Message): number => {
  const known = counted.get(message)
  if (known?.count === count && known.model === model) return known.tokens
  const text = JSON.stringify(message, (name, value) => name.startsWith("~effect/") ? undefined : value)
  const tokens = Tokens.atMost(count, model, [text])
  counted.set(message, { count, model, tokens })
  return tokens
}

const counted = new WeakMap<
  Prompt.Message,
  { readonly count: Tokens.Count; readonly model: string; readonly tokens: number }
>()

const unpriced = (model: string, costUsd: string): Reservation["refusal"] => {
  const message = `the model \`${model}\` has no price, so a limit of ${costUsd} USD cannot be kept: ` +
    "give it one (`Prices.layer`), or allow calls that are not counted (`unpriced: \"allow\"` in the budget)"
  return { error: message, failure: { reason: "UnpricedModel", message, retryable: false } }
}
