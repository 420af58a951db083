import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { join } from "node:path"

const main = join(import.meta.dirname, "..", "src", "main.ts")

/** Runs the demonstration until it has told an address, and how it ends. */
const serving = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly end: () => Promise<number | null> }, string>((resume) => {
    const child = spawn(process.execPath, [main, "--kill-at", "nothing", "--serve"], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, LLM_MODEL: "" }
    })
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
    const end = () => {
      child.kill("SIGINT")
      return ended
    }
    let out = ""
    child.stdout.on("data", (chunk) => {
      out += chunk
      const [url] = /http:\/\/\S+/.exec(out) ?? []
      if (url !== undefined) resume(Effect.succeed({ url, end }))
    })
    ended.then((code) => resume(Effect.fail(`It ended with ${code}: ${out}`)))
  }),
  ({ end }) => Effect.promise(end)
)

const get = (url: string) => Effect.promise(async () => (await fetch(url)).json())

const post = (url: string, body: unknown) =>
  Effect.promise(async () => {
    const headers = { "content-type": "application/json" }
    return (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).status
  })

/** All events, as they come, until the end of the run. */
const feed = (url: string) =>
  Effect.promise(async () => (await fetch(url, { headers: { accept: "text/event-stream" } })).text())

describe("npm start -- --serve", () => {
  it.live(
    "tells the address of a page, on which a person decides about another run (AP-1)",
    () =>
      Effect.gen(function*() {
        const { end, url } = yield* serving
        assert.include(yield* Effect.promise(async () => (await fetch(url)).text()), "<html")
        const waiting = Effect.map(get(`${url}approvals`), ({ items: [first] }) => first)
        const { approval: { key: approval }, runId } = yield* Effect.repeat(waiting, {
          until: (found) => found !== undefined
        })
        assert.oneOf(yield* post(`${url}runs/${runId}/approve`, { approval }), [200, 202, 204])
        const events = yield* feed(`${url}runs/${runId}/events`)
        assert.match(events, /"ApprovalGranted".*"dana@example.com"[^]*"RunCompleted"/)
        assert.notStrictEqual(yield* Effect.promise(end), 1)
      }),
    60_000
  )
})
