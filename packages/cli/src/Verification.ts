/**
 * Whether a log is what its writers left: its order, its digests, its idempotency keys, and every prompt of its agents, all of it
 * from the log alone.
 */
import { Verify } from "@durable-agents/agent"
import { Digest, type Recorded, RunState } from "@durable-agents/core"
import { keys } from "./Failure.ts"
import * as Units from "./Units.ts"

/**
 * Something that is not as it must be.
 *
 * @category models
 * @since 0.1.0
 */
export interface Difference {
  /** The event at which it shows. */
  readonly seq: number
  readonly detail: string
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Verification {
  /** What was looked at, in words. */
  readonly checked: ReadonlyArray<string>
  readonly differences: ReadonlyArray<Difference>
  /** What cannot be checked, in words. */
  readonly notChecked: ReadonlyArray<string>
}

/**
 * Verifies a log from its first event. `shownBytes` is that of the `Limits` under which the run was executed.
 *
 * @category checks
 * @since 0.1.0
 */
export const verify = (
  events: ReadonlyArray<Recorded>,
  options: { readonly shownBytes?: number } = {}
): Verification => {
  const prompts = Verify.prompts(events, options)
  const requests = events.flatMap(({ event }) => event._tag === "LLMCallRequested" ? [event.key] : [])
  const screenings = requests.filter((key) => key.includes("/screening/")).length
  const foreign = requests.length - screenings - prompts.length
  const calls = new Set(prompts.map(({ key }) => key))
  const copied = idempotencyKeys(events).filter(({ isCopy }) => isCopy).length
  const operations = events.filter(({ event }) => "idempotencyKey" in event && event._tag !== "ToolCallFailed").length
  return {
    checked: [
      `${Units.counted(events.length, "event")}: positions, leases, and that every answer has its question`,
      ...(events.some(({ event }) => event._tag === "RunStarted" && event.systemPromptHash !== undefined)
        ? ["the digests of the input and of the system prompt"]
        : ["the digest of the input"]),
      ...(operations === 0 ? [] : [`the idempotency keys of ${Units.counted(operations, "request")}`]),
      ...(prompts.length === 0
        ? []
        : [`${Units.counted(prompts.length, "prompt")} of ${Units.counted(calls.size, "model call")}, built anew`])
    ],
    differences: [
      ...order(events),
      ...digests(events),
      ...idempotencyKeys(events).flatMap(({ isCopy, ...difference }) => isCopy ? [] : [difference]),
      ...prompts.flatMap(({ key, rebuilt, recorded, seq }): ReadonlyArray<Difference> =>
        rebuilt === recorded ? [] : [{
          seq,
          detail: rebuilt === undefined
            ? `the log does not lead to this request of \`${key}\`: an outcome is missing or comes later`
            : `the prompt of \`${key}\` is ${recorded} as recorded, and ${rebuilt} by the log`
        }]
      )
    ].toSorted((one, other) => one.seq - other.seq),
    notChecked: [
      ...(foreign === 0
        ? []
        : [
          `${Units.counted(foreign, "request")} to a model that no bundled agent made: their prompts are not known here`
        ]),
      ...(screenings === 0
        ? []
        : [
          `${
            Units.counted(screenings, "prompt")
          } that a guardrail asked a model: its code makes it, and the log does not hold that`
        ]),
      ...(copied === 0
        ? []
        : [`the idempotency keys of ${Units.counted(copied, "request")} that were copied from a fork of a fork`])
    ]
  }
}

/** Positions without gaps, nothing around the run, leases that only grow, and every answer after its question. */
const order = (events: ReadonlyArray<Recorded>): ReadonlyArray<Difference> => {
  const [first] = events
  if (first === undefined) return []
  const found: Array<Difference> = []
  const note = (seq: number, detail: string) => void found.push({ seq, detail })
  if (first.event._tag !== "RunStarted") note(first.seq, "the log does not begin with the start of a run")
  const { problem } = RunState.fold(RunState.initial(first.runId), events)
  if (problem !== undefined) note(problem.seq, problem.detail)
  /** The latest attempt of each operation; those under way, and those with an outcome; what was asked and not answered yet. */
  const attempts = new Map<string, number>()
  const underWay = new Set<string>()
  const settled = new Set<string>()
  const asked = new Set<string>()
  let epoch = 0
  for (const { epoch: lease, event, seq } of events) {
    if (lease !== undefined && lease < epoch) note(seq, `it was written under lease ${lease}, after lease ${epoch}`)
    epoch = Math.max(epoch, lease ?? 0)
    const answer = answerOf(event)
    if (answer !== undefined && !settled.has(answer)) {
      note(seq, `\`${answer}\`, which asks for this, is not answered before`)
    }
    if ("attempt" in event && settled.has(event.key)) note(seq, `\`${event.key}\` has its outcome before`)
    switch (event._tag) {
      case "LLMCallRequested":
      case "ToolCallRequested":
      case "StepRequested": {
        const before = attempts.get(event.key) ?? 0
        if (event.attempt !== before + 1) {
          note(seq, `attempt ${event.attempt} of \`${event.key}\` follows attempt ${before}`)
        }
        attempts.set(event.key, event.attempt)
        underWay.add(event.key)
        break
      }
      case "LLMCallCompleted":
      case "LLMCallFailed":
      case "ToolCallCompleted":
      case "ToolCallFailed":
      case "StepCompleted":
      case "StepFailed": {
        const latest = attempts.get(event.key) ?? 0
        if (event.attempt !== latest) {
          note(
            seq,
            `attempt ${event.attempt} of \`${event.key}\` has an outcome, and the last request is of attempt ${latest}`
          )
        }
        underWay.delete(event.key)
        if (!("final" in event) || event.final) settled.add(event.key)
        break
      }
      case "RunCompleted":
      case "RunFailed":
      case "RunCancelled":
        if (underWay.size > 0) note(seq, `the run ends, and nothing is recorded of ${keys(Array.from(underWay))}`)
        break
      case "ApprovalRequested":
      case "TimerStarted":
        asked.add(event.key)
        break
      case "ApprovalGranted":
      case "ApprovalDenied":
      case "TimerFired":
        if (!asked.delete(event.key)) note(seq, `\`${event.key}\` is answered and does not wait`)
        break
    }
  }
  return found
}

/** The model call that asked for a tool call, where an agent of this package names both. */
const answerOf = (event: Recorded["event"]): string | undefined => {
  if (!("toolCallId" in event) || event.toolCallId === undefined) return undefined
  const turn = /^(?:.*\/)?turn-\d+\/(?=(?:call-\d+|answer)(?:\/approval)?$)/.exec(event.key)
  return turn === null ? undefined : `${turn[0]}model`
}

const digests = (events: ReadonlyArray<Recorded>): ReadonlyArray<Difference> =>
  events.flatMap(({ event, seq }): ReadonlyArray<Difference> => {
    if (event._tag !== "RunStarted") return []
    const { input, inputDigest, systemPrompt, systemPromptHash } = event
    const ofInput = Digest.digest(Digest.canonicalJson(JSON.stringify(input)))
    const ofPrompt = systemPrompt === undefined ? undefined : Digest.digest(systemPrompt)
    return [
      ...(ofInput === inputDigest
        ? []
        : [`the digest of the input is ${inputDigest} as recorded, and ${ofInput} by the log`]),
      ...(ofPrompt === systemPromptHash
        ? []
        : [`the digest of the system prompt is ${systemPromptHash} as recorded, and ${ofPrompt} by the log`])
    ].map((detail) => ({ seq, detail }))
  })

/**
 * Each follows from the position of its operation's first request, and from the arguments of a tool call. What a fork has copied
 * with its outcome has the key of the run that carried it out, which may itself have copied it.
 */
const idempotencyKeys = (
  events: ReadonlyArray<Recorded>
): ReadonlyArray<Difference & { readonly isCopy: boolean }> => {
  const first = events[0]?.event
  const from = first?._tag === "RunStarted" ? first.forkedFrom : undefined
  const expected = new Map<string, ReadonlyArray<string>>()
  return events.flatMap(({ event, runId, seq }) => {
    if (
      event._tag !== "LLMCallRequested" && event._tag !== "ToolCallRequested" && event._tag !== "StepRequested"
    ) return []
    const name = event._tag === "ToolCallRequested" ? event.tool : event.key
    const args = event._tag === "ToolCallRequested" ? event.arguments : Digest.noArguments
    const isCopied = from !== undefined && seq < from.seq
    const possible = expected.get(event.key) ??
      [runId, ...(isCopied ? [from.runId] : [])].map((id) => Digest.idempotencyKey(id, seq, name, args))
    expected.set(event.key, possible)
    return possible.includes(event.idempotencyKey) ? [] : [{
      seq,
      detail: `the idempotency key of \`${event.key}\` does not follow from its position and arguments`,
      isCopy: isCopied
    }]
  })
}
