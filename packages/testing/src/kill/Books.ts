/**
 * The books after everything is over: what was paid, by whom, how often, and whether each run ended as it should have.
 */
import type { Recorded, RunView } from "@durable-agents/core"
import * as Difference from "../Difference.ts"
import * as Ending from "../Ending.ts"
import * as LogText from "../LogText.ts"
import type { History } from "./History.ts"
import type { Call } from "./Ledger.ts"
import type { PlannedRun } from "./Plan.ts"

/**
 * How a run ended.
 *
 * @category models
 * @since 0.1.0
 */
export interface End {
  readonly status: string
  readonly output: unknown
  readonly effects: ReadonlyArray<string>
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Account {
  readonly planned: PlannedRun
  readonly view: Pick<RunView, "runId" | "status" | "output">
  readonly events: ReadonlyArray<Recorded>
  readonly calls: ReadonlyArray<Call>
  readonly effects: ReadonlyArray<string>
}

/**
 * What is wrong with one run; empty if nothing is. `expected` is how such a run ends undisturbed, by its fate.
 *
 * @category folds
 * @since 0.1.0
 */
export const problems = (
  account: Account,
  expected: (planned: PlannedRun) => End,
  history: History,
  leaseMillis: number
): ReadonlyArray<string> => {
  const { calls, events, planned } = account
  const found = [
    Ending.problemOf(events),
    endProblem(account, expected(planned)),
    ...callProblems(account, history, leaseMillis)
  ]
    .filter((problem) => problem !== undefined)
  if (found.length === 0) return []
  const of = `Run ${account.view.runId}, \`${planned.canonical.name}\`, ${planned.fate}`
  return [
    ...found.map((problem) => `${of}: ${problem}`),
    ...events.map((event) => `${LogText.line(event)}  at ${event.at}`),
    ...calls.map(({ attempt, key, name, worker }) => `  ${worker} called for ${name}, \`${key}\` attempt ${attempt}`)
  ]
}

/**
 * How much there was of everything, in one line.
 *
 * @category conversions
 * @since 0.1.0
 */
export const summary = (accounts: ReadonlyArray<Account>, { counts }: History): string => {
  const calls = accounts.flatMap(({ calls }) => calls)
  const takeovers = accounts.flatMap(({ events }) => events.filter(({ event }) => event._tag === "RunRecovered"))
  const again = calls.length - new Set(calls.map(({ idempotencyKey }) => idempotencyKey)).size
  return [
    `${accounts.length} runs`,
    ...Object.entries(counts).map(([name, count]) => `${count} ${name}`),
    `${takeovers.length} takeovers`,
    `${calls.length} calls, ${again} of them again`
  ].join(", ")
}

const endProblem = ({ effects, planned, view }: Account, expected: End): string | undefined => {
  const actual: End = { status: view.status, output: view.output, effects }
  const difference = Difference.first(expected, actual, "end")
  if (difference === undefined) return undefined
  if (planned.fate === "cancelled" && view.status === "Cancelled") {
    const isPart = new Set(effects).size === effects.length && effects.every((name) => expected.effects.includes(name))
    return isPart ? undefined : `it was cancelled, having made ${effects.join(", ")}`
  }
  return `${difference.path} should be ${difference.expected}, and is ${difference.actual}`
}

/** A second attempt is excused if the first one failed, or if its worker was in trouble before the second was asked for. */
const callProblems = (
  { calls, events }: Account,
  history: History,
  leaseMillis: number
): ReadonlyArray<string> =>
  Array.from(Map.groupBy(calls, ({ idempotencyKey }) => idempotencyKey).values()).flatMap((made) => {
    const sorted = made.toSorted((left, right) => left.attempt - right.attempt)
    return sorted.slice(1).flatMap((second, index) => {
      const first = sorted[index]
      if (first === undefined) return []
      const what =
        `${second.name} was asked for by ${first.worker} (attempt ${first.attempt}) and by ${second.worker} (attempt ${second.attempt})`
      if (first.attempt === second.attempt) return [what]
      if (hasFailed(events, first)) return []
      const span = { from: requestedAt(events, first) - leaseMillis, to: requestedAt(events, second) }
      return history.wasInTrouble(first.worker, span) ? [] : [`${what}, although ${first.worker} was well`]
    })
  })

const isOf = ({ event }: Recorded, { attempt, key }: Call): boolean =>
  "attempt" in event && event.attempt === attempt && event.key === key

const hasFailed = (events: ReadonlyArray<Recorded>, call: Call): boolean =>
  events.some((recorded) => recorded.event._tag.endsWith("Failed") && isOf(recorded, call))

const requestedAt = (events: ReadonlyArray<Recorded>, call: Call): number =>
  events.find((recorded) => recorded.event._tag.endsWith("Requested") && isOf(recorded, call))?.at ?? 0
