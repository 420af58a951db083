/**
 * A store, and short words for what contracts do to it.
 */
import type { Append, Claim, ListOptions, Owner, RunEventOf, RunId, RunSummary, Seq } from "@durable-agents/core"
import { Budget, EventStore, NextRunId, RunIndex, RunQueue } from "@durable-agents/core"
import { assert } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { sampleEvents } from "./sampleEvents.ts"
import { StoreControl } from "./StoreUnderTest.ts"

/**
 * The length of every lease in the contract, in milliseconds.
 *
 * @category constants
 * @since 0.1.0
 */
export const leaseMillis = 30_000

/**
 * @category models
 * @since 0.1.0
 */
export interface StartOptions {
  readonly namespace?: string
  readonly program?: string
  readonly labels?: Record<string, string>
  readonly wakeAt?: number | null
  readonly summary?: Partial<RunSummary>
}

/**
 * A decision from outside.
 *
 * @category samples
 * @since 0.1.0
 */
export const signal = (name = "payment"): RunEventOf<"SignalReceived"> => ({
  _tag: "SignalReceived",
  name,
  payload: null
})

/**
 * An outcome that a worker records.
 *
 * @category samples
 * @since 0.1.0
 */
export const step = (key = "charge"): RunEventOf<"StepCompleted"> => ({
  _tag: "StepCompleted",
  key,
  attempt: 1,
  output: key
})

/**
 * The end of a run.
 *
 * @category samples
 * @since 0.1.0
 */
export const end: RunEventOf<"RunCompleted"> = sampleEvents.RunCompleted

/**
 * One test's view of the store: the ports, the control, and a namespace that no other test has.
 *
 * @category constructors
 * @since 0.1.0
 */
export const scene = Effect.gen(function*() {
  const store = yield* EventStore
  const queue = yield* RunQueue
  const index = yield* RunIndex
  const control = yield* StoreControl
  const nextId = yield* NextRunId
  const namespace = `contract-${yield* nextId}`

  const summary = (runId: RunId, fields: Partial<RunSummary> = {}): RunSummary => ({
    runId,
    namespace,
    program: "mail",
    programVersion: "1",
    status: "Pending",
    labels: {},
    requestedBy: { kind: "person", id: "dana@example.com" },
    startedAt: 0,
    updatedAt: 0,
    seq: 1,
    wakeAt: null,
    waits: [],
    usage: Budget.noUsage,
    ...fields
  })

  const read = (runId: RunId, from?: Seq) => Stream.runCollect(store.read(runId, from))
  const length = (runId: RunId) => Effect.map(read(runId), (events) => events.length)

  /** Starts a run, due at once unless `wakeAt` says otherwise, and with a summary. */
  const start = Effect.fnUntraced(function*(options: StartOptions = {}) {
    const { labels = {}, program = "mail", wakeAt } = options
    const runId = yield* nextId
    const own = options.namespace ?? namespace
    yield* store.append(runId, {
      expected: 0,
      events: [{ ...sampleEvents.RunStarted, namespace: own, program, labels }],
      next: {
        ...(wakeAt === undefined ? {} : { wakeAt }),
        summary: summary(runId, { namespace: own, program, labels, startedAt: yield* store.now, ...options.summary })
      }
    })
    return runId
  })

  /** Appends at the present end of the log. */
  const append = Effect.fnUntraced(function*(runId: RunId, fields: Omit<Append, "expected">) {
    return yield* store.append(runId, { expected: yield* length(runId), ...fields })
  })

  const decide = (runId: RunId, next?: Append["next"]) =>
    append(runId, { events: [signal()], ...(next === undefined ? {} : { next }) })

  const claim = (
    owner: Owner,
    options: {
      limit?: number
      limits?: ReadonlyMap<string, number>
      programs?: ReadonlyArray<string>
      namespace?: string
    } = {}
  ) =>
    Effect.tap(
      queue.claim({ owner, leaseMillis, namespace, programs: ["mail"], limit: 100, ...options }),
      Effect.forEach(bringsLog, { concurrency: 8, discard: true })
    )

  /** A log that comes with a claim is what a read gives, as far as the claim says that it goes. */
  const bringsLog = ({ log, runId, seq }: Claim) =>
    log === undefined
      ? Effect.void
      : Effect.map(read(runId), (events) => assert.deepStrictEqual(log, events.slice(0, seq)))

  const claimedIds = (owner: Owner, options?: Parameters<typeof claim>[1]) =>
    Effect.map(claim(owner, options), (claims) => claims.map(({ runId }) => runId))

  const acquire = (owner: Owner, runId: RunId) => queue.acquire({ owner, leaseMillis, runId })
  const heartbeat = (owner: Owner) => queue.heartbeat({ owner, leaseMillis })

  /** Claims the only run that is due. */
  const claimOne = Effect.fnUntraced(function*(owner: Owner) {
    const [first, ...more] = yield* claim(owner)
    if (first === undefined || more.length > 0) return yield* Effect.die(`expected one due run, found ${more.length}`)
    return first
  })

  /** All pages of a list. */
  const listed = Effect.fnUntraced(function*(options: ListOptions = {}) {
    const pages: Array<ReadonlyArray<RunSummary>> = []
    let cursor: string | undefined
    do {
      const page = yield* index.list({ namespace, ...options, ...(cursor === undefined ? {} : { cursor }) })
      pages.push(page.items)
      cursor = page.next
    } while (cursor !== undefined)
    return pages.flat()
  })

  return {
    store,
    queue,
    index,
    control,
    nextId,
    namespace,
    summary,
    read,
    length,
    start,
    append,
    decide,
    claim,
    claimOne,
    claimedIds,
    acquire,
    heartbeat,
    listed
  }
})
