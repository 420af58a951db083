/**
 * Generated logs: sensible ones, made by running generated commands as decisions against the fold, and completely arbitrary
 * ones.
 */
import { Effect, HashMap, Result, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { Budget, CallUsage } from "../src/Budget.ts"
import type { Actor } from "../src/Ids.ts"
import { RunId } from "../src/Ids.ts"
import type { Decision, Request } from "../src/RunDecision.ts"
import * as RunDecision from "../src/RunDecision.ts"
import type { Recorded, RunEventOf } from "../src/RunEvent.ts"
import { RunEvent } from "../src/RunEvent.ts"
import type { CompletedEvent, FailedEvent, Operation, RunState } from "../src/RunState.ts"
import { evolve, fold, initial, openPlaces, pendingApprovals, placeAt } from "../src/RunState.ts"

export const runId = RunId.make("00000000-0000-4000-8000-000000000001")

export const dana: Actor = { kind: "person", id: "dana" }
export const erik: Actor = { kind: "person", id: "erik" }

export const started = (more: Partial<RunEventOf<"RunStarted">> = {}): RunEventOf<"RunStarted"> => ({
  _tag: "RunStarted",
  schemaVersion: 1,
  namespace: "default",
  program: "support",
  programVersion: "1",
  input: "a goal",
  inputDigest: "sha256:0",
  tools: [],
  budget: {},
  labels: {},
  requestedBy: dana,
  priority: 0,
  ...more
})

/** Events in their envelopes, one second apart, as one worker would write them; those of `outside` have no lease. */
export const recordedOf = (
  events: ReadonlyArray<RunEvent>,
  options: { readonly from?: number; readonly epoch?: number; readonly outside?: ReadonlyArray<RunEvent["_tag"]> } = {}
): ReadonlyArray<Recorded> => {
  const { epoch = 1, from = 0, outside = outsideTags } = options
  return events.map((event, index) => ({
    runId,
    seq: from + index,
    at: 1000 * (from + index),
    ...(outside.includes(event._tag) ? {} : { epoch }),
    event
  }))
}

const outsideTags: ReadonlyArray<RunEvent["_tag"]> = [
  "RunStarted",
  "RunCancelRequested",
  "RunPaused",
  "RunResumed",
  "RunReleased",
  "BudgetChanged",
  "ApprovalGranted",
  "ApprovalDenied",
  "SignalReceived"
]

/** The state after these events. */
export const given = (...events: ReadonlyArray<RunEvent>): RunState => fold(initial(runId), recordedOf(events))

/** The state after these events as well. */
export const and = (state: RunState, ...events: ReadonlyArray<RunEvent>): RunState =>
  fold(state, recordedOf(events, { from: state.seq }))

/** A state whose collections can be compared. */
export const plain = ({ open, places, signalIds, signals, ...rest }: RunState) => ({
  ...rest,
  places: sorted(HashMap.entries(places)),
  open: Array.from(open).sort(),
  signals: sorted(HashMap.entries(signals)).map(([name, { awaiting, received }]) => ({
    name,
    awaiting: Array.from(awaiting),
    received: Array.from(received)
  })),
  signalIds: sorted(HashMap.entries(signalIds))
})

const sorted = <A>(entries: Iterable<[string, A]>) => Array.from(entries).sort(([a], [b]) => a < b ? -1 : 1)

// ---- operations --------------------------------------------------------------------------------------------------------

interface Asked {
  readonly key: string
  readonly kind: "model" | "tool" | "step"
}

const asked: ReadonlyArray<Asked> = ["", "race/left/", "race/right/"].flatMap((scope) => [
  { key: `${scope}think`, kind: "model" as const },
  { key: `${scope}ship`, kind: "tool" as const },
  { key: `${scope}note`, kind: "step" as const }
])

/** What an operation of each kind asks to have recorded. */
export const requestOf = (
  { key, kind }: Asked,
  more: Partial<Pick<Request, "reserve" | "before" | "arguments" | "refusal">> = {}
): Request => {
  const tool = { turn: 1, tool: "ship", toolCallId: `call-${key}` }
  const common = {
    key,
    kind,
    name: kind === "tool" ? "ship" : "",
    arguments: kind === "tool" ? { id: key } : {},
    ...more
  }
  switch (kind) {
    case "model":
      return {
        ...common,
        requested: (attempt) => ({
          _tag: "LLMCallRequested",
          ...attempt,
          turn: 1,
          model: "scripted",
          promptDigest: "sha256:0",
          messageCount: 1,
          estimatedTokens: 1,
          ...(more.reserve === undefined ? {} : { reserve: more.reserve })
        }),
        failed: (fields) => ({ _tag: "LLMCallFailed", ...fields, turn: 1 })
      }
    case "tool":
      return {
        ...common,
        requested: (attempt) => ({ _tag: "ToolCallRequested", ...attempt, ...tool, arguments: common.arguments }),
        failed: (fields) => ({ _tag: "ToolCallFailed", ...fields, ...tool })
      }
    case "step":
      return {
        ...common,
        requested: (attempt) => ({ _tag: "StepRequested", ...attempt }),
        failed: (fields) => ({ _tag: "StepFailed", ...fields })
      }
  }
}

export const stepAt = (key: string): Asked => ({ key, kind: "step" })
export const toolAt = (key: string): Asked => ({ key, kind: "tool" })
export const modelAt = (key: string): Asked => ({ key, kind: "model" })

/** The answer to an attempt of an operation. */
export const completedOf = (
  { key, kind }: Asked,
  attempt = 1,
  usage: CallUsage = { inputTokens: 10, outputTokens: 5, costUsd: "0.01" }
): CompletedEvent => {
  switch (kind) {
    case "model":
      return { _tag: "LLMCallCompleted", key, attempt, turn: 1, parts: [], stopReason: "stop", usage }
    case "tool":
      return {
        _tag: "ToolCallCompleted",
        key,
        attempt,
        turn: 1,
        tool: "ship",
        toolCallId: `call-${key}`,
        result: "done"
      }
    case "step":
      return { _tag: "StepCompleted", key, attempt, output: "done" }
  }
}

export const failedOf = (
  operation: Asked,
  fields: Partial<RunDecision.FailureFields> = {}
): FailedEvent =>
  requestOf(operation).failed({ key: operation.key, attempt: 1, reason: "Error", error: "no", final: true, ...fields })

// ---- waits -------------------------------------------------------------------------------------------------------------

export const timerAt = (key: string, untilMillis: number): RunEventOf<"TimerStarted"> => ({
  _tag: "TimerStarted",
  key,
  untilMillis
})

export const awaitedAt = (key: string, name: string): RunEventOf<"SignalAwaited"> => ({
  _tag: "SignalAwaited",
  key,
  name
})

export const received = (name: string, payload: Schema.Json, signalId?: string): RunEventOf<"SignalReceived"> => ({
  _tag: "SignalReceived",
  name,
  payload,
  ...(signalId === undefined ? {} : { signalId })
})

export const approvalAt = (
  key: string,
  more: Partial<RunEventOf<"ApprovalRequested">> = {}
): RunEventOf<"ApprovalRequested"> => ({ _tag: "ApprovalRequested", key, subject: `${key}?`, reason: "", ...more })

const scopes = ["", "race/left/", "race/right/"]

// ---- commands ----------------------------------------------------------------------------------------------------------

const Index = Schema.Literals([0, 1, 2, 3, 4, 5, 6, 7, 8])
const Scope = Schema.Literals([0, 1, 2])
const Id = Schema.Literals(["one", "two", "three"])
const Name = Schema.Literals(["go", "stop"])
const Who = Schema.Literals(["dana", "erik"])
const Millis = Schema.Literals([0, 1, 500, 5_000, 60_000])
const Reserve = Schema.Struct({ tokens: Schema.Literals([0, 15, 100]), costUsd: Schema.Literals(["0", "0.01", "1"]) })

/** What somebody wants of a run. */
export const Command = Schema.TaggedUnion({
  Request: {
    operation: Index,
    reserve: Schema.optionalKey(Reserve),
    verdict: Schema.Boolean,
    refused: Schema.Literals([false, false, false, false, true])
  },
  RequestAgain: { operation: Index },
  Complete: { operation: Index, usage: CallUsage, shown: Scope },
  Fail: { operation: Index, how: Schema.Literals(["retry", "later", "unknown", "final", "lost"]), delay: Millis },
  StartTimer: { scope: Scope, delay: Millis },
  AwaitSignal: { scope: Scope, id: Id, name: Name },
  AskApproval: { scope: Scope, id: Id, expires: Schema.optionalKey(Millis), approve: Schema.Boolean },
  Fire: {},
  Abandon: { scope: Scope, id: Id },
  Choose: { winner: Schema.Literals(["left", "right"]) },
  Receive: { name: Name, id: Schema.optionalKey(Id) },
  Approve: { scope: Scope, id: Id, who: Who },
  Deny: { scope: Scope, id: Id, who: Who },
  Cancel: { who: Who },
  Pause: { who: Who },
  Resume: { who: Who },
  ChangeBudget: { budget: Budget },
  TakeOver: { skipped: Schema.Literals([0, 0, 1]) },
  Stick: {},
  Release: { who: Who },
  Resolve: { operation: Index, happened: Schema.Boolean },
  End: { how: Schema.Literals(["completed", "failed", "cancelled"]) },
  Pass: { millis: Millis }
})

export type Command = typeof Command.Type

/** What one command led to. */
export interface Step {
  readonly command: Command
  readonly before: RunState
  readonly decided: Result.Result<ReadonlyArray<RunEvent>, unknown>
  readonly after: RunState
}

/** A log, and how it came about. */
export interface Trace {
  readonly log: ReadonlyArray<Recorded>
  readonly state: RunState
  readonly steps: ReadonlyArray<Step>
}

export const maxRecoveries = 2

interface Situation {
  readonly now: number
  readonly epoch: number
}

const outsiders: ReadonlySet<Command["_tag"]> = new Set([
  "Receive",
  "Approve",
  "Deny",
  "Cancel",
  "Pause",
  "Resume",
  "ChangeBudget",
  "Release",
  "Resolve"
])

/** Runs commands as decisions, one after the other, against the fold of what they have appended. */
export const traceOf = (start: RunEventOf<"RunStarted"> | undefined, commands: ReadonlyArray<Command>): Trace => {
  const log: Array<Recorded> = []
  const steps: Array<Step> = []
  let state = initial(runId)
  let situation: Situation = { now: 1_000_000, epoch: 1 }
  const append = (events: ReadonlyArray<RunEvent>, epoch: number | undefined): void => {
    for (const event of events) {
      const recorded = { runId, seq: state.seq, at: situation.now, ...(epoch === undefined ? {} : { epoch }), event }
      log.push(recorded)
      state = evolve(state, recorded)
    }
  }
  if (start !== undefined) append([start], undefined)
  for (const command of commands) {
    const before = state
    if (command._tag === "Pass") situation = { ...situation, now: situation.now + command.millis }
    if (command._tag === "TakeOver") situation = { ...situation, epoch: situation.epoch + 1 + command.skipped }
    const decided = decisionOf(command, situation)(before)
    if (Result.isSuccess(decided)) append(decided.success, outsiders.has(command._tag) ? undefined : situation.epoch)
    steps.push({ command, before, decided, after: state })
  }
  return { log, state, steps }
}

const operationAt = (index: number): Asked => asked[index] ?? stepAt("note")
const keyOf = (scope: number, id: string): string => `${scopes[scope] ?? ""}${id}`
const person = (id: string): Actor => ({ kind: "person", id })
const attemptOf = (state: RunState, key: string): number => {
  const place = placeAt(state, key)
  return place?._tag === "Operation" ? Math.max(1, place.attempt) : 1
}

const verdict: RunEvent = {
  _tag: "GuardrailTriggered",
  layer: "L3_output",
  rule: "pii_email",
  action: "ALLOW",
  detail: {}
}

/** Mostly an operation that the log has at that point, now and then any. */
const oneOf = (state: RunState, index: number, matches: (operation: Operation) => boolean): Asked => {
  const found = openPlaces(state).filter((place) => place._tag === "Operation").filter(matches)
  return (index === 0 ? undefined : found[index % found.length]) ?? operationAt(index)
}

/** Mostly an approval that waits, now and then any. */
const approvalOf = (state: RunState, { id, scope }: { readonly id: string; readonly scope: number }): string => {
  const pending = pendingApprovals(state)
  return (id === "two" ? undefined : pending[scope % pending.length]?.key) ?? keyOf(scope, id)
}

/** The decision that a command asks for. */
export const decisionOf = (command: Command, { epoch, now }: Situation): Decision<unknown> => {
  switch (command._tag) {
    case "Request": {
      const { operation, refused, reserve, verdict: guarded } = command
      return RunDecision.request(
        requestOf(operationAt(operation), {
          ...(reserve === undefined ? {} : { reserve }),
          ...(refused ? { refusal: "the policy says no" } : {}),
          ...(guarded ? { before: [verdict] } : {})
        }),
        now
      )
    }
    case "RequestAgain":
      return (state) => RunDecision.request(requestOf(oneOf(state, command.operation, () => true)), now)(state)
    case "Complete":
      return (state) => {
        const operation = oneOf(state, command.operation, ({ inFlight }) => inFlight)
        const event = completedOf(operation, attemptOf(state, operation.key), command.usage)
        return RunDecision.settle(event, { shown: Math.max(0, state.seq - 1 - command.shown) })(state)
      }
    case "Fail":
      return (state) => {
        const operation = oneOf(state, command.operation, ({ inFlight }) => inFlight)
        const attempt = attemptOf(state, operation.key)
        const event = failedOf(operation, {
          attempt,
          final: command.how === "final" || command.how === "lost",
          ...(command.how === "unknown" || command.how === "lost" ? { reason: "Timeout", outcome: "unknown" } : {}),
          ...(command.how === "later" ? { wakeAtMillis: now + command.delay } : {})
        })
        return RunDecision.settle(event, { shown: Math.max(0, state.seq - 1) })(state)
      }
    case "StartTimer":
      return RunDecision.open(timerAt(keyOf(command.scope, "nap"), now + command.delay))
    case "AwaitSignal":
      return RunDecision.open(awaitedAt(keyOf(command.scope, `signal-${command.id}`), command.name))
    case "AskApproval":
      return RunDecision.open(approvalAt(keyOf(command.scope, command.id), {
        ...(command.id === "one" ? { approvers: ["dana"] } : {}),
        ...(command.expires === undefined ? {} : {
          expiresAtMillis: now + command.expires,
          onExpiry: command.approve ? "approve" : "deny"
        })
      }))
    case "Fire":
      return RunDecision.fireDue(now)
    case "Abandon":
      return RunDecision.abandon(keyOf(command.scope, command.id))
    case "Choose":
      return RunDecision.open({ _tag: "BranchDecided", key: "race", winner: command.winner })
    case "Receive":
      return RunDecision.receive(received(command.name, now, command.id))
    case "Approve":
      return (state) => RunDecision.approve(approvalOf(state, command), person(command.who), now)(state)
    case "Deny":
      return (state) => RunDecision.deny(approvalOf(state, command), person(command.who), now, "no")(state)
    case "Cancel":
      return RunDecision.cancel(person(command.who), "enough")
    case "Pause":
      return RunDecision.pause(person(command.who))
    case "Resume":
      return RunDecision.resume(person(command.who))
    case "ChangeBudget":
      return RunDecision.changeBudget(command.budget, dana)
    case "TakeOver":
      return RunDecision.recover(epoch, `worker-${epoch}`, maxRecoveries)
    case "Stick":
      return RunDecision.stick({ reason: "replay", detail: "the code has changed" })
    case "Release":
      return RunDecision.release(person(command.who))
    case "Resolve": {
      const resolution: RunDecision.Resolution = command.happened
        ? { _tag: "Happened", output: "found" }
        : { _tag: "DidNotHappen", error: "looked it up" }
      return (state) =>
        RunDecision.resolve(oneOf(state, command.operation, ({ inFlight }) => inFlight).key, resolution, dana)(state)
    }
    case "End":
      return RunDecision.end(command.how === "completed"
        ? { _tag: "RunCompleted", output: "done" }
        : command.how === "failed"
        ? { _tag: "RunFailed", reason: "Error", error: "no" }
        : { _tag: "RunCancelled" })
    case "Pass":
      return () => Result.succeed([])
  }
}

// ---- arbitraries -------------------------------------------------------------------------------------------------------

/** Of these, one drawn in six is kept, so that logs grow first. */
const rare: ReadonlySet<Command["_tag"]> = new Set(["Cancel", "End", "Stick", "Pause", "ChangeBudget", "TakeOver"])

const Drawn = Schema.Union([Command, Command.cases.Request, Command.cases.Complete])

/** Commands of every kind. */
export const Commands = Arbitrary.map(
  Arbitrary.array(Arbitrary.all([Arbitrary.schema(Drawn), Arbitrary.schema(Schema.Literals([0, 1, 2, 3, 4, 5]))]), {
    maxLength: 80
  }),
  (drawn) => drawn.flatMap(([command, chance]) => rare.has(command._tag) && chance > 0 ? [] : [command])
)

/** Logs as decisions make them, with an unlimited budget unless a command changes it. */
export const Traces = Arbitrary.map(Commands, (list) => traceOf(started(), list))

/** Logs as decisions make them under a budget from the start. */
export const BudgetedTraces = Arbitrary.map(
  Arbitrary.all([Arbitrary.schema(Budget), Commands]),
  ([budget, list]) => traceOf(started({ budget }), list.filter(({ _tag }) => _tag !== "ChangeBudget"))
)

const keys = ["a", "b", "race", "race/left/a", "race/right/a", "race/left/b"]
const names = ["go", "stop"]

/** Any event at all. */
export const Events = Arbitrary.schema(RunEvent)

const poolSize = 2_000
let pool: ReadonlyArray<RunEvent> | undefined

/** Drawn once, since a generated JSON value costs far more than what is done with it here. */
const eventAt = (index: number): RunEvent => {
  pool ??= Effect.runSync(Arbitrary.sampleEffect(Events, { count: poolSize, size: 6, seed: "any event" }))
  return pool[index] ?? started()
}

/** Any event, at one of few keys, so that events have to do with each other. */
const crowded = (index: number): RunEvent => {
  const event = eventAt(index)
  const at = "key" in event && event.key !== undefined ? { ...event, key: keys[index % keys.length] ?? "a" } : event
  if (at._tag === "BranchDecided") return { ...at, winner: index % 2 === 0 ? "left" : "right" }
  return at._tag === "SignalAwaited" || at._tag === "SignalReceived"
    ? { ...at, name: names[index % 2] ?? "go" }
    : at
}

const ends: ReadonlySet<RunEvent["_tag"]> = new Set(["RunCompleted", "RunFailed", "RunCancelled"])

const Entry = Schema.Struct({
  event: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: poolSize - 1 })),
  skipped: Schema.Literals([0, 0, 0, 0, 0, 0, 0, 1]),
  epoch: Schema.optionalKey(Schema.Literals([1, 2, 3])),
  ends: Schema.Literals([0, 1, 2, 3])
})

/** Any events in any order: gaps, events without a start, outcomes of nothing, more after the end. */
export const Logs = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(Entry), { maxLength: 80 }),
  (drawn): ReadonlyArray<Recorded> => {
    let seq = -1
    return drawn.flatMap((entry) => {
      const event = crowded(entry.event)
      if (ends.has(event._tag) && entry.ends > 0) return []
      seq += 1 + entry.skipped
      return [{
        runId,
        seq,
        at: seq * 1000,
        ...(entry.epoch === undefined ? {} : { epoch: entry.epoch }),
        event
      }]
    })
  }
)
