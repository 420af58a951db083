/**
 * Why a run does not move, as data and in plain words: what it waits for, since when, who can move it, what happens next.
 */
import { DateTime, Option } from "effect"
import type { RunSummary, WaitSummary } from "./RunIndex.ts"
import type { Holder } from "./RunQueue.ts"
import type { RunView } from "./RunView.ts"

/**
 * Who can make a run go on.
 *
 * @category models
 * @since 0.1.0
 */
export type Mover = "nobody" | "worker" | "approver" | "sender" | "clock" | "operator"

/**
 * What can be done about a run from outside: the names of `Runs`.
 *
 * @category models
 * @since 0.1.0
 */
export type Action =
  | "approve"
  | "deny"
  | "signal"
  | "cancel"
  | "pause"
  | "resume"
  | "release"
  | "resolve"
  | "changeBudget"
  | "fork"

/**
 * @category models
 * @since 0.1.0
 */
export interface Explanation {
  readonly status: RunView["status"]
  /** Since when it has waited for what it waits for, or else when it last moved, in milliseconds since 1970. */
  readonly since: number
  /** One sentence. */
  readonly headline: string
  readonly waitsFor: ReadonlyArray<{
    readonly wait: WaitSummary
    readonly mover: Mover
    /** One sentence, with since when and until when. */
    readonly text: string
  }>
  readonly mover: Mover
  /** What happens next by itself, or what to do. */
  readonly next: string
  /** What the run takes now, from whoever may: first what moves it. */
  readonly actions: ReadonlyArray<Action>
}

/**
 * What the store knows of a run beyond its log.
 *
 * @category models
 * @since 0.1.0
 */
export interface Queued extends Pick<RunSummary, "reason"> {
  /** Who has its lease; `None`: nobody. Absent: not looked for. */
  readonly holder?: Option.Option<Holder>
}

/**
 * Explains a run from its state and from what the store knows beyond it. Total: any log has an explanation.
 *
 * @category folds
 * @since 0.1.0
 */
export const explain = (run: RunView, queue?: Queued): Explanation => {
  const waitsFor = run.waits.map((wait) => ({ wait, mover: moverOf(wait), text: describe(wait) }))
  const because = given(run.reason) ?? given(run.state.cancel?.reason) ?? given(queue?.reason)
  const said = because === undefined ? "" : `: ${because.replace(/\.$/, "")}`
  const base = { status: run.status, since: sinceOf(run), waitsFor, actions: actionsOf(run) }
  switch (run.status) {
    case "NotStarted":
      return { ...base, mover: "nobody", headline: "There is no such run.", next: "Start it." }
    case "Completed":
      return { ...base, mover: "nobody", headline: "The run has completed.", next: "Nothing." }
    case "Failed":
      return { ...base, mover: "nobody", headline: `The run has failed${said}.`, next: "Nothing; start a new run." }
    case "Cancelled":
      return { ...base, mover: "nobody", headline: `The run was cancelled${said}.`, next: "Nothing." }
    case "Stuck":
      return {
        ...base,
        mover: "operator",
        headline: `The run is stuck${said}.`,
        next: "Mend the cause, then release it, or cancel it. No worker takes it by itself."
      }
    case "Paused":
      return { ...base, mover: "operator", headline: "The run is paused.", next: "It goes on when it is resumed." }
    case "Cancelling":
      return {
        ...base,
        mover: "worker",
        headline: `The run is being cancelled${said}.`,
        next: whoGoesOn(
          queue?.holder,
          "A worker ends it: operations in flight get the grace time, then finalizers run."
        )
      }
    case "Pending":
      return {
        ...base,
        mover: "worker",
        headline: "No worker has begun this run.",
        next: whoGoesOn(
          queue?.holder,
          `A worker with the program \`${run.program}\` takes it${notBefore(run)}${becauseOf(because)}.`
        )
      }
    case "Running":
      return {
        ...base,
        mover: "worker",
        headline: waitsFor.length > 0 && run.waits.some(({ kind }) => kind === "operation")
          ? `The run is working on ${list(run.waits.filter(({ kind }) => kind === "operation"))}.`
          : "The run is due.",
        next: whoGoesOn(
          queue?.holder,
          `No worker has it: the next free one takes it${becauseOf(because)}.`,
          `The worker that holds it goes on, or the next free one takes it${becauseOf(because)}.`
        )
      }
    case "AwaitingApproval":
      return {
        ...base,
        mover: "approver",
        headline: `The run waits for a decision on ${list(run.waits.filter(({ kind }) => kind === "approval"))}.`,
        next: `Approve or deny it; then a worker goes on.${expiry(run)}`
      }
    case "AwaitingSignal":
      return {
        ...base,
        mover: "sender",
        headline: `The run waits for the signal ${list(run.waits.filter(({ kind }) => kind === "signal"))}.`,
        next: "When the signal is sent, a worker goes on."
      }
    case "Sleeping":
      return {
        ...base,
        mover: "clock",
        headline: run.wakeAt === undefined ? "The run sleeps." : `The run sleeps until ${iso(run.wakeAt)}.`,
        next: `A worker takes it then${becauseOf(because)}.`
      }
  }
}

