/**
 * All ports in one map: the reference implementation, for tests and for runs that may die with the process.
 */
import { Clock, Context, Effect, Layer, Option, PubSub, Stream } from "effect"
import type { AccessToken, NewToken } from "./AccessTokens.ts"
import { AccessTokens, isLive } from "./AccessTokens.ts"
import type { Append, Next } from "./EventStore.ts"
import { EventStore, follow, SequenceConflict, StoreError } from "./EventStore.ts"
import type { RunId, Seq } from "./Ids.ts"
import * as Json from "./Json.ts"
import type { Page } from "./Paging.ts"
import * as Paging from "./Paging.ts"
import * as Quotas_ from "./Quotas.ts"
import { Quotas } from "./Quotas.ts"
import type { Recorded, StoredEvent } from "./RunEvent.ts"
import { cleanString, cleanText, decode, encode } from "./RunEvent.ts"
import type { ApprovalEntry, ListOptions, RunSummary } from "./RunIndex.ts"
import { approvalEntries, RunIndex, whileLeased } from "./RunIndex.ts"
import type { Claim, Owner } from "./RunQueue.ts"
import { RunQueue } from "./RunQueue.ts"

interface Row {
  readonly runId: RunId
  readonly namespace: string
  readonly program: string
  readonly events: Array<StoredEvent & { readonly at: number; readonly epoch: number | undefined }>
  wakeAt: number | null
  owner: Owner | null
  epoch: number
  outsideSeq: Seq
  summary: RunSummary | undefined
}

/**
 * What a memory store holds. A test may keep it and look inside, or hand it to a second store as if it were a database.
 *
 * @category models
 * @since 0.1.0
 */
export interface Memory {
  readonly runs: Map<RunId, Row>
  /** Rows that have a time or an owner, so that a poll does not look at parked or finished runs. */
  readonly timed: Set<Row>
  readonly aliveUntil: Map<Owner, number>
  readonly followers: Map<RunId, Set<() => void>>
  /** By digest. */
  readonly tokens: Map<string, AccessToken>
  /** What is set aside, by namespace and quota, then by holder. */
  readonly quotas: Map<string, Map<string, SetAside>>
}

interface SetAside {
  readonly amount: string
  readonly at: number
  readonly settled: boolean
}

/**
 * @category constructors
 * @since 0.1.0
 */
export const memory = (): Memory => ({
  runs: new Map(),
  timed: new Set(),
  aliveUntil: new Map(),
  followers: new Map(),
  tokens: new Map(),
  quotas: new Map()
})

type Stores = EventStore | RunQueue | RunIndex | AccessTokens | Quotas

