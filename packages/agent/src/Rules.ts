/**
 * What guardrails say: the built-in rules for tool calls, and the checks of others, as verdicts for the log.
 */
import { Digest, type Journal, Payload, RunEvent } from "@durable-agents/core"
import { Clock, Duration, Effect, Result, Schema } from "effect"
import * as Caps from "./Caps.ts"
import type { Guardrail, Profile, Recorded, Settings, Verdict, When } from "./Guardrails.ts"
import { isObject, toJson } from "./ToolResult.ts"
import { cut, excerpt, inWords, recordable } from "./Words.ts"

/**
 * What an agent's guardrails are.
 *
 * @category models
 * @since 0.1.0
 */
export interface Rules {
  readonly profile: Profile
  readonly settings: Settings
}

/**
 * A verdict with what it says in plain words.
 *
 * @category models
 * @since 0.1.0
 */
export interface Found {
  readonly event: Recorded
  readonly message: string
}

/**
 * What a verdict is about.
 *
 * @category models
 * @since 0.1.0
 */
export interface About {
  readonly key: string
  readonly turn: number
  readonly when: When
}

/**
 * A verdict as it is recorded, with its words.
 *
 * @category constructors
 * @since 0.1.0
 */
export const found = (
  { key, turn, when }: About,
  { action, counts = action === "BLOCK", detail = {}, ends = false, message, rule, shown, spans }: typeof Said.Type,
  latencyMillis?: number,
  { name, shadow = false, version }: Partial<Guardrail> = {}
): Found => {
  const words = cut(recordable(message), 2000)
  const shadowed = shadow && action !== "ALLOW" ? action : undefined
  return {
    message: shown === undefined || action !== "ESCALATE" ? words : cut(recordable(shown), 8000),
    event: {
      _tag: "GuardrailTriggered",
      key,
      turn,
      layer: when,
      rule: cut(recordable(rule), 200),
      action: shadowed === undefined ? action : "ALLOW",
      detail: { ...toObject(detail), message: words },
      ...(name === undefined ? {} : { guardrail: cut(recordable(name), 200) }),
      ...(version === undefined ? {} : { version: cut(recordable(version), 200) }),
      ...(shadowed === undefined ? {} : { shadow: shadowed }),
      ...(spans === undefined || spans.length === 0 ? {} : { spans: spans.slice(0, maxSpans) }),
      ...(counts && shadowed === undefined ? { counts } : {}),
      ...(ends && action === "BLOCK" && shadowed === undefined ? { ends } : {}),
      ...(latencyMillis === undefined ? {} : { latencyMillis })
    }
  }
}

const toObject = (detail: unknown): Schema.JsonObject => {
  const { json } = toJson(detail)
  const { length } = JSON.stringify(json)
  return length > maxDetail ? { omitted: `${length} characters of detail` } : isObject(json) ? json : {}
}

const maxDetail = 16_384
const maxSpans = 1000

/**
 * Asks all guardrails about one thing, in their order.
 *
 * @category checks
 * @since 0.1.0
 */
export const askAll = <Subject>(
  about: About,
  { guardrails, timeout }: Settings,
  checkOf: (guardrail: Guardrail) => ((subject: Subject) => Effect.Effect<ReadonlyArray<Verdict>>) | undefined,
  subject: Subject
): Effect.Effect<ReadonlyArray<Found>> =>
  Effect.map(
    Effect.forEach(guardrails, (guardrail) => {
      const check = checkOf(guardrail)
      return check === undefined
        ? Effect.succeed([])
        : ask(about, guardrail, limited(effectOf(() => check.call(guardrail, subject)), timeout))
    }),
    (found) => found.flat()
  )

/** If a guardrail fails, what it was asked about does not pass. One that interrupts itself has failed as well. */
const ask = (
  about: About,
  guardrail: Guardrail,
  answer: Effect.Effect<unknown>
): Effect.Effect<ReadonlyArray<Found>> =>
  Effect.flatMap(Clock.Clock, (clock) => {
    const begun = clock.monotonicTimeNanosUnsafe()
    const millis = () => Math.round(Number(clock.monotonicTimeNanosUnsafe() - begun) / 1e3) / 1e3
    return Effect.matchCause(Effect.flatMap(answer, decodeVerdicts), {
      onSuccess: (verdicts) => verdicts.map((verdict) => found(about, verdict, millis(), guardrail)),
      onFailure: (cause) => [broken(about, guardrail, inWords(cause), millis())]
    })
  })

const broken = (about: About, guardrail: Guardrail, words: string, latencyMillis?: number): Found =>
  found(
    about,
    {
      rule: "guardrail_failed",
      action: about.when === "L2_tool_result" ? "BLOCK" : "ESCALATE",
      message: `the guardrail \`${guardrail.name}\` failed: ${excerpt(words)}`,
      detail: { guardrail: guardrail.name },
      counts: false
    },
    latencyMillis,
    guardrail
  )

/**
 * What a guardrail says that says it at once.
 *
 * @category checks
 * @since 0.1.0
 */
export const judged = (about: About, guardrail: Guardrail, verdicts: () => unknown): ReadonlyArray<Found> =>
  Result.match(Result.flatMap(Result.try(verdicts), Schema.decodeUnknownResult(Schema.Array(Said))), {
    onFailure: (problem) => [broken(about, guardrail, Payload.describe(problem))],
    onSuccess: (said) => said.map((verdict) => found(about, verdict, undefined, guardrail))
  })

