import { Sqlite } from "@durable-agents/sqlite"
import { runtimeContract } from "@durable-agents/testing/runtimeContract"
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "durable-agents-"))),
  (created) => Effect.sync(() => rmSync(created, { recursive: true, force: true }))
)

runtimeContract("Sqlite", Effect.map(folder, (created) => Sqlite.layer({ file: join(created, "runs.db") })))
