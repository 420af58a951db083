import { EventStore, NextOwner, NextRunId, RunId, RunIndex, RunQueue } from "@durable-agents/core"
import { Sqlite } from "@durable-agents/sqlite"
import { storeContract, StoreControl } from "@durable-agents/testing/storeContract"
import { assert, describe, it } from "@effect/vitest"
import { Array, Context, Duration, Effect, Exit, Fiber, Layer, Result, Schema, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { completed, started, step } from "./fixtures/events.ts"
import { child } from "./fixtures/processes.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "durable-agents-"))),
  (created) => Effect.sync(() => rmSync(created, { recursive: true, force: true }))
)

const newFile = Effect.map(folder, (created) => join(created, "runs.db"))

const connect = (file: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(file)),
    (connection) => Effect.sync(() => connection.close())
  )

/** A store of its own on a file: its ports, as another process would have them. */
const storeOn = Effect.fnUntraced(function*(file: string) {
  const services = yield* Layer.build(Sqlite.layer({ file }))
  return {
    store: Context.get(services, EventStore),
    queue: Context.get(services, RunQueue),
    index: Context.get(services, RunIndex)
  }
})

type Store = Effect.Success<ReturnType<typeof storeOn>>

const upTo = (count: number): ReadonlyArray<number> => Array.makeBy(count, (i) => i)

const start = Effect.fnUntraced(function*({ store }: Store) {
  const runId = yield* yield* NextRunId
  yield* store.append(runId, { expected: 0, events: [started] })
  return runId
})

const claim = ({ queue }: Store, owner: string, limit = 100) =>
  queue.claim({ owner, leaseMillis: 3_600_000, namespace: "default", programs: ["mail"], limit })

const lengthOf = ({ store }: Store, runId: RunId) =>
  Effect.map(Stream.runCollect(store.read(runId)), (events) => events.length)

/** Decides on what the log holds, and again as long as others were faster. */
const decideAtLast = (on: Store, runId: RunId) =>
  Effect.retry(
    Effect.flatMap(lengthOf(on, runId), (expected) =>
      on.store.append(runId, { expected, events: [{ _tag: "SignalReceived", name: "paid", payload: null }] })),
    {
      while: ({ _tag }) =>
        _tag === "SequenceConflict"
    }
  )

/** How many commits the write-ahead log holds: frames that carry the size of the database (sqlite.org/fileformat2.html). */
const commits = (file: string): number => {
  const log = readFileSync(`${file}-wal`)
  const frame = 24 + 4096
  return upTo(Math.floor((log.length - 32) / frame)).filter((i) => log.readUInt32BE(32 + i * frame + 4) !== 0).length
}

storeContract("Sqlite", () =>
  Layer.unwrap(Effect.map(newFile, (file) =>
    Layer.merge(
      Sqlite.layer({ file, clock: "context" }),
      Layer.succeed(StoreControl, {
        advance: (millis) => TestClock.adjust(Duration.millis(millis)),
        plant: ({ payload, runId, seq, type }) =>
          Effect.scoped(Effect.map(connect(file), (connection) => {
            connection.prepare(`insert into events (run_id, seq, type, payload, created_at) values (?, ?, ?, ?, 0)`)
              .run(runId, seq, type, payload)
          }))
      })
    ))), { waiting: 3_000 })

