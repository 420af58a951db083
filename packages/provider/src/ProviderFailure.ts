/**
 * What a provider's refusal means: from status, code, type and message to a reason of `effect/ai`, which says whether asking again
 * can help. All providers are judged by one table.
 */
import { Result } from "effect"
import { AiError } from "effect/ai"
import type { Answer } from "./Endpoint.ts"
import * as FailureTable from "./FailureTable.ts"
import * as Said from "./Said.ts"

export type { Said } from "./Said.ts"

/**
 * How one provider's answers are judged.
 *
 * @category models
 * @since 0.1.0
 */
export interface Judge {
  /** The reason behind an answer whose status is no success. */
  readonly ofStatus: (answer: Answer) => AiError.AiErrorReason
  /** The reason behind a success that holds no answer: the error in it if there is one, otherwise that it cannot be read. */
  readonly ofAnswer: (answer: Answer, problem: string) => AiError.AiErrorReason
  /** The error in a success, such as in one event of a stream; undefined if it is none by its form. */
  readonly ofError: (answer: Answer) => AiError.AiErrorReason | undefined
  /** What `read` makes of the text of a whole success; otherwise the reason behind the answer. `read` fails with the problem. */
  readonly partsOf: <A>(
    answer: Answer,
    read: (text: string) => Result.Result<A, string>
  ) => Result.Result<A, AiError.AiErrorReason>
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The name under which `metadata` of a reason has the provider's own code and type. */
  readonly provider: string
  /** How the words of an error are found in a body; the default knows the forms of all providers in the table. */
  readonly read?: ((text: string) => Said.Said) | undefined
}

/**
 * **Details**
 *
 * The first that says something counts: a code or type of `FailureTable.words`; a phrase of the message; the status, or under a
 * success a status that the body names; under a success a type of `FailureTable.hints`. An error under a success that is none of
 * these is transient. The kind stands in `metadata.failure.kind` of the reason. A failure that passes and
 * names a delay is a `RateLimitError`, since only that carries one.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = ({ provider, read = Said.read }: Options): Judge => {
  const reasonOf = reasonFor(provider)
  const ofError: Judge["ofError"] = (answer) => {
    const said = read(answer.reported)
    return said.isError ? reasonOf(answer, said, verdictOf(said, statusIn(said), "transient")) : undefined
  }
  const ofStatus: Judge["ofStatus"] = (answer) => {
    const said = read(answer.reported)
    return reasonOf(answer, said, verdictOf(said, answer.status, "unknown"))
  }
  const ofAnswer: Judge["ofAnswer"] = (answer, problem) => ofError(answer) ?? unreadable(answer, problem)
  return {
    ofStatus,
    ofError,
    ofAnswer,
    partsOf: (answer, read) => {
      if (answer.status < 200 || answer.status > 299) return Result.fail(ofStatus(answer))
      const parts = answer.whole ? read(answer.text) : Result.fail("larger than the bound on answers")
      return Result.mapError(parts, (problem) => ofAnswer(answer, problem))
    }
  }
}

/** What the words say if they are decisive; otherwise what the status says; otherwise what the type lets guess. */
const verdictOf = (
  said: Said.Said,
  status: number | undefined,
  otherwise: FailureTable.Verdict
): FailureTable.Verdict => {
  if (said.flagged) return "content-filtered"
  const decisive = firstOf(said.words, FailureTable.words)
  const phrase = FailureTable.phrases.find(([pattern]) => pattern.test(said.message))?.[1]
  // A code for a whole class of failures says less than the message; of money the code knows more.
  if (decisive !== undefined && (decisive !== "rate-limited" || phrase === undefined || phrase === "quota")) {
    return decisive
  }
  return phrase ?? (status === undefined ?
    firstOf(said.words, FailureTable.hints) ?? otherwise
    : FailureTable.ofStatus(status))
}

const firstOf = (words: ReadonlyArray<string>, table: ReadonlyMap<string, FailureTable.Verdict>) =>
  words.map((word) => table.get(word)).find((verdict) => verdict !== undefined)

/** The status that an error under a success names as its code. */
const statusIn = ({ words }: Said.Said): number | undefined => {
  const word = words.find((one) => /^[345]\d\d$/.test(one))
  return word === undefined ? undefined : Number(word)
}

const unreadable = ({ reported, status }: Answer, problem: string): AiError.AiErrorReason =>
  new AiError.InvalidOutputError({
    description: `HTTP ${status}: ${problem}${reported.trim() === "" ? "" : `: ${excerpt(reported)}`}`,
    metadata: { failure: { kind: "malformed-output" } }
  })

const reasonFor =
  (provider: string) => (answer: Answer, said: Said.Said, verdict: FailureTable.Verdict): AiError.AiErrorReason => {
    const { keyed, reported, requestId, status } = answer
    const retryAfter = answer.retryAfter ?? said.retryAfter
    const label = said.code || said.type
    const description = said.message === ""
      ? excerpt(reported) || "the provider said nothing more"
      : `${label === "" ? "" : `${excerpt(label)}: `}${excerpt(said.message)}`
    const http = {
      response: { status, headers: requestId === "" ? {} : { "x-request-id": excerpt(requestId) } },
      body: description
    }
    const metadata = {
      failure: { kind: FailureTable.kindOf(verdict) },
      [provider]: { code: excerpt(said.code), type: excerpt(said.type) }
    }
    switch (verdict) {
      case "content-filtered":
        return new AiError.ContentPolicyError({ description, http, metadata })
      case "forbidden":
        return new AiError.AuthenticationError({ kind: "InsufficientPermissions", description, http, metadata })
      case "bad-key":
        return new AiError.AuthenticationError({
          kind: keyed ? "InvalidKey" : "MissingKey",
          description,
          http,
          metadata
        })
      case "quota":
        return new AiError.QuotaExhaustedError({ http, metadata })
      case "bad-request":
      case "context-too-long":
        return new AiError.InvalidRequestError({ description, http, metadata })
      case "malformed-output":
        return new AiError.InvalidOutputError({ description: `HTTP ${status}: ${description}`, metadata })
      case "unknown":
        return new AiError.UnknownError({ description: `HTTP ${status}: ${description}`, http, metadata })
      case "rate-limited":
        return new AiError.RateLimitError({ retryAfter, http, metadata })
      case "transient":
        // Of the failures that pass, only this one can say when to ask again.
        return retryAfter === undefined
          ? new AiError.InternalProviderError({ description, http, metadata })
          : new AiError.RateLimitError({ retryAfter, http, metadata })
    }
  }

/** The beginning of a text, in one line. */
const excerpt = (text: string): string => {
  const line = text.trim().replace(/\s+/g, " ")
  return line.length <= 300 ? line : `${line.slice(0, 300).toWellFormed()} …`
}