/**
 * All ports over one memory. The store's time is the clock that is in place when the layer is built.
 *
 * **Details**
 *
 * Keeps events as text, as a database would, so nothing is shared with the caller; every method yields first, so that races
 * show.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerOf = (store: Memory): Layer.Layer<Stores> =>
  Layer.effectContext(Effect.gen(function*() {
    const clock = yield* Clock.Clock
    const woken = yield* PubSub.sliding<RunId>(1024)
    const now = () => clock.currentTimeMillisUnsafe()
    const yielding = <A, E = never>(f: () => Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.andThen(Effect.yieldNow, Effect.suspend(f))

    /** An append that yielded before it looked would never win against a run that appends at full speed. */
    const thenYield = <A, E>(f: () => Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.flatMap(Effect.exit(Effect.suspend(f)), (exit) => Effect.andThen(Effect.yieldNow, exit))

    const append = (runId: RunId, { epoch, events, expected, next }: Append) =>
      thenYield((): Effect.Effect<{ readonly seq: Seq; readonly at: number }, SequenceConflict | StoreError> => {
        const at = now()
        const known = store.runs.get(runId)
        if ((known?.events.length ?? 0) !== expected) {
          return expected > (known?.events.length ?? 0)
            ? Effect.fail(gap(runId, expected, known?.events.length ?? 0))
            : Effect.fail(new SequenceConflict({ runId, expected }))
        }
        const first = events[0]
        const row = known ?? (first?._tag === "RunStarted"
          ? newRow(runId, first.namespace, first.program, at)
          : undefined)
        if (row === undefined) return Effect.fail(gap(runId, expected, 0))
        for (const event of events) row.events.push({ ...encode(event), at, epoch })
        store.runs.set(runId, row)
        if (epoch === undefined || known === undefined) {
          row.outsideSeq = row.events.length - 1
          due(row, at)
        }
        settleNext(row, next)
        for (const wake of store.followers.get(runId) ?? []) wake()
        if (epoch === undefined || known === undefined) PubSub.publishUnsafe(woken, runId)
        return Effect.succeed({ seq: row.events.length, at })
      })

    const readFrom = (runId: RunId, from: Seq): Effect.Effect<ReadonlyArray<Recorded>> =>
      yielding(() => Effect.succeed(store.runs.get(runId)?.events.slice(from).map(recorded(runId, from)) ?? []))

    const changed = (runId: RunId) => (from: Seq): Effect.Effect<void> =>
      Effect.callback((resume) => {
        if ((store.runs.get(runId)?.events.length ?? 0) > from) return resume(Effect.void)
        const followers = store.followers.get(runId) ?? new Set()
        store.followers.set(runId, followers)
        const stop = () => {
          followers.delete(wake)
          if (followers.size === 0) store.followers.delete(runId)
        }
        const wake = () => {
          stop()
          resume(Effect.void)
        }
        followers.add(wake)
        return Effect.sync(stop)
      })

    const alive = (owner: Owner | null, at: number): owner is Owner =>
      owner !== null && (store.aliveUntil.get(owner) ?? 0) > at

    const due = (row: Row, wakeAt: number | null): void => {
      row.wakeAt = wakeAt
      if (wakeAt === null && row.owner === null) store.timed.delete(row)
      else store.timed.add(row)
    }

    const free = (row: Row, wakeAt: number | null): void => {
      row.owner = null
      due(row, wakeAt)
    }

    const settleNext = (row: Row, next: Next | undefined): void => {
      if (next === undefined) return
      if (next.wakeAt !== undefined) due(row, next.wakeAt)
      if (next.summary !== undefined) row.summary = kept(next.summary)
      if (next.release !== undefined && row.owner === next.release) free(row, row.wakeAt)
    }

    const lease = (row: Row, owner: Owner, at: number): Claim => {
      const expired = row.owner !== null
      row.owner = owner
      row.epoch += 1
      due(row, Math.min(row.wakeAt ?? at, at))
      return { runId: row.runId, program: row.program, seq: row.events.length, epoch: row.epoch, expired, now: at }
    }

    /** Due runs that nobody has, oldest first. */
    const dueOf = (namespace: string, programs: ReadonlyArray<string>, at: number): ReadonlyArray<Row> =>
      Array.from(store.timed)
        .filter((row) =>
          row.wakeAt !== null && row.wakeAt <= at && row.namespace === namespace &&
          programs.includes(row.program) && !alive(row.owner, at)
        )
        .sort((left, right) => (left.wakeAt ?? 0) - (right.wakeAt ?? 0))

    const held = (owner: Owner): ReadonlyArray<Row> => Array.from(store.timed).filter((row) => row.owner === owner)

    return Context.make(EventStore, {
      append,
      read: (runId, from = 0) => Stream.fromIterableEffect(readFrom(runId, from)),
      changes: (runId, from = 0) =>
        Stream.suspend(() =>
          isOver(store.runs.get(runId), from)
            ? Stream.empty
            : follow((position) => readFrom(runId, position), changed(runId))(from)
        ),
      now: Effect.sync(now)
    }).pipe(
      Context.add(RunQueue, {
        claim: ({ leaseMillis, limit, limits, namespace, owner, programs }) =>
          yielding(() => {
            const at = now()
            store.aliveUntil.set(owner, at + leaseMillis)
            const taken = new Map<string, number>()
            const due = dueOf(namespace, programs, at).filter(({ program }) => {
              const before = taken.get(program) ?? 0
              taken.set(program, before + 1)
              return before < (limits?.get(program) ?? limit)
            })
            return Effect.succeed(due.slice(0, Math.max(0, limit)).map((row) => lease(row, owner, at)))
          }),
        acquire: ({ leaseMillis, owner, runId }) =>
          yielding(() => {
            const at = now()
            const row = store.runs.get(runId)
            if (row === undefined || alive(row.owner, at) || hasEnded(row)) return Effect.succeedNone
            store.aliveUntil.set(owner, at + leaseMillis)
            return Effect.succeedSome(lease(row, owner, at))
          }),
        heartbeat: ({ leaseMillis, owner }) =>
          yielding(() => {
            const at = now()
            store.aliveUntil.set(owner, at + leaseMillis)
            return Effect.succeed({
              now: at,
              held: held(owner).map(({ epoch, outsideSeq, runId }) => ({ runId, epoch, outsideSeq }))
            })
          }),
        release: ({ epoch, owner, runId, seq, summary, wakeAt }) =>
          yielding(() => {
            const row = store.runs.get(runId)
            if (row?.owner !== owner || row.epoch !== epoch) return Effect.void
            const decided = row.outsideSeq >= seq
            free(row, decided ? now() : wakeAt)
            if (!decided && summary !== undefined) row.summary = kept(summary)
            if (decided) PubSub.publishUnsafe(woken, runId)
            return Effect.void
          }),
        retire: (owner) =>
          yielding(() => {
            store.aliveUntil.delete(owner)
            for (const row of held(owner)) {
              free(row, row.wakeAt)
              PubSub.publishUnsafe(woken, row.runId)
            }
            return Effect.void
          }),
        longestDue: ({ namespace, programs }) =>
          yielding(() => {
            const [row] = dueOf(namespace, programs, now())
            return Effect
              .succeed(row === undefined ? Option.none() : Option.some({ runId: row.runId, since: row.wakeAt ?? 0 }))
          }),
        countDue: ({ limit, namespace, programs }) =>
          yielding(() => Effect.succeed(Math.min(limit, dueOf(namespace, programs, now()).length))),
        holder: (runId) =>
          yielding(() => {
            const row = store.runs.get(runId)
            if (row === undefined || row.owner === null) return Effect.succeedNone
            const { epoch, owner } = row
            return Effect.succeedSome({
              owner,
              epoch,
              isAlive: alive(owner, now()),
              aliveUntil: store.aliveUntil.get(owner) ?? 0
            })
          }),
        wakeups: Stream.fromPubSub(woken)
      }),
      Context.add(RunIndex, {
        get: (runId) => yielding(() => Effect.succeed(Option.fromNullishOr(shown(store.runs.get(runId))))),
        list: (options = {}) =>
          Effect.flatMap(runPosition(options.cursor), (after) =>
            yielding(() => {
              const rows = Array.from(store.runs.values()).filter((row) =>
                isInTime(options, row.events[0]?.at ?? 0) && matches(options)(shown(row))
              )
              const { items, ...next } = page(
                rows,
                options,
                after,
                ({ events, runId }) => [events[0]?.at ?? 0, runId] as const,
                newest
              )
              return Effect.succeed({ items: items.map(shown).filter((summary) => summary !== undefined), ...next })
            })),
        pendingApprovals: (options = {}) =>
          Effect.flatMap(approvalPosition(options.cursor), (after) =>
            yielding(() => {
              const entries = Array.from(store.runs.values(), shown)
                .filter((summary) => summary !== undefined)
                .filter(matches({ ...options }))
                .flatMap(approvalEntries)
              const position = ({ approval, runId }: ApprovalEntry) => [approval.since, runId, approval.key] as const
              return Effect.succeed(page(entries, options, after, position, oldest))
            }))
      }),
      Context.add(AccessTokens, {
        add: (token) => yielding(() => keepToken(store.tokens, token, now())),
        find: (digest) =>
          yielding(() =>
            Effect.succeed(Option.filter(Option.fromNullishOr(store.tokens.get(digest)), (token) =>
              isLive(token, now())))
          ),
        list: (namespace) =>
          yielding(() =>
            Effect.succeed(Array.from(store.tokens.values())
              .filter((token) => token.namespace === namespace)
              .sort((left, right) => oldest([left.createdAt, left.tokenId], [right.createdAt, right.tokenId])))
          ),
        revoke: (namespace, tokenId) =>
          yielding(() => {
            const found = Array.from(store.tokens)
              .find(([, token]) => token.tokenId === tokenId && token.namespace === namespace)
            if (found === undefined) return Effect.succeedNone
            const revoked = { revokedAt: now(), ...found[1] }
            store.tokens.set(found[0], revoked)
            return Effect.succeedSome(revoked)
          })
      }),
      Context.add(Quotas, {
        reserve: (request) => yielding(() => Effect.succeed(setAside(store.quotas, request, now()))),
        settle: ({ at, holder, namespace, quota }) =>
          yielding(() => {
            const held = store.quotas.get(quotaKey(namespace, quota))
            const own = held?.get(holder)
            if (own !== undefined && !own.settled) {
              if (at === undefined) held?.delete(holder)
              else held?.set(holder, { ...own, at, settled: true })
            }
            return Effect.void
          })
      })
    )
  }))

