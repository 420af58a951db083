/**
 * What an endpoint is sent for a call of a model.
 */
import { Result, Schema } from "effect"
import { AiError, type LanguageModel, OpenAiStructuredOutput, type Prompt, Tool } from "effect/ai"
import { Base64 } from "effect/encoding"

/**
 * The body of the request; fails if something in it cannot be said in chat completions.
 *
 * **Details**
 *
 * Tools, tool choice and response format are left out where they say nothing, since some endpoints refuse them. A choice among
 * some tools offers these only.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  model: string,
  { prompt, responseFormat, toolChoice, tools }: LanguageModel.ProviderOptions
): Result.Result<Schema.Json, AiError.AiErrorReason> =>
  Result.gen(function*() {
    const messages: Array<Schema.Json> = []
    for (const message of prompt.content) messages.push(...yield* messagesOf(message))
    const offered: Array<Schema.Json> = []
    for (const tool of chosen(tools, toolChoice)) offered.push(yield* toolOf(tool))
    return {
      model,
      messages,
      ...(offered.length === 0 ? {} : { tools: offered, ...choiceOf(toolChoice) }),
      ...(responseFormat.type === "text" ? {} : { response_format: yield* formatOf(responseFormat) })
    }
  })

type Choice = LanguageModel.ProviderOptions["toolChoice"]

const chosen = (tools: ReadonlyArray<Tool.Any>, choice: Choice): ReadonlyArray<Tool.Any> =>
  typeof choice === "object" && "oneOf" in choice ? tools.filter(({ name }) => choice.oneOf.includes(name)) : tools

const choiceOf = (choice: Choice): { readonly [name: string]: Schema.Json } => {
  if (choice === "auto") return {}
  if (typeof choice === "string") return { tool_choice: choice }
  if ("tool" in choice) return { tool_choice: { type: "function", function: { name: choice.tool } } }
  return choice.mode === "required" ? { tool_choice: "required" } : {}
}

const toolOf = (tool: Tool.Any): Result.Result<Schema.Json, AiError.AiErrorReason> => {
  const name: string = tool.name
  if (Tool.isProviderDefined(tool)) {
    return Result.fail(refused(`the tool \`${name}\` belongs to another provider's interface`))
  }
  const description = Tool.getDescription(tool)
  return Result.map(describable(`the tool \`${name}\``, () => Tool.getJsonSchema(tool)), (schema) => ({
    type: "function",
    function: { name, ...(description === undefined ? {} : { description }), parameters: parametersOf(schema) }
  }))
}

/** Parameters are an object on the wire, also those of a struct without fields, whose schema says "anything but null". */
const parametersOf = ({ not, ...schema }: Schema.JsonObject): Schema.Json => ({
  type: "object",
  properties: {},
  ...schema,
  ...(not === undefined || schema.type === undefined ? {} : { not })
})

type JsonFormat = Extract<LanguageModel.ProviderOptions["responseFormat"], { readonly type: "json" }>

const formatOf = ({ objectName, schema }: JsonFormat): Result.Result<Schema.Json, AiError.AiErrorReason> =>
  Result.map(
    describable("the output", () => OpenAiStructuredOutput.toCodecOpenAI(schema).jsonSchema),
    (described) => ({ type: "json_schema", json_schema: { name: objectName, strict: true, schema: described } })
  )

const describable = (what: string, describe: () => unknown): Result.Result<Schema.JsonObject, AiError.AiErrorReason> =>
  Result.flatMap(
    Result.try({
      try: describe,
      catch: (error) =>
        new AiError.UnsupportedSchemaError({ description: `${what} has no JSON schema: ${String(error)}` })
    }),
    (schema) =>
      isObject(schema)
        ? Result.succeed(schema)
        : Result.fail(new AiError.UnsupportedSchemaError({ description: `${what} has no JSON schema` }))
  )

const isObject = Schema.is(Schema.Record(Schema.String, Schema.Json))

const messagesOf = (message: Prompt.Message): Result.Result<ReadonlyArray<Schema.Json>, AiError.AiErrorReason> => {
  switch (message.role) {
    case "system":
      return Result.succeed([{ role: "system", content: message.content }])
    case "user":
      return Result.map(contentOf(message.content), (content) => [{ role: "user", content }])
    case "assistant":
      return Result.succeed([assistant(message.content)])
    case "tool":
      return Result
        .succeed(message.content.flatMap((part) =>
          part.type === "tool-result" ? [{ role: "tool", tool_call_id: part.id, content: textOf(part.result) }] : []
        ))
  }
}

const contentOf = (
  parts: ReadonlyArray<Prompt.UserMessagePart>
): Result.Result<Schema.Json, AiError.AiErrorReason> =>
  Result.gen(function*() {
    const [only] = parts
    if (parts.length === 1 && only?.type === "text") return only.text
    const content: Array<Schema.Json> = []
    for (const part of parts) {
      content.push(part.type === "text" ? { type: "text", text: part.text } : yield* imageOf(part))
    }
    return content
  })

const imageOf = ({ data, mediaType }: Prompt.FilePart): Result.Result<Schema.Json, AiError.AiErrorReason> => {
  if (!mediaType.startsWith("image/")) return Result.fail(refused(`a file of type \`${mediaType}\` cannot be sent`))
  const url = data instanceof URL
    ? data.href
    : `data:${mediaType};base64,${typeof data === "string" ? data : Base64.encode(data)}`
  return Result.succeed({ type: "image_url", image_url: { url } })
}

/** One message: the text, the calls, and beside calls the reasoning, which some models want back with them. */
const assistant = (parts: ReadonlyArray<Prompt.AssistantMessagePart>): Schema.Json => {
  const text = parts.flatMap((part) => part.type === "text" ? [part.text] : []).join("")
  const calls = parts.flatMap((part) =>
    part.type !== "tool-call" || part.providerExecuted ? [] : [{
      id: part.id,
      type: "function",
      function: { name: part.name, arguments: textOf(part.params ?? {}) }
    }]
  )
  if (calls.length === 0) return { role: "assistant", content: text }
  const reasoning = parts.flatMap((part) =>
    part.type === "reasoning" ? fieldOf(part.options["openai"]).map((field) => [field, part.text]) : []
  )
  return {
    role: "assistant",
    content: text === "" ? null : text,
    ...Object.fromEntries(reasoning),
    tool_calls: calls
  }
}

const fieldOf = (options: unknown): ReadonlyArray<string> => isOptions(options) ? [options.field] : []
const isOptions = Schema.is(Schema.Struct({ field: Schema.Literals(["reasoning", "reasoning_content"]) }))

const textOf = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value) ?? "null"

const refused = (description: string) => new AiError.InvalidRequestError({ description })
