import { ProviderFailure } from "@durable-agents/provider"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { bodyOf, endpoint } from "./answers.ts"
import { markOf } from "./kind.ts"

type Options = Parameters<typeof endpoint>[1]

const collect = (respond: () => Response, options?: Options) =>
  Effect.gen(function*() {
    const opened = yield* endpoint(respond, options).open({})
    if (opened._tag === "Answer") return yield* Effect.die(opened.answer)
    return yield* Stream.runCollect(opened.events)
  }).pipe(Effect.scoped)

const dataOf = (pieces: ReadonlyArray<string | Uint8Array>, options?: Options) =>
  Effect.map(collect(() => new Response(bodyOf(pieces)), options), (events) => events.map(({ data }) => data))

/** What came before the failure, and the failure. */
const untilFailure = (respond: () => Response, options?: Options, onAbort?: () => void) =>
  Effect.gen(function*() {
    const opened = yield* endpoint(respond, options, onAbort).open({})
    if (opened._tag === "Answer") return yield* Effect.die(opened.answer)
    const seen: Array<string> = []
    const reason = yield* opened.events.pipe(
      Stream.runForEach(({ data }) => Effect.sync(() => void seen.push(data))),
      Effect.flip
    )
    return { seen, reason }
  }).pipe(Effect.scoped)

const cut = (bytes: Uint8Array, at: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const places = [0, ...at.map((one) => one % (bytes.length + 1)).toSorted((one, other) => one - other), bytes.length]
  return places.slice(1).map((end, nth) => bytes.subarray(places[nth] ?? 0, end))
}

const body =
  "\uFEFF: hello\r\n\r\nevent: délta\ndata: {\"a\":\ndata:  \"ü🙂\"}\n\nid: 7\rretry: 10\rdata:x\r\rdata\n\n:\ndata: [DONE]"
const events = [["délta", "{\"a\":\n \"ü🙂\"}"], ["message", "x"], ["message", ""], ["message", "[DONE]"]]

