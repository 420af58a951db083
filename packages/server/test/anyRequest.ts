/**
 * A law over requests made by chance, for a server over any store.
 */
import { EventStore, Runs } from "@durable-agents/core"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Agent, request } from "node:http"
import { chanceOf, type Known, type OddRequest, requestsOf } from "./oddRequests.ts"
import { execute, serve, Ship, type Stores, tokenFor } from "./serving.ts"

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

/** Every request is answered, never with 5xx; one that is refused, or that only reads, appends nothing. */
export const anyRequest = (
  store: Layer.Layer<Stores, unknown>,
  { count, seed }: { readonly count: number; readonly seed: number }
) => {
  let appended = 0
  const counted = Layer.effect(
    EventStore,
    Effect.map(EventStore, (store) => ({
      ...store,
      append: (...args: Parameters<typeof store.append>) =>
        Effect.tap(store.append(...args), () => Effect.sync(() => void appended++))
    }))
  )
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
      const before = appended
      const { status, text, type } = yield* send(agent, port, token, odd)
      const shown = `${odd.method} ${odd.path} ${JSON.stringify(odd.headers)} ${
        odd.body?.toString("latin1").slice(0, 500)
      }`
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      assert.isTrue(status >= 200 && status < 500, `${status} ${text}\n${shown}`)
      if (status >= 400) {
        assert.strictEqual(appended, before, shown)
        if (odd.method !== "HEAD") {
          assert.strictEqual(type, "application/problem+json", `${status} ${shown}`)
          assert.isBelow(text.length, 4_000, shown)
          assert.strictEqual(JSON.parse(text).status, status)
        }
      }
      if (odd.method === "GET") assert.strictEqual(appended, before, shown)
    }
    // Enough of them get through to say something about what is behind the border.
    for (const status of [200, 201, 204, 404, 409, 422]) assert.isAtLeast(statuses.get(status) ?? 0, 1, `${status}`)
  }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(Runs.layer, Layer.provideMerge(counted, store))))
}
