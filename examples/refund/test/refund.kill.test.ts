import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { createServer } from "node:http"
import { join } from "node:path"

const main = join(import.meta.dirname, "..", "src", "main.ts")

/** Runs the demonstration as `npm start -- …` does, without a terminal. */
const demo = (...args: ReadonlyArray<string>) => demoWith({}, ...args)

/** The same with more in the environment. */
const demoWith = (env: Record<string, string>, ...args: ReadonlyArray<string>) =>
  Effect.callback<{ readonly code: number | null; readonly out: string; readonly err: string }>((resume) => {
    const child = spawn(process.execPath, [main, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, LLM_MODEL: "", ...env }
    })
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

/** A provider that wants a refund of 77.00, and says so when it is done. */
const provider = Effect.acquireRelease(
  Effect.callback<
    { readonly server: { requests: number; readonly close: () => void }; readonly url: string }
  >((resume) => {
    const state = { requests: 0, close: () => void http.close() }
    const http = createServer((request, response) => {
      let body = ""
      request.on("data", (chunk) => {
        body += chunk
      })
      request.on("end", () => {
        state.requests += 1
        const isDone = body.includes("\"role\":\"tool\"")
        const call = {
          id: "call_1",
          type: "function",
          function: { name: "issue_refund", arguments: "{\"orderId\":\"A-8891\",\"cents\":7700}" }
        }
        response.setHeader("content-type", "application/json")
        response.end(JSON.stringify({
          id: "answer",
          model: "any",
          choices: [
            isDone
              ? { finish_reason: "stop", message: { role: "assistant", content: "All 77.00 are on their way." } }
              : { finish_reason: "tool_calls", message: { role: "assistant", content: null, tool_calls: [call] } }
          ],
          usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }
        }))
      })
    })
    http.listen(0, "127.0.0.1", () => {
      const address = http.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ server: state, url: `http://127.0.0.1:${port}/v1` }))
    })
  }),
  ({ server }) => Effect.sync(server.close)
)

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

  it.live("runs on a real endpoint when the environment names a model", () =>
    Effect.gen(function*() {
      const { server, url } = yield* provider
      const { code, err, out } = yield* demoWith({ LLM_MODEL: "any", LLM_API_KEY: "secret-key", LLM_BASE_URL: url })
      assert.deepStrictEqual([code, err], [0, ""])
      assert.include(out, "final_answer='All 77.00 are on their way.'")
      assert.strictEqual(lines(out).at(-1), "attempts 2, refunds 1")
      assert.notInclude(out, "secret-key")
      assert.isAtLeast(server.requests, 2)
    }).pipe(Effect.scoped))

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
