import type { AiError } from "effect/ai"

/** The kind that a reason is marked with. */
export const markOf = (reason: AiError.AiErrorReason): unknown => {
  const failure = "metadata" in reason ? reason.metadata["failure"] : undefined
  return typeof failure === "object" && failure !== null && "kind" in failure ? failure.kind : undefined
}
