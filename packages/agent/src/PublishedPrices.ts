/**
 * The list prices that this build knows, in US dollars per million tokens of text at the standard tier.
 *
 * OpenAI: the model pages below https://developers.openai.com/api/docs/models and the pricing page there, as of November 2026;
 * GPT-4.1 and GPT-4o as of June 2026. Anthropic: https://platform.claude.com/docs/en/about-claude/pricing, as of November 2026,
 * with cache writes for five minutes. Batch, fast and regional tiers, and writes that are kept longer, cost otherwise.
 */
import type { Price } from "./Prices.ts"

/**
 * When the table was put together.
 *
 * @category tables
 * @since 0.1.0
 */
export const version = "2026-11-30"

const simple = (input: string, cachedInput: string, output: string): Price => ({ input, cachedInput, output })

const cached = (input: string, cachedInput: string, cacheWrite: string, output: string): Price => ({
  input,
  cachedInput,
  cacheWrite,
  output
})

/** The same, and other prices for prompts of more than so many tokens. */
const long = (price: Price, tokens: number, above: Price): Price => ({ ...price, above: { tokens, ...above } })

/** The longest prompt that pays what the pages say first. */
const short = 272_000

/**
 * Prices by the names of models.
 *
 * @category tables
 * @since 0.1.0
 */
export const models: Readonly<Record<string, Price>> = {
  "gpt-6.2-astra": long(cached("8", "0.40", "10", "40"), short, cached("16", "0.80", "20", "60")),
  "gpt-6.2-sol": long(cached("2", "0.10", "2.50", "10"), short, cached("4", "0.20", "5", "15")),
  "gpt-6.1-sol": long(simple("2", "0.10", "10"), short, simple("4", "0.20", "15")),
  "gpt-6-astra": long(cached("10", "1", "12.50", "50"), short, cached("20", "2", "25", "75")),
  "gpt-6-sol": long(cached("2", "0.20", "2.50", "10"), short, cached("4", "0.40", "5", "15")),
  "gpt-6-luna": long(cached("0.10", "0.01", "0.125", "0.50"), short, cached("0.20", "0.02", "0.25", "0.75")),
  "gpt-5.6-sol": long(cached("5", "0.50", "6.25", "30"), short, cached("10", "1", "12.50", "45")),
  "gpt-5.6-terra": long(cached("2", "0.20", "2.50", "12"), short, cached("4", "0.40", "5", "18")),
  "gpt-5.5": long(simple("5", "0.50", "30"), short, simple("10", "1", "45")),
  "gpt-5.4": long(simple("2.50", "0.25", "15"), short, simple("5", "0.50", "22.50")),
  "gpt-5.4-mini": simple("0.75", "0.075", "4.50"),
  "gpt-5.4-nano": simple("0.20", "0.02", "1.25"),
  "gpt-5-mini": simple("0.25", "0.025", "2"),
  "gpt-4.1": simple("2", "0.50", "8"),
  "gpt-4.1-mini": simple("0.40", "0.10", "1.60"),
  "gpt-4o": simple("2.50", "1.25", "10"),
  "gpt-4o-mini": simple("0.15", "0.075", "0.60"),
  "claude-fable-5-1": cached("10", "0.25", "12.50", "50"),
  "claude-fable-5": cached("10", "1", "12.50", "50"),
  "claude-opus-5-5": cached("4", "0.20", "5", "20"),
  "claude-opus-5": cached("5", "0.50", "6.25", "25"),
  "claude-opus-4-8": cached("5", "0.50", "6.25", "25"),
  "claude-opus-4-7": cached("5", "0.50", "6.25", "25"),
  "claude-opus-4-6": cached("5", "0.50", "6.25", "25"),
  "claude-opus-4-5": cached("5", "0.50", "6.25", "25"),
  "claude-sonnet-5-5": cached("2", "0.10", "2.50", "10"),
  "claude-sonnet-5": cached("2", "0.20", "2.50", "10"),
  "claude-sonnet-4-6": cached("3", "0.30", "3.75", "15"),
  "claude-sonnet-4-5": cached("3", "0.30", "3.75", "15"),
  "claude-haiku-5-5": long(
    cached("0.10", "0.01", "0.125", "0.50"),
    100_000,
    cached("0.50", "0.05", "0.625", "2.50")
  ),
  "claude-haiku-4-5": cached("1", "0.10", "1.25", "5")
}
