/**
 * That a store does what the reference implementation does, whatever is asked of it in whatever order.
 */
import type { Claim, RunId, RunSummary } from "@durable-agents/core"
import { EventStore, MemoryStore, RunIndex, RunQueue } from "@durable-agents/core"
import { assert } from "@effect/vitest"
import { Clock, Effect, Layer, Option, Result, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { sampleEvents } from "./sampleEvents.ts"
import { end, leaseMillis, scene, signal, step } from "./Scene.ts"
import type { Register } from "./StoreUnderTest.ts"

const Run = Schema.Literals([0, 1, 2])
const Worker = Schema.Literals(["w1", "w2", "w3"])
/**
 * Milliseconds from now, to which each run adds some of its own: which of two runs comes first that are due at the same moment is
 * up to the store. Between whole seconds, as commands come at those.
 */
const Wake = Schema.NullOr(Schema.Literals([-500, 500, 40_500]))

const Command = Schema.TaggedUnion({
  Start: { run: Run, wake: Wake },
  Decide: { run: Run },
  Record: { run: Run },
  Rest: { run: Run, worker: Worker, wake: Wake },
  End: { run: Run, worker: Worker },
  Conflict: { run: Run },
  Claim: { worker: Worker, limit: Schema.Literals([0, 1, 2, 3]) },
  Acquire: { worker: Worker, run: Run },
  Heartbeat: { worker: Worker },
  Release: { worker: Worker, run: Run, behind: Schema.Literals([0, 1]), wake: Wake },
  ReleaseStale: { worker: Worker, run: Run },
  Retire: { worker: Worker },
  Advance: { seconds: Schema.Literals([5, 31, 60]) }
})

type Command = typeof Command.Type

/**
 * Registers the comparison with the memory store.
 *
 * @category contracts
 * @since 0.1.0
 */
export const modelContract = ({ law }: Register): void => {
  law(
    "answer any sequence of calls as the memory store does (D17)",
    { values: Schema.Array(Command), runs: 60, size: 80 },
    (commands) =>
      Effect.gen(function*() {
        const { control, nextId, summary } = yield* scene
        const runIds = yield* Effect.all([nextId, nextId, nextId])
        const clock = yield* TestClock.make()
        const reference = yield* Layer.build(MemoryStore.layer).pipe(Effect.provideService(Clock.Clock, clock))
        const ask = asking(runIds, summary)
        const askReference = asking(runIds, summary)
        for (const command of commands) {
          const wait = 1_000 * (command._tag === "Advance" ? command.seconds : 1)
          yield* control.advance(wait)
          yield* clock.adjust(wait)
          const answer = yield* ask(command)
          const expected = yield* Effect.provideContext(askReference(command), reference)
          assert.deepStrictEqual(answer, expected, `after ${JSON.stringify(command)}`)
        }
      })
  )
}

type RunIds = readonly [RunId, RunId, RunId]

/** Does what commands say, and tells what came of it and how the runs look then, in terms that name no time. */
const asking = (runIds: RunIds, summaryOf: (runId: RunId, fields?: Partial<RunSummary>) => RunSummary) => {
  const epochs = new Map<string, number>()

  const taken = (worker: string, claims: ReadonlyArray<Claim>) =>
    claims.map(({ epoch, expired, program, runId, seq }) => {
      epochs.set(`${worker} ${runId}`, epoch)
      return { runId, program, seq, epoch, expired }
    })

  const run = Effect.fnUntraced(function*(command: Command) {
    const store = yield* EventStore
    const queue = yield* RunQueue
    const now = yield* store.now
    const place = "run" in command ? command.run : 0
    const runId = runIds[place]
    const at = (wake: number | null) => wake === null ? null : now + wake + 100 * place
    const owner = "worker" in command ? command.worker : "w1"
    const epoch = epochs.get(`${owner} ${runId}`) ?? 1
    const expected = (yield* Stream.runCollect(store.read(runId))).length
    switch (command._tag) {
      case "Start": {
        const summary = summaryOf(runId)
        const events = [{ ...sampleEvents.RunStarted, namespace: summary.namespace, program: "mail" }]
        return (yield* store.append(runId, { expected: 0, events, next: { wakeAt: at(command.wake), summary } })).seq
      }
      case "Decide":
        return (yield* store.append(runId, { expected, events: [signal()] })).seq
      case "Record":
        return (yield* store.append(runId, { expected, epoch, events: [step(), step()] })).seq
      case "Rest":
        return (yield* store.append(runId, {
          expected,
          epoch,
          events: [step()],
          next: { wakeAt: at(command.wake), release: owner, summary: summaryOf(runId, { status: "Paused" }) }
        })).seq
      case "End":
        return (yield* store.append(runId, {
          expected,
          epoch,
          events: [end],
          next: { wakeAt: null, release: owner, summary: summaryOf(runId, { status: "Completed" }) }
        })).seq
      case "Conflict":
        return (yield* store.append(runId, {
          expected: Math.max(0, expected - 1),
          events: [end],
          next: { wakeAt: null }
        })).seq
      case "Claim": {
        const { limit } = command
        const { namespace } = summaryOf(runId)
        return taken(owner, yield* queue.claim({ owner, leaseMillis, namespace, programs: ["mail"], limit }))
      }
      case "Acquire":
        return taken(owner, Option.toArray(yield* queue.acquire({ owner, leaseMillis, runId })))
      case "Heartbeat": {
        const { held } = yield* queue.heartbeat({ owner, leaseMillis })
        return held.map((lease) => `${lease.runId} ${lease.epoch} ${lease.outsideSeq}`).sort()
      }
      case "Release": {
        const summary = summaryOf(runId, { status: "Paused" })
        const seq = expected - command.behind
        return yield* queue.release({ owner, runId, epoch, seq, wakeAt: at(command.wake), summary })
      }
      case "ReleaseStale":
        return yield* queue.release({ owner, runId, epoch: epoch - 1, seq: expected, wakeAt: null })
      case "Retire":
        return yield* queue.retire(owner)
      case "Advance":
        return undefined
    }
  })

  return Effect.fnUntraced(function*(command: Command) {
    const index = yield* RunIndex
    const store = yield* EventStore
    const result = yield* Effect.result(run(command))
    const { namespace } = summaryOf(runIds[0])
    const { items } = yield* index.list({ namespace })
    return {
      answer: Result.isSuccess(result) ? result.success : result.failure._tag,
      listed: items.map((item) => `${item.runId} ${item.status}`),
      logs: yield* Effect.forEach(runIds, (runId) =>
        Effect.map(
          Stream.runCollect(store.read(runId)),
          (events) => events.map(({ epoch, event }) => `${event._tag} ${epoch}`)
        ))
    }
  })
}
