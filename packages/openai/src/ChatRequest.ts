/**
 * What an endpoint is sent for a call of a model.
 */
import { JsonSchema } from "@durable-agents/provider"
import type { Schema } from "effect"
import { Predicate, Result } from "effect"
import { AiError, type LanguageModel, OpenAiStructuredOutput, type Prompt, Tool } from "effect/ai"
import { Base64 } from "effect/encoding"
import * as CallIds from "./CallIds.ts"
import type { Dialect } from "./Dialect.ts"
import * as Kept from "./Kept.ts"

/**
 * What every request of a model says.
 *
 * @category models
 * @since 0.1.0
 */
export interface Settings {
  readonly model: string
  readonly dialect: Dialect
  /** Further fields. */
  readonly parameters: Schema.JsonObject
}

/**
 * Fields that say what the layer has to say, and those of another interface for the same.
 *
 * @category guards
 * @since 0.1.0
 */
export const ownFields: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "tools",
  "tool_choice",
  "functions",
  "function_call",
  "response_format",
  "stream",
  "stream_options",
  "n"
])

/**
 * The body of a request.
 *
 * @category models
 * @since 0.1.0
 */
export interface Body extends Schema.JsonObject {
  readonly model: string
  readonly messages: ReadonlyArray<Schema.Json>
}

/**
 * The body of the request; fails if something in it cannot be said in chat completions.
 *
 * **Details**
 *
 * Tools, tool choice and response format are left out where they say nothing, since some endpoints refuse them. A choice among
 * some tools offers these only. Names of tools that no endpoint takes are refused; in calls of the conversation so far, which a
 * model may have made up, they are made acceptable. Ids of calls that the endpoint would refuse are replaced. Of the most tokens
 * that are given and that are among the parameters, the smaller number counts.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  { dialect, model, parameters }: Settings,
  { prompt, responseFormat, toolChoice, tools }: LanguageModel.ProviderOptions,
  maxTokens: number | undefined
): Result.Result<Body, AiError.AiErrorReason> =>
  Result.gen(function*() {
    const messages: Array<Schema.Json> = []
    const idOf = CallIds.make(prompt, dialect.callIds)
    for (const message of prompt.content) messages.push(...yield* messagesOf(message, dialect, idOf))
    const offered: Array<Schema.Json> = []
    for (const tool of chosen(tools, toolChoice)) offered.push(yield* toolOf(tool))
    const format = responseFormat.type === "text" ? undefined : yield* formatOf(responseFormat, dialect)
    const { max_completion_tokens, max_tokens, ...others } = parameters
    const most = [maxTokens, max_completion_tokens, max_tokens].filter(Predicate.isNumber)
    return {
      ...others,
      ...(most.length === 0 ? {} : { [dialect.maxTokens]: Math.min(...most) }),
      model,
      messages: format === undefined ? messages : [...messages, ...format.messages],
      ...(offered.length === 0 ? {} : { tools: offered, ...choiceOf(toolChoice) }),
      ...(format === undefined ? {} : { response_format: format.field })
    }
  })

/**
 * The same request for an answer in pieces.
 *
 * @category combinators
 * @since 0.1.0
 */
export const streaming = (body: Body, { dialect }: Settings): Body => ({
  ...body,
  stream: true,
  ...(dialect.asksForUsage ? { stream_options: { include_usage: true } } : {})
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
  if (wireName(name) !== name) {
    return Result.fail(refused(`the tool \`${name}\` has a name that is not 1 to 64 letters, digits, \`_\` or \`-\``))
  }
  if (Tool.isProviderDefined(tool)) {
    return Result.fail(refused(`the tool \`${name}\` belongs to another provider's interface`))
  }
  const description = Tool.getDescription(tool)
  return Result.map(JsonSchema.of(`the tool \`${name}\``, () => Tool.getJsonSchema(tool)), (schema) => ({
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

interface Format {
  readonly field: Schema.Json
  /** What has to be said beside it. */
  readonly messages: ReadonlyArray<Schema.Json>
}

const formatOf = (
  { objectName, schema }: JsonFormat,
  { output }: Dialect
): Result.Result<Format, AiError.AiErrorReason> =>
  Result.map(
    JsonSchema.of("the output", () => OpenAiStructuredOutput.toCodecOpenAI(schema).jsonSchema),
    (described) =>
      output === "json_schema"
        ? {
          field: { type: "json_schema", json_schema: { name: wireName(objectName), strict: true, schema: described } },
          messages: []
        }
        : { field: { type: "json_object" }, messages: [{ role: "system", content: asked(described) }] }
  )

const asked = (schema: Schema.Json): string =>
  `Answer with one JSON object and nothing else. It must fit this JSON schema: ${JSON.stringify(schema)}`

const messagesOf = (
  message: Prompt.Message,
  dialect: Dialect,
  idOf: (id: string) => string
): Result.Result<ReadonlyArray<Schema.Json>, AiError.AiErrorReason> => {
  switch (message.role) {
    case "system":
      return Result.succeed([{ role: "system", content: message.content }])
    case "user":
      return Result.map(contentOf(message.content), (content) => [{ role: "user", content }])
    case "assistant":
      return Result.succeed([assistant(message.content, dialect, idOf)])
    case "tool":
      return Result
        .succeed(message.content.flatMap((part) =>
          part.type === "tool-result"
            ? [{ role: "tool", tool_call_id: idOf(part.id), content: textOf(part.result) }]
            : []
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

/** One message: the text, the calls, and beside calls what was kept of the answer, which some models want back with them. */
const assistant = (
  parts: ReadonlyArray<Prompt.AssistantMessagePart>,
  { sendsBack }: Dialect,
  idOf: (id: string) => string
): Schema.Json => {
  const text = parts.flatMap((part) => part.type === "text" ? [part.text] : []).join("")
  const calls = parts.flatMap((part) =>
    part.type !== "tool-call" || part.providerExecuted ? [] : [{
      id: idOf(part.id),
      type: "function",
      function: { name: wireName(part.name), arguments: argumentsOf(part.params) },
      ...(sendsBack.includes("extra_content") ? Kept.extraOf(part) : {})
    }]
  )
  if (calls.length === 0) return { role: "assistant", content: text }
  const reasoning = parts.filter((part) => part.type === "reasoning")
  return {
    role: "assistant",
    content: text === "" ? null : text,
    ...Kept.reasoningOf(reasoning, sendsBack),
    tool_calls: calls
  }
}

/** A strict endpoint takes the text of an object only. */
const argumentsOf = (params: unknown): string => {
  const text = textOf(params)
  return typeof params !== "string" && text.startsWith("{") ? text : "{}"
}

const wireName = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "unknown"

const textOf = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value) ?? "null"

const refused = (description: string) => new AiError.InvalidRequestError({ description })
