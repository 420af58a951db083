import { MemoryStore, Runs } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Agent, request } from "node:http"
import { chanceOf, type Known, type OddRequest, requestsOf } from "./oddRequests.ts"
import { execute, serve, Ship, tokenFor } from "./serving.ts"

const count = Number(process.env["FUZZ_REQUESTS"] ?? 800)
const seed = Number(process.env["SEED"] ?? 1)

/** Sends bytes as they are; what `fetch` would not send is sent too. */
const send = (agent: Agent, port: number, token: string, odd: OddRequest) =>
  Effect.callback<{ readonly status: number; readonly type: string; readonly text: string }>((resume) => {
    const asked = request({
      agent,
      port,
      host: "127.0.0.1",
      method: odd.method,
      path: odd.path,
      headers: {
        authorization: `Bearer ${token}`,
        ...odd.headers,
        ...(odd.body === undefined ? {} : { "content-length": odd.body.length })
      }
    }, (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (chunk: string) => void (text += chunk))
      response.on(
        "end",
        () =>
          resume(Effect.succeed({
            status: response.statusCode ?? 0,
            type: response.headers["content-type"] ?? "",
            text
          }))
      )
    })
    asked.on("error", (error) => resume(Effect.die(error)))
    asked.end(odd.body)
  })

describe("any request", () => {
  it.live(
    `is answered, never with 5xx, and appends nothing if it is refused (HC-1; ${count} requests, seed ${seed})`,
    () => {
      const memory = MemoryStore.memory()
      const events = () => Array.from(memory.runs.values()).reduce((sum, row) => sum + row.events.length, 0)
      return Effect.gen(function*() {
        const { port } = yield* serve()
        const token = yield* tokenFor("dana", "starter", "approver", "operator")
        const runs = yield* Runs
        const known: Known & { readonly runIds: Array<string> } = { runIds: [], keys: ["ship", "pack", "pickup"] }
        const next = requestsOf(chanceOf(seed))
        const agent = yield* Effect.acquireRelease(
          Effect.sync(() => new Agent({ keepAlive: true, maxSockets: 1 })),
          (agent) => Effect.sync(() => agent.destroy())
        )
        const statuses = new Map<number, number>()
        for (let index = 0; index < count; index++) {
          if (index % 50 === 0) {
            const runId = yield* runs.start(Ship, `A-${index}`)
            if (index % 100 === 0) yield* execute(runId)
            known.runIds.splice(0, known.runIds.length > 3 ? 1 : 0)
            known.runIds.push(runId)
          }
          const odd = next(known)
          const before = events()
          const { status, text, type } = yield* send(agent, port, token, odd)
          const shown = `${odd.method} ${odd.path} ${JSON.stringify(odd.headers)} ${
            odd.body?.toString("latin1").slice(0, 500)
          }`
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          assert.isTrue(status >= 200 && status < 500, `${status} ${text}\n${shown}`)
          if (status >= 400) {
            assert.strictEqual(events(), before, shown)
            if (odd.method !== "HEAD") {
              assert.strictEqual(type, "application/problem+json", `${status} ${shown}`)
              assert.isBelow(text.length, 4_000, shown)
              assert.strictEqual(JSON.parse(text).status, status)
            }
          }
          if (odd.method === "GET") assert.strictEqual(events(), before, shown)
        }
        // Enough of them get through to say something about what is behind the border.
        for (const status of [200, 201, 204, 404, 409, 422]) assert.isAtLeast(statuses.get(status) ?? 0, 1)
      }).pipe(
        Effect.scoped,
        Effect.provide(Layer.provideMerge(Runs.layer, MemoryStore.layerOf(memory)))
      )
    },
    600_000
  )
})
