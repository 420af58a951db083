import type { RunId } from "@durable-agents/core"
import type { Postgres } from "@durable-agents/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option, Result, Schedule, Stream } from "effect"
import { byHand, emptied, grant, newRole, sharedSchema, url } from "./fixtures/database.ts"
import { completed, step } from "./fixtures/events.ts"
import { proxyTo } from "./fixtures/proxy.ts"
import { claim, eventsOf, lengthOf, start, type Store, storeOn, upTo, wokenBy } from "./fixtures/stores.ts"

const schema = sharedSchema()
const together = { concurrency: "unbounded" } as const
const signal = { _tag: "SignalReceived", name: "paid", payload: null } as const

/** A store behind a proxy, and one that is not disturbed. */
const disturbed = (options: Partial<Postgres.Options> = {}) =>
  Effect.gen(function*() {
    yield* emptied(schema)
    const proxy = yield* proxyTo(url)
    return {
      proxy,
      on: yield* storeOn(schema, { url: proxy.url, ...options }),
      calm: yield* storeOn(schema)
    }
  })

/** Waits until a statement that contains this waits for a lock of somebody else. */
const waitsForLock = (text: string) =>
  Effect.scoped(Effect.flatMap(byHand, (sql) =>
    Effect.repeat(
      sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like ${`%${text}%`}`,
      { until: (rows) => rows.length > 0 }
    )))

const tagsOf = (on: Store, runId: RunId) =>
  Effect.map(eventsOf(on, runId), (events) => events.map(({ event }) => event._tag))

describe("a connection that breaks while an append is being stored", () => {
  it.live("leaves it stored once, whoever wrote it, and nobody takes it for somebody else's (PG-3)", () =>
    Effect.gen(function*() {
      const { calm, on, proxy } = yield* disturbed({ listen: false })
      const runId = yield* start(on)
      yield* proxy.muteAnswerTo("charge")
      const worker = yield* Effect.forkChild(on.store.append(runId, { expected: 1, epoch: 4, events: [step, step] }))
      yield* proxy.answered
      yield* proxy.cut
      assert.strictEqual((yield* Fiber.join(worker)).seq, 3)
      assert.deepStrictEqual(yield* tagsOf(calm, runId), ["RunStarted", "StepCompleted", "StepCompleted"])
    }))

  it.live("leaves a group of them stored once, the conflicts among them told, and decisions apart that look alike (PG-3)", () =>
    Effect.gen(function*() {
      const { calm, on, proxy } = yield* disturbed({ listen: false })
      const runIds = yield* Effect.forEach(upTo(12), () => start(on), together)
      // Somebody else's decision of the same content: it must not be taken for the one whose answer is lost.
      yield* Effect.forEach(runIds.slice(0, 4), (runId) => calm.store.append(runId, { expected: 1, events: [signal] }))
      yield* proxy.muteAnswerTo("paid")
      const appends = yield* Effect.forkChild(Effect.forEach(
        runIds,
        (runId, i) =>
          Effect
            .result(on.store.append(runId, { expected: 1, ...(i % 2 === 0 ? {} : { epoch: 1 }), events: [signal] })),
        together
      ))
      yield* proxy.answered
      yield* proxy.cut
      const answers = yield* Fiber.join(appends)
      assert.deepStrictEqual(
        answers.map((answer) => Result.isSuccess(answer) ? answer.success.seq : answer.failure._tag),
        upTo(12).map((i) => i < 4 ? "SequenceConflict" : 2)
      )
      assert.deepStrictEqual(yield* Effect.forEach(runIds, (runId) => lengthOf(calm, runId)), upTo(12).map(() => 2))
    }))

  it.live("does not lose what a claim took: it is taken again, as a lease that was not given back (PG-3)", () =>
    Effect.gen(function*() {
      const { on, proxy } = yield* disturbed({ listen: false })
      const runIds = yield* Effect.forEach(upTo(5), () => start(on), together)
      yield* proxy.muteAnswerTo("left_behind")
      const claims = yield* Effect.forkChild(claim(on, "w1"))
      yield* proxy.answered
      yield* proxy.cut
      const claimed = yield* Fiber.join(claims)
      assert.sameMembers(claimed.map(({ runId }) => runId), [...runIds])
      assert.deepStrictEqual(claimed.map(({ epoch, expired }) => [epoch, expired]), upTo(5).map(() => [2, true]))
      assert.deepStrictEqual(yield* claim(on, "w1"), [])
    }))
})

describe("a lease whose answer is lost", () => {
  it.live("and that is stored only after it was given up is found by the next heartbeat, and free (PG-3)", () =>
    Effect.gen(function*() {
      const { calm, on, proxy } = yield* disturbed({
        listen: false,
        statementTimeout: "1500 millis",
        retryFor: "1 second"
      })
      const kept = yield* start(on)
      yield* claim(on, "w1")
      const runId = yield* start(calm)
      const acquire = (store: Store, owner: string) => store.queue.acquire({ owner, leaseMillis: 3_600_000, runId })
      yield* Effect.scoped(Effect.gen(function*() {
        const sql = yield* byHand
        const locked = yield* Deferred.make<void>()
        const over = yield* Deferred.make<void>()
        const lock = yield* Effect.forkScoped(sql.withTransaction(Effect.gen(function*() {
          yield* sql`select from ${sql(schema)}.runs where run_id = ${runId}::uuid for update`
          yield* Deferred.succeed(locked, undefined)
          yield* Deferred.await(over)
        })))
        yield* Deferred.await(locked)
        const asked = yield* Effect.forkChild(Effect.flip(acquire(on, "w1")))
        yield* waitsForLock(`${schema}".runs`)
        yield* proxy.silence
        assert.strictEqual((yield* Fiber.join(asked))._tag, "StoreError")
        // Whatever was sent to stop the statement does not arrive either.
        yield* proxy.cut
        yield* proxy.resume
        // What is in doubt is looked for, and is not there yet.
        assert.isTrue(Option.isNone(yield* on.queue.acquire({ owner: "w1", leaseMillis: 1, runId: kept })))
        yield* Deferred.succeed(over, undefined)
        yield* Fiber.join(lock)
      }))
      const holder = yield* Effect.repeat(calm.queue.holder(runId), { until: Option.isSome })
      assert.strictEqual(Option.getOrThrow(holder).owner, "w1")
      assert.isTrue(Option.isNone(yield* acquire(calm, "w2")))
      const heartbeat = () => on.queue.heartbeat({ owner: "w1", leaseMillis: 3_600_000 })
      yield* heartbeat()
      assert.deepStrictEqual((yield* heartbeat()).held.map((run) => run.runId), [kept])
      assert.deepInclude(Option.getOrThrow(yield* acquire(calm, "w2")), { epoch: 2, expired: true })
    }))

  it.live("makes no live worker take its own run twice, however late a heartbeat is answered", () =>
    Effect.gen(function*() {
      const { on, proxy } = yield* disturbed({ listen: false })
      yield* start(on)
      const [before] = yield* claim(on, "w1")
      assert.isDefined(before)
      yield* proxy.silence
      const late = yield* Effect.forkChild(on.queue.heartbeat({ owner: "w1", leaseMillis: 3_600_000 }))
      yield* Effect.yieldNow
      yield* proxy.resume
      const more = yield* start(on)
      const after = yield* claim(on, "w1")
      assert.deepStrictEqual(after.map(({ runId }) => runId), [more])
      yield* Fiber.join(late)
      assert.deepStrictEqual(yield* claim(on, "w1"), [])
      for (const { runId } of [before, ...after].filter((lease) => lease !== undefined)) {
        assert.isTrue(Option.isNone(yield* on.queue.acquire({ owner: "w1", leaseMillis: 3_600_000, runId })))
      }
    }))
})

