/**
 * What the Messages API is sent for a call of a model.
 */
import { JsonSchema } from "@durable-agents/provider"
import { Result, Schema } from "effect"
import { AiError, AnthropicStructuredOutput, type LanguageModel, Tool } from "effect/ai"
import * as Content from "./Content.ts"
import type { Names } from "./Names.ts"

/**
 * What is the same for all requests of a layer.
 *
 * @category models
 * @since 0.1.0
 */
export interface Settings {
  readonly model: string
  readonly maxTokens: number
  readonly cache: "5m" | "1h" | undefined
  readonly parallelToolCalls: boolean
  /** Further fields. */
  readonly parameters: Schema.JsonObject
}

/**
 * The fields that parameters cannot set.
 *
 * @category models
 * @since 0.1.0
 */
export const ownFields: ReadonlySet<string> = new Set([
  "model",
  "max_tokens",
  "system",
  "messages",
  "tools",
  "tool_choice",
  "stream"
])

/**
 * The body of the request; fails if something in it cannot be said to the Messages API.
 *
 * **Details**
 *
 * System messages are taken together, wherever they stand. What a person says and the results of calls are one message if they
 * follow one another, since all results of a turn belong into one. Blank texts, and messages without anything else, are left out.
 *
 * With `cache`, what is likely to be sent again is marked: the tools, the system prompt, the last message, and the one that was
 * the last of the request before, since the API looks back from a mark over 20 blocks only. These are all four marks there are.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  settings: Settings,
  names: Names,
  request: LanguageModel.ProviderOptions
): Result.Result<Schema.JsonObject, AiError.AiErrorReason> =>
  Result.gen(function*() {
    const { maxTokens, model, parameters } = settings
    const mark = markOf(settings.cache)
    const system: Array<Content.Block> = []
    const messages: Array<Message> = []
    for (const message of request.prompt.content) {
      if (message.role === "system") {
        system.push(...Content.text(message.content))
        continue
      }
      const role = message.role === "assistant" ? "assistant" : "user"
      const content = yield* blocksOf(message, names)
      const last = messages.at(-1)
      if (last?.role === role) last.content.push(...content)
      else if (content.length > 0) messages.push({ role, content: [...content] })
    }
    const offered = yield* Result.all(chosen(request.tools, request.toolChoice).map((tool) => toolOf(tool, names)))
    const format = yield* formatOf(request.responseFormat)
    const { output_config, ...more } = parameters
    const marked = messages.filter(({ role }) => role === "user").slice(-2)
    return {
      ...more,
      model,
      max_tokens: maxTokens,
      ...(system.length === 0 ? {} : { system: endMarked(system, mark) }),
      messages: messages.map((message) =>
        marked.includes(message) ? { ...message, content: endMarked(message.content, mark) } : { ...message }
      ),
      ...(offered.length === 0
        ? {}
        : { tools: endMarked(offered, mark), ...choiceOf(request.toolChoice, names, settings.parallelToolCalls) }),
      ...(output_config === undefined && format === undefined
        ? {}
        : { output_config: { ...(isObject(output_config) ? output_config : {}), ...format } })
    }
  })

interface Message {
  readonly role: "user" | "assistant"
  readonly content: Array<Content.Block>
}

type Turn = Exclude<LanguageModel.ProviderOptions["prompt"]["content"][number], { readonly role: "system" }>

const blocksOf = (message: Turn, names: Names): Result.Result<ReadonlyArray<Content.Block>, AiError.AiErrorReason> => {
  switch (message.role) {
    case "user":
      return Content.user(message.content)
    case "assistant":
      return Result.succeed(Content.assistant(message.content, names))
    case "tool":
      return Content.results(message.content)
  }
}

type Mark = { readonly cache_control?: Schema.JsonObject }

const markOf = (cache: Settings["cache"]): Mark =>
  cache === undefined
    ? {}
    : { cache_control: cache === "5m" ? { type: "ephemeral" } : { type: "ephemeral", ttl: cache } }

const endMarked = (blocks: ReadonlyArray<Schema.JsonObject>, mark: Mark): ReadonlyArray<Schema.JsonObject> =>
  blocks.map((block, index) => index === blocks.length - 1 ? { ...block, ...mark } : block)

type Choice = LanguageModel.ProviderOptions["toolChoice"]

/** A choice among some tools offers these only. */
const chosen = (tools: ReadonlyArray<Tool.Any>, choice: Choice): ReadonlyArray<Tool.Any> =>
  typeof choice === "object" && "oneOf" in choice ? tools.filter(({ name }) => choice.oneOf.includes(name)) : tools

/** Left out where it says what holds anyway. */
const choiceOf = (choice: Choice, names: Names, parallel: boolean): Schema.JsonObject => {
  const single = parallel ? {} : { disable_parallel_tool_use: true }
  if (choice === "none") return { tool_choice: { type: "none" } }
  if (typeof choice === "object" && "tool" in choice) {
    return { tool_choice: { type: "tool", name: names.sent(choice.tool), ...single } }
  }
  if (choice === "required" || (typeof choice === "object" && choice.mode === "required")) {
    return { tool_choice: { type: "any", ...single } }
  }
  return parallel ? {} : { tool_choice: { type: "auto", ...single } }
}

const toolOf = (tool: Tool.Any, names: Names): Result.Result<Schema.JsonObject, AiError.AiErrorReason> => {
  const name: string = tool.name
  if (Tool.isProviderDefined(tool)) {
    return Result.fail(refused(`the tool \`${name}\` is executed by its provider, which is not supported`))
  }
  const description = Tool.getDescription(tool)
  return Result.map(JsonSchema.of(`the tool \`${name}\``, () => Tool.getJsonSchema(tool)), (schema) => ({
    name: names.sent(name),
    ...(description === undefined ? {} : { description }),
    input_schema: inputSchemaOf(schema)
  }))
}

/** The input is an object on the wire, also that of a struct without fields, whose schema says "anything but null". */
const inputSchemaOf = ({ not, ...schema }: Schema.JsonObject): Schema.JsonObject => ({
  type: "object",
  properties: {},
  ...schema,
  ...(not === undefined || schema.type === undefined ? {} : { not })
})

type Format = LanguageModel.ProviderOptions["responseFormat"]

const formatOf = (format: Format): Result.Result<Schema.JsonObject | undefined, AiError.AiErrorReason> =>
  format.type === "text"
    ? Result.succeed(undefined)
    : Result.map(
      JsonSchema.of("the output", () => AnthropicStructuredOutput.toCodecAnthropic(format.schema).jsonSchema),
      (schema) => ({ format: { type: "json_schema", schema } })
    )

const isObject = Schema.is(Schema.JsonObject)

const refused = (description: string) => new AiError.InvalidRequestError({ description })
