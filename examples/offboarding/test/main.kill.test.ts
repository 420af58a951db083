import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { changes, open } from "../src/Directory.ts"

const main = join(import.meta.dirname, "../src/main.ts")

const inFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "offboarding-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs the example without a terminal, and kills it as soon as it has printed a line with this text. */
const start = (
  folder: string,
  { grace = "1 second", killAt }: { readonly grace?: string; readonly killAt?: string } = {}
) =>
  Effect.callback<Ended>((resume) => {
    const child = spawn(process.execPath, [main, "--folder", folder, "--grace", grace], {
      stdio: ["ignore", "pipe", "pipe"]
    })
    let out = ""
    let err = ""
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      out += chunk
      if (killAt !== undefined && out.includes(killAt)) child.kill("SIGKILL")
    })
    child.stderr.setEncoding("utf8").on("data", (chunk) => {
      err += chunk
    })
    child.once("close", (code) => resume(Effect.succeed({ code, out, err })))
    return Effect.sync(() => {
      child.kill("SIGKILL")
    })
  })

const lines = (text: string): ReadonlyArray<string> => text.trimEnd().split("\n")

/** The types of the events on the screen. */
const types = (out: string): ReadonlyArray<string> =>
  lines(out).flatMap((line) => /^seq= *\d+ +(\w+)/.exec(line)?.[1] ?? [])

describe("the offboarding example", () => {
  it.live("retries, asks, sleeps, disables and writes a note, and says so", () =>
    Effect.gen(function*() {
      const { code, err, out } = yield* start(yield* inFolder)
      assert.deepStrictEqual([code, err], [0, ""])
      assert.deepStrictEqual(types(out).slice(0, 11), [
        "RunStarted",
        "StepRequested",
        "StepFailed",
        "StepRequested",
        "StepFailed",
        "StepRequested",
        "StepCompleted",
        "ApprovalRequested",
        "ApprovalGranted",
        "TimerStarted",
        "TimerFired"
      ])
      assert.strictEqual(types(out).at(-1), "RunCompleted")
      assert.strictEqual(lines(out).at(-1), "The directory made 3 changes: mail, vpn, wiki")
    }).pipe(Effect.scoped))

  it.live("goes on where it stopped, each of the five times that it is killed", () =>
    Effect.gen(function*() {
      const folder = yield* inFolder
      // After each of these nothing happens for a second, so there is time for the kill.
      const moments = [
        "list-accounts attempt=1",
        "list-accounts attempt=2 reason",
        "ApprovalRequested",
        "TimerStarted",
        "StepFailed         wiki/disable"
      ]
      for (const moment of moments) {
        const { code, out } = yield* start(folder, { killAt: moment })
        assert.strictEqual(code, null, `not killed at ${moment}`)
        assert.include(out, moment)
      }

      const { code, err, out } = yield* start(folder)
      assert.deepStrictEqual([code, err], [0, ""])
      assert.include(out, "-- from here on by another process")
      assert.strictEqual(types(out).at(-1), "RunCompleted")
      assert.strictEqual(types(out).filter((type) => type === "ApprovalGranted").length, 1)
      assert.strictEqual(types(out).filter((type) => type === "TimerStarted").length, 1)
      assert.strictEqual(lines(out).at(-1), "The directory made 3 changes: mail, vpn, wiki")
      assert.lengthOf(changes(open(join(folder, "directory.db"))), 3)

      const again = yield* start(folder)
      assert.strictEqual(again.code, 0)
      assert.deepStrictEqual(types(again.out), types(out))
    }).pipe(Effect.scoped))

  it.live("says in one line that its files hold another offboarding", () =>
    Effect.gen(function*() {
      const folder = yield* inFolder
      yield* start(folder, { killAt: "RunStarted" })
      const { code, err } = yield* start(folder, { grace: "2 seconds" })
      assert.strictEqual(code, 1)
      assert.match(err, /^Start key `sam` belongs to run .*\n$/)
    }).pipe(Effect.scoped))
})
