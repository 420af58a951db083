/**
 * What this process knows of its owners' leases.
 *
 * If the answer to a claim is lost, nobody knows of the leases that it took, and they would stay taken for as long as their owner
 * lives. So leases that the database has and this process does not are given up. Which those are can be said only while no claim
 * is on its way: hence claims of an owner run side by side, and what gives up runs alone.
 */
import type { Owner, RunId } from "@durable-agents/core"
import { Effect, Semaphore } from "effect"

/**
 * One lease: every lease of a run has another epoch.
 *
 * @category models
 * @since 0.1.0
 */
export interface Lease {
  readonly runId: RunId
  readonly epoch: number
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Leases {
  /** What an owner was given and has not given back. */
  readonly of: (owner: Owner) => ReadonlyArray<Lease>
  readonly give: (owner: Owner, leases: ReadonlyArray<Lease>) => void
  /** Nothing happens if the owner has another lease of that run by now. */
  readonly takeBack: (owner: Owner, lease: Lease) => void
  readonly forget: (owner: Owner) => void
  /** A claim of this owner may have taken leases that nobody was told of. */
  readonly doubt: (owner: Owner) => void
  readonly trust: (owner: Owner) => void
  readonly isDoubted: (owner: Owner) => boolean
  /** Asks for leases of this owner: at the same time as others who do, but not while someone is alone. */
  readonly together: <A, E>(owner: Owner, take: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Does something while nobody asks for leases of this owner. */
  readonly alone: <A, E>(owner: Owner, work: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Begins to look which leases the database has; tells which of those that it found nobody here knows of, then or since. */
  readonly compare: (owner: Owner) => (found: ReadonlyArray<Lease>) => ReadonlyArray<Lease>
}

interface Known {
  /** The epoch of each run's lease. */
  readonly epochs: Map<RunId, number>
  readonly turns: Semaphore.Semaphore
  asking: number
  /** How often somebody has asked. */
  asked: number
  isDoubted: boolean
}

const everyone = 1_000_000

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = (): Leases => {
  const owners = new Map<Owner, Known>()

  const known = (owner: Owner): Known => {
    const already = owners.get(owner)
    if (already !== undefined) return already
    const fresh: Known = {
      epochs: new Map(),
      turns: Semaphore.makeUnsafe(everyone),
      asking: 0,
      asked: 0,
      isDoubted: false
    }
    owners.set(owner, fresh)
    return fresh
  }

  return {
    of: (owner) => Array.from(owners.get(owner)?.epochs ?? [], ([runId, epoch]) => ({ runId, epoch })),
    give: (owner, leases) => {
      for (const { epoch, runId } of leases) known(owner).epochs.set(runId, epoch)
    },
    takeBack: (owner, { epoch, runId }) => {
      const epochs = owners.get(owner)?.epochs
      if (epochs?.get(runId) === epoch) epochs.delete(runId)
    },
    forget: (owner) => void owners.delete(owner),
    doubt: (owner) => {
      known(owner).isDoubted = true
    },
    trust: (owner) => {
      known(owner).isDoubted = false
    },
    isDoubted: (owner) => owners.get(owner)?.isDoubted === true,
    together: (owner, take) =>
      Effect.suspend(() => {
        const mine = known(owner)
        const counted = Effect.suspend(() => {
          mine.asking += 1
          mine.asked += 1
          return Effect.ensuring(
            take,
            Effect.sync(() => {
              mine.asking -= 1
            })
          )
        })
        return mine.turns.withPermits(1)(counted)
      }),
    alone: (owner, work) => Effect.suspend(() => known(owner).turns.withPermits(everyone)(work)),
    compare: (owner) => {
      const mine = known(owner)
      const { asked } = mine
      const isQuiet = mine.asking === 0
      return (found) =>
        isQuiet && mine.asked === asked
          ? found.filter(({ epoch, runId }) => mine.epochs.get(runId) !== epoch)
          : []
    }
  }
}
