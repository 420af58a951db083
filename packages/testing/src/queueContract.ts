/**
 * What `RunQueue` promises.
 */
import { assert } from "@effect/vitest"
import { Array, Effect, Fiber, Option, Stream } from "effect"
import { oddJson, oddText } from "./sampleEvents.ts"
import { end, leaseMillis, scene, signal, step } from "./Scene.ts"
import type { Register } from "./StoreUnderTest.ts"

const upTo = (count: number) => Array.makeBy(count, (i) => i)

/**
 * Registers the contract of the queue.
 *
 * @category contracts
 * @since 0.1.0
 */
export const queueContract = ({ test, waiting }: Register): void => {
  test(
    "leases a run that has just been started",
    Effect.gen(function*() {
      const { claim, start, store } = yield* scene
      const runId = yield* start()
      const [claimed, ...more] = yield* claim("w1")
      assert.lengthOf(more, 0)
      assert.deepInclude(claimed, { runId, program: "mail", seq: 1, epoch: 1, expired: false })
      assert.isAtMost(claimed?.now ?? Infinity, yield* store.now)
    })
  )

  test(
    "leases runs with logs of any kind and length, and brings what is read of them or nothing",
    Effect.gen(function*() {
      const { append, claimedIds, start } = yield* scene
      const runIds = yield* Effect.forEach(upTo(4), () => start())
      const [, odd, long, large] = runIds
      if (odd === undefined || long === undefined || large === undefined) return assert.fail()
      yield* append(odd, { epoch: 1, events: [{ ...step(), output: oddJson }, signal(oddText)] })
      yield* append(long, { epoch: 1, events: upTo(200).map((i) => step(`${i}`)) })
      yield* append(large, { epoch: 1, events: [{ ...step(), output: "x".repeat(200_000) }] })
      assert.deepStrictEqual((yield* claimedIds("w1")).toSorted(), runIds.toSorted())
    })
  )

  test(
    "says who has a run: nobody, a worker that is alive, one that is not",
    Effect.gen(function*() {
      const { claimOne, control, nextId, queue, start, store } = yield* scene
      assert.deepStrictEqual(yield* queue.holder(yield* nextId), Option.none())
      const runId = yield* start()
      assert.deepStrictEqual(yield* queue.holder(runId), Option.none())
      const { epoch, now } = yield* claimOne("w1")
      const held = Option.getOrUndefined(yield* queue.holder(runId))
      assert.deepInclude(held, { owner: "w1", epoch, isAlive: true })
      assert.isAtLeast(held?.aliveUntil ?? 0, now + leaseMillis)
      yield* control.advance(leaseMillis + 1_000)
      assert.deepInclude(Option.getOrUndefined(yield* queue.holder(runId)), { owner: "w1", epoch, isAlive: false })
      const taken = yield* claimOne("w2")
      assert.deepInclude(Option.getOrUndefined(yield* queue.holder(runId)), { owner: "w2", epoch: epoch + 1 })
      yield* queue.release({ owner: "w2", runId, epoch: taken.epoch, seq: 1, wakeAt: null })
      assert.deepStrictEqual(yield* queue.holder(runId), Option.none())
      assert.isAtLeast(yield* store.now, now)
    })
  )

  test(
    "leaves a start in the future alone until its time",
    Effect.gen(function*() {
      const { claimedIds, control, start, store } = yield* scene
      const runId = yield* start({ wakeAt: (yield* store.now) + 60_000.5 })
      assert.deepStrictEqual(yield* claimedIds("w1"), [])
      yield* control.advance(59_000)
      assert.deepStrictEqual(yield* claimedIds("w1"), [])
      yield* control.advance(2_000)
      assert.deepStrictEqual(yield* claimedIds("w1"), [runId])
    })
  )

  test(
    "leases due runs oldest first, up to the limit, and none for a limit of zero or less",
    Effect.gen(function*() {
      const { claimedIds, control, start, store } = yield* scene
      const now = yield* store.now
      const third = yield* start({ wakeAt: now + 30 })
      const first = yield* start({ wakeAt: now + 10 })
      yield* start({ wakeAt: now + 600_000 })
      yield* start({ wakeAt: null })
      const second = yield* start({ wakeAt: now + 20 })
      yield* control.advance(1_000)
      assert.deepStrictEqual(yield* claimedIds("w1", { limit: 0 }), [])
      assert.deepStrictEqual(yield* claimedIds("w1", { limit: -1 }), [])
      assert.deepStrictEqual(yield* claimedIds("w1", { limit: 2 }), [first, second])
      assert.deepStrictEqual(yield* claimedIds("w1", { limit: 2 }), [third])
    })
  )

  test(
    "leases oldest first and up to the limit over all programs and over the runs that dead owners have left",
    Effect.gen(function*() {
      const { claimedIds, control, start } = yield* scene
      const begin = Effect.fnUntraced(function*(program: string) {
        const runId = yield* start({ program })
        yield* control.advance(1_000)
        return runId
      })
      const orphan = yield* begin("report")
      assert.deepStrictEqual(yield* claimedIds("w1", { programs: ["report"] }), [orphan])
      const mail = yield* begin("mail")
      const report = yield* begin("report")
      const late = yield* begin("mail")
      yield* control.advance(2 * leaseMillis)
      const programs = ["report", "mail"]
      assert.deepStrictEqual(yield* claimedIds("w2", { programs, limit: 3 }), [orphan, mail, report])
      assert.deepStrictEqual(yield* claimedIds("w2", { programs, limit: 3 }), [late])
    })
  )

  test(
    "leases of each program no more than its own limit, and goes on with the others behind it",
    Effect.gen(function*() {
      const { claimedIds, control, start } = yield* scene
      const begin = Effect.fnUntraced(function*(program: string) {
        const runId = yield* start({ program })
        yield* control.advance(1_000)
        return runId
      })
      const refunds = yield* Effect.forEach(upTo(4), () => begin("refund"))
      const mails = yield* Effect.forEach(upTo(2), () => begin("mail"))
      const late = yield* begin("refund")
      const programs = ["refund", "mail", "refund"]
      const limits = (refund: number) => new Map([["refund", refund], ["unknown", 1]])
      assert.deepStrictEqual(yield* claimedIds("w1", { programs, limit: 3, limits: limits(2) }), [
        ...refunds.slice(0, 2),
        ...mails.slice(0, 1)
      ])
      assert.deepStrictEqual(yield* claimedIds("w1", { programs, limits: limits(0) }), mails.slice(1))
      assert.deepStrictEqual(yield* claimedIds("w1", { programs, limits: limits(-1) }), [])
      assert.deepStrictEqual(yield* claimedIds("w1", { programs, limit: 1, limits: limits(9) }), refunds.slice(2, 3))
      assert.deepStrictEqual(yield* claimedIds("w2", { programs, limits: limits(9) }), [...refunds.slice(3), late])
    })
  )

  test(
    "leases no more than a program's own limit also of what dead owners have left",
    Effect.gen(function*() {
      const { claimedIds, control, start } = yield* scene
      const orphans = yield* Effect.forEach(
        upTo(3),
        () => Effect.tap(start({ program: "refund" }), () => control.advance(1_000))
      )
      yield* claimedIds("w1", { programs: ["refund"], limit: 2 })
      yield* claimedIds("w2", { programs: ["refund"], limit: 1 })
      yield* control.advance(2 * leaseMillis)
      const programs = ["refund", "mail"]
      const mail = yield* start()
      const limits = new Map([["refund", 2]])
      assert.deepStrictEqual(yield* claimedIds("w3", { programs, limits }), [...orphans.slice(0, 2), mail])
      assert.deepStrictEqual(yield* claimedIds("w3", { programs, limits }), orphans.slice(2))
    })
  )

  test(
    "takes one late run behind a thousand of a program that is at its limit, at the first claim",
    Effect.gen(function*() {
      const { claim, control, start } = yield* scene
      yield* Effect.forEach(upTo(1_000), () => start({ program: "refund" }), { concurrency: 500, discard: true })
      yield* control.advance(1_000)
      const late = yield* start()
      const claims = yield* claim("w1", { programs: ["refund", "mail"], limit: 8, limits: new Map([["refund", 6]]) })
      assert.deepStrictEqual(claims.map(({ program }) => program), [...upTo(6).map(() => "refund"), "mail"])
      assert.strictEqual(claims.at(-1)?.runId, late)
    })
  )

  test(
    "shows how many runs are due that nobody has, and which of them for the longest, and takes nothing",
    Effect.gen(function*() {
      const { claimedIds, control, namespace, queue, start, store } = yield* scene
      const longest = (programs = ["mail", "report", "mail"]) =>
        Effect.map(queue.longestDue({ namespace, programs }), Option.getOrUndefined)
      const count = (programs = ["mail", "report", "mail"], limit = 1000) =>
        queue.countDue({ namespace, programs, limit })
      const begin = Effect.fnUntraced(function*(program: string) {
        const runId = yield* start({ program })
        yield* control.advance(1_000)
        return runId
      })
      assert.isUndefined(yield* longest())
      yield* start({ wakeAt: (yield* store.now) + 3_600_000 })
      yield* start({ wakeAt: null })
      assert.isUndefined(yield* longest())
      const report = yield* begin("report")
      const mail = yield* begin("mail")
      assert.strictEqual((yield* longest())?.runId, report)
      assert.strictEqual((yield* longest(["mail"]))?.runId, mail)
      assert.isUndefined(yield* longest([]))
      assert.deepStrictEqual([yield* count(), yield* count(["mail"]), yield* count([])], [2, 1, 0])
      assert.deepStrictEqual([yield* count(undefined, 1), yield* count(undefined, 0)], [1, 0])
      const now = yield* store.now
      assert.isAtLeast(now - ((yield* longest(["mail"]))?.since ?? 0), 1_000)
      assert.deepStrictEqual(yield* claimedIds("w1", { programs: ["report", "mail"], limit: 1 }), [report])
      assert.strictEqual((yield* longest())?.runId, mail)
      assert.strictEqual(yield* count(), 1)
      yield* claimedIds("w1")
      assert.isUndefined(yield* longest())
      assert.strictEqual(yield* count(), 0)
      yield* control.advance(2 * leaseMillis)
      assert.strictEqual((yield* longest())?.runId, report)
      assert.strictEqual(yield* count(), 2)
    })
  )

  test(
    "leases runs of the given programs and namespace only",
    Effect.gen(function*() {
      const { claimedIds, namespace, start } = yield* scene
      const mail = yield* start({ program: "mail" })
      const report = yield* start({ program: "report" })
      const other = yield* start({ program: "mail", namespace: `${namespace}-2` })
      assert.deepStrictEqual(yield* claimedIds("w1", { programs: [] }), [])
      assert.deepStrictEqual(yield* claimedIds("w1", { programs: ["unknown"] }), [])
      assert.deepStrictEqual(yield* claimedIds("w1", { programs: ["report", "unknown", "report"] }), [report])
      assert.deepStrictEqual(yield* claimedIds("w1", { programs: ["report", "mail"] }), [mail])
      assert.deepStrictEqual(yield* claimedIds("w1", { namespace: `${namespace}-2` }), [other])
    })
  )

  test(
    "never gives a run to a second owner while the first one lives, due or not (check 57, D3)",
    Effect.gen(function*() {
      const { acquire, claimOne, claimedIds, decide, start } = yield* scene
      const runId = yield* start()
      yield* claimOne("w1")
      yield* decide(runId)
      assert.deepStrictEqual(yield* claimedIds("w2"), [])
      assert.deepStrictEqual(yield* claimedIds("w1"), [])
      assert.isTrue(Option.isNone(yield* acquire("w2", runId)))
      assert.isTrue(Option.isNone(yield* acquire("w1", runId)))
    })
  )

  test(
    "shares due runs among owners that claim at the same moment, each run once",
    Effect.gen(function*() {
      const { claim, start } = yield* scene
      const runIds = yield* Effect.forEach(upTo(100), () => start(), { concurrency: "unbounded" })
      const claims = yield* Effect.forEach(upTo(10), (worker) => claim(`w${worker}`, { limit: 15 }), {
        concurrency: "unbounded"
      })
      const taken = claims.flat().map(({ runId }) => runId)
      assert.deepStrictEqual([...taken].sort(), [...runIds].sort())
      assert.isTrue(claims.every((some) => some.length <= 15))
    })
  )

  test(
    "raises the epoch with every lease",
    Effect.gen(function*() {
      const { acquire, claimOne, queue, start } = yield* scene
      const runId = yield* start()
      const epochs: Array<number> = []
      for (const owner of ["w1", "w2"]) {
        const { epoch, now, seq } = yield* claimOne(owner)
        epochs.push(epoch)
        yield* queue.release({ owner, runId, epoch, seq, wakeAt: now })
        const acquired = yield* Effect.fromOption(yield* acquire(owner, runId))
        epochs.push(acquired.epoch)
        yield* queue.release({ owner, runId, epoch: acquired.epoch, seq, wakeAt: now })
      }
      assert.deepStrictEqual(epochs, [...new Set(epochs)].sort((left, right) => left - right))
    })
  )

  test(
    "leases a run again to the owner whose own time is over, as taken over, if it asks for that run",
    Effect.gen(function*() {
      const { acquire, claimOne, control, queue, start } = yield* scene
      const runId = yield* start()
      const { epoch } = yield* claimOne("w1")
      yield* control.advance(leaseMillis + 1_000)
      const again = yield* Effect.fromOption(yield* acquire("w1", runId))
      assert.deepInclude(again, { epoch: epoch + 1, expired: true })
      const { held } = yield* queue.heartbeat({ owner: "w1", leaseMillis })
      assert.deepStrictEqual(held.map((run) => run.epoch), [epoch + 1])
      assert.isTrue(Option.isNone(yield* acquire("w1", runId)))
    })
  )

  test(
    "frees the runs of an owner that is silent for the length of its lease, by the store's time (WR-6)",
    Effect.gen(function*() {
      const { append, claim, claimOne, control, start } = yield* scene
      const runId = yield* start()
      const first = yield* claimOne("w1")
      yield* append(runId, { epoch: first.epoch, events: [step()] })
      yield* control.advance(leaseMillis - 2_000)
      assert.lengthOf(yield* claim("w2"), 0)
      yield* control.advance(4_000)
      const [second] = yield* claim("w2")
      assert.deepInclude(second, { runId, seq: 2, expired: true })
      assert.isAbove(second?.epoch ?? 0, first.epoch)
    })
  )

  test(
    "frees all runs of a dead owner, also when others take them one by one",
    Effect.gen(function*() {
      const { claim, claimedIds, control, start } = yield* scene
      const runIds = yield* Effect.forEach(upTo(4), () => start())
      yield* claim("w1")
      yield* control.advance(2 * leaseMillis)
      const taken = yield* Effect.forEach(upTo(5), (i) => claimedIds(`w${i + 2}`, { limit: 1 }))
      assert.sameMembers(taken.flat(), [...runIds])
    })
  )

  test(
    "frees the runs of an owner at once whose heartbeat asks for no time, as runs that were not given back",
    Effect.gen(function*() {
      const { claim, claimOne, queue, start } = yield* scene
      const runId = yield* start()
      yield* claimOne("w1")
      const { held } = yield* queue.heartbeat({ owner: "w1", leaseMillis: 0 })
      assert.deepStrictEqual(held, [{ runId, epoch: 1, outsideSeq: 0 }])
      const [second] = yield* claim("w2")
      assert.deepInclude(second, { runId, epoch: 2, expired: true })
    })
  )

  test(
    "keeps an owner alive by its heartbeat, which tells what it holds and how far decisions from outside go",
    Effect.gen(function*() {
      const { claim, claimedIds, control, decide, heartbeat, start } = yield* scene
      const quiet = yield* start()
      const decided = yield* start()
      const claims = yield* claim("w1")
      yield* decide(decided)
      for (const _ of upTo(4)) {
        yield* control.advance(leaseMillis / 2)
        const { held, now } = yield* heartbeat("w1")
        assert.isAtLeast(now, claims[0]?.now ?? Infinity)
        assert.sameDeepMembers([...held], [
          { runId: quiet, epoch: 1, outsideSeq: 0 },
          { runId: decided, epoch: 1, outsideSeq: 1 }
        ])
      }
      assert.deepStrictEqual(yield* claimedIds("w2"), [])
    })
  )

  test(
    "keeps an owner alive by its claims as well, also by those that find nothing",
    Effect.gen(function*() {
      const { claimOne, claimedIds, control, start } = yield* scene
      yield* start()
      yield* claimOne("w1")
      yield* control.advance(leaseMillis / 4)
      assert.deepStrictEqual(yield* claimedIds("w1"), [])
      yield* control.advance(leaseMillis - 2_000)
      assert.deepStrictEqual(yield* claimedIds("w2"), [])
    })
  )

  test(
    "lets an owner that was silent for too long keep what nobody has taken",
    Effect.gen(function*() {
      const { claimOne, claimedIds, control, heartbeat, start } = yield* scene
      const runId = yield* start()
      yield* claimOne("w1")
      yield* control.advance(2 * leaseMillis)
      assert.deepStrictEqual((yield* heartbeat("w1")).held.map((run) => run.runId), [runId])
      assert.deepStrictEqual(yield* claimedIds("w2"), [])
    })
  )

  test(
    "tells an owner by its heartbeat what it has lost (WR-1)",
    Effect.gen(function*() {
      const { claim, control, heartbeat, queue, start } = yield* scene
      const lost = yield* start()
      const released = yield* start()
      yield* claim("w1")
      yield* control.advance(2 * leaseMillis)
      yield* claim("w2")
      yield* queue.release({ owner: "w2", runId: released, epoch: 2, seq: 1, wakeAt: null })
      assert.deepStrictEqual((yield* heartbeat("w1")).held, [])
      assert.deepStrictEqual((yield* heartbeat("w2")).held, [{ runId: lost, epoch: 2, outsideSeq: 0 }])
    })
  )

  test(
    "tells by the heartbeat also of runs that have no time any more",
    Effect.gen(function*() {
      const { append, claimOne, decide, heartbeat, start } = yield* scene
      const runId = yield* start()
      const { epoch } = yield* claimOne("w1")
      yield* append(runId, { epoch, events: [step()], next: { wakeAt: null } })
      assert.deepStrictEqual((yield* heartbeat("w1")).held, [{ runId, epoch, outsideSeq: 0 }])
      yield* decide(runId, { wakeAt: null })
      assert.deepStrictEqual((yield* heartbeat("w1")).held, [{ runId, epoch, outsideSeq: 2 }])
    })
  )

  test(
    "says of a lease that the one before expired only if that one was not released",
    Effect.gen(function*() {
      const { acquire, claimOne, control, queue, start } = yield* scene
      const runId = yield* start()
      const first = yield* claimOne("w1")
      assert.isFalse(first.expired)
      yield* control.advance(2 * leaseMillis)
      const second = yield* claimOne("w2")
      assert.isTrue(second.expired)
      yield* queue.release({ owner: "w2", runId, epoch: second.epoch, seq: 1, wakeAt: second.now })
      const third = yield* claimOne("w3")
      assert.isFalse(third.expired)
      yield* control.advance(2 * leaseMillis)
      assert.isTrue((yield* Effect.fromOption(yield* acquire("w4", runId))).expired)
    })
  )

  test(
    "parks a released run without a time until something happens, and one with a time until then",
    Effect.gen(function*() {
      const { claimOne, claimedIds, control, decide, queue, start } = yield* scene
      const runId = yield* start()
      const first = yield* claimOne("w1")
      yield* queue.release({ owner: "w1", runId, epoch: first.epoch, seq: 1, wakeAt: null })
      yield* control.advance(1_000_000)
      assert.deepStrictEqual(yield* claimedIds("w1"), [])
      yield* decide(runId)
      const second = yield* claimOne("w1")
      yield* queue.release({ owner: "w1", runId, epoch: second.epoch, seq: 2, wakeAt: second.now + 60_000 })
      yield* control.advance(50_000)
      assert.deepStrictEqual(yield* claimedIds("w1"), [])
      yield* control.advance(20_000)
      const third = yield* claimOne("w1")
      yield* queue.release({ owner: "w1", runId, epoch: third.epoch, seq: 2, wakeAt: third.now })
      assert.deepStrictEqual(yield* claimedIds("w2"), [runId])
    })
  )

  test(
    "makes a released run due at once if a decision came that its program has not seen, and keeps that decision's summary",
    Effect.gen(function*() {
      const { claimOne, claimedIds, decide, index, queue, start, summary } = yield* scene
      const runId = yield* start()
      const { epoch } = yield* claimOne("w1")
      yield* decide(runId, { summary: summary(runId, { seq: 2, reason: "decided" }) })
      yield* queue.release({
        owner: "w1",
        runId,
        epoch,
        seq: 1,
        wakeAt: null,
        summary: summary(runId, { seq: 1, reason: "rested" })
      })
      assert.strictEqual(Option.getOrUndefined(yield* index.get(runId))?.reason, "decided")
      assert.deepStrictEqual(yield* claimedIds("w2"), [runId])
    })
  )

  test(
    "counts the last of several events as how far a decision goes",
    Effect.gen(function*() {
      const { append, claimOne, claimedIds, heartbeat, queue, start } = yield* scene
      const runId = yield* start()
      const { epoch } = yield* claimOne("w1")
      yield* append(runId, { events: [signal(), signal(), signal()] })
      assert.deepStrictEqual((yield* heartbeat("w1")).held, [{ runId, epoch, outsideSeq: 3 }])
      yield* queue.release({ owner: "w1", runId, epoch, seq: 3, wakeAt: null })
      assert.deepStrictEqual(yield* claimedIds("w1"), [runId])
    })
  )

  test(
    "lets a released run rest if its program has seen the latest decision, and keeps the summary",
    Effect.gen(function*() {
      const { claimOne, claimedIds, decide, index, queue, start, summary } = yield* scene
      const runId = yield* start()
      const { epoch } = yield* claimOne("w1")
      yield* decide(runId)
      yield* queue.release({
        owner: "w1",
        runId,
        epoch,
        seq: 2,
        wakeAt: null,
        summary: summary(runId, { seq: 2, reason: "rested" })
      })
      assert.strictEqual(Option.getOrUndefined(yield* index.get(runId))?.reason, "rested")
      assert.deepStrictEqual(yield* claimedIds("w2"), [])
    })
  )

  test(
    "loses no decision that comes at the same moment as a release",
    Effect.gen(function*() {
      const { claim, claimedIds, decide, queue, start } = yield* scene
      const runIds = yield* Effect.forEach(upTo(50), () => start(), { concurrency: "unbounded" })
      const claims = yield* claim("w1")
      yield* Effect.forEach(claims, ({ epoch, runId, seq }) =>
        Effect.all([
          queue.release({ owner: "w1", runId, epoch, seq, wakeAt: null }),
          decide(runId)
        ], { concurrency: "unbounded" }), { concurrency: "unbounded" })
      assert.sameMembers([...yield* claimedIds("w2")], runIds)
    })
  )

  test(
    "does nothing when a lease is released that is gone, or that another owner has",
    Effect.gen(function*() {
      const { claimOne, control, heartbeat, queue, start } = yield* scene
      const runId = yield* start()
      const first = yield* claimOne("w1")
      yield* control.advance(2 * leaseMillis)
      const second = yield* claimOne("w2")
      yield* queue.release({ owner: "w1", runId, epoch: first.epoch, seq: 1, wakeAt: null })
      yield* queue.release({ owner: "w1", runId, epoch: second.epoch, seq: 1, wakeAt: null })
      yield* queue.release({ owner: "w2", runId, epoch: first.epoch, seq: 1, wakeAt: null })
      assert.deepStrictEqual((yield* heartbeat("w2")).held.map((run) => run.epoch), [second.epoch])
    })
  )

  test(
    "ends the lease together with the append that says so, and that of no other owner",
    Effect.gen(function*() {
      const { acquire, append, claim, claimedIds, heartbeat, index, start, summary } = yield* scene
      const done = yield* start()
      const parked = yield* start()
      const foreign = yield* start()
      yield* claim("w1")
      const completed = summary(done, { seq: 2, status: "Completed" })
      yield* append(done, { epoch: 1, events: [end], next: { wakeAt: null, release: "w1", summary: completed } })
      yield* append(parked, { epoch: 1, events: [step()], next: { wakeAt: null, release: "w1" } })
      yield* append(foreign, { epoch: 1, events: [step()], next: { release: "w2" } })
      assert.deepStrictEqual((yield* heartbeat("w1")).held.map(({ runId }) => runId), [foreign])
      assert.deepStrictEqual(yield* claimedIds("w2"), [])
      assert.deepStrictEqual(Option.getOrUndefined(yield* index.get(done)), completed)
      assert.isTrue(Option.isNone(yield* acquire("w2", done)))
      assert.isTrue(Option.isSome(yield* acquire("w2", parked)))
    })
  )

  test(
    "changes neither lease nor time when an append is refused",
    Effect.gen(function*() {
      const { claimOne, claimedIds, decide, heartbeat, index, start, store, summary } = yield* scene
      const runId = yield* start()
      const { epoch } = yield* claimOne("w1")
      yield* decide(runId)
      const late = summary(runId, { reason: "late" })
      yield* Effect.flip(store.append(runId, {
        expected: 1,
        epoch,
        events: [end],
        next: { wakeAt: null, release: "w1", summary: late }
      }))
      assert.deepStrictEqual((yield* heartbeat("w1")).held, [{ runId, epoch, outsideSeq: 1 }])
      assert.isUndefined(Option.getOrUndefined(yield* index.get(runId))?.reason)
      assert.deepStrictEqual(yield* claimedIds("w2"), [])
    })
  )

  test(
    "frees the runs of an owner that retires at once, as released",
    Effect.gen(function*() {
      const { acquire, claim, heartbeat, queue, start } = yield* scene
      const claimed = yield* start()
      const acquired = yield* start({ wakeAt: null })
      yield* claim("w1")
      yield* acquire("w1", acquired)
      yield* queue.retire("w1")
      yield* queue.retire("unknown")
      assert.deepStrictEqual((yield* heartbeat("w1")).held, [])
      const claims = yield* claim("w2")
      assert.sameMembers(claims.map(({ runId }) => runId), [claimed, acquired])
      assert.deepStrictEqual(claims.map(({ epoch, expired }) => [epoch, expired]), [[2, false], [2, false]])
    })
  )

  test(
    "leases a run by its id if it exists, has not ended and is free",
    Effect.gen(function*() {
      const { acquire, append, claimOne, control, nextId, start, store } = yield* scene
      const done = yield* start()
      yield* append(done, { epoch: 1, events: [end], next: { wakeAt: null } })
      const parked = yield* start({ wakeAt: null })
      const sleeping = yield* start({ wakeAt: (yield* store.now) + 600_000 })
      const held = yield* start()
      yield* claimOne("w1")
      assert.isTrue(Option.isNone(yield* acquire("w2", yield* nextId)))
      assert.isTrue(Option.isNone(yield* acquire("w2", done)))
      assert.isTrue(Option.isNone(yield* acquire("w2", held)))
      for (const runId of [parked, sleeping]) {
        const claimed = yield* Effect.fromOption(yield* acquire("w2", runId))
        assert.deepInclude(claimed, { runId, program: "mail", seq: 1, epoch: 1, expired: false })
      }
      yield* control.advance(2 * leaseMillis)
      assert.isTrue((yield* Effect.fromOption(yield* acquire("w2", held))).expired)
    })
  )

  test(
    "makes a parked or sleeping run due that was leased by its id and whose owner died (WR-8)",
    Effect.gen(function*() {
      const { acquire, claimedIds, control, start, store } = yield* scene
      const parked = yield* start({ wakeAt: null })
      const sleeping = yield* start({ wakeAt: (yield* store.now) + 3_600_000 })
      yield* acquire("w1", parked)
      yield* acquire("w1", sleeping)
      assert.deepStrictEqual(yield* claimedIds("w2"), [])
      yield* control.advance(2 * leaseMillis)
      assert.sameMembers([...yield* claimedIds("w2")], [parked, sleeping])
    })
  )

  test(
    "lets one of many owners that ask for a run by its id at the same moment have it (WR-2)",
    Effect.gen(function*() {
      const { acquire, start } = yield* scene
      const runId = yield* start({ wakeAt: null })
      const leases = yield* Effect.forEach(upTo(20), (worker) => acquire(`w${worker}`, runId), {
        concurrency: "unbounded"
      })
      assert.lengthOf(leases.filter(Option.isSome), 1)
    })
  )

  test(
    "makes a parked run due by a decision from outside, and not by what a worker records",
    Effect.gen(function*() {
      const { append, claimedIds, decide, start } = yield* scene
      const runId = yield* start({ wakeAt: null })
      yield* append(runId, { epoch: 1, events: [step()] })
      assert.deepStrictEqual(yield* claimedIds("w1"), [])
      yield* decide(runId)
      assert.deepStrictEqual(yield* claimedIds("w1"), [runId])
    })
  )

  test(
    "lets a decision from outside say when the run is due",
    Effect.gen(function*() {
      const { claimedIds, control, decide, start, store } = yield* scene
      const never = yield* start()
      const later = yield* start()
      yield* decide(never, { wakeAt: null })
      yield* decide(later, { wakeAt: (yield* store.now) + 60_000 })
      assert.deepStrictEqual(yield* claimedIds("w1"), [])
      yield* control.advance(61_000)
      assert.deepStrictEqual(yield* claimedIds("w1"), [later])
    })
  )

  test(
    "wakes whoever listens by the id of a run that got a decision from outside (WR-7)",
    Effect.gen(function*() {
      const { append, claimOne, decide, length, queue, start } = yield* scene
      const parked = yield* start()
      const { epoch } = yield* claimOne("w1")
      yield* queue.release({ owner: "w1", runId: parked, epoch, seq: 1, wakeAt: null })
      const held = yield* start()
      yield* claimOne("w1")
      for (const runId of [parked, held]) {
        const woken = yield* queue.wakeups.pipe(
          Stream.filter((id) => id === runId),
          Stream.runHead,
          Effect.forkChild({ startImmediately: true })
        )
        // Listening takes a moment to begin, so decide until it has.
        yield* Effect.raceFirst(Fiber.join(woken), Effect.forever(Effect.andThen(decide(runId), pause)))
        assert.isAtLeast(yield* length(runId), 2)
      }
      yield* append(held, { epoch: 1, events: [step()] })
    })
  )

  test(
    `looks at due runs only: ${waiting} others do not make a claim slow (check 65, D29)`,
    Effect.gen(function*() {
      const { claimedIds, start, store } = yield* scene
      yield* Effect.forEach(upTo(20), () => start())
      assert.lengthOf(yield* claimedIds("w1"), 20)
      const few = yield* fastest(claimedIds("w1"))
      const later = (yield* store.now) + 3_600_000
      yield* Effect.forEach(upTo(waiting), (i) => start({ wakeAt: i % 2 === 0 ? null : later }), {
        concurrency: 500,
        discard: true
      })
      const many = yield* fastest(claimedIds("w1"))
      assert.isBelow(many, few * 10 + 5)
    })
  )
}

/** One turn of the event loop, in which stores that use timers or sockets get on. */
const pause = Effect.callback<void>((resume) => {
  setTimeout(() => resume(Effect.void), 1)
})

/** The fastest of 20 runs in milliseconds of real time. */
const fastest = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<number, E> =>
  Effect.map(
    Effect.forEach(upTo(20), () =>
      Effect.suspend(() => {
        const begun = performance.now()
        return Effect.map(effect, () => performance.now() - begun)
      })),
    (times) => Math.min(...times)
  )