/**
 * All ports over a memory of their own.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Stores> = Layer.suspend(() => layerOf(memory()))

const quotaKey = (namespace: string, quota: string): string => JSON.stringify([namespace, quota])

const setAside = (
  quotas: Memory["quotas"],
  request: Quotas_.QuotaRequest,
  now: number
): Quotas_.QuotaAnswer => {
  const { amount, holder, namespace, quota, windowMillis } = request
  const held = quotas.get(quotaKey(namespace, quota)) ?? new Map<string, SetAside>()
  quotas.set(quotaKey(namespace, quota), held)
  for (const [other, { at, settled }] of held) if (settled && at <= now - windowMillis) held.delete(other)
  const others = Array.from(held).filter(([other]) => other !== holder)
  const decided = Quotas_.decide(others.map(([, { amount }]) => amount), request)
  if (decided.granted) {
    const { at = now, settled = false } = held.get(holder) ?? {}
    held.set(holder, { amount, at, settled })
    return { ...decided, open: [] }
  }
  const open = others.filter(([, { settled }]) => !settled)
    .sort(([left, one], [right, other]) => oldest([one.at, left], [other.at, right]))
  return { ...decided, open: open.slice(0, Quotas_.openShown).map(([other]) => other) }
}

const newRow = (runId: RunId, namespace: string, program: string, at: number): Row => ({
  runId,
  namespace,
  program,
  events: [],
  wakeAt: at,
  owner: null,
  epoch: 0,
  outsideSeq: 0,
  summary: undefined
})

const keepToken = (
  tokens: Map<string, AccessToken>,
  { digest, lifetimeMillis, ...token }: NewToken,
  at: number
): Effect.Effect<AccessToken, StoreError> => {
  if (tokens.has(digest) || Array.from(tokens.values()).some(({ tokenId }) => tokenId === token.tokenId)) {
    return Effect.fail(new StoreError({ operation: "add", detail: `there is a token \`${token.tokenId}\` already` }))
  }
  const added = {
    ...token,
    createdAt: at,
    ...(lifetimeMillis === undefined ? {} : { expiresAt: at + Math.ceil(lifetimeMillis) })
  }
  tokens.set(digest, added)
  return Effect.succeed(added)
}

const gap = (runId: RunId, expected: Seq, length: number): StoreError =>
  new StoreError({
    operation: "append",
    detail: `run \`${runId}\` has ${length} events, so nothing can be stored at position ${expected}`
  })

const recorded = (runId: RunId, from: Seq) => (row: Row["events"][number], index: number): Recorded => ({
  runId,
  seq: from + index,
  at: row.at,
  ...(row.epoch === undefined ? {} : { epoch: row.epoch }),
  event: decode(row.type, Json.parse(row.payload))
})

const ends = new Set(["RunCompleted", "RunFailed", "RunCancelled"])

const hasEnded = (row: Row): boolean => ends.has(row.events.at(-1)?.type ?? "")

const isOver = (row: Row | undefined, from: Seq): boolean =>
  row !== undefined && row.events.length <= from && hasEnded(row)

/** As a database would give it back: a copy, and text that any of them can hold. */
const kept = (summary: RunSummary): RunSummary => JSON.parse(cleanText(JSON.stringify(summary)))

