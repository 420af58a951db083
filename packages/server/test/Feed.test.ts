import {
  AccessToken,
  AccessTokens,
  EventStore,
  type Recorded,
  type RunId,
  Runs,
  StoreError
} from "@durable-agents/core"
import { Sqlite } from "@durable-agents/sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { call, execute, memory, serve, Ship, type Stores, tokenFor } from "./serving.ts"

interface Item {
  readonly id: string | undefined
  readonly event: string
  readonly data: ReturnType<typeof JSON.parse>
}

/** A feed as it arrives: its items, and how many comments came between them. */
interface Reading {
  readonly status: number
  readonly items: Array<Item>
  comments: number
}

/** Reads a feed until it ends or `until` holds, and then hangs up. */
const read = (
  url: string,
  options: { readonly token?: string; readonly last?: number; readonly until?: (reading: Reading) => boolean }
): Effect.Effect<Reading & { readonly ended: boolean }> =>
  Effect.promise(async (signal) => {
    const response = await fetch(url, {
      signal,
      headers: {
        accept: "text/event-stream",
        ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
        ...(options.last === undefined ? {} : { "last-event-id": `${options.last}` })
      }
    })
    const reading: Reading = { status: response.status, items: [], comments: 0 }
    let rest = ""
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n")
      rest = blocks.pop() ?? ""
      for (const block of blocks) {
        if (block.startsWith(":")) {
          reading.comments++
        } else {
          const fields = new Map(block.split("\n").map((line) => {
            const at = line.indexOf(": ")
            return [line.slice(0, at), line.slice(at + 2)] as const
          }))
          reading.items.push({
            id: fields.get("id"),
            event: fields.get("event") ?? "message",
            data: JSON.parse(fields.get("data") ?? "null")
          })
        }
        // To leave the loop hangs up.
        if (options.until?.(reading) === true) return { ...reading, ended: false }
      }
    }
    return { ...reading, ended: true }
  })

const seqs = ({ items }: { readonly items: ReadonlyArray<Item> }) =>
  items.filter(({ event }) => event === "message").map(({ id }) => Number(id))

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

/** A run that has ended, and how many events its log has. */
const endedRun = Effect.gen(function*() {
  const runs = yield* Runs
  const runId = yield* runs.start(Ship, "A-1")
  yield* runs.signal(runId, "pickup", { by: "van" })
  yield* execute(runId)
  yield* runs.approve(runId, { approval: "ship", actor: "dana" })
  yield* execute(runId)
  return { runId, length: (yield* runs.state(runId)).seq }
})

const over = <A, E, R>(body: Effect.Effect<A, E, R>, store: Layer.Layer<Stores> = memory()) =>
  Effect.scoped(Effect.provide(body, Layer.provideMerge(Runs.layer, store)))

/** A store in a file, which servers and runtimes may open one after the other. */
const file = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "durable-agents-feed-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ),
  (folder) => Sqlite.layer({ file: join(folder, "runs.db") })
)