describe("Sqlite.layer", () => {
  it.live("gives everything back after it was closed", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      const runId = yield* Effect.scoped(Effect.flatMap(storeOn(file), start))
      const store = yield* storeOn(file)
      assert.strictEqual(yield* lengthOf(store, runId), 1)
      assert.deepStrictEqual((yield* claim(store, "w1")).map((claimed) => claimed.runId), [runId])
    }))

  it.live("stores what was asked for before it closes, and refuses what comes later", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      const scope = yield* Scope.make()
      const store = yield* Scope.provide(storeOn(file), scope)
      const runIds = yield* Effect.forEach(upTo(20), () => start(store), { concurrency: "unbounded" })
      const appends = yield* Effect.forEach(runIds, (runId) =>
        Effect.forkChild(store.store.append(runId, { expected: 1, events: [step] }), { startImmediately: true }))
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(
        yield* Effect.forEach(appends, (fiber) =>
          Effect.map(Fiber.join(fiber), ({ seq }) =>
            seq)),
        upTo(20).map(() => 2)
      )
      const late = yield* Effect.flip(start(store))
      assert.strictEqual(late._tag, "StoreError")
      const again = yield* storeOn(file)
      assert.deepStrictEqual(yield* Effect.forEach(runIds, (id) => lengthOf(again, id)), upTo(20).map(() => 2))
    }))

  it.live("shares one commit among appends that wait at the same moment, and gives each its own answer", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      const store = yield* storeOn(file)
      const runIds = yield* Effect.forEach(upTo(64), () => start(store), { concurrency: "unbounded" })
      const before = commits(file)
      const answers = yield* Effect.forEach(
        runIds,
        (runId, i) => Effect.result(store.store.append(runId, { expected: i % 8, epoch: 1, events: [step, step] })),
        {
          concurrency: "unbounded"
        }
      )
      assert.deepStrictEqual(
        answers.map((answer) => Result.isSuccess(answer) ? answer.success.seq : answer.failure._tag),
        upTo(64).map((i) => i % 8 === 0 ? "SequenceConflict" : i % 8 === 1 ? 3 : "StoreError")
      )
      assert.strictEqual(commits(file) - before, 1)
    }))

  it.live("lets the guilty write of a shared commit fail alone", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      const store = yield* storeOn(file)
      const runIds = yield* Effect.forEach(upTo(21), () => start(store), { concurrency: "unbounded" })
      const connection = yield* connect(file)
      connection.exec(`create trigger guilty before insert on events when new.payload like '%guilty%'
        begin select raise(abort, 'I do not want this'); end`)
      const answers = yield* Effect.forEach(runIds, (runId, i) =>
        Effect.result(store.store.append(runId, {
          expected: 1,
          epoch: 1,
          events: [step, { ...step, output: i % 10 === 7 ? "guilty" : "innocent" }]
        })), { concurrency: "unbounded" })
      assert.deepStrictEqual(answers.flatMap((answer, i) => Result.isFailure(answer) ? [i] : []), [7, 17])
      assert.deepStrictEqual(
        yield* Effect.forEach(runIds, (runId) => lengthOf(store, runId)),
        upTo(21).map((i) => i % 10 === 7 ? 1 : 3)
      )
    }))

  it.live("lets this process get on while another connection keeps the file locked", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      const store = yield* storeOn(file)
      const runId = yield* start(store)
      const connection = yield* connect(file)
      connection.exec(`begin immediate`)
      const append = yield* Effect.forkChild(store.store.append(runId, { expected: 1, events: [step] }), {
        startImmediately: true
      })
      for (const _ of upTo(1_000)) yield* Effect.yieldNow
      assert.isUndefined(append.pollUnsafe())
      assert.strictEqual(yield* lengthOf(store, runId), 1)
      connection.exec(`commit`)
      assert.strictEqual((yield* Fiber.join(append)).seq, 2)
    }))

  it.live("reads a row that is not even JSON as an unknown event", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      const store = yield* storeOn(file)
      const runId = yield* start(store)
      const connection = yield* connect(file)
      connection
        .prepare(`insert into events (run_id, seq, type, payload, created_at) values (?, 1, 'StepFailed', '{"k', 0)`)
        .run(runId)
      const [, damaged] = yield* Stream.runCollect(store.store.read(runId))
      assert.deepInclude(damaged?.event, { _tag: "UnknownEvent", type: "StepFailed", payload: "{\"k" })
    }))

  it.live("names workers after their process", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      const name = yield* Effect.provide(Effect.flatten(NextOwner), Sqlite.layer({ file }))
      assert.include(name, `/${process.pid}/`)
      assert.notStrictEqual(name, yield* Sqlite.owner)
    }))
})