describe("a stream of events", () => {
  it.effect.prop(
    "is the same however its bytes are cut (MR-15)",
    { at: Schema.Array(Schema.Natural) },
    ({ at }) =>
      Effect.gen(function*() {
        const bytes = new TextEncoder().encode(body)
        for (const pieces of [cut(bytes, at), Array.from(bytes, (byte) => Uint8Array.of(byte))]) {
          const read = yield* collect(() => new Response(bodyOf(pieces)))
          assert.deepStrictEqual(read.map(({ data, event }) => [event, data]), events)
        }
      })
  )

  it.effect("has invalid bytes replaced (MR-15)", () =>
    Effect.gen(function*() {
      const bytes = Uint8Array.from([...new TextEncoder().encode("data: a"), 0xff, 0xc3, 0x0a, 0x0a])
      assert.deepStrictEqual(yield* dataOf([bytes]), ["a\uFFFD\uFFFD"])
    }))

  it.effect("is cut off beyond the bound on all of it, after what came before", () =>
    Effect.gen(function*() {
      const piece = "data: 0123456789\n\n"
      const { reason, seen } = yield* untilFailure(
        () => new Response(bodyOf(Array.from({ length: 100 }, () => piece))),
        { maxResponseBytes: piece.length * 7 }
      )
      assert.strictEqual(seen.length, 7)
      assert.strictEqual(reason._tag, "InvalidOutputError")
      assert.include(reason.message, "larger than the bound on answers")
      assert.strictEqual(markOf(reason), "malformed-output")
    }))

  it.effect("is cut off at one event beyond the bound, however it is cut", () =>
    Effect.gen(function*() {
      const text = `data: a\n\ndata: ${"x".repeat(101)}\n\ndata: b\n\n`
      for (const pieces of [[text], text.split("")]) {
        const { reason, seen } = yield* untilFailure(() => new Response(bodyOf(pieces)), { maxEventLength: 100 })
        assert.deepStrictEqual(seen, ["a"])
        assert.include(reason.message, "larger than the bound on events")
        assert.deepStrictEqual((yield* dataOf(pieces, { maxEventLength: 101 })).length, 3)
      }
    }))

  it.effect("without an end of its line is cut off as well", () =>
    Effect.gen(function*() {
      const endless = () => bodyOf(["data: "], (controller) => controller.enqueue(new Uint8Array(1000).fill(0x78)))
      const { reason } = yield* untilFailure(() => new Response(endless()), { maxEventLength: 5000 })
      assert.include(reason.message, "larger than the bound on events")
    }))

  it.effect("that breaks has failed for now, after what came before (ME-2)", () =>
    Effect.gen(function*() {
      const breaks = () => bodyOf(["data: a\n\nda"], (controller) => controller.error(new Error("ECONNRESET")))
      const { reason, seen } = yield* untilFailure(() => new Response(breaks()))
      assert.deepStrictEqual(seen, ["a"])
      assert.isTrue(reason.isRetryable)
      assert.include(reason.message, "ECONNRESET")
    }))

  it.effect("that falls silent is left after the time for one piece, comments being pieces (ME-8)", () =>
    Effect.gen(function*() {
      const cancelled = yield* Deferred.make<void>()
      const waiting: Array<() => void> = []
      const silent = bodyOf(
        ["data: a\n\n"],
        (controller) => void waiting.push(() => controller.enqueue(new TextEncoder().encode(": still here\n"))),
        () => Deferred.doneUnsafe(cancelled, Effect.void)
      )
      const fiber = yield* Effect.forkChild(untilFailure(() =>
        new Response(silent), { idleTimeout: Duration.seconds(30) }))
      yield* TestClock.adjust("29 seconds")
      waiting[0]?.()
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual(fiber.pollUnsafe(), undefined)
      yield* TestClock.adjust("1 second")
      const { reason, seen } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(seen, ["a"])
      assert.include(reason.message, "nothing came for 30s")
      assert.isTrue(reason.isRetryable)
    }))

  it.effect("that drips without an end is left after the time for all of it (ME-8)", () =>
    Effect.gen(function*() {
      const waiting: Array<() => void> = []
      const drips = bodyOf(["data: a\n\n"], (controller) =>
        void waiting.push(() => controller.enqueue(new TextEncoder().encode(":\n"))))
      const fiber = yield* Effect.forkChild(untilFailure(() =>
        new Response(drips), {
        timeout: Duration.minutes(1),
        idleTimeout: Duration.seconds(30)
      }))
      for (let drop = 0; drop < 5; drop++) {
        yield* TestClock.adjust("11 seconds")
        assert.strictEqual(waiting.length, 1)
        waiting.pop()?.()
      }
      yield* TestClock.adjust("5 seconds")
      const { reason } = yield* Fiber.join(fiber)
      assert.include(reason.message, "no answer within 1m")
    }))

  it.effect("closes its connection when it is left, and when it is interrupted", () =>
    Effect.gen(function*() {
      let aborted = 0
      const endless = () =>
        endpoint(
          () => new Response(bodyOf(["data: a\n\n"], () => {})),
          {},
          () => void aborted++
        ).open({})
      const first = Stream
        .unwrap(Effect.map(endless(), (opened) => opened._tag === "Events" ? opened.events : Stream.empty))
      assert.strictEqual((yield* Stream.runCollect(Stream.take(first, 1))).length, 1)
      assert.strictEqual(aborted, 1)
      const fiber = yield* Effect.forkChild(Stream.runDrain(first))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(aborted, 2)
    }))
})

describe("Endpoint.open", () => {
  const answerTo = (respond: () => Response) =>
    Effect.map(
      Effect.scoped(endpoint(respond).open({})),
      (opened) => opened._tag === "Answer" ? [opened.answer.status, opened.answer.text] : opened._tag
    )

  it.effect("gives an answer that is no stream as an answer, whatever its content type (MR-8)", () =>
    Effect.gen(function*() {
      const events = { headers: { "content-type": "text/event-stream" } }
      for (const text of ["{\"error\":\"no\"}", "\n [1]", "<html>", "", "  ", "Bad gateway"]) {
        assert.deepStrictEqual(yield* answerTo(() => new Response(bodyOf(text.split("")), events)), [200, text])
      }
      assert.deepStrictEqual(yield* answerTo(() => new Response("data: {}", { status: 500 })), [500, "data: {}"])
      assert.strictEqual(
        yield* answerTo(() => new Response("\n\n: ok", { headers: { "content-type": "a/b" } })),
        "Events"
      )
    }))

  it.effect("judges an error in the middle as it would any other", () =>
    Effect.gen(function*() {
      const judge = ProviderFailure.make({ provider: "test" })
      const error = "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}"
      const opened = yield* endpoint(() => new Response(`event: error\ndata: ${error}\n\n`)).open({})
      assert.strictEqual(opened._tag, "Events")
      if (opened._tag !== "Events") return
      const [event] = yield* Stream.runCollect(opened.events)
      assert.strictEqual(event?.event, "error")
      assert.strictEqual(judge.ofError(opened.answerOf(event?.data ?? ""))?._tag, "InternalProviderError")
    }))
})
