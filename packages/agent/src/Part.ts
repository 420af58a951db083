/**
 * The parts of a model's answer on their way into a log and back. Most say no more than their kind needs and are written and read
 * by hand; all others go through the schema of `effect/ai`, which has to find out first which of its cases they are.
 */
import { Option, Predicate, Result, Schema } from "effect"
import { Response } from "effect/ai"
import { isObject, sortKeys } from "./ToolResult.ts"

/**
 * Encodes the parts of an answer as they are recorded: what they say, without what they would be read back as anyway.
 *
 * @category codecs
 * @since 0.1.0
 */
export const encode = (
  parts: ReadonlyArray<Response.AnyPart>
): Result.Result<ReadonlyArray<unknown>, Schema.SchemaError> => {
  const plain = parts.map(writePlain)
  return plain.includes(undefined)
    ? Result.map(encodeAny(parts), (encoded) => encoded.map(withoutDefaults))
    : Result.succeed(plain)
}

/**
 * Reads a recorded part, keys in one order; undefined if this build does not know it.
 *
 * @category codecs
 * @since 0.1.0
 */
export const decode = (json: Schema.Json): Response.AnyPart | undefined =>
  readPlain(json) ?? Option.getOrUndefined(decodeAny(sortKeys(json)))

const encodeAny = Schema.encodeUnknownResult(Schema.Array(Response.Part()))
const decodeAny = Schema.decodeUnknownOption(Response.Part())

/** Arguments that are missing are none: JSON would leave them out, and the call could not be read back. */
const withoutDefaults = ({ metadata, ...part }: Response.PartEncoded): unknown => {
  const own = metadata === undefined || Object.keys(metadata).length === 0 ? part : { ...part, metadata }
  if (own.type !== "tool-call") return own
  const { params = {}, providerExecuted, ...call } = own
  return providerExecuted === true ? { ...call, params, providerExecuted } : { ...call, params }
}

const writePlain = (part: Response.AnyPart): unknown => {
  if (part["~effect/ai/Response/Part"] !== "~effect/ai/Response/Part" || !isEmpty(part.metadata)) return undefined
  switch (part.type) {
    case "text":
    case "reasoning": {
      const { text, type } = part
      return Predicate.isString(text) ? { type, text } : undefined
    }
    case "tool-call": {
      const { id, name, params = {}, providerExecuted, type } = part
      const isPlain = Predicate.isString(id) && Predicate.isString(name) && providerExecuted === false
      return isPlain ? { type, id, name, params } : undefined
    }
    default:
      return undefined
  }
}

const readPlain = (json: Schema.Json): Response.AnyPart | undefined => {
  if (!isObject(json)) return undefined
  const { id, name, params, text, type } = json
  const { length } = Object.keys(json)
  if ((type === "text" || type === "reasoning") && length === 2 && typeof text === "string") {
    return Response.makePart(type, { text })
  }
  return type === "tool-call" && length === 4 && typeof id === "string" && typeof name === "string" &&
      params !== undefined
    ? Response.makePart(type, { id, name, params: sortKeys(params), providerExecuted: false })
    : undefined
}

const isEmpty = (value: unknown): boolean => Predicate.isObject(value) && Object.keys(value).length === 0