describe("Sqlite.layer, several on one file", () => {
  it.live("show the same log, refuse each other's positions, and give each run to one owner", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      const [here, there] = yield* Effect.all([storeOn(file), storeOn(file)])
      const runIds = yield* Effect.forEach(upTo(40), (i) => start(i % 2 === 0 ? here : there), {
        concurrency: "unbounded"
      })
      const races = yield* Effect.forEach(
        runIds,
        (runId) =>
          Effect.forEach(
            [here, there],
            ({ store }) => Effect.result(store.append(runId, { expected: 1, epoch: 1, events: [step, step] })),
            {
              concurrency: "unbounded"
            }
          ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        races.map((race) => race.map((one) => Result.isSuccess(one) ? "stored" : one.failure._tag).sort()),
        upTo(40).map(() => ["SequenceConflict", "stored"])
      )
      assert.deepStrictEqual(yield* Effect.forEach(runIds, (runId) => lengthOf(there, runId)), upTo(40).map(() => 3))
      const claims = yield* Effect.forEach(upTo(8), (i) => claim(i % 2 === 0 ? here : there, `w${i}`, 7), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(claims.flat().map(({ runId }) => runId).sort(), [...runIds].sort())
    }))

  it.live("follow logs that the other one writes, and are woken by its decisions", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      const [here, there] = yield* Effect.all([storeOn(file), storeOn(file)])
      const runId = yield* start(here)
      const followed = yield* Effect.forkChild(Stream.runCollect(there.store.changes(runId)), {
        startImmediately: true
      })
      const woken = yield* Effect.forkChild(Stream.runHead(there.queue.wakeups), { startImmediately: true })
      for (const i of upTo(20)) yield* here.store.append(runId, { expected: 1 + i, epoch: 1, events: [step] })
      assert.isUndefined(woken.pollUnsafe())
      const decided = yield* start(here)
      assert.deepInclude(yield* Fiber.join(woken), { value: decided })
      yield* here.store.append(runId, { expected: 21, epoch: 1, events: [completed] })
      assert.deepStrictEqual((yield* Fiber.join(followed)).map(({ seq }) => seq), upTo(22))
    }))

  it.live("let a decision from one through to a run that the other one appends to at full speed", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      const [here, there] = yield* Effect.all([storeOn(file), storeOn(file)])
      const runId = yield* start(here)
      const busy = yield* Effect.forkChild(Effect.gen(function*() {
        while (true) {
          yield* here.store.append(runId, { expected: yield* lengthOf(here, runId), epoch: 1, events: [step] })
        }
      }).pipe(Effect.retry({ while: ({ _tag }) => _tag === "SequenceConflict" })))
      const { seq } = yield* decideAtLast(there, runId)
      yield* Fiber.interrupt(busy)
      const events = yield* Stream.runCollect(there.store.read(runId))
      assert.strictEqual(events[seq - 1]?.event._tag, "SignalReceived")
    }))
})

describe("Sqlite.layer in several processes", () => {
  it.live("creates its tables once when many open a new file at the same moment", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      const children = yield* Effect.forEach(upTo(8), () => child("open", file))
      const lines = yield* Effect.forEach(children, ({ line }) => line, { concurrency: "unbounded" })
      assert.deepStrictEqual(lines, upTo(8).map(() => "open"))
      yield* Effect.forEach(children, ({ end }) => end, { discard: true })
      assert.deepStrictEqual(yield* Effect.forEach(children, ({ gone }) => gone), upTo(8).map(() => 0))
      const connection = yield* connect(file)
      assert.deepStrictEqual(
        connection.prepare(`select id from migrations order by id`).all().map((row) => row["id"]),
        [1, 2, 3, 4]
      )
    }), 30_000)

  it.live(
    "frees the runs of a process that was killed at once, whatever its lease, and no others (WR-8)",
    () =>
      Effect.gen(function*() {
        const file = yield* newFile
        const store = yield* storeOn(file)
        const lost = yield* start(store)
        const killed = yield* child("hold", file)
        assert.strictEqual(yield* killed.line, lost)
        const kept = yield* start(store)
        const living = yield* child("hold", file)
        assert.strictEqual(yield* living.line, kept)
        assert.deepStrictEqual(yield* claim(store, "w1"), [])
        yield* killed.kill
        yield* killed.gone
        const [claimed, ...more] = yield* claim(store, "w1")
        assert.deepInclude(claimed, { runId: lost, epoch: 2, expired: true })
        assert.lengthOf(more, 0)
      }),
    30_000
  )

  it.live("loses no append that was acknowledged when its process is killed", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      const runs = yield* Effect.forEach(upTo(5), (round) =>
        Effect.gen(function*() {
          const writer = yield* child("write", file)
          const runId = yield* writer.line
          yield* writer.begin
          for (const _ of upTo(20 + round * 7)) yield* writer.line
          yield* writer.kill
          assert.strictEqual(yield* writer.gone, "SIGKILL")
          const said = yield* writer.rest
          return { runId, told: 1 + 20 + round * 7 + said.length }
        }), { concurrency: 2 })
      const connection = yield* connect(file)
      assert.deepInclude(connection.prepare(`pragma integrity_check`).get(), { integrity_check: "ok" })
      const stored = connection.prepare(`select count(*) as length, max(seq) as last from events where run_id = ?`)
      for (const { runId, told } of runs) {
        const row = stored.get(runId)
        assert.include([told, told + 1], row?.["length"])
        assert.strictEqual(row?.["last"], Number(row?.["length"]) - 1)
      }
    }), 60_000)

  it.live(
    "lets decisions through to a run that another process appends to at full speed",
    () =>
      Effect.gen(function*() {
        const file = yield* newFile
        const store = yield* storeOn(file)
        const writer = yield* child("write", file)
        const runId = yield* Schema.decodeEffect(RunId)(yield* writer.line)
        yield* writer.begin
        for (const _ of upTo(50)) yield* writer.line
        for (const _ of upTo(10)) yield* decideAtLast(store, runId)
        yield* writer.end
        assert.strictEqual(yield* writer.gone, 0)
        const events = yield* Stream.runCollect(store.store.read(runId))
        assert.lengthOf(events.filter(({ event }) => event._tag === "SignalReceived"), 10)
      }),
    30_000
  )

  it.live(
    "lets three busy processes write, all of them, and none for long without the others",
    () =>
      Effect.gen(function*() {
        const file = yield* newFile
        const writers = yield* Effect.forEach(upTo(3), () => child("write", file))
        yield* Effect.forEach(writers, ({ line }) => line, { concurrency: "unbounded" })
        yield* Effect.forEach(writers, ({ begin }) => begin, { discard: true })
        // Whoever is first to 900 ends it for all: long enough for what else the machine does to come to the same for each.
        yield* Effect.raceAll(writers.map(({ line }) => Effect.forEach(upTo(900), () => line, { discard: true })))
        yield* Effect.forEach(writers, ({ end }) => end, { discard: true })
        assert.deepStrictEqual(yield* Effect.forEach(writers, ({ gone }) => gone), [0, 0, 0])
        const connection = yield* connect(file)
        const lengths = connection.prepare(`select count(*) as length from events group by run_id`).all()
          .map((row) => Number(row["length"]))
        assert.lengthOf(lengths, 3)
        assert.isAtLeast(Math.min(...lengths), 300)
      }),
    60_000
  )
})

