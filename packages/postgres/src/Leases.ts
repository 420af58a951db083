/**
 * What this process knows of its owners' leases.
 *
 * If the answer to a claim is lost, nobody knows of the leases that it took, and they would stay taken for as long as their owner
 * lives. Those that the database has and this process does not are taken again.
 */
import type { Owner, RunId } from "@durable-agents/core"

/**
 * @category models
 * @since 0.1.0
 */
export interface Leases {
  /** What an owner was given and has not given back. */
  readonly of: (owner: Owner) => ReadonlyArray<RunId>
  readonly has: (owner: Owner, runId: RunId) => boolean
  readonly give: (owner: Owner, runIds: ReadonlyArray<RunId>) => void
  readonly takeBack: (owner: Owner, runId: RunId) => void
  /** Keeps only those that the database says an owner holds. */
  readonly keep: (owner: Owner, held: ReadonlyArray<RunId>) => void
  readonly forget: (owner: Owner) => void
  /** A claim of this owner may have taken leases that nobody was told of. */
  readonly doubt: (owner: Owner) => void
  readonly trust: (owner: Owner) => void
  readonly isDoubted: (owner: Owner) => boolean
}

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = (): Leases => {
  const given = new Map<Owner, Set<RunId>>()
  const doubted = new Set<Owner>()

  const takeBack = (owner: Owner, runId: RunId): void => {
    const runs = given.get(owner)
    runs?.delete(runId)
    if (runs?.size === 0) given.delete(owner)
  }

  return {
    of: (owner) => Array.from(given.get(owner) ?? []),
    has: (owner, runId) => given.get(owner)?.has(runId) === true,
    give: (owner, runIds) => {
      if (runIds.length === 0) return
      const runs = given.get(owner) ?? new Set()
      given.set(owner, runs)
      for (const runId of runIds) runs.add(runId)
    },
    takeBack,
    keep: (owner, held) => {
      const still = new Set(held)
      for (const runId of Array.from(given.get(owner) ?? [])) if (!still.has(runId)) takeBack(owner, runId)
    },
    forget: (owner) => {
      given.delete(owner)
      doubted.delete(owner)
    },
    doubt: (owner) => void doubted.add(owner),
    trust: (owner) => void doubted.delete(owner),
    isDoubted: (owner) => doubted.has(owner)
  }
}
