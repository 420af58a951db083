import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { join } from "node:path"

const main = join(import.meta.dirname, "..", "src", "main.ts")

/** Runs the demonstration as `npm start -- …` does, without a terminal. */
const demo = (...args: ReadonlyArray<string>) =>
  Effect.callback<{ readonly code: number | null; readonly out: string; readonly err: string }>((resume) => {
    const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "pipe"] })
    let out = ""
    let err = ""
    child.stdout.on("data", (chunk) => {
      out += chunk
    })
    child.stderr.on("data", (chunk) => {
      err += chunk
    })
    child.once("close", (code) => resume(Effect.succeed({ code, out, err })))
    return Effect.sync(() => {
      child.kill("SIGKILL")
    })
  })

const lines = (out: string): ReadonlyArray<string> => out.trimEnd().split("\n")

describe("the main job", () => {
  it.live("kills a worker after the payment, and another process finishes: attempts 2, refunds 1", () =>
    Effect.gen(function*() {
      const { code, err, out } = yield* demo()
      assert.deepStrictEqual([code, err], [0, ""])
      assert.strictEqual(lines(out).at(-1), "attempts 2, refunds 1")
      assert.match(out, /ToolCallRequested .*<- process killed here\n/)
      assert.match(out, /ToolCallCompleted .*\[recovered\]/)
      assert.match(out, /Seq 8 to 13 were written by a different process than seq 7\./)
      assert.deepStrictEqual(
        lines(out).flatMap((line) => /^seq= *(\d+)/.exec(line)?.[1] ?? []),
        Array.from({ length: 14 }, (_, seq) => `${seq}`)
      )
    }))

  it.live("balances its books wherever the worker is killed", () =>
    Effect.forEach(
      ["RunStarted", "LLMCallCompleted", "ApprovalRequested", "ToolCallRequested", "RunCompleted"],
      (killAt) =>
        Effect.gen(function*() {
          const { code, out } = yield* demo("--kill-at", killAt)
          assert.strictEqual(code, 0, killAt)
          assert.strictEqual(lines(out).at(-1), "attempts 1, refunds 1")
          assert.match(out, /<- process killed here/)
        }),
      { concurrency: 3 }
    ))

  it.live("asks nobody below the limit, and needs no death to complete", () =>
    Effect.gen(function*() {
      const { code, out } = yield* demo(
        "--amount",
        "4000",
        "--kill-at",
        "nothing",
        "--goal",
        "Refund order B-12, wrong size."
      )
      assert.strictEqual(code, 0)
      assert.notInclude(out, "ApprovalRequested")
      assert.include(out, "B-12")
      assert.strictEqual(lines(out).at(-1), "attempts 1, refunds 1")
    }))

  it.live("answers a command line that makes no sense with one line and its usage", () =>
    Effect.gen(function*() {
      yield* Effect.forEach([["--kill-at", "noon"], ["--amount", "-3"], ["--amount", "much"], ["--what"]], (args) =>
        Effect.gen(function*() {
          const { code, err, out } = yield* demo(...args)
          assert.deepStrictEqual([code, out], [2, ""])
          assert.include(err, "Usage: npm start")
          assert.notMatch(err, /\n\s+at /)
        }), { concurrency: 3 })
    }))
})