describe("Sqlite.layer on files that it cannot use", () => {
  const failure = (file: string) =>
    Effect.map(Effect.flip(Effect.provide(Effect.void, Sqlite.layer({ file }))), (error) => {
      assert.strictEqual(error._tag, "StoreError")
      assert.notInclude(error.message, "\n")
      assert.notMatch(error.message, /\bat .*:\d+/)
      return error.message
    })

  it.live("says that the folder is missing", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "missing", "runs.db")
      assert.include(yield* failure(file), `\`${file}\` cannot be opened: its folder must exist`)
    }))

  it.live("says that a folder is not a file", () =>
    Effect.gen(function*() {
      assert.include(yield* failure(yield* folder), "cannot be opened")
    }))

  it.live("says that a file is not a database", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      writeFileSync(file, "Dear diary, today I stored no events at all. ".repeat(100))
      assert.include(yield* failure(file), `\`${file}\` is not an SQLite database`)
    }))

  it.live("says that a file is read-only", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      new DatabaseSync(file).exec("create table notes (note text)")
      assert.include(yield* failure(`file://${file}?mode=ro`), "is read-only")
    }))

  it.live("says that memory cannot have a write-ahead log", () =>
    Effect.gen(function*() {
      assert.include(yield* failure(":memory:"), "cannot have a write-ahead log")
    }))

  it.live("says that another program's tables stand in its way, and leaves them alone", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      const connection = yield* connect(file)
      connection.exec("create table runs (distance real)")
      assert.include(yield* failure(file), "table runs already exists")
      assert.deepStrictEqual(
        connection.prepare(`select name from sqlite_schema`).all().map((row) => row["name"]),
        ["runs"]
      )
    }))

  it.live("refuses a file that a newer build has changed in a breaking way, and opens one changed in another way", () =>
    Effect.gen(function*() {
      const file = yield* newFile
      yield* Effect.scoped(storeOn(file))
      const connection = yield* connect(file)
      const note = connection.prepare(`insert into migrations (id, name, breaking, applied_at) values (?, ?, ?, 0)`)
      note.run(7, "add_priority", 0)
      yield* Effect.scoped(storeOn(file))
      note.run(8, "split_events", 1)
      assert.include(yield* failure(file), `was changed by a newer build (migration 8, \`split_events\`)`)
    }))
})
