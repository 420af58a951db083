import { Program, Timer } from "@durable-agents/core"
import { Sqlite } from "@durable-agents/sqlite"
import { everyPrefix } from "@durable-agents/testing"
import { resumeContract } from "@durable-agents/testing/runtimeContract"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "durable-agents-"))),
  (created) => Effect.sync(() => rmSync(created, { recursive: true, force: true }))
)

/** An empty file for each trial; every process opens it anew. */
const storesBy = (clock: "context" | "host") =>
  Effect.map(folder, (created) => Sqlite.layer({ file: join(created, "runs.db"), clock }))

resumeContract("SQLite", storesBy("context"), { races: 9 })

describe("everyPrefix over SQLite", () => {
  it.effect("does not take a program for one that waits, if its store goes by another clock", () =>
    Effect.gen(function*() {
      const Nap = Program.make("nap", { input: Schema.String, output: Schema.Void })
      const layer = Nap.toLayer(() => Timer.sleep("a-week", "7 days"))
      const error = yield* Effect.flip(everyPrefix({ program: Nap, input: "", layer, stores: storesBy("host") }))
      assert.include(error.message, "`clock: \"context\"` of Sqlite.layer")
    }))
})
