import type { RunId } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Schedule } from "effect"
import { lockKey } from "../src/Listener.ts"
import { byHand, emptied, sharedSchema } from "./fixtures/database.ts"
import { child } from "./fixtures/processes.ts"
import { claim, start, storeOn, upTo, wokenBy } from "./fixtures/stores.ts"

const schema = sharedSchema()

/** Until this many processes wait for the lock of another one. */
const watched = (count: number) =>
  Effect.scoped(Effect.flatMap(byHand, (sql) =>
    Effect.repeat(
      sql.unsafe(`
        select from pg_locks l join ${schema}.workers w
          on (l.classid::bigint << 32) | l.objid::bigint = ${lockKey("w.owner")}
        where l.locktype = 'advisory' and not l.granted`),
      { until: (rows) => rows.length === count, schedule: Schedule.spaced("10 millis") }
    )))

describe("a worker whose process is killed", () => {
  it.live(
    "loses its runs within a second, whatever its lease, which others are told at once (WR-8, P11)",
    () =>
      Effect.gen(function*() {
        const here = yield* storeOn(yield* emptied(schema))
        const watcher = yield* here.nextOwner
        const holderOf = (runId: RunId) => Effect.map(here.queue.holder(runId), Option.map(({ isAlive }) => isAlive))
        const lost = yield* start(here)
        const killed = yield* child("hold", schema)
        assert.strictEqual(yield* killed.line, lost)
        const kept = yield* start(here)
        const living = yield* child("hold", schema)
        assert.strictEqual(yield* living.line, kept)
        assert.deepStrictEqual(yield* claim(here, watcher), [])
        assert.deepStrictEqual(yield* holderOf(lost), Option.some(true))

        const woken = yield* Effect.forkChild(wokenBy(here, lost), { startImmediately: true })
        yield* watched(3)
        yield* killed.signal("SIGKILL")
        yield* killed.gone
        const begun = performance.now()
        yield* Fiber.join(woken)
        assert.deepStrictEqual([yield* holderOf(lost), yield* holderOf(kept)], [Option.some(false), Option.some(true)])
        assert.isBelow(performance.now() - begun, 1_000)
        const [claimed, ...more] = yield* claim(here, watcher)
        assert.deepInclude(claimed, { runId: lost, epoch: 2, expired: true })
        assert.lengthOf(more, 0)
      }),
    30_000
  )
})

describe("a worker that lives", () => {
  it.live(
    "keeps its runs although its connections are cut: it has its lock again before somebody looks twice",
    () =>
      Effect.gen(function*() {
        const name = yield* emptied(schema)
        const here = yield* storeOn(name, { deadAfter: "1 second" })
        const there = yield* storeOn(name, { applicationName: `${name}-there`, deadAfter: "1 second" })
        const mine = yield* here.nextOwner
        const theirs = yield* there.nextOwner
        const runId = yield* start(there)
        assert.lengthOf(yield* claim(there, theirs), 1)
        const own = yield* start(here)
        assert.lengthOf(yield* claim(here, mine), 1)
        yield* watched(2)
        const sql = yield* byHand
        for (const _ of upTo(3)) {
          yield* sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${`${name}-there`}`
          yield* watched(2)
          assert.deepStrictEqual(yield* claim(here, mine), [])
        }
        assert.deepStrictEqual((yield* there.queue.heartbeat({ owner: theirs, leaseMillis: 60_000 })).held, [
          { runId, epoch: 1, outsideSeq: 0 }
        ])
        yield* there.queue.retire(theirs)
        assert.deepStrictEqual((yield* claim(here, mine)).map((claimed) => claimed.runId), [runId])
        assert.notStrictEqual(own, runId)
      }),
    30_000
  )
})
