/**
 * Limits that all runs share: what the calls of many runs do together within a time, also those of other processes.
 */
import { Guardrails } from "@durable-agents/agent"
import { Digest, EventStore, type Quota, Quotas, RunId, RunState } from "@durable-agents/core"
import { BigDecimal, Duration, Effect, Option, Result, Schema, Stream } from "effect"
import type { Layer } from "effect"
import * as Amounts from "./Amounts.ts"
import * as CanonicalText from "./CanonicalText.ts"
import * as Limits from "./Limits.ts"

/**
 * A limit on the calls of some tools in all runs of a namespace.
 *
 * @category models
 * @since 0.1.0
 */
export interface SharedLimit
  extends Pick<Limits.Limit, "name" | "tools" | "field" | "most" | "currency" | "onExceeded">
{
  readonly of: "calls" | "sum"
  readonly per: Duration.Input
  /** What is counted apart: each program, each value of a label, each value of an argument. Absent: all runs together. */
  readonly by?: ReadonlyArray<"program" | { readonly label: string } | { readonly field: string }>
}

/**
 * Why a limit cannot be meant, if so.
 *
 * @category checks
 * @since 0.1.0
 */
export const problem = (limit: SharedLimit): string | undefined =>
  !["calls", "sum"].includes(limit.of)
    ? "counts calls or a sum"
    : Option.match(Duration.fromInput(limit.per), {
      onNone: () => "wants a duration",
      onSome: (time) =>
        Duration.isFinite(time) && Duration.toMillis(time) > 0
          ? Limits.problem({ ...limit, per: "run" })
          : "wants a duration that is finite and not 0"
    })

/**
 * Limits over all runs beside the guardrails below, kept in the store.
 *
 * **Details**
 *
 * Before a call is decided its amount is set aside in the store. What is set aside counts until the log of its run says what came
 * of the call: from then on for the time that was named, if the call was made or may have been, and not at all if it was not. So
 * workers that ask at the same moment are permitted no more than the limit together, a process that dies and one that takes over
 * set aside the same once, and a call that waits for a person has its place. Logs are looked at only when a limit is reached.
 *
 * **Gotchas**
 *
 * A run that is parked for long keeps what its calls have set aside; what was set aside by one whose log was deleted counts for the
 * time of the limit from when that is found out. If the store cannot be asked, a person is.
 *
 * **Example**
 *
 * ```ts
 * import { SharedLimits } from "@durable-agents/guardrails"
 *
 * const House = SharedLimits.layer([
 *   { name: "refunds", tools: ["issue_refund"], of: "sum", field: "amount", most: { EUR: 5_000 }, currency: "currency", per: "1 day" },
 *   { name: "letters", tools: ["send_mail"], of: "calls", most: 20, per: "1 hour", by: [{ field: "to" }], onExceeded: "ask" }
 * ])
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  limits: ReadonlyArray<SharedLimit>
): Layer.Layer<never, Guardrails.UnusableGuardrails, Quotas | EventStore> =>
  Guardrails.layerAdd(Effect.gen(function*() {
    for (const limit of limits) {
      const detail = problem(limit)
      if (detail !== undefined) {
        return yield* new Guardrails.UnusableGuardrails({ setting: `limits.${limit.name}`, detail })
      }
    }
    return { guardrails: [make(limits, yield* Quotas, yield* EventStore)] }
  }))

/**
 * The guardrail by itself.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  limits: ReadonlyArray<SharedLimit>,
  quotas: Quotas["Service"],
  store: EventStore["Service"]
): Guardrails.Guardrail => ({
  name: "shared-limits",
  reserves: true,
  // A guardrail that fails lets nothing pass.
  call: (call) =>
    Effect.orDie(Effect.map(
      Effect.forEach(limits, (limit) =>
        limit.tools.includes(call.tool) ? check(limit, call, quotas, store) : Effect.succeed([])),
      (verdicts) =>
        verdicts.flat()
    ))
})

const check = Effect.fnUntraced(function*(
  limit: SharedLimit,
  call: Guardrails.Call,
  quotas: Quotas["Service"],
  store: EventStore["Service"]
) {
  const claims = claimsOf(limit, call)
  if (Result.isFailure(claims)) return [Limits.verdict(limit, call, claims.failure)]
  const granted: Array<Quota.QuotaRequest> = []
  for (const { currency, request } of claims.success) {
    if (yield* reserve(request, quotas, store)) {
      granted.push(request)
      continue
    }
    if (Limits.chosen(limit, call.profile) === "ask") {
      // What a person allows beyond the limit counts all the same, and is freed if the person does not.
      yield* Effect.forEach(claims.success, ({ request }) => quotas.reserve({ ...request, most: unlimited }), {
        discard: true
      })
    } else {
      yield* Effect.forEach(granted, (one) => quotas.settle(one), { discard: true })
    }
    const time = Duration.format(Duration.fromInputUnsafe(limit.per))
    const what = limit.of === "calls" ? "calls" : `\`${limit.field}\` in all`
    const most = `${request.most}${currency === "" ? "" : ` ${currency}`}`
    return [Limits.verdict(limit, call, `${what} of all runs may be ${most} at most within ${time}`)]
  }
  return []
})

const unlimited = `1${"0".repeat(120)}`

interface Claim {
  readonly currency: string
  readonly request: Quota.QuotaRequest
}

/** What a call wants to set aside, by currency; or why it cannot be counted. */
const claimsOf = (limit: SharedLimit, call: Guardrails.Call): Result.Result<ReadonlyArray<Claim>, string> => {
  const { field = "", most } = limit
  const amounts = limit.of === "calls"
    ? Result.succeed(new Map([["", BigDecimal.fromBigInt(1n)]]))
    : Amounts.sums(call.arguments, field, limit.currency)
  return Result.flatMap(amounts, (sums) => {
    const claims: Array<Claim> = []
    for (const [currency, amount] of sums) {
      const allowed = typeof most === "object" ? new Map(Object.entries(most)).get(currency) : most
      const bound = allowed === undefined ? undefined : Option.getOrUndefined(Amounts.read(allowed))
      if (bound === undefined) {
        return Result.fail(`its currency must be ${typeof most === "object" ? Object.keys(most).join(" or ") : most}`)
      }
      claims.push({
        currency,
        request: {
          namespace: call.run?.namespace ?? "default",
          quota: quotaOf(limit, call, currency),
          holder: `${call.runId}/${call.key}`,
          amount: BigDecimal.format(amount),
          most: BigDecimal.format(bound.value),
          windowMillis: Duration.toMillis(Duration.fromInputUnsafe(limit.per))
        }
      })
    }
    return Result.succeed(claims)
  })
}

