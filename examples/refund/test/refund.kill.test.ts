import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { createServer } from "node:http"
import { join } from "node:path"
import { places } from "../src/Options.ts"

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

/** What the books say. A worker that is stopped late may still have something to say after it. */
const books = (out: string): ReadonlyArray<string> => lines(out).filter((line) => line.startsWith("attempts "))

/** An address at which nobody listens, since whoever did has gone. */
const unreachable = Effect.map(Effect.scoped(provider), ({ url }) => url)

describe("the main job", { concurrent: true }, () => {
  it.live("kills a worker after the payment, and another process finishes: attempts 2, refunds 1", () =>
    Effect.gen(function*() {
      const { code, err, out } = yield* demo()
      assert.deepStrictEqual([code, err], [0, ""])
      assert.deepStrictEqual(books(out), ["attempts 2, refunds 1"])
      assert.match(out, /ToolCallRequested .*<- process killed here\n/)
      assert.match(out, /ToolCallCompleted .*\[recovered\]/)
      assert.match(out, /Seq 8 to 13 were written by a different process than seq 7\./)
      assert.deepStrictEqual(
        lines(out).flatMap((line) => /^seq= *(\d+)/.exec(line)?.[1] ?? []),
        Array.from({ length: 14 }, (_, seq) => `${seq}`)
      )
      const offered = places.filter((place) => place !== "payment" && place !== "nothing")
      for (const event of offered) assert.match(out, new RegExp(`^seq= *\\d+ +${event} `, "m"))
    }))

  it.live("balances its books wherever the worker is killed, and says who wrote the rest", () =>
    Effect.forEach(
      ["RunStarted", "LLMCallFailed", "LLMCallCompleted", "ApprovalRequested", "ToolCallRequested", "RunCompleted"],
      (killAt) =>
        Effect.gen(function*() {
          const { code, out } = yield* demo("--kill-at", killAt)
          assert.strictEqual(code, 0, killAt)
          assert.deepStrictEqual(books(out), ["attempts 1, refunds 1"], killAt)
          const [, killed] = /^seq= *(\d+) .*<- process killed here$/m.exec(out) ?? []
          assert.isDefined(killed, killAt)
          if (killAt === "RunCompleted") {
            assert.include(out, "right after it had recorded the end of the run")
          } else {
            const [, from, to, before] = /^Seq (\d+) to (\d+) were written .* than seq (\d+)\.$/m.exec(out) ?? []
            assert.strictEqual(Number(from), Number(before) + 1, killAt)
            assert.isAtLeast(Number(before), Number(killed), killAt)
            assert.match(out, new RegExp(`^seq= *${to} +RunCompleted `, "m"), killAt)
          }
        }),
      { concurrency: 3 }
    ))

  it.live("says so when what it was to be killed at does not come", () =>
    Effect.gen(function*() {
      const { code, out } = yield* demo("--amount", "4000", "--kill-at", "ApprovalRequested")
      assert.strictEqual(code, 0)
      assert.include(out, "\nNobody was killed: the worker wrote no ApprovalRequested.\n")
    }))

  it.live("ends with one line when its worker cannot work", () =>
    Effect.gen(function*() {
      const { code, err, out } = yield* demoWith({ LLM_MODEL: "any", LLM_API_KEY: "k", LLM_BASE_URL: "garbage" })
      assert.deepStrictEqual([code, out], [1, ""])
      assert.match(err, /^The worker process ended with exit code 1: the base URL of a model must be [^\n(]+\n$/)
    }))

  it.live("says when it asks a model again that does not answer, and fails soon", () =>
    Effect.gen(function*() {
      const { code, err, out } = yield* demoWith({
        LLM_MODEL: "any",
        LLM_API_KEY: "k",
        LLM_BASE_URL: yield* unreachable
      })
      assert.deepStrictEqual([code, err], [1, "The run did not complete.\n"])
      assert.match(out, /\n {10}the model is asked again in \d\.\d s, attempt 4 of 4\n/)
      assert.match(out, /\nseq= {2}9 {2}RunFailed /)
      assert.include(out, "\nNobody was killed: no money was moved.\n")
      assert.deepStrictEqual(books(out), ["attempts 0, refunds 0"])
    }))

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
      assert.deepStrictEqual(books(out), ["attempts 1, refunds 1"])
    }))

  it.live("runs on a real endpoint when the environment names a model", () =>
    Effect.gen(function*() {
      const { server, url } = yield* provider
      const { code, err, out } = yield* demoWith({ LLM_MODEL: "any", LLM_API_KEY: "secret-key", LLM_BASE_URL: url })
      assert.deepStrictEqual([code, err], [0, ""])
      assert.include(out, "final_answer='All 77.00 are on their way.'")
      assert.deepStrictEqual(books(out), ["attempts 2, refunds 1"])
      assert.notInclude(out, "secret-key")
      assert.isAtLeast(server.requests, 2)
    }).pipe(Effect.scoped))

  it.live("answers a command line that makes no sense with one line and its usage", () =>
    Effect.gen(function*() {
      const { code, err, out } = yield* demo("--goal", " ")
      assert.deepStrictEqual([code, out], [2, ""])
      assert.match(err, /^--goal wants a text that is not blank\n\nUsage: npm start/)
      assert.notMatch(err, /\n\s+at /)
    }))
})
