/**
 * The keys by which a request that is sent again is known: `Idempotency-Key`, which is the request's, or a name in its body.
 */
import { Effect } from "effect"
import type { InvalidRequestProblem } from "./Problem.ts"
import { invalid } from "./Refusal.ts"

/**
 * Which run is asked for. An `Idempotency-Key` names one run of the namespace; a `startKey` names one of its program.
 *
 * @category constructors
 * @since 0.1.0
 */
export const ofStart = (idempotencyKey: string | undefined, startKey: string | undefined) =>
  Effect.map(one(idempotencyKey, startKey, "startKey"), (key) =>
    key === undefined
      ? {}
      : { startKey: key, startKeyScope: startKey === undefined ? "namespace" as const : "program" as const })

/**
 * Which signal of the run it is.
 *
 * @category constructors
 * @since 0.1.0
 */
export const ofSignal = (idempotencyKey: string | undefined, id: string | undefined) =>
  Effect.map(one(idempotencyKey, id, "id"), (key) => key === undefined ? {} : { id: key })

const one = (
  header: string | undefined,
  named: string | undefined,
  field: string
): Effect.Effect<string | undefined, InvalidRequestProblem> =>
  header !== undefined && named !== undefined
    ? Effect.fail(invalid(["payload", field], "and `Idempotency-Key` are two keys: send one of them"))
    : Effect.succeed(header ?? named)
