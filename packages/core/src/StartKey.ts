/**
 * Start keys: which run a key names, and what has to be the same when it is started again.
 */
import type { Budget } from "./Budget.ts"
import { stated } from "./Budget.ts"
import { canonicalJson, derivedRunId, digest } from "./Digest.ts"
import type { RunId, Seq } from "./Ids.ts"

/**
 * Whose keys are meant: each program has its own, so that an order number can name a run of `refund` and one of `ship`; or one key
 * names one run of the whole namespace, whatever its program.
 *
 * @category models
 * @since 0.1.0
 */
export type Scope = "program" | "namespace"

/**
 * The id of the run that has this key. The primary key of the log makes it one run, however many start it at once.
 *
 * @category digests
 * @since 0.1.0
 */
export const runIdOf = (namespace: string, program: string, startKey: string, scope: Scope): RunId =>
  derivedRunId(namespace, scope === "namespace" ? null : program, startKey)

/**
 * The digest of what a run is to do and how: not who asks, when it is to begin, or what the program adds of its own.
 *
 * @category digests
 * @since 0.1.0
 */
export const contentOfStart = (content: {
  readonly inputDigest: string
  readonly labels: Readonly<Record<string, string>>
  readonly budget: Budget | undefined
  readonly priority: number
  readonly systemPrompt: string | undefined
  readonly guardrailProfile: string | undefined
}): string => contentDigest({ ...content, budget: stated(content.budget ?? {}) })

/**
 * The digest of what a fork begins with, and of what it says otherwise than its original.
 *
 * @category digests
 * @since 0.1.0
 */
export const contentOfFork = (content: {
  readonly forkOf: RunId
  readonly at: Seq
  readonly labels: Readonly<Record<string, string>> | undefined
  readonly budget: Budget | undefined
  readonly reason: string | undefined
}): string => contentDigest({ ...content, budget: stated(content.budget ?? {}) })

const contentDigest = (content: object): string => digest(canonicalJson(JSON.stringify(content)))
