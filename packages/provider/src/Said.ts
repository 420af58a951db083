/**
 * The words of an error, in the forms that providers give them.
 */
import { type Duration, Option, Result, Schema } from "effect"
import { lenient, orUndefined, parse } from "./Json.ts"
import * as RetryAfter from "./RetryAfter.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Said {
  /** Whether this is an error by its form, and not by the status alone. */
  readonly isError: boolean
  /** The codes, statuses and types that it names, in lower case, the most telling first. */
  readonly words: ReadonlyArray<string>
  readonly code: string
  readonly type: string
  readonly message: string
  /** Whether something was flagged by a moderation. */
  readonly flagged: boolean
  readonly retryAfter: Duration.Duration | undefined
}

/**
 * Reads the body of an answer, or the data of one event of a stream; what is no error is silence.
 *
 * @category readers
 * @since 0.1.0
 */
export const read = (text: string): Said =>
  Option.match(Option.flatMap(Result.getSuccess(parse(text)), decode), {
    onNone: () => silence,
    onSome: (read) => saidIn("0" in read ? read[0] : read)
  })

const Word = lenient(Schema.Union([Schema.String, Schema.Finite]))

/** Gemini gives a list of these, Anthropic one with the cause. */
const Detail = Schema.Struct({ reason: Word, error_code: Word, retryDelay: lenient(Schema.String) })

const Fields = Schema.Struct({
  code: Word,
  type: Word,
  status: Word,
  message: Word,
  innererror: lenient(Schema.Struct({ code: Word })),
  metadata:
    lenient(Schema.Struct({ error_type: Word, limit_source: Word, flagged_input: Schema.optionalKey(Schema.Unknown) })),
  details: lenient(Schema.Union([Schema.Array(orUndefined(Detail)), Detail]))
})

const Body = Schema.Struct({
  ...Fields.fields,
  error: lenient(Schema.Union([Schema.NonEmptyString, Fields])),
  choices: lenient(Schema.Array(orUndefined(Schema.Struct({ error: lenient(Fields) })))),
  object: Word,
  detail: Word
})

const decode = Schema.decodeUnknownOption(Schema.Union([Body, Schema.NonEmptyArray(Body)]))

const silence: Said = {
  isError: false,
  words: [],
  code: "",
  type: "",
  message: "",
  flagged: false,
  retryAfter: undefined
}

const saidIn = (body: typeof Body.Type): Said => {
  const error = body.error ?? body.choices?.find((choice) => choice?.error !== undefined)?.error
  if (typeof error === "string") {
    const code = wordOf(body.code)
    return { ...silence, isError: true, message: error, code, words: filled([code]) }
  }
  const { code, innererror, message, metadata, status, type } = error ?? body
  const details = detailsOf((error ?? body).details)
  const cause = details.find((detail) => detail?.error_code !== undefined)?.error_code
  const reasons = details.map((detail) => detail?.reason)
  return {
    isError: error !== undefined || body.object === "error",
    words:
      filled([innererror?.code, metadata?.limit_source, code, metadata?.error_type, cause, ...reasons, status, type]
        .map(wordOf)),
    code: wordOf(code ?? cause ?? status),
    type: wordOf(type),
    message: `${message ?? body.detail ?? ""}`,
    flagged: metadata?.flagged_input !== undefined,
    retryAfter: details.flatMap((detail) => detail?.retryDelay ?? []).map(RetryAfter.ofText)[0]
  }
}

const detailsOf = (details: typeof Fields.Type["details"]): ReadonlyArray<typeof Detail.Type | undefined> =>
  details === undefined ? [] : Symbol.iterator in details ? details : [details]

const wordOf = (word: string | number | undefined): string => `${word ?? ""}`.toLowerCase()

const filled = (words: ReadonlyArray<string>): ReadonlyArray<string> => words.filter((word) => word !== "")
