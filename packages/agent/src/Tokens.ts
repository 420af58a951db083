/**
 * How many tokens a prompt can have at most, before it is sent.
 */
import { Context, Effect } from "effect"

/**
 * Counts the tokens of a text.
 *
 * @category models
 * @since 0.1.0
 */
export type Count = (text: string) => number

/**
 * The tokenizer behind the bound on prompts: that of OpenAI's models since GPT-4o. It is loaded when a limit on tokens or money
 * first needs it.
 *
 * @category references
 * @since 0.1.0
 */
export const Tokenizer = Context.Reference<Effect.Effect<Count>>("@durable-agents/agent/Tokenizer", {
  defaultValue: () => o200k
})

/** UTF-8 bytes: tokenizers over bytes never make more tokens than these. */
const bytesOf: Count = (text) => encoder.encode(text).length
const encoder = new TextEncoder()

const o200k: Effect.Effect<Count> = Effect.tryPromise(() => import("gpt-tokenizer/encoding/o200k_base")).pipe(
  Effect.map(({ countTokens }): Count => {
    // Names of special tokens are text here, whoever wrote them.
    const options = { disallowedSpecial: new Set<string>() }
    return (text) => countTokens(text, options)
  }),
  // Too much is reserved rather than nothing.
  Effect.orElseSucceed(() => bytesOf)
)

/**
 * The most tokens that these texts can be for this model.
 *
 * **Details**
 *
 * OpenAI's models get a tenth more than their tokenizer says, others twice as much, since theirs are different; neither more
 * than the bytes of the text, which no tokenizer over bytes passes. Each text adds 16 for what a provider writes around it.
 * Long texts are counted in pieces, which takes no more than linear time and makes no fewer tokens.
 *
 * @category bounds
 * @since 0.1.0
 */
export const atMost = (count: Count, model: string, texts: ReadonlyArray<string>): number => {
  const factor = openAi.test(model) ? 1.1 : 2
  let tokens = 0
  for (const text of texts) {
    tokens += 16
    for (let start = 0; start < text.length; start += pieceLength) {
      const piece = text.slice(start, start + pieceLength)
      tokens += Math.min(bytesOf(piece), Math.ceil(count(piece) * factor))
    }
  }
  return tokens
}

const openAi = /^(gpt-|chatgpt-|o\d)/

/** The time that a tokenizer takes grows with the square of a word's length. */
const pieceLength = 512
