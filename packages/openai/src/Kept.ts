/**
 * What was kept of an answer beside its text and calls, as it is sent back.
 */
import { Option, Schema } from "effect"
import type { Prompt } from "effect/ai"
import type { Dialect } from "./Dialect.ts"

const Reasoning = Schema.Struct({
  field: Schema.optionalKey(Schema.Literals(["reasoning_content", "reasoning", "thinking"])),
  details: Schema.optionalKey(Schema.Array(Schema.JsonObject)),
  blocks: Schema.optionalKey(Schema.Array(Schema.JsonObject))
})

/**
 * The fields of a message that say its reasoning. Where OpenRouter's details are wanted and there are any, they alone: the text is
 * in them. LiteLLM's blocks go beside the text, as it sends them.
 *
 * @category readers
 * @since 0.1.0
 */
export const reasoningOf = (
  parts: ReadonlyArray<Prompt.ReasoningPart>,
  sendsBack: Dialect["sendsBack"]
): Schema.JsonObject => {
  const kept = parts.flatMap(({ options, text }) =>
    Option.toArray(Option.map(decodeReasoning(options["openai"]), (kept) => ({ ...kept, text })))
  )
  const details = kept.flatMap(({ details = [] }) => details)
  if (details.length > 0 && sendsBack.includes("reasoning_details")) return { reasoning_details: details }
  const fields = (["reasoning_content", "reasoning"] as const).flatMap((field) => {
    const texts = kept.flatMap((one) => one.field === field ? [one.text] : [])
    return texts.length > 0 && sendsBack.includes(field) ? [[field, texts.join("")]] : []
  })
  const blocks = sendsBack.includes("thinking_blocks") ? kept.flatMap(({ blocks = [] }) => blocks) : []
  return { ...Object.fromEntries(fields), ...(blocks.length === 0 ? {} : { thinking_blocks: blocks }) }
}

const decodeReasoning = Schema.decodeUnknownOption(Reasoning)

/**
 * The field of a call that was beside it, such as a signature of the thoughts before it.
 *
 * @category readers
 * @since 0.1.0
 */
export const extraOf = ({ options }: Prompt.ToolCallPart): Schema.JsonObject =>
  Option.match(decodeExtra(options["openai"]), {
    onNone: () => ({}),
    onSome: ({ extra_content }) => ({ extra_content })
  })

const decodeExtra = Schema.decodeUnknownOption(Schema.Struct({ extra_content: Schema.JsonObject }))
