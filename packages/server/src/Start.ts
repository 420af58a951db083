/**
 * What `POST /runs` asks for, as a start of a run.
 */
import { Digest, Payload, type Program, Runs, Telemetry } from "@durable-agents/core"
import { Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { withRole } from "./Access.ts"
import { type Definition, Definitions } from "./Definitions.ts"
import * as Key from "./Key.ts"
import { StartPolicy } from "./Policy.ts"
import { ForbiddenProblem } from "./Problem.ts"
import { invalid, ofRun, StartConflictRefusal } from "./Refusal.ts"
import type { StartRequest } from "./RequestModel.ts"

/**
 * Records the run, or finds the one that was started with this key and content.
 *
 * @category handlers
 * @since 0.1.0
 */
export const start = Effect.fnUntraced(function*(request: StartRequest, idempotencyKey: string | undefined) {
  const runs = yield* Runs
  const policy = yield* StartPolicy
  const identity = yield* withRole("starter")
  const program = yield* definitionOf(request.program)
  const input = yield* inputOf(program, request.input ?? null)
  const { budget, guardrailProfile, labels, priority, startAt, systemPrompt } = request
  const refused = yield* policy({ identity, program, systemPrompt, guardrailProfile })
  if (Option.isSome(refused)) return yield* new ForbiddenProblem({ detail: refused.value })
  const key = yield* Key.ofStart(idempotencyKey, request.startKey)
  const content = { ...request, program: program.name }
  const traceparent = yield* askedBy
  return yield* runs.start(
    // Starting needs of a program nothing but what a definition has.
    program as Program.Program<unknown, unknown, unknown>,
    input,
    {
      requestedBy: identity.name,
      ...key,
      ...(key.startKeyScope === "namespace"
        ? { contentDigest: Digest.digest(Digest.canonicalJson(JSON.stringify(content))) }
        : {}),
      ...(budget === undefined ? {} : { budget }),
      ...(guardrailProfile === undefined ? {} : { guardrailProfile }),
      ...(labels === undefined ? {} : { labels }),
      ...(priority === undefined ? {} : { priority }),
      ...(startAt === undefined ? {} : { startAt }),
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(systemPrompt === undefined ? {} : { systemPrompt })
    }
  ).pipe(Effect.catchTags({
    StoreError: ofRun.StoreError,
    InvalidRequest: ofRun.InvalidRequest,
    StartConflict: StartConflictRefusal
  }))
})

/** The span of whoever sent the request, where the server has none of its own for it. */
const askedBy = Effect.gen(function*() {
  if (Telemetry.isTraced(yield* Effect.context<never>())) return undefined
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  return Option.getOrUndefined(Option.map(Telemetry.spanOf(headers["traceparent"]), Telemetry.traceparentOf))
})

const definitionOf = Effect.fnUntraced(function*(name: string | undefined) {
  const { all, find } = yield* Definitions
  const names = all.map((program) => `\`${program.name}\``).join(", ")
  const found = find(name)
  return found ?? (yield* invalid(
    ["payload", "program"],
    all.length === 0 ? "cannot be started here: the server knows no program" : `must be one of ${names}`
  ))
})

const inputOf = Effect.fnUntraced(function*(program: Definition, json: unknown) {
  if (typeof json === "string" && json.trim() === "") return yield* invalid(["payload", "input"], "is empty")
  return yield* Effect.mapError(
    Effect.fromResult(Payload.decoder(program.input)(json)),
    ({ message }) => invalid(["payload", "input"], `does not fit \`${program.name}\`: ${message}`)
  )
})
