import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { createServer } from "node:http"
import { join } from "node:path"

const main = join(import.meta.dirname, "../src/main.ts")

const call = (id: string, name: string, args: Record<string, string>) => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(args) }
})

/** What this provider says, answer by answer. */
const answers = [
  {
    content: null,
    tool_calls: [
      call("a", "service_status", { service: "cart" }),
      call("b", "config_changes", { service: "inventory" })
    ]
  },
  { content: null, tool_calls: [call("c", "rollback", { change: "deploy-812", because: "it was the last change." })] },
  { content: "A person said no, so I leave it at that." }
]

/** An OpenAI-compatible endpoint, and the bodies of the requests it got. */
const provider = Effect.acquireRelease(
  Effect.callback<{ readonly bodies: Array<string>; readonly url: string; readonly close: () => void }>((resume) => {
    const bodies: Array<string> = []
    const http = createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (chunk) => {
        body += chunk
      })
      request.on("end", () => {
        const message = answers[bodies.length] ?? { content: "?" }
        bodies.push(body)
        response.setHeader("content-type", "application/json")
        response.end(JSON.stringify({
          id: "answer",
          model: "any",
          choices: [{
            finish_reason: "tool_calls" in message ? "tool_calls" : "stop",
            message: { role: "assistant", ...message }
          }],
          usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }
        }))
      })
    })
    http.listen(0, "127.0.0.1", () => {
      const address = http.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ bodies, url: `http://127.0.0.1:${port}/v1`, close: () => void http.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

const demo = (env: Record<string, string>) =>
  Effect.callback<{ readonly code: number | null; readonly out: string; readonly err: string }>((resume) => {
    const child = spawn(process.execPath, [main], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env }
    })
    let out = ""
    let err = ""
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      out += chunk
    })
    child.stderr.setEncoding("utf8").on("data", (chunk) => {
      err += chunk
    })
    child.once("close", (code) => resume(Effect.succeed({ code, out, err })))
    return Effect.sync(() => {
      child.kill("SIGKILL")
    })
  })

describe("the incident example", () => {
  it.live("is told no once, finds the cause, undoes it when it may, and reports", () =>
    Effect.gen(function*() {
      const { code, err, out } = yield* demo({ LLM_MODEL: "" })
      assert.deepStrictEqual([code, err], [0, ""])
      const lines = out.trimEnd().split("\n")
      assert.deepStrictEqual(lines.filter((line) => line.startsWith("  ->")), [
        "  -> no: The first errors are from 14:24, before that deploy. Look at what checkout waits for.",
        "  -> allowed",
        "  -> allowed"
      ])
      assert.match(lines.at(-2) ?? "", /^Completed: checkout is healthy again\./)
      assert.match(lines.at(-1) ?? "", /^The 4 reads of turn 1 took 200 ms each and \d+ ms together\.$/)
    }))

  it.live("asks the model that the environment names, and shows it why a person said no", () =>
    Effect.gen(function*() {
      const { bodies, url } = yield* provider
      const { code, err, out } = yield* demo({ LLM_MODEL: "any", LLM_API_KEY: "secret-key", LLM_BASE_URL: url })
      assert.deepStrictEqual([code, err], [0, ""])
      assert.include(out, "Completed: A person said no, so I leave it at that.")
      assert.notInclude(out, "secret-key")
      assert.lengthOf(bodies, 3)
      assert.include(bodies[1], "UnknownService")
      assert.include(bodies[2], "The first errors are from 14:24")
    }).pipe(Effect.scoped))
})
