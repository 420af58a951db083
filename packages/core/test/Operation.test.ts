import { EventStore, Journal, MemoryStore, Operation, type RunEvent, Runs, Runtime, Step } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Schedule, Schema } from "effect"
import { eventsOf, execute, handled, processOf, quick, runOnce, start } from "./fixtures.ts"

const toolCall = (
  more: Partial<Operation.Spec<string, string, never>> & { readonly refusal?: string } = {}
): Operation.Spec<string, string, never> => {
  const call = { turn: 1, tool: "pay", toolCallId: "c" }
  const { refusal, ...spec } = more
  return {
    request: Operation.request({
      key: "call",
      kind: "tool",
      name: "pay",
      arguments: { cents: 1 },
      ...(refusal === undefined ? {} : { refusal }),
      requested: (attempt) => ({ _tag: "ToolCallRequested", ...attempt, ...call, arguments: { cents: 1 } }),
      failed: (fields) => ({ _tag: "ToolCallFailed", ...fields, ...call })
    }),
    act: Effect.succeed("paid"),
    completed: (result, fields) => Effect.succeed({ _tag: "ToolCallCompleted", ...fields, ...call, result }),
    failure: (error) => ({ reason: "Error", error, failure: error }),
    recovery: "fail",
    retry: { schedule: undefined, attempts: 1, decode: () => Option.none() },
    ...spec
  }
}

const tagOf = (spec: Operation.Spec<string, string, never>) => Effect.map(Operation.perform(spec), ({ _tag }) => _tag)

describe("Operation.perform", () => {
  it.effect("records a refusal in place of a request, and claims nothing of the budget for it", () =>
    Effect.gen(function*() {
      const { events, view } = yield* runOnce(() => tagOf(toolCall({ refusal: "no such tool" })), {
        budget: { toolCalls: 0 }
      })
      assert.strictEqual(view.output, "ToolCallFailed")
      assert.strictEqual(view.usage.toolCalls, 0)
      assert.deepInclude(events[1]?.event, {
        _tag: "ToolCallFailed",
        attempt: 0,
        reason: "Refused",
        error: "no such tool",
        final: true
      })
    }))

  it.effect("takes a typed failure that is not tried again for an answer, where the operation says so", () =>
    Effect.gen(function*() {
      const answered: Operation.Spec<string, string, never>["answered"] = (error, fields) =>
        Effect.succeed({
          _tag: "ToolCallCompleted",
          ...fields,
          turn: 1,
          tool: "pay",
          toolCallId: "c",
          result: error,
          isFailure: true
        })
      const { events } = yield* runOnce(() => tagOf(toolCall({ act: Effect.fail("declined"), answered })))
      assert.deepInclude(events[2]?.event, { _tag: "ToolCallCompleted", result: "declined", isFailure: true })
    }))

  it.effect("parks the run when an unknown outcome is to be asked about, until an operator has said how it ended", () => {
    const process = processOf(() => tagOf(toolCall({ act: Effect.die("the line went dead"), onUnknown: "ask" })))
    return Effect.gen(function*() {
      const runs = yield* Runs
      const runId = yield* start()
      const view = yield* execute(runId)
      assert.strictEqual(view.status, "Stuck")
      assert.include(view.reason, "nobody knows how `call` (`pay`) ended: the line went dead")
      yield* runs.resolve(runId, { _tag: "Happened", key: "call", output: "paid", actor: "op" })
      yield* runs.release(runId, { actor: "op" })
      assert.strictEqual((yield* execute(runId)).output, "ToolCallCompleted")
      assert.strictEqual((yield* eventsOf(runId)).filter(({ event }) => event._tag === "ToolCallRequested").length, 1)
    }).pipe(Effect.provide(process))
  })
})

describe("what is recorded at the same moment", () => {
  it.effect("shares an append up to the limit, large arguments and verdicts included", () => {
    const appends: Array<number> = []
    const spying = Layer.effect(
      EventStore,
      Effect.map(EventStore, (store) => ({
        ...store,
        append: (runId, append) => {
          appends.push(JSON.stringify(append.events).length)
          return store.append(runId, append)
        }
      } satisfies EventStore["Service"]))
    )
    const megabyte = "x".repeat(1_000_000)
    const verdict: RunEvent.RunEvent = {
      _tag: "GuardrailTriggered",
      layer: "L3_output",
      rule: "r",
      action: "ALLOW",
      detail: megabyte
    }
    const large = (name: string) => {
      const spec = toolCall()
      const call = { turn: 1, tool: "pay", toolCallId: name, arguments: megabyte }
      const request = Operation.request({
        ...spec.request,
        key: name,
        arguments: megabyte,
        before: [verdict],
        requested: (attempt) => ({ _tag: "ToolCallRequested", ...attempt, ...call })
      })
      return tagOf({ ...spec, request, beside: () => [verdict] })
    }
    const handler = () => Effect.forEach(["a", "b", "c", "d", "e", "f"], large, { concurrency: "unbounded" })
    const process = handled(handler).pipe(
      Layer.provideMerge(Runtime.layer),
      Layer.provide(spying),
      Layer.provideMerge(MemoryStore.layer),
      Layer.provide(quick)
    )
    return Effect.gen(function*() {
      assert.strictEqual((yield* execute(yield* start())).status, "Completed")
      for (const length of appends) assert.isBelow(length, 4.1 * 1024 * 1024)
    }).pipe(Effect.provide(process))
  })
})

describe("a typed failure", () => {
  const failing = (failure: string, retry?: Schedule.Schedule<unknown>) =>
    Effect.fail(failure).pipe(
      Step.run("step", {
        output: Schema.String,
        error: Schema.String,
        ...(retry === undefined ? {} : { retry })
      }),
      Effect.catch((error) => Effect.succeed(typeof error === "string" ? error : error.message))
    )

  it.effect("is given to the program as the log holds it, so that a replay gives the same (D6, EV-1, EV-2)", () =>
    Effect.gen(function*() {
      const { events, view } = yield* runOnce(() => failing("a\u0000b\ud800"))
      assert.strictEqual(view.output, "a\u2400b\ufffd")
      assert.deepInclude(events[2]?.event, { failure: "a\u2400b\ufffd" })
    }))

  const unrecordable: ReadonlyArray<readonly [string, unknown, string]> = [
    ["is too large", "x".repeat(3_000_000), "TooLarge"],
    ["does not fit its schema", 7, "Unencodable"]
  ]
  for (const [what, failure, reason] of unrecordable) {
    it.effect(`that ${what} is recorded as that, and not tried again: no schedule could be continued (EV-7)`, () =>
      Effect.gen(function*() {
        const { events, view } = yield* runOnce(() => failing(failure as string, Schedule.recurs(3)))
        assert.strictEqual(view.status, "Failed")
        const failures = events.flatMap(({ event }) => event._tag === "StepFailed" ? [event] : [])
        assert.deepStrictEqual(failures.map((event) => [event.reason, event.final, event.failure]), [
          [reason, true, undefined]
        ])
        for (const { error } of failures) assert.isBelow(error.length, 5_000)
      }))
  }
})

describe("Journal.recorded", () => {
  it.effect("is what the log holds at a key", () =>
    Effect.gen(function*() {
      const { view } = yield* runOnce(() =>
        Effect.gen(function*() {
          const journal = yield* Journal
          const before = journal.recorded("call")
          yield* Operation.perform(toolCall())
          const after = journal.recorded("call")
          return [before?._tag ?? "nothing", after?._tag ?? "nothing"]
        })
      )
      assert.deepStrictEqual(view.output, ["nothing", "Operation"])
    }))
})
