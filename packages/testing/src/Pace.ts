/**
 * A process that goes on only as far as it is let: it stands before and after each call to its store.
 */
import type { Owner } from "@durable-agents/core"
import { Effect, Exit, Option } from "effect"
import * as StoreCalls from "./StoreCalls.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Pace {
  readonly around: StoreCalls.Around
  /** Lets it pass so many points from now on; perhaps fewer, if it is to stand before it gives a run back. */
  readonly go: (points: number, stopBeforeRelease?: boolean) => void
  /** Lets it pass nothing more. */
  readonly stop: () => void
  /** How many points it has passed. */
  readonly passed: () => number
  /** Where it stands, such as "before append of StepRequested `a`"; undefined while it may go on. */
  readonly standing: () => string | undefined
  /** Done when it stands, or when it has found nothing to do. */
  readonly halt: Effect.Effect<void>
  /** It was refused a lease when it asked last. */
  readonly refused: () => boolean
  /** It has the lease of a run. */
  readonly holds: () => boolean
  /** Its leases have run out. */
  readonly lose: () => void
  /** The names under which it asks for leases. */
  readonly owners: ReadonlySet<Owner>
}

interface Waiting {
  readonly point: string
  readonly releases: boolean
  readonly resume: () => void
}

/**
 * A pace that lets nothing pass yet. `isBusy` says whether the process executes a run, for one that looks for runs by itself.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (isBusy: () => boolean = () => false): Pace => {
  const waiting: Array<Waiting> = []
  const owners = new Set<Owner>()
  const listeners = new Set<() => void>()
  let allowed = 0
  let stops = false
  let passed = 0
  let refused = false
  let holds = false
  /** It looked for runs and found none. */
  let idle = false

  const isStanding = (): boolean => allowed === 0 && waiting.length > 0

  const look = (): void => {
    for (let next = waiting[0]; allowed > 0 && next !== undefined; next = waiting[0]) {
      if (stops && next.releases) {
        allowed = 0
        break
      }
      allowed -= 1
      passed += 1
      waiting.shift()
      next.resume()
    }
    if (!isStanding() && (!idle || isBusy())) return
    for (const listener of Array.from(listeners)) listener()
  }

  const pass = (when: "before" | "after", call: StoreCalls.Call): Effect.Effect<void> =>
    Effect.callback((resume) => {
      const own: Waiting = {
        point: `${when} ${StoreCalls.describe(call)}`,
        releases: when === "before" && call.name === "release",
        resume: () => resume(Effect.void)
      }
      waiting.push(own)
      look()
      return Effect.sync(() => {
        const at = waiting.indexOf(own)
        if (at !== -1) waiting.splice(at, 1)
      })
    })

  const answered = ({ append, name }: StoreCalls.Call, answer: unknown): void => {
    if (name === "release" || append?.next?.release !== undefined) holds = false
    if (name === "acquire") {
      refused = Option.isOption(answer) && Option.isNone(answer)
      holds = !refused
      // It would ask again and again; who has the lease is to go on first.
      if (refused && allowed !== Infinity) allowed = 0
    }
    if (name === "claim") {
      idle = Array.isArray(answer) && answer.length === 0
      holds = holds || !idle
    }
  }

  return {
    owners,
    around: (call, effect) =>
      Effect.gen(function*() {
        if (call.owner !== undefined) owners.add(call.owner)
        idle = false
        yield* pass("before", call)
        const exit = yield* Effect.exit(effect)
        if (Exit.isSuccess(exit)) answered(call, exit.value)
        yield* pass("after", call)
        look()
        return yield* exit
      }),
    go: (points, stopBeforeRelease = false) => {
      allowed = points
      stops = stopBeforeRelease
      refused = false
      look()
    },
    stop: () => {
      allowed = 0
    },
    passed: () => passed,
    standing: () => isStanding() ? waiting[0]?.point : undefined,
    refused: () => refused,
    holds: () => holds,
    lose: () => {
      holds = false
    },
    halt: Effect.callback((resume) => {
      const listener = () => {
        listeners.delete(listener)
        resume(Effect.void)
      }
      listeners.add(listener)
      look()
      return Effect.sync(() => listeners.delete(listener))
    })
  }
}
