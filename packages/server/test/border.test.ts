import { EventStore, Runs, StoreError } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { connect } from "node:net"
import { gzipSync } from "node:zlib"
import { call, memory, raw, request, serve, Ship, type Stores, tokenFor } from "./serving.ts"

const on = <E>(
  body: Effect.Effect<void, E, Effect.Services<ReturnType<typeof serve>> | Runs>,
  store: Layer.Layer<Stores> = memory()
) => Effect.scoped(Effect.provide(body, Layer.provideMerge(Runs.layer, store)))

/** A request as bytes. */
const statusOf = (answer: string) => Number(answer.slice(9, 12))

describe("border", () => {
  it.live("refuses bodies that are not JSON in UTF-8, with words, and records nothing (HC-1)", () =>
    on(Effect.gen(function*() {
      const { url } = yield* serve()
      const token = yield* tokenFor("sam", "starter")
      const good = JSON.stringify({ program: "ship", input: "A-1" })
      const send = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
        call(`${url}/runs`, {
          token,
          method: "POST",
          body,
          headers: { "content-type": "application/json", ...headers }
        })
      const cases: ReadonlyArray<readonly [number, Effect.Effect<Effect.Success<ReturnType<typeof send>>>]> = [
        [422, send("")],
        [422, send("{")],
        [422, send("{\"program\":\"ship\",\"input\":\"A-1\"}}")],
        [422, send("NaN")],
        [422, send("{\"program\":\"ship\",\"input\":1e999}")],
        [422, send(`${"[".repeat(500_000)}`)],
        [422, send(`{"program":"ship","input":${"[".repeat(5_000)}${"]".repeat(5_000)}}`)],
        [422, send(`${"{\"a\":".repeat(5_000)}1${"}".repeat(5_000)}`)],
        [400, send(new Uint8Array([0x22, 0xc3, 0x28, 0x22]))],
        [400, send(new Uint8Array([0xff, 0xfe, 0x7b, 0x00]))],
        [415, send(good, { "content-type": "text/plain" })],
        [415, send(good, { "content-type": "application/json; charset=latin1" })],
        [415, send(good, { "content-type": "application/json; profile=x; charset=utf-16" })],
        [415, send(good, { "content-type": "application/json5" })],
        [415, send(good, { "content-type": "multipart/form-data; boundary=x" })],
        [415, send(new Uint8Array(gzipSync(good)), { "content-encoding": "gzip" })],
        [413, send(`{"program":"ship","input":"${"x".repeat(3_000_000)}"}`)]
      ]
      for (const [index, [status, answered]] of cases.entries()) {
        const answer = yield* answered
        assert.deepStrictEqual([answer.status, answer.type], [status, "application/problem+json"], `case ${index}`)
        assert.isBelow(answer.body.detail.length, 700)
      }
      assert.deepStrictEqual((yield* call(`${url}/runs`, { token })).body.items, [])
      for (
        const type of [
          "application/json; charset=UTF-8",
          "application/json;charset=\"utf-8\"",
          "application/json;",
          "Application/JSON; charset=utf-8;",
          "application/json; profile=x"
        ]
      ) assert.strictEqual((yield* send(good, { "content-type": type })).status, 201, type)
      assert.strictEqual((yield* send(`\ufeff${good}`)).status, 201)
      assert.strictEqual(
        (yield* send("{\"program\":\"ship\",\"input\":\"a \\ud800 b \\u0000 c\",\"labels\":{\"\\u0000\":\"\\udfff\"}}"))
          .status,
        201
      )
    })))

  it.live("refuses what is no HTTP, has headers beyond all bounds, or does not arrive in time (HC-1)", () =>
    on(Effect.gen(function*() {
      const { port, url } = yield* serve({ settings: { arrival: "200 millis" } })
      const token = yield* tokenFor("sam", "starter")
      const answers = yield* Effect.all({
        garbage: raw(port, "\x00\x01\x02 hello\r\n\r\n"),
        noHost: raw(port, "GET /runs HTTP/1.1\r\n\r\n"),
        twoLengths: raw(port, request(token, ["content-length: 2", "content-length: 3"])),
        lengthAndChunks: raw(port, request(token, ["content-length: 2", "transfer-encoding: chunked"])),
        badChunk: raw(port, request(token, ["transfer-encoding: chunked", "content-type: application/json"]), "zz\r\n"),
        hugeHeader: raw(port, request(token, [`x-filler: ${"x".repeat(20_000)}`])),
        manyHeaders: raw(port, request(token, Array.from({ length: 3_000 }, (_, i) => `x-${i}: ${i}`))),
        slowHeaders: raw(port, "GET /runs HTTP/1.1\r\nhost: x\r\n"),
        slowBody: raw(port, request(token, ["content-length: 100", "content-type: application/json"]), "{\"program\":"),
        hugeBody: raw(port, request(token, ["content-length: 99999999999", "content-type: application/json"]), "{"),
        hugeChunks: raw(
          port,
          request(token, ["transfer-encoding: chunked", "content-type: application/json"]),
          `${(3_000_000).toString(16)}\r\n${"x".repeat(3_000_000)}\r\n`
        )
      }, { concurrency: "unbounded" })
      const statuses = Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, statusOf(answer)]))
      assert.deepStrictEqual(statuses, {
        garbage: 400,
        noHost: 400,
        twoLengths: 400,
        lengthAndChunks: 400,
        badChunk: 400,
        hugeHeader: 431,
        manyHeaders: 431,
        slowHeaders: 408,
        slowBody: 408,
        hugeBody: 413,
        hugeChunks: 413
      })
      assert.strictEqual((yield* call(`${url}/runs`, { token })).status, 200)
    })))

  it.live("answers 503 while the store fails, keeps what it said to itself, and goes on afterwards", () => {
    let fails = false
    const failing = Layer.effect(
      EventStore,
      Effect.map(EventStore, (store) => {
        const error = new StoreError({ operation: "read", detail: "postgres://user:secret@db-7 is gone" })
        return {
          ...store,
          now: Effect.suspend(() => fails ? Effect.fail(error) : store.now),
          read: (...args: Parameters<typeof store.read>) => fails ? Stream.fail(error) : store.read(...args)
        }
      })
    )
    return on(
      Effect.gen(function*() {
        const { url } = yield* serve()
        const token = yield* tokenFor("dana", "approver")
        const runId = yield* (yield* Runs).start(Ship, "A-1")
        fails = true
        for (
          const answer of [
            yield* call(`${url}/runs/${runId}`, { token }),
            yield* call(`${url}/runs/${runId}/approve`, { token, json: { approval: "ship" } }),
            yield* call(`${url}/ready`)
          ]
        ) {
          assert.deepStrictEqual([answer.status, answer.type], [503, "application/problem+json"])
          assert.notInclude(JSON.stringify(answer.body), "secret")
        }
        assert.strictEqual((yield* call(`${url}/health`)).status, 200)
        fails = false
        assert.strictEqual((yield* call(`${url}/runs/${runId}`, { token })).status, 200)
        assert.strictEqual((yield* call(`${url}/ready`)).status, 200)
      }),
      Layer.provideMerge(failing, memory())
    )
  })

  it.live("gives up a store that does not answer, and says so", () => {
    const hanging = Layer.effect(
      EventStore,
      Effect.map(EventStore, (store) => ({ ...store, read: () => Stream.never }))
    )
    return on(
      Effect.gen(function*() {
        const { url } = yield* serve({ settings: { answer: "50 millis" } })
        const token = yield* tokenFor("vera", "viewer")
        const answer = yield* call(`${url}/runs/00000000-0000-7000-8000-000000000000`, { token })
        assert.deepStrictEqual([answer.status, answer.type], [503, "application/problem+json"])
      }),
      Layer.provideMerge(hanging, memory())
    )
  })

  it.live("lets requests that have begun end when the server does, and takes no others", () => {
    const asked = Deferred.makeUnsafe<void>()
    const go = Deferred.makeUnsafe<void>()
    const slow = Layer.effect(
      EventStore,
      Effect.map(EventStore, (store) => ({
        ...store,
        append: (...args: Parameters<typeof store.append>) =>
          Effect.andThen(
            Deferred.succeed(asked, undefined),
            Effect.andThen(Deferred.await(go), store.append(...args))
          )
      }))
    )
    return on(
      Effect.gen(function*() {
        const { stop, url } = yield* serve()
        const token = yield* tokenFor("sam", "starter")
        const json = { program: "ship", input: "A-1" }
        const starting = yield* Effect.forkChild(call(`${url}/runs`, { token, json }), { startImmediately: true })
        yield* Deferred.await(asked)
        const stopping = yield* Effect.forkChild(stop, { startImmediately: true })
        yield* Effect.flip(Effect.tryPromise(() => fetch(`${url}/health`, { headers: { connection: "close" } })))
        assert.isUndefined(stopping.pollUnsafe())
        yield* Deferred.succeed(go, undefined)
        const started = yield* Fiber.join(starting)
        assert.strictEqual(started.status, 201)
        assert.strictEqual(started.headers.get("connection"), "close")
        yield* Fiber.join(stopping)
      }),
      Layer.provideMerge(slow, memory())
    )
  })

  it.live("ends after its grace, whatever its clients do", () =>
    on(Effect.gen(function*() {
      const { port, stop, url } = yield* serve({ settings: { grace: "100 millis" } })
      const token = yield* tokenFor("vera", "viewer")
      const runId = yield* (yield* Runs).start(Ship, "A-1")
      const sockets = [
        "",
        "GET /runs HTTP/1.1\r\n",
        request(token, ["content-length: 10"]),
        request(token, ["accept: text/event-stream"], `/runs/${runId}/events`, "GET")
      ].map((bytes) => {
        const socket = connect(port, "127.0.0.1")
        socket.on("error", () => {})
        socket.write(bytes)
        return socket
      })
      yield* call(`${url}/health`)
      yield* stop
      for (const socket of sockets) socket.destroy()
    })))
})
