/**
 * Why a run does not move, as data and in plain words: what it waits for, since when, who can move it, what happens next.
 */
import { DateTime, Option } from "effect"
import type { RunSummary, WaitSummary } from "./RunIndex.ts"
import type { Holder } from "./RunQueue.ts"
import type { RunView } from "./Runs.ts"

/**
 * Who can make a run go on.
 *
 * @category models
 * @since 0.1.0
 */
export type Mover = "nobody" | "worker" | "approver" | "sender" | "clock" | "operator"

/**
 * @category models
 * @since 0.1.0
 */
export interface Explanation {
  readonly status: RunView["status"]
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
  const base = { status: run.status, waitsFor }
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
        next: "Approve or deny it; then a worker goes on."
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
      return `asks for a decision ${since}: ${wait.subject}${
        wait.reason === undefined || wait.reason === "" ? "" : ` (${wait.reason})`
      }`
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
