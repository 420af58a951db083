/**
 * What a model thought, as the parts of an answer and of a prompt keep it: the API wants it back unchanged, with its signature.
 */
import { Option, Schema } from "effect"
import type { Prompt } from "effect/ai"
import type { Block } from "./Content.ts"

/**
 * What stands in the metadata of a reasoning part under `anthropic`. The part's text is the thinking; that of a redacted one is
 * empty.
 *
 * @category models
 * @since 0.1.0
 */
export const Thinking = Schema.Union([
  Schema.Struct({ type: Schema.Literal("thinking"), signature: Schema.optionalKey(Schema.String) }),
  Schema.Struct({ type: Schema.Literal("redacted_thinking"), data: Schema.String })
])

/**
 * @category models
 * @since 0.1.0
 */
export type Thinking = typeof Thinking.Type

/**
 * The block of a part; none if another provider's model thought it, since no signature says that it is genuine.
 *
 * @category codecs
 * @since 0.1.0
 */
export const toBlock = ({ options, text }: Prompt.ReasoningPart): Option.Option<Block> =>
  Option.map(
    decode(options["anthropic"]),
    (thinking) => thinking.type === "thinking" ? { ...thinking, thinking: text } : thinking
  )

const decode = Schema.decodeUnknownOption(Thinking)
