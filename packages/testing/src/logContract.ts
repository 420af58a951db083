/**
 * What `EventStore` promises.
 */
import type { Append, Recorded } from "@durable-agents/core"
import { Json, RunEvent } from "@durable-agents/core"
import { assert } from "@effect/vitest"
import { Array, Effect, Fiber, Latch, Result, Schema, Stream } from "effect"
import { cleanOddText, oddJson, oddText, sampleEvents } from "./sampleEvents.ts"
import { end, scene, signal, step } from "./Scene.ts"
import type { Register } from "./StoreUnderTest.ts"

const tags = (events: ReadonlyArray<Recorded>) => events.map(({ event }) => event._tag)
const keys = (events: ReadonlyArray<Recorded>) => events.flatMap(({ event }) => "key" in event ? [event.key] : [])
const positions = (events: ReadonlyArray<Recorded>) => events.map(({ seq }) => seq)
const steps = (count: number, prefix = "step") => Array.makeBy(count, (i) => step(`${prefix}-${i}`))
const upTo = (count: number) => Array.makeBy(count, (i) => i)

/**
 * Registers the contract of the log.
 *
 * @category contracts
 * @since 0.1.0
 */
export const logContract = ({ law, test }: Register): void => {
  test(
    "stores events at the expected position and returns the position after them",
    Effect.gen(function*() {
      const { nextId, read, store } = yield* scene
      const runId = yield* nextId
      const started = yield* store.append(runId, { expected: 0, events: [sampleEvents.RunStarted, step("a")] })
      const next = yield* store.append(runId, { expected: 2, epoch: 4, events: [step("b"), step("c")] })
      assert.strictEqual(started.seq, 2)
      assert.strictEqual(next.seq, 4)
      const events = yield* read(runId)
      assert.deepStrictEqual(positions(events), [0, 1, 2, 3])
      assert.deepStrictEqual(events.map((event) => event.runId), [runId, runId, runId, runId])
      assert.deepStrictEqual(keys(events), ["a", "b", "c"])
    })
  )

  test(
    "dates all events of an append with the store's time, which it returns (D18)",
    Effect.gen(function*() {
      const { append, control, read, start, store } = yield* scene
      const runId = yield* start()
      const before = yield* store.now
      yield* control.advance(90_000)
      const { at } = yield* append(runId, { events: steps(3) })
      assert.isAtLeast(at, before + 90_000)
      assert.isAtLeast(yield* store.now, at)
      assert.deepStrictEqual((yield* read(runId, 1)).map((event) => event.at), [at, at, at])
    })
  )

  test(
    "keeps the lease that wrote an event, and none for decisions from outside",
    Effect.gen(function*() {
      const { append, read, start } = yield* scene
      const runId = yield* start()
      yield* append(runId, { epoch: 3, events: [step()] })
      yield* append(runId, { events: [signal()] })
      const events = yield* read(runId)
      assert.deepStrictEqual(events.map(({ epoch }) => epoch), [undefined, 3, undefined])
      assert.deepStrictEqual(events.map((event) => "epoch" in event), [false, true, false])
    })
  )

  test(
    "begins a log with many events at once under lease 0, as a fork does: due at once, and claimed under lease 1",
    Effect.gen(function*() {
      const { claimOne, namespace, nextId, read, store } = yield* scene
      const runId = yield* nextId
      const events = [{ ...sampleEvents.RunStarted, namespace, program: "mail" }, ...steps(2_000)]
      const { seq } = yield* store.append(runId, { expected: 0, epoch: 0, events })
      assert.strictEqual(seq, 2_001)
      const found = yield* read(runId)
      assert.deepStrictEqual(new Set(found.map(({ epoch }) => epoch)), new Set([0]))
      assert.deepStrictEqual(keys(found), steps(2_000).map(({ key }) => key))
      assert.deepInclude(yield* claimOne("w1"), { runId, seq: 2_001, epoch: 1, expired: false })
    })
  )

  test(
    "refuses a position that is taken with a SequenceConflict, and stores nothing of that append (WR-2, D1)",
    Effect.gen(function*() {
      const { append, read, start, store } = yield* scene
      const runId = yield* start()
      yield* append(runId, { events: steps(3) })
      for (const expected of [0, 1, 3]) {
        const refused = yield* Effect.flip(store.append(runId, { expected, events: steps(9, "late") }))
        assert.strictEqual(refused._tag, "SequenceConflict")
        assert.include(refused.message, runId)
      }
      assert.deepStrictEqual(keys(yield* read(runId)), ["step-0", "step-1", "step-2"])
    })
  )

  test(
    "refuses a position beyond the end with a StoreError, so that no log has a gap (D16)",
    Effect.gen(function*() {
      const { read, start, store } = yield* scene
      const runId = yield* start()
      const refused = yield* Effect.flip(store.append(runId, { expected: 2, events: [step()] }))
      assert.strictEqual(refused._tag, "StoreError")
      assert.lengthOf(yield* read(runId), 1)
    })
  )

  test(
    "refuses to begin a log with anything but a start",
    Effect.gen(function*() {
      const { index, nextId, read, store } = yield* scene
      const runId = yield* nextId
      const refused = yield* Effect.flip(store.append(runId, { expected: 0, events: [signal()] }))
      assert.strictEqual(refused._tag, "StoreError")
      assert.lengthOf(yield* read(runId), 0)
      assert.isTrue((yield* index.get(runId))._tag === "None")
    })
  )

  test(
    "lets exactly one of 64 appends at the same position win, whole, and tells the others (WR-2)",
    Effect.gen(function*() {
      const { read, start, store } = yield* scene
      const runId = yield* start()
      const results = yield* Effect.forEach(
        upTo(64),
        (i) => Effect.result(store.append(runId, { expected: 1, events: steps(3, `writer-${i}`) })),
        { concurrency: "unbounded" }
      )
      const winners = results.flatMap((result, i) => Result.isSuccess(result) ? [i] : [])
      assert.lengthOf(winners, 1)
      assert.deepStrictEqual(
        new Set(results.flatMap((result) => Result.isFailure(result) ? [result.failure._tag] : [])),
        new Set(["SequenceConflict"])
      )
      assert.deepStrictEqual(keys(yield* read(runId)), steps(3, `writer-${winners[0]}`).map(({ key }) => key))
    })
  )

  test(
    "lets exactly one of 16 starts of the same run win",
    Effect.gen(function*() {
      const { claimedIds, namespace, nextId, read, store } = yield* scene
      const runId = yield* nextId
      const results = yield* Effect.forEach(
        upTo(16),
        (i) =>
          Effect.result(store.append(runId, {
            expected: 0,
            events: [{ ...sampleEvents.RunStarted, namespace, program: "mail", startKey: `${i}` }]
          })),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(results.filter(Result.isSuccess), 1)
      assert.deepStrictEqual(tags(yield* read(runId)), ["RunStarted"])
      assert.deepStrictEqual(yield* claimedIds("worker"), [runId])
    })
  )

  test(
    "keeps the logs of 200 runs apart that are written at the same moment, also beside conflicts",
    Effect.gen(function*() {
      const { read, start, store } = yield* scene
      const runIds = yield* Effect.forEach(upTo(200), () => start(), { concurrency: "unbounded" })
      const conflicts = yield* Effect.forEach(runIds, (runId, run) =>
        Effect.gen(function*() {
          let lost = 0
          for (const round of upTo(5)) {
            const events = [step(`${run}/${round}/a`), step(`${run}/${round}/b`)]
            const append = store.append(runId, { expected: 1 + round * 2, epoch: 1, events })
            const late = store.append(runId, { expected: round * 2, epoch: 1, events: [step("late")] })
            const [, second] = yield* Effect.all([append, Effect.result(late)], { concurrency: "unbounded" })
            if (Result.isFailure(second)) lost += 1
          }
          return lost
        }), { concurrency: "unbounded" })
      assert.deepStrictEqual(new Set(conflicts), new Set([5]))
      yield* Effect.forEach(runIds, (runId, run) =>
        Effect.map(read(runId), (events) => {
          const expected = upTo(5).flatMap((round) => [`${run}/${round}/a`, `${run}/${round}/b`])
          assert.deepStrictEqual(keys(events), expected)
          assert.deepStrictEqual(positions(events), upTo(11))
        }))
    })
  )

  test(
    "stores an append whole or not at all when its caller is interrupted, and goes on",
    Effect.gen(function*() {
      const { append, length, read, start, store } = yield* scene
      const runIds = yield* Effect.forEach(upTo(40), () => start(), { concurrency: "unbounded" })
      const fibers = yield* Effect.forEach(
        runIds,
        (runId) => Effect.forkChild(store.append(runId, { expected: 1, events: steps(3) }), { startImmediately: true })
      )
      yield* Effect.forEach(fibers, (fiber) => Fiber.interrupt(fiber), { concurrency: "unbounded", discard: true })
      yield* Effect.forEach(
        runIds,
        (runId) => append(runId, { events: [step("after")] }).pipe(Effect.retry({ times: 3 }))
      )
      for (const runId of runIds) {
        assert.include([2, 5], yield* length(runId))
        assert.deepStrictEqual(positions(yield* read(runId)), upTo(yield* length(runId)))
      }
    })
  )

  test(
    "lets a decision from outside through to a run that appends at full speed",
    keepsUp([step()], [signal()])
  )

  test(
    "lets a worker through to a run that gets decisions at full speed",
    keepsUp([signal()], [step()])
  )

  test(
    "reads from a position on, and nothing of an unknown run or beyond the end",
    Effect.gen(function*() {
      const { append, nextId, read, start } = yield* scene
      const runId = yield* start()
      yield* append(runId, { events: steps(4) })
      assert.deepStrictEqual(positions(yield* read(runId, 0)), [0, 1, 2, 3, 4])
      assert.deepStrictEqual(positions(yield* read(runId, 3)), [3, 4])
      assert.deepStrictEqual(yield* read(runId, 5), [])
      assert.deepStrictEqual(yield* read(runId, 1000), [])
      assert.deepStrictEqual(yield* read(yield* nextId), [])
    })
  )

  test(
    "keeps the order beyond 9, 99 and 999 events (EV-5)",
    Effect.gen(function*() {
      const { append, read, start } = yield* scene
      const runId = yield* start()
      for (const round of upTo(21)) yield* append(runId, { epoch: 1, events: steps(100, `${round}`) })
      const events = yield* read(runId)
      assert.deepStrictEqual(positions(events), upTo(2101))
      assert.deepStrictEqual(keys(events), upTo(21).flatMap((round) => steps(100, `${round}`).map(({ key }) => key)))
      assert.deepStrictEqual(positions(yield* read(runId, 999)).slice(0, 3), [999, 1000, 1001])
    })
  )

  test(
    "gives back every type of event as it was stored",
    Effect.gen(function*() {
      const { append, nextId, read, store } = yield* scene
      const runId = yield* nextId
      yield* store.append(runId, { expected: 0, events: [sampleEvents.RunStarted] })
      for (const event of Object.values(sampleEvents)) yield* append(runId, { epoch: 1, events: [event] })
      const events = yield* read(runId)
      assert.deepStrictEqual(events.map(({ event }) => event), [
        sampleEvents.RunStarted,
        ...Object.values(sampleEvents)
      ])
    })
  )

  law(
    "gives back any events as their own encoding reads",
    { values: Schema.Array(RunEvent.RunEvent), runs: 60, size: 8 },
    (generated) =>
      Effect.gen(function*() {
        const { append, read, start } = yield* scene
        const events = generated.filter(({ _tag }) => _tag !== "UnknownEvent")
        const runId = yield* start()
        yield* append(runId, { epoch: 1, events })
        assert.deepStrictEqual(
          (yield* read(runId, 1)).map(({ event }) => event),
          events.map((event) => {
            const { payload, type } = RunEvent.encode(event)
            return RunEvent.decode(type, Json.parse(payload))
          })
        )
      })
  )

  test(
    "stores text that a database cannot hold with its replacement, and leaves all other text alone (EV-1, EV-2)",
    Effect.gen(function*() {
      const { append, read, start } = yield* scene
      const runId = yield* start()
      yield* append(runId, {
        events: [
          { ...sampleEvents.ApprovalDenied, key: oddText, actor: { kind: "person", id: oddText }, reason: oddText },
          { ...sampleEvents.StepCompleted, output: { [oddText]: [oddText], nested: { deep: oddText } } }
        ]
      })
      assert.deepStrictEqual((yield* read(runId, 1)).map(({ event }) => event), [
        {
          ...sampleEvents.ApprovalDenied,
          key: cleanOddText,
          actor: { kind: "person", id: cleanOddText },
          reason: cleanOddText
        },
        { ...sampleEvents.StepCompleted, output: { [cleanOddText]: [cleanOddText], nested: { deep: cleanOddText } } }
      ])
    })
  )

  test(
    "passes keys on that mean something to JavaScript as plain data (EV-10)",
    Effect.gen(function*() {
      const { append, read, start } = yield* scene
      const runId = yield* start()
      yield* append(runId, { events: [{ ...sampleEvents.StepCompleted, output: oddJson }] })
      const [recorded] = yield* read(runId, 1)
      assert.strictEqual(
        JSON.stringify(recorded?.event._tag === "StepCompleted" ? recorded.event.output : undefined),
        JSON.stringify(oddJson)
      )
      assert.notProperty({}, "polluted")
    })
  )

  test(
    "stores an event of 300 KB (EV-6, EV-7)",
    Effect.gen(function*() {
      const { append, read, start } = yield* scene
      const runId = yield* start()
      const output = "0123456789 абв 👍 ".repeat(18_000)
      yield* append(runId, { epoch: 1, events: [step("small"), { ...step("large"), output }] })
      const event = (yield* read(runId, 2))[0]?.event
      assert.isTrue(event?._tag === "StepCompleted" && event.output === output)
    })
  )

  test(
    "reads an event of an unknown type, or of a known one with unreadable fields, as UnknownEvent (EV-11)",
    Effect.gen(function*() {
      const { append, control, read, start } = yield* scene
      const runId = yield* start()
      yield* control.plant({ runId, seq: 1, type: "RunTeleported", payload: `{"to":{"planet":"mars"}}` })
      yield* control.plant({ runId, seq: 2, type: "TimerFired", payload: `{"key":7}` })
      yield* append(runId, { events: [step()] })
      const events = yield* read(runId)
      assert.deepStrictEqual(tags(events), ["RunStarted", "UnknownEvent", "UnknownEvent", "StepCompleted"])
      const [, unknown, unreadable] = events.map(({ event }) => event)
      assert.deepInclude(unknown, { type: "RunTeleported", payload: { to: { planet: "mars" } } })
      assert.deepInclude(unreadable, { type: "TimerFired", payload: { key: 7 } })
    })
  )

  test(
    "reads fields that this build does not know without harm (EV-11)",
    Effect.gen(function*() {
      const { control, read, start } = yield* scene
      const runId = yield* start()
      yield* control.plant({ runId, seq: 1, type: "TimerFired", payload: `{"key":"grace","newer":{"field":1}}` })
      assert.deepStrictEqual((yield* read(runId, 1)).map(({ event }) => event), [{ _tag: "TimerFired", key: "grace" }])
    })
  )

  test(
    "follows a log that grows: every event once, in order, and an end with the run's end (EV-9)",
    Effect.gen(function*() {
      const { append, read, start, store } = yield* scene
      const runId = yield* start()
      const followers = yield* Effect.forEach(
        [0, 1, 40],
        (from) => Effect.forkChild(Stream.runCollect(store.changes(runId, from)))
      )
      for (const round of upTo(60)) {
        yield* append(runId, { epoch: 1, events: steps(1 + (round % 3), `${round}`) })
        if (round % 4 === 0) yield* Effect.yieldNow
      }
      yield* append(runId, { epoch: 1, events: [end] })
      const all = yield* read(runId)
      const [whole, tail, late] = yield* Effect.forEach(followers, (fiber) => Fiber.join(fiber))
      assert.deepStrictEqual(whole, all)
      assert.deepStrictEqual(tail, all.slice(1))
      assert.deepStrictEqual(late, all.slice(40))
    })
  )

  test(
    "follows a log that is complete to its end, also from there and from beyond",
    Effect.gen(function*() {
      const { append, start, store } = yield* scene
      const runId = yield* start()
      yield* append(runId, { events: [step(), end] })
      const follow = (from: number) => Stream.runCollect(store.changes(runId, from))
      assert.deepStrictEqual(positions(yield* follow(0)), [0, 1, 2])
      assert.deepStrictEqual(positions(yield* follow(2)), [2])
      assert.deepStrictEqual(positions(yield* follow(3)), [])
      assert.deepStrictEqual(positions(yield* follow(9)), [])
    })
  )

  test(
    "follows a run that does not exist yet from its start",
    Effect.gen(function*() {
      const { namespace, nextId, store } = yield* scene
      const runId = yield* nextId
      const follower = yield* Effect.forkChild(Stream.runCollect(store.changes(runId)), { startImmediately: true })
      yield* store.append(runId, { expected: 0, events: [{ ...sampleEvents.RunStarted, namespace }, end] })
      assert.deepStrictEqual(tags(yield* Fiber.join(follower)), ["RunStarted", "RunCompleted"])
    })
  )
}

/** Two that append to one run as fast as they can, each going on from where the log is: both get on. */
const keepsUp = (fast: Append["events"], other: Append["events"]) =>
  Effect.gen(function*() {
    const { length, read, start, store } = yield* scene
    const runId = yield* start()
    const atSpeed = yield* Latch.make()
    const appending = (events: Append["events"]) =>
      Effect.gen(function*() {
        let expected = yield* length(runId)
        while (true) {
          const epoch = events[0]?._tag === "SignalReceived" ? {} : { epoch: 1 }
          const stored = yield* Effect.result(store.append(runId, { expected, events, ...epoch }))
          expected = Result.isSuccess(stored) ? stored.success.seq : expected + (yield* read(runId, expected)).length
          if (expected > 10) yield* atSpeed.open
          if (Result.isSuccess(stored) && events === other) return
        }
      })
    const busy = yield* Effect.forkChild(appending(fast))
    yield* atSpeed.await
    for (const _ of upTo(5)) yield* appending(other)
    yield* Fiber.interrupt(busy)
    const [tag] = other.map(({ _tag }) => _tag)
    assert.lengthOf((yield* read(runId)).filter(({ event }) => event._tag === tag), 5)
  })
