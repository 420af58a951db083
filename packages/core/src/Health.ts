/**
 * Whether a worker does what it is for: what is asked of it, what it saw, and what that means.
 */
import { Duration, Schema } from "effect"
import type { Executing } from "./Executor.ts"
import type { RunId, Seq } from "./Ids.ts"

/**
 * Whether a worker does what it is for.
 *
 * **Details**
 *
 * `since` is in milliseconds since 1970 by the clock of the worker's machine: when it last did what it does not do any more, or
 * since when nothing has been wrong. `reasons` says in words what is wrong; it is empty while nothing is.
 *
 * @category models
 * @since 0.1.0
 */
export const Health = Schema.Struct({
  status: Schema.Literals(["Healthy", "Unhealthy"]),
  since: Schema.Finite,
  reasons: Schema.Array(Schema.String)
})

/**
 * @category models
 * @since 0.1.0
 */
export type Health = typeof Health.Type

/**
 * What is asked of a worker. Times are in milliseconds.
 *
 * @category models
 * @since 0.1.0
 */
export interface Demands {
  /** How long it may be unable to look for runs, to execute what it takes, or to take what is due. */
  readonly patienceMillis: number
  readonly pollMillis: number
  readonly leaseMillis: number
  readonly concurrency: number
  /** How long all slots may be held by runs that record nothing. */
  readonly stalledMillis: number
}

/**
 * A run that is due and that nobody has, as it was seen.
 *
 * @category models
 * @since 0.1.0
 */
export interface Due {
  readonly runId: RunId
  readonly since: number
}

/**
 * What a worker tells of itself as it goes. All times are those of `now`, which only ever goes on.
 *
 * @category models
 * @since 0.1.0
 */
export interface Watch {
  /** It has looked for due runs, or needs no more. */
  readonly looked: () => void
  /** A look for due runs failed. */
  readonly missed: (problem: string) => void
  /** A run that it took came to rest. */
  readonly rested: () => void
  /** The store failed a run that it took. */
  readonly failed: (problem: string) => void
  /** The run that has been due for the longest, while it has room and finds nothing; undefined if there is none. */
  readonly overdue: (run: Due | undefined) => void
  /** Looks at the runs that it executes: whether they get on. */
  readonly sample: () => void
  /** Since when, and why, it does not do what it is for; since the start if nothing is wrong. */
  readonly judge: () => { readonly since: number; readonly reasons: ReadonlyArray<string> }
}

interface Reason {
  readonly since: number
  readonly text: string
}

/** A run that failed comes back after ten minutes at the latest. Failures that are older say nothing of now. */
const longestRetryMillis = 600_000

/**
 * Begins to watch a worker.
 *
 * @category constructors
 * @since 0.1.0
 */
export const watch = (
  options: Demands & {
    readonly now: () => number
    readonly executing: () => ReadonlyArray<Executing>
    /** When a heartbeat of the leases that it has last reached the store. */
    readonly confirmedAt: () => number
  }
): Watch => {
  const { concurrency, confirmedAt, executing, leaseMillis, now, patienceMillis, pollMillis, stalledMillis } = options
  let lookedAt = now()
  let problem: string | undefined
  let failure: { readonly since: number; readonly at: number; readonly problem: string } | undefined
  let due: Due & { readonly seenAt: number } | undefined
  let moves = new Map<RunId, { readonly seq: Seq; readonly at: number }>()
  let healthySince = now()
  let wasHealthy = true

  const sample = (): void => {
    moves = new Map(executing().map(({ runId, seq }) => {
      const before = moves.get(runId)
      return [runId, before?.seq === seq ? before : { seq, at: now() }]
    }))
  }

  const notLooking = (at: number): Reason | undefined =>
    at - lookedAt <= Math.max(patienceMillis, 3 * pollMillis)
      ? undefined
      : {
        since: lookedAt,
        text: `it has not been able to look for due runs for ${words(at - lookedAt)}: ${
          problem ?? "the store has not answered yet"
        }`
      }

  const notHeard = (at: number): Reason | undefined => {
    const count = executing().length
    return count === 0 || at - confirmedAt() <= leaseMillis
      ? undefined
      : {
        since: confirmedAt(),
        text: `its heartbeat has not reached the store for ${
          words(at - confirmedAt())
        }, longer than its lease: others take its ${count === 1 ? "run" : `${count} runs`} over`
      }
  }

  const notExecuting = (at: number): Reason | undefined =>
    failure === undefined || failure.at - failure.since < patienceMillis ||
      at - failure.at > longestRetryMillis + patienceMillis
      ? undefined
      : {
        since: failure.since,
        text: `the store has failed every run that it took for ${words(at - failure.since)}: ${failure.problem}`
      }

  const notTaking = (at: number): Reason | undefined =>
    due === undefined || at - due.seenAt < patienceMillis
      ? undefined
      : {
        since: due.seenAt,
        text: `it has room, and has not been given run ${due.runId} for ${words(at - due.seenAt)}, which is due`
      }

  const notMoving = (at: number): Reason | undefined => {
    if (concurrency <= 0 || executing().length < concurrency) return undefined
    const since = Math.max(...Array.from(moves.values(), (move) => move.at))
    return at - since < stalledMillis
      ? undefined
      : { since, text: `all ${concurrency} runs that it executes have recorded nothing for ${words(at - since)}` }
  }

  return {
    looked: () => {
      lookedAt = now()
      problem = undefined
    },
    missed: (message) => {
      problem = message
    },
    rested: () => {
      failure = undefined
    },
    failed: (message) => {
      failure = { since: failure?.since ?? now(), at: now(), problem: message }
    },
    overdue: (run) => {
      const isSame = run !== undefined && due !== undefined && run.runId === due.runId && run.since === due.since
      due = run === undefined ? undefined : { ...run, seenAt: isSame ? due?.seenAt ?? now() : now() }
    },
    sample,
    judge: () => {
      sample()
      const at = now()
      const reasons = [notLooking, notHeard, notExecuting, notTaking, notMoving]
        .map((look) => look(at))
        .filter((reason) => reason !== undefined)
      if (reasons.length === 0 && !wasHealthy) healthySince = at
      wasHealthy = reasons.length === 0
      return {
        since: wasHealthy ? healthySince : Math.min(...reasons.map(({ since }) => since)),
        reasons: reasons.map(({ text }) => text)
      }
    }
  }
}

const words = (millis: number): string => Duration.format(Duration.seconds(Math.round(millis / 1000)))
