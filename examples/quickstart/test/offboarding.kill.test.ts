import { RunId, Runs } from "@durable-agents/core"
import { Sqlite } from "@durable-agents/sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, watch } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const source = join(import.meta.dirname, "../src/offboarding.ts")
const page = readFileSync(join(import.meta.dirname, "../../../docs/quickstart.md"), "utf8")

/** The first module of the page: a fence, and those that continue it. */
const module = page.split("```ts\n").slice(1, 5).map((fence) => fence.split("```\n")[0]?.replace("// continued\n", ""))

const inFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "offboarding-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const worker = (cwd: string) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [source, "work"], { cwd, stdio: "ignore" })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** Ends when there is such a file in the folder. */
const appearance = (folder: string, file: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const look = () => {
      if (existsSync(join(folder, file))) resume(Effect.void)
    }
    const watcher = watch(folder, look)
    look()
    return Effect.sync(() => watcher.close())
  })

describe("docs/quickstart.md", () => {
  it("holds the program as it runs", () => {
    assert.strictEqual(module.join("\n"), readFileSync(source, "utf8"))
  })

  it.live("tells what happens: two attempts with one key when the worker is killed in between", () =>
    Effect.gen(function*() {
      const folder = yield* inFolder
      const say = (command: string) =>
        Effect.sync(() => {
          const { status, stdout } = spawnSync(process.execPath, [source, command], { cwd: folder, encoding: "utf8" })
          assert.strictEqual(status, 0)
          assert.include(page, stdout)
          return stdout.trim()
        })

      const runId = RunId.make(yield* say("start"))
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const first = yield* worker(folder)
        yield* runs.await(runId, (run) => run.status === "AwaitingApproval")
        yield* say("approve")
        yield* appearance(folder, "directory.log")
        first.kill("SIGKILL")

        yield* worker(folder)
        const run = yield* runs.await(runId)
        assert.strictEqual(run.output, "The account of sam is disabled.")
        assert.include(page, readFileSync(join(folder, "directory.log"), "utf8"))
      }).pipe(Effect.provide(Runs.layer.pipe(Layer.provide(Sqlite.layer({ file: join(folder, "runs.db") })))))
    }))
})
