/**
 * The blocks that messages of a request are made of.
 */
import { Option, Result } from "effect"
import type { Schema } from "effect"
import { AiError, type Prompt } from "effect/ai"
import { Base64 } from "effect/encoding"
import * as Names from "./Names.ts"
import * as Thinking from "./Thinking.ts"

/**
 * One block; `type` says what it is.
 *
 * @category models
 * @since 0.1.0
 */
export interface Block extends Schema.JsonObject {
  readonly type: string
}

type Blocks<E = never> = Result.Result<ReadonlyArray<Block>, E>

/**
 * Texts that are blank are left out: the API refuses them.
 *
 * @category constructors
 * @since 0.1.0
 */
export const text = (text: string): ReadonlyArray<Block> => text.trim() === "" ? [] : [{ type: "text", text }]

/**
 * What a person said and showed. Fails for a file that the API does not take.
 *
 * @category constructors
 * @since 0.1.0
 */
export const user = (parts: ReadonlyArray<Prompt.UserMessagePart>): Blocks<AiError.AiErrorReason> =>
  Result.map(
    Result.all(parts.map((part) => part.type === "text" ? Result.succeed(text(part.text)) : file(part))),
    (blocks) => blocks.flat()
  )

/**
 * What the model said, in its order: thinking unchanged, texts, calls of our tools.
 *
 * @category constructors
 * @since 0.1.0
 */
export const assistant = (
  parts: ReadonlyArray<Prompt.AssistantMessagePart>,
  names: Names.Names
): ReadonlyArray<Block> =>
  parts.flatMap((part): ReadonlyArray<Block> => {
    switch (part.type) {
      case "text":
        return text(part.text)
      case "reasoning":
        return Option.toArray(Thinking.toBlock(part))
      case "tool-call":
        return part.providerExecuted
          ? []
          : [{ type: "tool_use", id: Names.idOf(part.id), name: names.sent(part.name), input: inputOf(part.params) }]
      default:
        return []
    }
  })

/**
 * The results of calls, failures marked as such.
 *
 * @category constructors
 * @since 0.1.0
 */
export const results = (parts: ReadonlyArray<Prompt.ToolMessagePart>): Blocks<AiError.AiErrorReason> =>
  Result.all(parts.flatMap((part) => part.type === "tool-result" && !part.providerExecuted ? [result(part)] : []))

const result = (part: Prompt.ToolResultPart): Result.Result<Block, AiError.AiErrorReason> =>
  Result.map(
    part.modelOutput === undefined ? Result.succeed(text(textOf(part.result))) : user(part.modelOutput),
    (shown) => {
      // An error without a word is refused.
      const content = shown.length === 0 && part.isFailure ? text("failed") : shown
      const [only] = content
      return {
        type: "tool_result",
        tool_use_id: Names.idOf(part.id),
        ...(content.length === 0
          ? {}
          : { content: content.length === 1 && only?.type === "text" ? only.text ?? "" : content }),
        ...(part.isFailure ? { is_error: true } : {})
      }
    }
  )

const file = (part: Prompt.FilePart): Blocks<AiError.AiErrorReason> => {
  const { data, fileName, mediaType } = part
  const kind = mediaType.toLowerCase()
  const title = fileName === undefined ? {} : { title: fileName }
  const inline = inlineOf(data)
  if (kind.startsWith("image/") && (inline === undefined || images.has(kind))) {
    return Result.succeed([{ type: "image", source: sourceOf(kind, data, inline) }])
  }
  if (kind === "application/pdf") {
    return Result.succeed([{ type: "document", source: sourceOf(kind, data, inline), ...title }])
  }
  if (kind.startsWith("text/") && inline !== undefined) {
    return Result.mapBoth(Base64.decodeString(inline), {
      onSuccess: (data) => [{ type: "document", source: { type: "text", media_type: "text/plain", data }, ...title }],
      onFailure: () => refused(`a file of type \`${mediaType}\` is not in base64`)
    })
  }
  return Result
    .fail(refused(`a file of type \`${mediaType}\` cannot be sent${inline === undefined ? " as a URL" : ""}`))
}

const images: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"])

/** The data in base64; undefined if it is elsewhere. */
const inlineOf = (data: Prompt.FilePart["data"]): string | undefined =>
  data instanceof URL
    ? /^data:[^,]*;base64,(.*)$/s.exec(data.href)?.[1]
    : typeof data === "string"
    ? data
    : Base64.encode(data)

const sourceOf = (kind: string, data: Prompt.FilePart["data"], inline: string | undefined): Schema.JsonObject =>
  inline === undefined ? { type: "url", url: `${data}` } : { type: "base64", media_type: kind, data: inline }

/** The input of a call is an object on the wire. */
const inputOf = (params: unknown): Schema.JsonObject => {
  const json: Schema.Json = JSON.parse(JSON.stringify(params) ?? "null")
  return typeof json === "object" && json !== null && !Array.isArray(json) ? json as Schema.JsonObject : {}
}

const textOf = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value) ?? "null"

const refused = (description: string) => new AiError.InvalidRequestError({ description })
