import { EventStore, NextRunId, RunIndex } from "@durable-agents/core"
import { Sqlite } from "@durable-agents/sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { started } from "./fixtures/events.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "durable-agents-"))),
  (created) => Effect.sync(() => rmSync(created, { recursive: true, force: true }))
)

const reading = (file: string) => Sqlite.layer({ file, access: "read" })

describe("a store opened for reading", () => {
  it.live("shows what is there, and refuses every write", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "runs.db")
      const runId = yield* yield* NextRunId
      const append = Effect.flatMap(EventStore, (store) => store.append(runId, { expected: 0, events: [started] }))
      yield* Effect.provide(append, Sqlite.layer({ file }))
      yield* Effect.gen(function*() {
        const store = yield* EventStore
        assert.strictEqual((yield* Stream.runCollect(store.read(runId))).length, 1)
        yield* Effect.flatMap(RunIndex, (index) => index.list())
        const error = yield* Effect.flip(append)
        assert.isTrue(error._tag === "StoreError" && error.message.includes("opened for reading only"))
      }).pipe(Effect.provide(reading(file)))
    }))

  it.live("creates nothing, and leaves files that are not ours as they are", () =>
    Effect.gen(function*() {
      const at = yield* folder
      const missing = yield* Effect.flip(Layer.build(reading(join(at, "missing.db"))))
      assert.strictEqual(missing._tag, "StoreError")
      const foreign = join(at, "foreign.db")
      const other = new DatabaseSync(foreign)
      other.exec("create table notes (text text)")
      other.close()
      const empty = join(at, "empty.db")
      writeFileSync(empty, "")
      for (const file of [foreign, empty]) {
        const before = readFileSync(file)
        const error = yield* Effect.flip(Layer.build(reading(file)))
        assert.include(error.message, "not a store of durable-agents")
        assert.isTrue(before.equals(readFileSync(file)))
      }
    }))
})

describe("a store that is not to be created", () => {
  const existing = (file: string) => Sqlite.layer({ file, create: false })

  it.live("takes a file that is a store, and writes", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "runs.db")
      yield* Layer.build(Sqlite.layer({ file }))
      const runId = yield* yield* NextRunId
      yield* Effect.flatMap(EventStore, (store) => store.append(runId, { expected: 0, events: [started] }))
        .pipe(Effect.provide(existing(file)))
    }))

  it.live("refuses what is missing, and leaves files that are not ours as they are", () =>
    Effect.gen(function*() {
      const at = yield* folder
      const foreign = join(at, "foreign.db")
      const other = new DatabaseSync(foreign)
      other.exec("create table notes (text text)")
      other.close()
      const before = readFileSync(foreign)
      assert.include((yield* Effect.flip(Layer.build(existing(foreign)))).message, "not a store of durable-agents")
      assert.isTrue(before.equals(readFileSync(foreign)))
      const missing = join(at, "missing.db")
      assert.include((yield* Effect.flip(Layer.build(existing(missing)))).message, "there is no file")
      assert.deepStrictEqual(readdirSync(at), ["foreign.db"])
    }))
})

describe("the log", () => {
  it.live("is never changed and never deleted, not even by hand (check 8)", () =>
    Effect.gen(function*() {
      const file = join(yield* folder, "runs.db")
      const runId = yield* yield* NextRunId
      yield* Effect.flatMap(EventStore, (store) => store.append(runId, { expected: 0, events: [started] }))
        .pipe(Effect.provide(Sqlite.layer({ file })))
      const byHand = new DatabaseSync(file)
      assert.throws(() => byHand.exec("update events set type = 'RunFailed'"), /never changed/)
      assert.throws(() => byHand.exec("delete from events"), /never deleted/)
      byHand.close()
    }))
})
