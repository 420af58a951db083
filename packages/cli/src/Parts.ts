/**
 * The answer of a model, as its recorded parts say it.
 */
import { Option, Schema } from "effect"

/**
 * One part of an answer. `rest` is what it has beyond the named fields.
 *
 * @category models
 * @since 0.1.0
 */
export type Part =
  | { readonly _tag: "Text"; readonly kind: "text" | "reasoning"; readonly text: string; readonly rest: Rest }
  | {
    readonly _tag: "Call"
    readonly id: string
    readonly name: string
    readonly params: Schema.Json
    readonly rest: Rest
  }
  | { readonly _tag: "Other"; readonly part: Schema.Json }

/**
 * @category models
 * @since 0.1.0
 */
export type Rest = Readonly<Record<string, Schema.Json>>

const rest = [Schema.Record(Schema.String, Schema.Json)] as const

const decodeText = Schema.decodeUnknownOption(Schema.StructWithRest(
  Schema.Struct({ type: Schema.Literals(["text", "reasoning"]), text: Schema.String }),
  rest
))

const decodeCall = Schema.decodeUnknownOption(Schema.StructWithRest(
  Schema.Struct({ type: Schema.Literal("tool-call"), id: Schema.String, name: Schema.String, params: Schema.Json }),
  rest
))

/**
 * Reads one recorded part. What is neither text nor a tool call is kept as it is.
 *
 * @category decoding
 * @since 0.1.0
 */
export const read = (part: Schema.Json): Part =>
  decodeText(part).pipe(
    Option.map(({ text, ...rest }): Part => ({ _tag: "Text", kind: rest.type, text, rest: filled(rest) })),
    Option.orElse(() =>
      Option.map(
        decodeCall(part),
        ({ id, name, params, ...rest }): Part => ({ _tag: "Call", id, name, params, rest: filled(rest) })
      )
    ),
    Option.getOrElse((): Part => ({ _tag: "Other", part }))
  )

/** Without its type, and without the empty metadata that models leave on every part. */
const filled = (rest: Rest): Rest =>
  Object.fromEntries(Object.entries(rest).filter(([name, value]) => name !== "type" && JSON.stringify(value) !== "{}"))