describe("Feed", () => {
  it.live("sends every event once as it comes, then the end, and 204 to who asks again", () =>
    over(Effect.gen(function*() {
      const { url } = yield* serve()
      const token = yield* tokenFor("vera", "viewer")
      const runs = yield* Runs
      const runId = yield* runs.start(Ship, "A-1")
      const feed = `${url}/runs/${runId}/events`
      const reading = yield* Effect.forkChild(read(feed, { token }), { startImmediately: true })
      yield* runs.signal(runId, "pickup", { by: "van" })
      yield* execute(runId)
      yield* runs.approve(runId, { approval: "ship", actor: "dana" })
      yield* execute(runId)
      const got = yield* Fiber.join(reading)
      const { seq } = yield* runs.state(runId)
      assert.isTrue(got.ended)
      assert.deepStrictEqual(seqs(got), upTo(seq))
      assert.deepStrictEqual(got.items.at(-1), { id: undefined, event: "end", data: { status: "Completed" } })
      const lines = (yield* call(`${feed}?limit=1000`, { token })).body.items
      assert.deepStrictEqual(got.items.slice(0, -1).map(({ data }) => data), lines)
      const again = yield* read(feed, { token, last: seq - 1 })
      assert.deepStrictEqual([again.status, again.items], [204, []])
    })))

  it.live("goes on after any event without a gap or a duplicate, also across the end of the run", () =>
    over(Effect.gen(function*() {
      const { url } = yield* serve()
      const token = yield* tokenFor("vera", "viewer")
      const { length, runId } = yield* endedRun
      const feed = `${url}/runs/${runId}/events`
      for (const cut of upTo(length)) {
        const first = yield* read(feed, { token, until: (reading) => seqs(reading).at(-1) === cut })
        const rest = yield* read(feed, { token, last: cut })
        assert.deepStrictEqual([...new Set([...seqs(first), ...seqs(rest)])], upTo(length), `cut after ${cut}`)
        assert.deepStrictEqual(seqs(rest), upTo(length).slice(cut + 1))
      }
      const from = yield* read(`${feed}?from=3`, { token })
      assert.deepStrictEqual(seqs(from), upTo(length).slice(3))
    })))

  it.live("ends without an end when its token is revoked or the first token ends the local user; nobody else's feed does", () =>
    over(Effect.gen(function*() {
      const { url } = yield* serve({ settings: { heartbeat: "20 millis", grace: "100 millis" } })
      const runs = yield* Runs
      const tokens = yield* AccessTokens
      const runId = yield* runs.start(Ship, "A-1")
      const feed = `${url}/runs/${runId}/events`
      const seen = yield* Deferred.make<void>()
      const tellOf = (seen: Deferred.Deferred<void>) => ({ items }: Reading) => {
        if (items.length > 0) Deferred.doneUnsafe(seen, Effect.void)
        return false
      }
      const ofNobody = yield* Effect.forkChild(read(feed, { until: tellOf(seen) }), { startImmediately: true })
      yield* Deferred.await(seen)
      const { secret, token } = yield* AccessToken.issue({ holder: "vera", roles: ["viewer"] })
      const ended = yield* Fiber.join(ofNobody)
      assert.deepStrictEqual([ended.ended, ended.items.at(-1)?.event], [true, "message"])

      const known = yield* Deferred.make<void>()
      const staying = yield* Effect.forkChild(
        read(feed, { token: yield* tokenFor("dana", "viewer"), until: (reading) => seqs(reading).includes(1) }),
        { startImmediately: true }
      )
      const revoked = yield* Effect.forkChild(
        read(feed, { token: Redacted.value(secret), until: tellOf(known) }),
        { startImmediately: true }
      )
      yield* Deferred.await(known)
      yield* tokens.revoke("default", token.tokenId)
      const cut = yield* Fiber.join(revoked)
      yield* runs.signal(runId, "pickup", { by: "van" })
      assert.deepStrictEqual([cut.ended, seqs(cut)], [true, [0]])
      assert.strictEqual((yield* read(feed, { token: Redacted.value(secret), last: 0 })).status, 401)
      assert.deepStrictEqual(seqs(yield* Fiber.join(staying)), [0, 1])
    })))

  it.live("goes on while the store cannot say whether its token is still good", () => {
    let fails = false
    let asked = 0
    const failing = Layer.effect(
      AccessTokens,
      Effect.map(AccessTokens, (tokens) => ({
        ...tokens,
        find: (digest: string) =>
          Effect.suspend(() => {
            asked += 1
            return fails ? Effect.fail(new StoreError({ operation: "find", detail: "away" })) : tokens.find(digest)
          })
      }))
    )
    return over(
      Effect.gen(function*() {
        const { url } = yield* serve({ settings: { heartbeat: "10 millis", grace: "100 millis" } })
        const token = yield* tokenFor("vera", "viewer")
        const runs = yield* Runs
        const runId = yield* runs.start(Ship, "A-1")
        const reading = yield* read(`${url}/runs/${runId}/events`, {
          token,
          until: ({ comments }) => {
            fails = true
            return asked > 3 && comments > 3
          }
        })
        assert.isFalse(reading.ended)
      }),
      Layer.provideMerge(failing, memory())
    )
  })

  it.live("is what whoever asks for it likes best; who likes a page better gets one, and is told what is beyond the end", () =>
    over(Effect.gen(function*() {
      const { url } = yield* serve()
      const token = yield* tokenFor("vera", "viewer")
      const { length, runId } = yield* endedRun
      const feed = `${url}/runs/${runId}/events`
      const typeOf = (accept: string) => Effect.map(call(feed, { token, headers: { accept } }), ({ type }) => type)
      for (
        const accept of [
          "text/event-stream",
          "Text/Event-Stream; charset=utf-8",
          "application/json, text/event-stream",
          "application/json;q=0.5, text/event-stream;q=0.9",
          "text/event-stream, */*;q=0.1"
        ]
      ) assert.strictEqual(yield* typeOf(accept), "text/event-stream", accept)
      for (
        const accept of [
          "*/*",
          "application/json",
          "application/json, text/event-stream;q=0",
          "text/event-stream; q=0.1, application/json",
          "application/text/event-stream"
        ]
      ) assert.strictEqual(yield* typeOf(accept), "application/json", accept)
      const beyond = (path: string, headers: Record<string, string>) =>
        Effect.map(
          call(`${feed}${path}`, { token, headers: { accept: "text/event-stream", ...headers } }),
          ({ body, status }) => [status, body.errors[0].path]
        )
      assert.deepStrictEqual(yield* beyond(`?from=${length + 1}`, {}), [422, ["query", "from"]])
      assert.deepStrictEqual(yield* beyond("", { "last-event-id": `${length}` }), [422, ["headers", "last-event-id"]])
    })))

  it.live("ends without an end when the server does, at once, and goes on at the next server over the same file", () =>
    Effect.scoped(Effect.gen(function*() {
      const store = yield* file
      const before = yield* Effect.provide(
        Effect.gen(function*() {
          const { stop, url } = yield* serve({ settings: { grace: "1 hour" } })
          const token = yield* tokenFor("vera", "viewer")
          const runId = yield* (yield* Runs).start(Ship, "A-1")
          const two = yield* Deferred.make<void>()
          const reading = yield* Effect.forkChild(
            read(`${url}/runs/${runId}/events`, {
              token,
              until: (reading) => {
                if (reading.items.length === 2) Deferred.doneUnsafe(two, Effect.void)
                return false
              }
            }),
            { startImmediately: true }
          )
          yield* (yield* Runs).signal(runId, "pickup", null)
          yield* Deferred.await(two)
          yield* stop
          return { token, runId, got: yield* Fiber.join(reading) }
        }).pipe(Effect.scoped),
        Layer.provideMerge(Runs.layer, store)
      )
      assert.isTrue(before.got.ended)
      assert.deepStrictEqual(before.got.items.map(({ id }) => id), ["0", "1"])
      yield* Effect.provide(
        Effect.gen(function*() {
          const { url } = yield* serve()
          const runs = yield* Runs
          const feed = `${url}/runs/${before.runId}/events`
          const reading = yield* Effect.forkChild(read(feed, { token: before.token, last: 1 }), {
            startImmediately: true
          })
          yield* execute(before.runId)
          yield* runs.deny(before.runId, { approval: "ship", actor: "dana" })
          yield* execute(before.runId)
          const got = yield* Fiber.join(reading)
          assert.deepStrictEqual(seqs(got), upTo((yield* runs.state(before.runId)).seq).slice(2))
          assert.strictEqual(got.items.at(-1)?.event, "end")
        }).pipe(Effect.scoped),
        Layer.provideMerge(Runs.layer, store)
      )
    })))

  it.live("breathes while nothing happens, and notices when its reader hangs up", () => {
    const released = Deferred.makeUnsafe<void>()
    const watched = Layer.effect(
      EventStore,
      Effect.map(EventStore, (store) => ({
        ...store,
        changes: (runId: RunId, from?: number) =>
          Stream.ensuring(store.changes(runId, from), Effect.sync(() => Deferred.doneUnsafe(released, Effect.void)))
      }))
    )
    return over(
      Effect.gen(function*() {
        const { url } = yield* serve({ settings: { heartbeat: "10 millis", grace: "100 millis" } })
        const token = yield* tokenFor("vera", "viewer")
        const runId = yield* (yield* Runs).start(Ship, "A-1")
        const got = yield* read(`${url}/runs/${runId}/events`, { token, until: ({ comments }) => comments === 4 })
        assert.deepStrictEqual(seqs(got), [0])
        yield* Deferred.await(released)
        const metrics = yield* call(`${url}/metrics`, { token })
        assert.match(metrics.body, /^durable_agents_http_feeds 0$/m)
      }),
      Layer.provideMerge(watched, memory())
    )
  })

  it.live("reads no further ahead of a slow reader than sockets and a page hold", () =>
    Effect.gen(function*() {
      const store = yield* file
      let pulled = 0
      const counted = Layer.effect(
        EventStore,
        Effect.map(EventStore, (store) => {
          const count = <E, R>(events: Stream.Stream<Recorded, E, R>) =>
            Stream.mapArray(events, (events) => {
              pulled += events.length
              return events
            })
          return {
            ...store,
            read: (runId: RunId, from?: number) => count(store.read(runId, from)),
            changes: (runId: RunId, from?: number) => count(store.changes(runId, from))
          }
        })
      )
      yield* Effect.gen(function*() {
        const { port, url } = yield* serve()
        const token = yield* tokenFor("vera", "viewer")
        const runs = yield* Runs
        const runId = yield* runs.start(Ship, "A-1")
        const events = yield* EventStore
        const count = 2_000
        const payload = "x".repeat(16_000)
        const signals = upTo(count).map(() => ({ _tag: "SignalReceived" as const, name: "pickup", payload }))
        for (const part of upTo(10)) {
          yield* events.append(runId, { expected: 1 + part * 200, events: signals.slice(0, 200) })
        }
        yield* runs.cancel(runId, { actor: "dana" })
        const { seq } = yield* runs.state(runId)
        pulled = 0
        const socket = yield* Effect.acquireRelease(
          Effect.sync(() => connect(port, "127.0.0.1")),
          (socket) => Effect.sync(() => socket.destroy())
        )
        socket.write(`GET /runs/${runId}/events HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\n` +
          `authorization: Bearer ${token}\r\n\r\n`)
        yield* Effect.callback<void>((resume) => void socket.once("readable", () => resume(Effect.void)))
        // Another reader takes 32 MB meanwhile, and the slow one gets its turns.
        const fast = yield* read(`${url}/runs/${runId}/events`, { token })
        assert.deepStrictEqual(seqs(fast), upTo(seq))
        const bySlow = pulled - seq
        assert.isAtMost(bySlow, 1_100)
        const rest = yield* Effect.callback<string>((resume) => {
          let text = ""
          socket.setEncoding("utf8")
          socket.on("data", (chunk: string) => {
            text = (text + chunk).slice(-100)
            if (text.includes("event: end")) resume(Effect.succeed(text))
          })
        })
        assert.include(rest, "event: end")
        assert.strictEqual(pulled, 2 * seq)
      }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(Runs.layer, Layer.provideMerge(counted, store))))
    }).pipe(Effect.scoped))

  it.live("refuses positions and runs that are not there", () =>
    over(Effect.gen(function*() {
      const { url } = yield* serve()
      const token = yield* tokenFor("vera", "viewer")
      const runId = yield* (yield* Runs).start(Ship, "A-1")
      const feed = `${url}/runs/${runId}/events`
      const accept = "text/event-stream"
      for (const last of ["1", "99", "-1", "x", "1.5", "1e99"]) {
        const answer = yield* call(feed, { token, headers: { accept, "last-event-id": last } })
        assert.deepStrictEqual([answer.status, answer.type], [422, "application/problem+json"], last)
      }
      const unknown = yield* call(`${url}/runs/00000000-0000-7000-8000-000000000000/events`, {
        token,
        headers: { accept }
      })
      assert.strictEqual(unknown.status, 404)
    })))

  it.live("ends a page of large events early, and says where to read on", () =>
    over(Effect.gen(function*() {
      const { url } = yield* serve()
      const token = yield* tokenFor("vera", "viewer")
      const runs = yield* Runs
      const runId = yield* runs.start(Ship, "A-1")
      const large = "x".repeat(900_000)
      for (const name of ["a", "b", "c", "d", "e", "f", "g"]) yield* runs.signal(runId, name, large)
      const page = (from: number) => call(`${url}/runs/${runId}/events?limit=1000&from=${from}`, { token })
      const first = (yield* page(0)).body
      assert.deepStrictEqual([first.items.length, first.next], [6, 6])
      const { items, next } = (yield* page(first.next)).body
      assert.deepStrictEqual([items.map(({ seq }: { seq: number }) => seq), next], [[6, 7], undefined])
    })))

  it.live("pages through a log", () =>
    over(Effect.gen(function*() {
      const { url } = yield* serve()
      const token = yield* tokenFor("vera", "viewer")
      const { length, runId } = yield* endedRun
      const seen: Array<number> = []
      let from: number | undefined = 0
      while (from !== undefined) {
        const page: Effect.Success<ReturnType<typeof call>> = yield* call(
          `${url}/runs/${runId}/events?from=${from}&limit=2`,
          { token }
        )
        assert.isAtMost(page.body.items.length, 2)
        seen.push(...page.body.items.map(({ seq }: { seq: number }) => seq))
        from = page.body.next
      }
      assert.deepStrictEqual(seen, upTo(length))
    })))
})
