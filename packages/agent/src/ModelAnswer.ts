/**
 * A model's answer as it is recorded: its parts, who gave it, and what it used and cost.
 */
import type { RunEventOf } from "@durable-agents/core"
import { type Operation, Payload } from "@durable-agents/core"
import { Effect, Result, type Schema } from "effect"
import type { Response } from "effect/ai"
import * as Part from "./Part.ts"
import * as Prices from "./Prices.ts"
import { isList } from "./ToolResult.ts"

type Completed = RunEventOf<"LLMCallCompleted">

/**
 * What an answer used and cost, whether or not the rest of it can be recorded.
 *
 * @category models
 * @since 0.1.0
 */
export type Paid = Pick<Completed, "usage" | "priceVersion">

/**
 * @category models
 * @since 0.1.0
 */
export interface ModelAnswer {
  readonly paid: Paid
  /** The other fields of a completed call. */
  readonly recordable: Effect.Effect<
    Pick<Completed, "parts" | "stopReason" | "model" | "providerRequestId">,
    Operation.Failure
  >
}

/**
 * Reads an answer. Its parts are kept as they are encoded, which no tool's schema is needed to read.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  answer: ReadonlyArray<Response.AnyPart>,
  outputBytes: number,
  asked: { readonly prices: ReadonlyArray<Prices.Table>; readonly model: string }
): ModelAnswer => {
  const finish = answer.find((part) => part.type === "finish")
  const metadata = answer.find((part) => part.type === "response-metadata")
  const encoded = Part.encode(answer.filter(({ type }) => type !== "finish" && type !== "response-metadata"))
  const cleaned: Effect.Effect<Schema.Json, Operation.Failure> = Result.isFailure(encoded)
    ? Effect.fail({ reason: "Unencodable", error: encoded.failure.message })
    : Payload.clean(encoded.success, outputBytes)
  return {
    paid: paidOf(finish, [metadata?.modelId ?? asked.model, asked.model], asked.prices),
    recordable: Effect.mapBothEager(cleaned, {
      onFailure: ({ error, reason }) => ({ reason, error: `the answer cannot be recorded: ${error}` }),
      onSuccess: (clean) => ({
        parts: isList(clean) ? clean : [],
        stopReason: finish?.reason ?? "unknown",
        ...(metadata?.modelId === undefined ? {} : { model: metadata.modelId }),
        ...(metadata?.id === undefined ? {} : { providerRequestId: metadata.id })
      })
    })
  }
}

/** The usage with its cost: what the provider says, or the price of the model that answered, or of the one that was asked. */
const paidOf = (
  finish: Response.FinishPart | undefined,
  names: ReadonlyArray<string>,
  tables: ReadonlyArray<Prices.Table>
): Paid => {
  const usage = finish === undefined ? {} : usageOf(finish.usage)
  const said = Prices.readReported(finish?.metadata)
  if (said !== undefined) return { usage: { ...usage, costUsd: said }, priceVersion: "provider" }
  const found = Prices.find(tables, names)
  const costUsd = found === undefined ? undefined : Prices.costOf(found.price, usage)
  return found === undefined || costUsd === undefined
    ? { usage }
    : { usage: { ...usage, costUsd }, priceVersion: found.version }
}

/** What is not reported, or makes no sense, is absent. It is not zero. */
const usageOf = ({ inputTokens, outputTokens }: Response.Usage): Completed["usage"] => {
  const input = count(inputTokens.total ?? sum(inputTokens.uncached, inputTokens.cacheRead, inputTokens.cacheWrite))
  const cached = count(inputTokens.cacheRead)
  const written = count(inputTokens.cacheWrite)
  const output = count(outputTokens.total ?? sum(outputTokens.text, outputTokens.reasoning))
  const reasoning = count(outputTokens.reasoning)
  return {
    ...(input === undefined ? {} : { inputTokens: input }),
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
    ...(output === undefined ? {} : { outputTokens: output }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning })
  }
}

const sum = (first: number | undefined, ...rest: ReadonlyArray<number | undefined>): number | undefined =>
  first === undefined ? undefined : rest.reduce<number>((total, next) => total + (next ?? 0), first)

const count = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined
