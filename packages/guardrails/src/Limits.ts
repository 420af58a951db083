/**
 * Limits on what calls do together, within a run or a time: how many, how much money, to how many different recipients.
 */
import { Guardrails } from "@durable-agents/agent"
import { BigDecimal, Duration, Effect, Option, Result } from "effect"
import type { Layer, Schema } from "effect"
import * as Amounts from "./Amounts.ts"
import * as CanonicalText from "./CanonicalText.ts"

/**
 * What happens to a call that would go beyond a limit: the model is told, a person is asked, or the run ends.
 *
 * @category models
 * @since 0.1.0
 */
export type OnExceeded = "tell" | "ask" | "end"

/**
 * A limit on the calls of some tools.
 *
 * **Details**
 *
 * Calls count that were made or may have been, and those that are about to be made in the same turn; refused, denied and failed
 * ones do not. A limit of N permits exactly N. Under `sum` a negative amount, and one that is no plain number, are beyond every
 * limit.
 *
 * @category models
 * @since 0.1.0
 */
export interface Limit {
  /** In a word, for verdicts. */
  readonly name: string
  readonly tools: ReadonlyArray<string>
  /** Calls, the sum of an argument, or its different values. */
  readonly of: "calls" | "sum" | "distinct"
  /** The path of that argument: `cents`, `lines.amount` for every element of a list. */
  readonly field?: string
  /** A number, or one by currency; a currency that is not named is not permitted. */
  readonly most: number | string | Readonly<Record<string, number | string>>
  /** The path of the argument that names the currency, if the amount does not. */
  readonly currency?: string
  /** Within the run (default), or within this time before the call. */
  readonly per?: "run" | Duration.Input
  /** Default: the run ends under `strict`, the model is told under all others. */
  readonly onExceeded?: OnExceeded | { readonly [Name in Exclude<Guardrails.Profile, "off">]?: OnExceeded }
}

/**
 * Limits that cannot be meant.
 *
 * @category checks
 * @since 0.1.0
 */
export const problem = ({ field, most, of, per = "run" }: Limit): string | undefined => {
  if (of !== "calls" && (field ?? "").trim() === "") return "wants the field that it is about"
  const isLong = (time: Duration.Duration) => Duration.toMillis(time) > 0
  if (per !== "run" && !Option.exists(Duration.fromInput(per), isLong)) return "wants `run` or a duration above zero"
  const all = typeof most === "object" ? Object.values(most) : [most]
  return all.length > 0 &&
      all.every((one) => Option.exists(Amounts.read(one), ({ value }) => !BigDecimal.isNegative(value)))
    ? undefined
    : "wants a decimal that is not negative"
}

/**
 * A guardrail that holds limits.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (limits: ReadonlyArray<Limit>): Guardrails.Guardrail => ({
  name: "limits",
  call: (call) => Effect.sync(() => limits.flatMap((limit) => check(limit, call)))
})

/**
 * Limits beside the guardrails below.
 *
 * **Example**
 *
 * ```ts
 * import { Limits } from "@durable-agents/guardrails"
 *
 * const Careful = Limits.layer([
 *   { name: "refunds", tools: ["issue_refund"], of: "sum", field: "amount", most: { EUR: 500 }, currency: "currency" },
 *   { name: "letters", tools: ["send_mail"], of: "calls", most: 20, per: "1 hour", onExceeded: "ask" }
 * ])
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (limits: ReadonlyArray<Limit>): Layer.Layer<never, Guardrails.UnusableGuardrails> =>
  Guardrails.layerAdd(Effect.suspend(() => {
    for (const limit of limits) {
      const detail = problem(limit)
      if (detail !== undefined) {
        return Effect.fail(new Guardrails.UnusableGuardrails({ setting: `limits.${limit.name}`, detail }))
      }
    }
    return Effect.succeed({ guardrails: [make(limits)] })
  }))

const check = (limit: Limit, call: Guardrails.Call): ReadonlyArray<Guardrails.Verdict> => {
  if (!limit.tools.includes(call.tool)) return []
  const since = limit.per === undefined || limit.per === "run"
    ? -Infinity
    : call.now - Duration.toMillis(Duration.fromInputUnsafe(limit.per))
  const before = call.past.filter(({ at, state, tool }) =>
    limit.tools.includes(tool) && at > since && state !== "failed" && state !== "refused"
  )
  const excess = beyond(limit, before.map((past) => past.arguments), call.arguments)
  return excess === undefined ? [] : [verdict(limit, call, excess)]
}

/** Why a call goes beyond a limit, without its values. */
const beyond = (limit: Limit, before: ReadonlyArray<Schema.Json>, args: Schema.Json): string | undefined => {
  switch (limit.of) {
    case "calls":
      return isAbove(limit, new Map([[none, BigDecimal.fromBigInt(BigInt(before.length + 1))]]))
    case "distinct": {
      const values = [...before, args].flatMap((one) => Amounts.at(one, limit.field ?? "")).map(canonical)
      return isAbove(limit, new Map([[none, BigDecimal.fromBigInt(BigInt(new Set(values).size))]]))
    }
    case "sum":
      return sumIsAbove(limit, before, args)
  }
}

const canonical = (value: Schema.Json): string =>
  CanonicalText.value(typeof value === "string" ? value : JSON.stringify(value))

const sumIsAbove = (limit: Limit, before: ReadonlyArray<Schema.Json>, args: Schema.Json): string | undefined => {
  const own = Amounts.sums(args, limit.field ?? "", limit.currency)
  if (Result.isFailure(own)) return own.failure
  const sums = new Map(own.success)
  for (const one of before) {
    // What was allowed before this limit was there is counted as far as it can be.
    for (
      const [currency, amount] of Result.getOrElse(Amounts.sums(one, limit.field ?? "", limit.currency, true), () => [])
    ) {
      sums.set(currency, BigDecimal.sum(sums.get(currency) ?? BigDecimal.fromBigInt(0n), amount))
    }
  }
  return isAbove(limit, sums)
}

const none = ""

const isAbove = (
  { field, most, of, per = "run" }: Limit,
  sums: ReadonlyMap<string, BigDecimal.BigDecimal>
): string | undefined => {
  const what = of === "calls" ? "calls" : of === "sum" ? `\`${field}\` in all` : `different values of \`${field}\``
  const time = per === "run" ? "in this run" : `within ${Duration.format(Duration.fromInputUnsafe(per))}`
  const byCurrency = typeof most === "object" ? new Map(Object.entries(most)) : undefined
  for (const [currency, sum] of sums) {
    const allowed = byCurrency === undefined ? most : byCurrency.get(currency)
    if (allowed === undefined || typeof allowed === "object") {
      return `its currency must be ${Array.from(byCurrency?.keys() ?? []).join(" or ")}`
    }
    const bound = Option.getOrUndefined(Amounts.read(allowed))
    if (bound === undefined || BigDecimal.isGreaterThan(sum, bound.value)) {
      return `${what} may be ${allowed}${currency === none ? "" : ` ${currency}`} at most ${time}`
    }
  }
  return undefined
}

/**
 * What happens under a profile to a call that would go beyond a limit.
 *
 * @category getters
 * @since 0.1.0
 */
export const chosen = (
  { onExceeded }: Pick<Limit, "onExceeded">,
  profile: Exclude<Guardrails.Profile, "off">
): OnExceeded =>
  (typeof onExceeded === "object" ? onExceeded[profile] : onExceeded) ?? (profile === "strict" ? "end" : "tell")

/**
 * What is said of a call that would go beyond a limit.
 *
 * @category constructors
 * @since 0.1.0
 */
export const verdict = (
  limit: Pick<Limit, "name" | "onExceeded">,
  { profile, tool }: Guardrails.Call,
  excess: string
): Guardrails.Verdict => {
  const { name } = limit
  const does = chosen(limit, profile)
  return {
    rule: "limit_exceeded",
    action: does === "ask" ? "ESCALATE" : "BLOCK",
    message: `the limit \`${name}\` holds for \`${tool}\`: ${excess}`,
    detail: { tool, limit: name },
    ...(does === "end" ? { ends: true } : {})
  }
}