/** Who goes on, by the lease: `free` if nobody has it, `unknown` if it was not looked for. */
const whoGoesOn = (holder: Queued["holder"], free: string, unknown = free): string => {
  if (holder === undefined) return unknown
  if (Option.isNone(holder)) return `${free} If none runs, start one.`
  const { aliveUntil, isAlive, owner } = holder.value
  return isAlive
    ? `The worker \`${owner}\` has it and goes on.`
    : `The worker \`${owner}\` has it and has stopped; its lease was kept until ${
      iso(aliveUntil)
    }. ${"The next free worker takes the run over. If none runs, start one."}`
}

/** What the status is about. */
const kinds: { readonly [Status in RunView["status"]]?: ReadonlyArray<WaitSummary["kind"]> } = {
  AwaitingApproval: ["approval"],
  AwaitingSignal: ["signal"],
  Sleeping: ["timer", "retry"],
  Running: ["operation"]
}

const sinceOf = ({ state, status, waits }: RunView): number => {
  const own = waits.filter(({ kind }) => kinds[status]?.includes(kind) === true)
  return own.length === 0 ? state.updatedAt : Math.min(...own.map(({ since }) => since))
}

const actionsOf = ({ state, status, waits }: RunView): ReadonlyArray<Action> => {
  if (status === "NotStarted") return []
  if (state.end !== undefined) return ["fork"]
  // A run that is being cancelled has no open waits, and takes neither signals nor decisions.
  if (state.cancel !== undefined) {
    return status === "Stuck"
      ? ["release", "cancel"]
      : status === "Paused"
      ? ["resume"]
      : []
  }
  const has = (kind: WaitSummary["kind"]) => waits.some((wait) => wait.kind === kind)
  return [
    ...(status === "Stuck" ? ["release" as const] : []),
    ...(has("operation") ? ["resolve" as const] : []),
    ...(state.paused ? ["resume" as const] : []),
    ...(has("approval") ? ["approve" as const, "deny" as const] : []),
    "signal",
    "cancel",
    ...(state.paused ? [] : ["pause" as const]),
    "changeBudget",
    "fork"
  ]
}

/** What becomes of the request that expires first, if nobody decides. */
const expiry = ({ waits }: RunView): string => {
  const [first] = waits
    .flatMap(({ kind, onExpiry, until }) =>
      kind === "approval" && onExpiry !== undefined && until !== undefined ? [{ onExpiry, until }] : []
    )
    .toSorted((left, right) => left.until - right.until)
  return first === undefined
    ? ""
    : ` If nobody does by ${iso(first.until)}, it counts as ${decided[first.onExpiry]}, and the run goes on by itself.`
}

const decided = { deny: "denied", approve: "approved" } as const

const given = (reason: string | undefined): string | undefined => reason === "" ? undefined : reason

const notBefore = ({ state }: RunView): string => {
  const startAt = state.started?.startAtMillis
  return startAt === undefined ? "" : `, not before ${iso(startAt)}`
}

const becauseOf = (reason: string | undefined): string => reason === undefined ? "" : ` (put back last time: ${reason})`

const list = (waits: ReadonlyArray<WaitSummary>): string =>
  waits.map(({ key, kind, subject }) =>
    subject === key || kind === "approval" ? `\`${key}\`` : `${subject} (\`${key}\`)`
  ).join(", ")

const moverOf = (wait: WaitSummary): Mover => {
  switch (wait.kind) {
    case "approval":
      return "approver"
    case "signal":
      return "sender"
    case "timer":
    case "retry":
      return "clock"
    case "operation":
      return "worker"
  }
}

const iso = (millis: number): string =>
  Option.match(DateTime.make(millis), { onNone: () => "the end of time", onSome: DateTime.formatIso })

const describe = (wait: WaitSummary): string => {
  const until = wait.until === undefined ? "" : `, until ${iso(wait.until)}`
  const since = `since ${iso(wait.since)}${until}`
  switch (wait.kind) {
    case "approval":
      return `asks for a decision ${since}${wanted(wait)}: ${wait.subject}${
        wait.reason === undefined || wait.reason === "" ? "" : ` (${wait.reason})`
      }${deciders(wait)}`
    case "signal":
      return `waits for the signal \`${wait.subject}\` ${since}`
    case "timer":
      return `sleeps ${since}`
    case "retry":
      return `tries ${wait.subject} again${wait.until === undefined ? "" : ` at ${iso(wait.until)}`}, begun ${
        iso(wait.since)
      }${wait.reason === undefined ? "" : `; last time: ${wait.reason}`}`
    case "operation":
      return `works on ${wait.subject} ${since}`
  }
}

/** Until when a decision is wanted, where nothing happens then. */
const wanted = ({ expiresAt, until }: WaitSummary): string =>
  expiresAt === undefined || until !== undefined ? "" : `, wanted by ${iso(expiresAt)}`

const deciders = ({ approvers, notByRequester }: WaitSummary): string => {
  const who = approvers === undefined
    ? []
    : [approvers.length === 0 ? "nobody may decide" : `may be decided by ${approvers.join(", ")}`]
  const own = notByRequester === true ? ["not to be allowed by who started the run"] : []
  return [...who, ...own].map((words) => `; ${words}`).join("")
}