/** What others return is not what its type says, now and then. */
const Said = Schema.Struct({
  rule: Schema.String,
  action: Schema.Literals(["ALLOW", "MARK", "REDACT", "ESCALATE", "BLOCK"]),
  message: Schema.String,
  shown: Schema.optional(Schema.String),
  detail: Schema.optional(Schema.Unknown),
  spans: Schema.optional(Schema.Array(RunEvent.Span)),
  ends: Schema.optional(Schema.Boolean),
  counts: Schema.optional(Schema.Boolean)
})

const decodeVerdicts = Schema.decodeUnknownEffect(Schema.Array(Said))

const effectOf = (check: () => Effect.Effect<unknown>): Effect.Effect<unknown> =>
  Effect.suspend(() => {
    const answer: unknown = check()
    return Effect.isEffect(answer) ? answer as Effect.Effect<unknown> : Effect.die("it did not return an effect")
  })

/**
 * A check of others, given up after a time.
 *
 * @category checks
 * @since 0.1.0
 */
export const limited = (check: Effect.Effect<unknown>, timeout: Duration.Input): Effect.Effect<unknown> =>
  Effect.timeoutOrElse(check, {
    duration: timeout,
    orElse: () => Effect.die(`it said nothing within ${Duration.format(Duration.fromInputUnsafe(timeout))}`)
  })

/**
 * The same name for calls that are the same: tool and arguments.
 *
 * @category checks
 * @since 0.1.0
 */
export const identity = (tool: string, args: Schema.Json): string =>
  `${tool}:${Digest.canonicalJson(JSON.stringify(args))}`

/**
 * Arguments that are out of their bounds.
 *
 * @category checks
 * @since 0.1.0
 */
export const overCap = (
  about: About,
  tool: string,
  caps: ReadonlyArray<Caps.Caps>,
  args: Schema.Json
): ReadonlyArray<Found> =>
  caps.flatMap((own) => Caps.exceeded(own, args)).map(({ field, words }) =>
    found(about, {
      rule: "policy_bounds_exceeded",
      action: "BLOCK",
      message: words,
      detail: { tool, field }
    })
  )

/**
 * A call with an effect that was made before, again and again.
 *
 * @category checks
 * @since 0.1.0
 */
export const loop = (about: About, tool: string, earlier: number, threshold: number): ReadonlyArray<Found> =>
  earlier + 1 < threshold ? [] : [found({ ...about, when: "L4_run_level" }, {
    rule: "loop_detected",
    action: "BLOCK",
    message: `the same call was already made ${
      earlier === 1 ? "once" : `${earlier} times`
    } with the same arguments, and is not made a ${ordinal(threshold)} time`,
    detail: { tool, occurrences: earlier + 1, threshold }
  })]

const ordinal = (count: number): string =>
  `${count}${
    count % 100 >= 11 && count % 100 <= 13 ? "th" : count % 10 === 1 ? "st" : count % 10 === 2 ?
      "nd"
      : count % 10 === 3
      ? "rd"
      : "th"
  }`

const thresholds: { readonly [Name in Profile]: number } = {
  off: Infinity,
  validation: 3,
  lenient: 5,
  standard: 3,
  strict: 1
}

const escalated = "escalation_threshold_reached"

/** Of texts that the model has seen by now. */
const isOfText = (layer: string): boolean => layer === "L2_tool_result" || layer === "L2_summary"

/**
 * Whether a person has to be asked about a call because of what was found before it: enough violations, or a result or a summary
 * about which a guardrail says so. What led to an earlier question does not lead to another one.
 *
 * **Details**
 *
 * Of the same turn only the calls before this one count (`batch`), and not their results, which the model had not seen.
 * Only verdicts that count do: violations of caps and loops, and what other guardrails blocked. Arguments that did not fit and
 * were corrected do not.
 *
 * @category checks
 * @since 0.1.0
 */
export const escalation = (
  about: About,
  tool: string,
  { profile, settings }: Rules,
  journal: Journal["Service"],
  turnKey: string,
  batch: ReadonlyArray<Recorded>
): ReadonlyArray<Found> => {
  const threshold = settings.escalationThreshold ?? thresholds[profile]
  let since: Array<Recorded> = []
  for (const verdict of journal.verdicts()) {
    // Of the calls of this turn the batch speaks: what others led to depends on when this one is looked at.
    const isBefore = verdict.layer === "L1_input" || verdict.layer === "L2_summary"
    if (!isBefore && verdict.key?.startsWith(turnKey) === true) continue
    if (verdict.rule === escalated) since = []
    else since.push(verdict)
  }
  since.push(...batch.filter(({ rule }) => rule !== escalated))
  const counted = since.filter(({ counts }) => counts === true)
  const doubted = since.filter(({ action, layer }) => action === "ESCALATE" && isOfText(layer))
  if (counted.length < threshold && doubted.length === 0) return []
  const reasons = Object.entries(Object.groupBy([...counted, ...doubted], ({ rule }) => rule))
    .map(([rule, verdicts = []]) => `${rule}: ${verdicts.length}`)
  return [found({ ...about, when: "L4_run_level" }, {
    rule: escalated,
    action: "ESCALATE",
    message: `guardrails were triggered before this call (${reasons.join(", ")}), so a person decides`,
    detail: { tool, hits: counted.length, threshold: threshold === Infinity ? null : threshold }
  })]
}