describe("a database that does not answer", () => {
  it.live(
    "fails a read within its time-out, and works again as soon as it answers (PG-2)",
    () =>
      Effect.gen(function*() {
        const { on, proxy } = yield* disturbed({
          listen: false,
          statementTimeout: "100 millis",
          retryFor: "200 millis"
        })
        const runId = yield* start(on)
        yield* proxy.silence
        const refused = yield* Effect.flip(lengthOf(on, runId))
        assert.strictEqual(refused._tag, "StoreError")
        yield* proxy.resume
        assert.strictEqual(yield* lengthOf(on, runId), 1)
      }),
    60_000
  )

  it.live("is waited for as long as is asked, by appends that are then stored (PG-1)", () =>
    Effect.gen(function*() {
      const { on, proxy } = yield* disturbed()
      const runIds = yield* Effect.forEach(upTo(20), () => start(on), together)
      const sql = yield* byHand
      for (const round of upTo(5)) {
        const appends = yield* Effect.forkChild(Effect.forEach(runIds, (runId) =>
          on.store.append(runId, { expected: 1 + round, epoch: 1, events: [step] }), together))
        yield* proxy.cut
        yield* sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'durable-agents' and query like ${`%${schema}%`} and pid <> pg_backend_pid()`
        yield* Fiber.join(appends)
      }
      assert.deepStrictEqual(
        yield* Effect.forEach(runIds, (runId) =>
          lengthOf(on, runId)),
        upTo(20).map(() =>
          6
        )
      )
    }), 60_000)
})

describe("interruption at any moment", () => {
  it.live(
    "leaves no connection in a transaction, and none that is lost to the pool (PG-4)",
    () =>
      Effect.gen(function*() {
        const name = yield* emptied(schema)
        const on = yield* storeOn(name, { maxConnections: 2, applicationName: `${name}-pg4` })
        const runIds = yield* Effect.forEach(upTo(10), () => start(on), together)
        for (const round of upTo(60)) {
          const fiber = yield* Effect.forkChild(
            Effect.all([
              ...runIds.map((runId) => lengthOf(on, runId)),
              ...runIds.map((runId) =>
                Effect.result(on.store.append(runId, { expected: 1, epoch: 1, events: [step] }))
              ),
              claim(on, `w${round}`, 1),
              on.index.list()
            ], together),
            { startImmediately: true }
          )
          yield* Effect.sleep(round / 10)
          yield* Fiber.interrupt(fiber)
        }
        yield* Effect.forEach(runIds, (runId) => lengthOf(on, runId), together)
        const sql = yield* byHand
        const states = yield* sql`
        select state from pg_stat_activity where application_name = ${`${name}-pg4`} and state like 'idle in%'`
        assert.deepStrictEqual(states, [])
      }),
    60_000
  )
})

describe("a pool of one connection", () => {
  it.live(
    "is enough for many runs at once: slower, but everything completes (PG-6, PG-7)",
    () =>
      Effect.gen(function*() {
        const name = yield* emptied(schema)
        const on = yield* storeOn(name, { maxConnections: 1 })
        const runIds = yield* Effect.forEach(upTo(50), () => start(on), together)
        const followers = yield* Effect.forEach(
          runIds,
          (runId) => Effect.forkChild(Stream.runCollect(on.store.changes(runId)))
        )
        const claims = yield* claim(on, yield* on.nextOwner)
        yield* Effect.forEach(claims, ({ epoch, runId }) =>
          Effect.gen(function*() {
            yield* on.store.append(runId, { expected: 1, epoch, events: [step, step] })
            yield* on.store.append(runId, { expected: 3, epoch, events: [completed], next: { wakeAt: null } })
          }), together)
        const lengths = yield* Effect.forEach(
          followers,
          (fiber) => Effect.map(Fiber.join(fiber), ({ length }) => length)
        )
        assert.deepStrictEqual(lengths, upTo(50).map(() => 4))
      }),
    60_000
  )
})

/** A store as a role with settings of its own, that may do everything. */
const asRole = (settings: Readonly<Record<string, string>>, options?: string) =>
  Effect.gen(function*() {
    const name = yield* emptied(schema)
    yield* storeOn(name)
    const { role, url: own } = yield* newRole(settings, options)
    yield* Effect.flatMap(byHand, (sql) => grant(sql, name, role))
    return { name, own, on: yield* storeOn(name, { url: own }) }
  })

describe("a server that rolls back", () => {
  it.live("for reasons of isolation is asked again, and nothing fails (PG-10)", () =>
    Effect.gen(function*() {
      const { name, own, on } = yield* asRole({ default_transaction_isolation: "serializable" })
      const other = yield* storeOn(name, { url: own })
      const runIds = yield* Effect.forEach(upTo(30), () => start(on), together)
      const claims = yield* Effect.forEach(upTo(6), (i) => claim(i % 2 === 0 ? on : other, `w${i}`, 5), together)
      assert.sameMembers(claims.flat().map(({ runId }) => runId), [...runIds])
      yield* Effect.forEach(upTo(6), (i) =>
        Effect.forEach(claims[i] ?? [], ({ epoch, runId, seq }) =>
          Effect.all([
            (i % 2 === 0 ? other : on).store.append(runId, { expected: 1, events: [signal] }),
            on.queue.release({ owner: `w${i}`, runId, epoch, seq, wakeAt: null })
          ], together), together), together)
      assert.lengthOf(yield* claim(on, "late"), 30)
    }), 60_000)

  it.live(
    "because of a deadlock is asked again, and what it was told is stored once (PG-10)",
    () =>
      Effect.gen(function*() {
        // The server looks once, when a statement has waited for that long: by then the circle must be closed.
        const { on } = yield* asRole({ deadlock_timeout: "1s" }, "superuser")
        const runIds = [...yield* Effect.forEach(upTo(2), () => start(on))].sort()
        const [first, second] = runIds
        const sql = yield* byHand
        const row = (runId: RunId | undefined) =>
          sql`select from ${sql(schema)}.runs where run_id = ${runId ?? ""}::uuid for update`
        // Another connection: within a transaction the server shows what others do as it was the first time.
        const observer = yield* byHand
        const waiting =
          observer`select from pg_stat_activity where wait_event_type = 'Lock' and query like ${`%${schema}%`}`
        const decisions = yield* sql.withTransaction(Effect.gen(function*() {
          // The other one is to be rolled back.
          yield* sql`set local deadlock_timeout = '60s'`
          yield* row(second)
          const both = yield* Effect
            .forkChild(Effect.forEach(
              runIds,
              (runId) => on.store.append(runId, { expected: 1, events: [signal] }),
              together
            ))
          yield* Effect.repeat(waiting, { until: (rows) => rows.length > 0, schedule: Schedule.spaced("5 millis") })
          // The group holds the first row and waits for the second one.
          yield* row(first)
          return both
        }))
        assert.deepStrictEqual((yield* Fiber.join(decisions)).map(({ seq }) => seq), [2, 2])
        assert.deepStrictEqual(yield* Effect.forEach(runIds, (runId) => lengthOf(on, runId)), [2, 2])
      }),
    60_000
  )

  it.live("because a statement took too long is asked again", () =>
    Effect.gen(function*() {
      const { on } = yield* asRole({ statement_timeout: "100ms" })
      const runId = yield* start(on)
      const sql = yield* byHand
      const append = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`lock table ${sql(schema)}.events`
        const fiber = yield* Effect.forkChild(on.store.append(runId, { expected: 1, epoch: 1, events: [step] }))
        yield* Effect.sleep("350 millis")
        return fiber
      }))
      assert.strictEqual((yield* Fiber.join(append)).seq, 2)
    }), 60_000)

  it.live(
    "since there is no space left says so in the end, and stores again when there is",
    () =>
      Effect.gen(function*() {
        const name = yield* emptied(schema)
        const on = yield* storeOn(name, { retryFor: "300 millis" })
        const runId = yield* start(on)
        const sql = yield* byHand
        yield* sql.unsafe(`create function ${name}.full() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`)
        yield* sql.unsafe(`create trigger full_disk before insert on ${name}.events execute function ${name}.full()`)
        const refused = yield* Effect.flip(on.store.append(runId, { expected: 1, epoch: 1, events: [step] }))
        assert.include(refused.message, "could not extend file (SQLSTATE 53100)")
        const later = yield* storeOn(name)
        const patient = yield* Effect.forkChild(later.store.append(runId, { expected: 1, epoch: 1, events: [step] }))
        yield* sql.unsafe(`drop function ${name}.full() cascade`)
        assert.strictEqual((yield* Fiber.join(patient)).seq, 2)
      }),
    60_000
  )
})

describe("a server that lets few in", () => {
  it.live("is used with the connections that it gives", () =>
    Effect.gen(function*() {
      const { on } = yield* asRole({}, "connection limit 2")
      const runIds = yield* Effect.forEach(upTo(20), () => start(on), together)
      yield* on.nextOwner
      assert.deepStrictEqual(
        yield* Effect.forEach(runIds, (runId) => lengthOf(on, runId), together),
        upTo(20).map(() => 1)
      )
    }), 60_000)

  it.live(
    "and puts idle ones out is used all the same, and goes on to be heard (PG-1, WR-7)",
    () =>
      Effect.gen(function*() {
        const { name, on } = yield* asRole({ idle_session_timeout: "100ms" })
        const runId = yield* start(on)
        const other = yield* storeOn(name)
        for (const i of upTo(3)) {
          const woken = yield* Effect.forkChild(wokenBy(on, runId), { startImmediately: true })
          yield* Effect.sleep("250 millis")
          yield* Effect.raceFirst(
            Fiber.join(woken),
            Effect.forever(Effect.andThen(
              Effect.flatMap(
                lengthOf(other, runId),
                (expected) => other.store.append(runId, { expected, events: [signal] })
              ),
              Effect.sleep("20 millis")
            ))
          )
          assert.isAbove(yield* lengthOf(on, runId), i)
        }
      }),
    60_000
  )
})