/** Values of arguments and labels are in it by their digest only. */
const quotaOf = ({ by = [], name }: SharedLimit, call: Guardrails.Call, currency: string): string => {
  const parts = by.map((one) =>
    one === "program"
      ? [one, call.run?.program ?? call.agent]
      : "label" in one
      ? ["label", one.label, new Map(Object.entries(call.run?.labels ?? {})).get(one.label) ?? ""]
      : [
        "field",
        one.field,
        ...Amounts.at(call.arguments, one.field).map((value) =>
          CanonicalText.value(typeof value === "string" ? value : JSON.stringify(value))
        )
      ]
  )
  const apart = parts.length === 0 ? "" : `/${Digest.digest(JSON.stringify(parts)).slice(-32)}`
  return `${name.slice(0, 200)}${currency === "" ? "" : `/${currency.slice(0, 3)}`}${apart}`
}

/** Asks for an amount; if there is not enough, finds out what became of what others had set aside, and asks again. */
const reserve = Effect.fnUntraced(function*(
  request: Quota.QuotaRequest,
  quotas: Quotas["Service"],
  store: EventStore["Service"]
) {
  const looked = new Set<string>()
  while (true) {
    const { granted, open } = yield* quotas.reserve(request)
    if (granted) return true
    const unknown = open.filter((holder) => !looked.has(holder))
    if (unknown.length === 0) return false
    let changed = false
    for (const holder of unknown) {
      looked.add(holder)
      const fate = yield* fateOf(store, holder)
      if (fate._tag === "Open") continue
      changed = true
      yield* quotas
        .settle({ ...request, holder, ...(fate._tag === "Made" ? { at: fate.at } : {}) } satisfies Parameters<
          Quotas["Service"]["settle"]
        >[0])
    }
    if (!changed) return false
  }
})

type Fate = { readonly _tag: "Open" } | { readonly _tag: "Made"; readonly at: number } | { readonly _tag: "NotMade" }

const decodeRunId = Schema.decodeUnknownOption(RunId)

/** What the log of a run says about a call. */
const fateOf = (store: EventStore["Service"], holder: string) => {
  const at = holder.indexOf("/")
  const runId = decodeRunId(holder.slice(0, at))
  return Option.isNone(runId)
    ? Effect.succeed<Fate>({ _tag: "NotMade" })
    : Effect.flatMap(
      Stream.runFold(
        store.read(runId.value),
        () => ({ state: RunState.initial(runId.value), times: [] as Array<number> }),
        ({ state, times }, recorded) => {
          times.push(recorded.at)
          return { state: RunState.fold(state, [recorded]), times }
        }
      ),
      ({ state, times }) =>
        // A log that was deleted was over. What it said of the call nobody knows, so it counts, from now on and not for ever.
        state.started === undefined
          ? Effect.map(store.now, (now): Fate => ({ _tag: "Made", at: now }))
          : Effect.succeed(fateIn(state, times, holder.slice(at + 1)))
    )
}

const fateIn = (state: RunState.RunState, times: ReadonlyArray<number>, key: string): Fate => {
  const place = RunState.placeAt(state, key)
  const approval = RunState.placeAt(state, `${key}/approval`)
  if (place?._tag !== "Operation") {
    const isDenied = approval?._tag === "Approval" && approval.decision?._tag === "ApprovalDenied"
    return isDenied || state.end !== undefined ? { _tag: "NotMade" } : { _tag: "Open" }
  }
  const { outcome } = place
  if (outcome === undefined) return { _tag: "Open" }
  const { event } = outcome
  const isMade = event._tag !== "ToolCallFailed" || event.outcome === "unknown" || event.reason === "TooLarge" ||
    event.reason === "Unencodable"
  return isMade ? { _tag: "Made", at: times[outcome.position.seq] ?? times.at(-1) ?? 0 } : { _tag: "NotMade" }
}