const shown = (row: Row | undefined): RunSummary | undefined =>
  row?.summary === undefined || row.owner === null ? row?.summary : whileLeased(row.summary)

const matches = (options: ListOptions) => (summary: RunSummary | undefined): boolean =>
  summary !== undefined &&
  (options.namespace === undefined || summary.namespace === options.namespace) &&
  (options.program === undefined || summary.program === options.program) &&
  (options.status === undefined || summary.status === options.status) &&
  (options.requestedBy === undefined || summary.requestedBy.id === cleanString(options.requestedBy)) &&
  Object.entries(options.labels ?? {}).every(([name, value]) =>
    summary.labels[cleanString(name)] === cleanString(value)
  )

const isInTime = ({ startedBefore = Infinity, startedFrom = -Infinity }: ListOptions, at: number): boolean =>
  at >= startedFrom && at < startedBefore

const oldest = (left: Paging.Position, right: Paging.Position): number => {
  const index = left.findIndex((value, i) => value !== right[i])
  return index === -1 ? 0 : (left[index] ?? 0) < (right[index] ?? 0) ? -1 : 1
}

const runPosition = Paging.positionOf("list", Paging.RunPosition)

const approvalPosition = Paging.positionOf("pendingApprovals", Paging.ApprovalPosition)

const newest = (left: Paging.Position, right: Paging.Position): number => oldest(right, left)

/** The items of a page, in the order of the list, after those of the pages before it. */
const page = <A, P extends Paging.Position>(
  all: ReadonlyArray<A>,
  options: { readonly limit?: number },
  after: P | undefined,
  positionOf: (item: A) => P,
  order: (left: Paging.Position, right: Paging.Position) => number
): Page<A> => {
  const rest = all
    .map((item) => ({ item, position: positionOf(item) }))
    .filter(({ position }) => after === undefined || order(position, after) > 0)
    .sort((left, right) => order(left.position, right.position))
  return Paging.page(rest, Paging.size(options.limit), ({ item }) => item, ({ position }) => position)
}
