import { Approval, MemoryStore, Runs, Step, Telemetry } from "@durable-agents/core"
import { CrashingStore, Observer } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Layer, Option, Schedule, Schema, Tracer } from "effect"
import { eventsOf, execute, type Handler, processOf, programOf, start } from "./fixtures.ts"
import { worker } from "./observing.ts"

const Text = { output: Schema.String }
const canary = "canary-4711"

class Refused extends Schema.TaggedError<Refused>()("Refused", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

const linksOf = (span: Tracer.Span | undefined) =>
  span?.links.map(({ attributes, span }) => [attributes["of"], span.traceId, span.spanId])

describe("spans of a run", () => {
  it.live("link each execution to the one before and to the start, wherever they are", () =>
    Effect.gen(function*() {
      const memory = MemoryStore.memory()
      const handler: Handler = () =>
        Effect.gen(function*() {
          const first = yield* Effect.succeed("a").pipe(Step.run("a", Text))
          yield* Approval.request("ok", { subject: "on?" })
          return first + (yield* Effect.succeed("b").pipe(Step.run("b", Text)))
        })
      const [asks, one, two] = [Observer.make(), Observer.make(), Observer.make()]
      const within = (eyes: Observer.Observer) =>
        Effect.provide(Layer.provideMerge(processOf(handler, memory), eyes.layer))
      const runId = yield* within(asks)(start())
      yield* within(one)(execute(runId))
      yield* within(asks)(Effect.flatMap(Runs, (runs) => runs.approve(runId, { approval: "ok", actor: "dana" })))
      yield* within(two)(execute(runId))
      const [started] = asks.named("Runs.start")
      const [before] = one.named("Run")
      const [after] = two.named("Run")
      assert.deepStrictEqual(linksOf(before), [["start", started?.traceId, started?.spanId]])
      assert.deepStrictEqual(linksOf(after), [
        ["start", started?.traceId, started?.spanId],
        ["before", before?.traceId, before?.spanId]
      ])
      assert.deepStrictEqual(Object.fromEntries(before?.attributes ?? []), {
        runId,
        program: "test",
        epoch: 1,
        rest: "Suspended"
      })
      assert.strictEqual(after?.attributes.get("rest"), "Ended")
      const steps = [...one.named("Step"), ...two.named("Step")]
      assert.deepStrictEqual(steps.map(({ attributes }) => Object.fromEntries(attributes)), [
        { key: "a", attempt: 1 },
        { key: "b", attempt: 1 }
      ])
      assert.deepStrictEqual(steps.map(({ parent }) => Option.getOrUndefined(parent)?.spanId), [
        before?.spanId,
        after?.spanId
      ])
      const said = (yield* within(asks)(eventsOf(runId))).flatMap(({ event }) =>
        "traceparent" in event ? [[event._tag, event.traceparent]] : []
      )
      assert.deepStrictEqual(said, [
        ["RunStarted", `00-${started?.traceId}-${started?.spanId}-01`],
        ["StepRequested", `00-${before?.traceId}-${before?.spanId}-01`],
        ["StepRequested", `00-${after?.traceId}-${after?.spanId}-01`]
      ])
    }))

  it.live("link a takeover to the execution whose worker died, in traces of their own", () =>
    Effect.gen(function*() {
      const stores = MemoryStore.layerOf(MemoryStore.memory())
      const [first, second] = [Observer.make(), Observer.make()]
      const process = CrashingStore.doomed()
      const acts = yield* Deferred.make<void>()
      const one = (act: Effect.Effect<string>): Handler => () => act.pipe(Step.run("one", Text))
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        const runId = yield* runs.start(programOf(), "input", {
          traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-00`
        })
        yield* Effect.gen(function*() {
          const dying = one(Effect.andThen(Deferred.succeed(acts, undefined), Effect.never))
          yield* Layer.build(worker(dying, CrashingStore.layer(process).pipe(Layer.provideMerge(stores)), first))
          yield* Deferred.await(acts)
          process.dead = true
        }).pipe(Effect.scoped, Effect.exit)
        yield* Layer.build(worker(one(Effect.succeed("done")), stores, second))
        yield* runs.await(runId)
        const [before] = first.named("Run")
        const [after] = second.named("Run")
        assert.deepStrictEqual(linksOf(after), [
          ["start", "a".repeat(32), "b".repeat(16)],
          ["before", before?.traceId, before?.spanId]
        ])
        assert.notStrictEqual(before?.traceId, after?.traceId)
        const recovered = (yield* eventsOf(runId)).find(({ event }) => event._tag === "RunRecovered")?.event
        assert.deepInclude(recovered, { traceparent: `00-${after?.traceId}-${after?.spanId}-01` })
      }).pipe(
        Effect.scoped,
        Effect.provide(Layer.provideMerge(Runs.layer, stores)),
        Effect.withSpan("around everything")
      )
    }))

  it.live("leave nothing in the log where nobody sees them", () =>
    Effect.gen(function*() {
      const handler: Handler = () => Effect.succeed("a").pipe(Step.run("a", Text))
      yield* Effect.gen(function*() {
        const runId = yield* Effect.withSpan(start(), "unseen")
        yield* execute(runId)
        for (const { event } of yield* eventsOf(runId)) assert.notProperty(event, "traceparent")
        const outer = Tracer.externalSpan({ traceId: "c".repeat(32), spanId: "d".repeat(16) })
        const asked = yield* start().pipe(Effect.withSpan("unseen"), Effect.withParentSpan(outer))
        const [first] = yield* eventsOf(asked)
        assert.deepInclude(first?.event, { traceparent: `00-${"c".repeat(32)}-${"d".repeat(16)}-01` })
      }).pipe(Effect.provide(processOf(handler)))
    }))
})

describe("content", () => {
  /** Whatever words a program has are about the canary, also those of its errors, bugs, logs and requests. */
  const tattling: Handler = (input) =>
    Effect.gen(function*() {
      const fails = Effect.fail(new Refused({ detail: canary }))
      yield* fails.pipe(Step.run("a", { ...Text, error: Refused, retry: Schedule.recurs(1) }), Effect.ignore)
      yield* Effect.die(new Error(canary)).pipe(
        Step.run("b", { ...Text, attempts: 1 }),
        Effect.catchCause(() => Effect.void)
      )
      const inner = Effect.gen(function*() {
        yield* Effect.annotateCurrentSpan({
          "url.full": `http://localhost/a?q=${canary}`,
          "url.query": canary,
          "http.request.header.x-customer": canary
        })
        return yield* fails
      })
      yield* inner.pipe(Effect.withSpan("inner"), Step.run("c", { ...Text, error: Refused }), Effect.ignore)
      yield* Effect.succeed(canary).pipe(Step.run("d", Text))
      return yield* Effect.fail(`${input} ${canary}`)
    })

  const observed = (settings: Layer.Layer<never>) =>
    Effect.gen(function*() {
      const eyes = Observer.make()
      const stores = MemoryStore.layerOf(MemoryStore.memory())
      const layer = Telemetry.layer(eyes.layer).pipe(Layer.provide(settings))
      yield* Effect.gen(function*() {
        const runs = yield* Runs
        yield* Layer.build(worker(tattling, stores, { layer: settings }))
        const runId = yield* runs.start(programOf(), canary)
        yield* runs.await(runId)
        yield* Effect.ignore(runs.start(programOf(), canary.repeat(20_000)))
      }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(Runs.layer, Layer.merge(stores, layer))))
      return eyes
    })

  it.live("is in no span, metric or log that is sent away", () =>
    Effect.gen(function*() {
      const eyes = yield* observed(Layer.empty)
      assert.notInclude(eyes.text(), canary)
      assert.lengthOf(eyes.logs.filter((log) => log.includes("failed (")), 4)
      assert.deepStrictEqual(eyes.named("Step").map(({ attributes }) => attributes.get("error.type")), [
        "Refused",
        "Refused",
        "Error",
        "Refused",
        undefined
      ])
      const [inner] = eyes.named("inner")
      assert.deepStrictEqual(Object.fromEntries(inner?.attributes ?? []), { "url.full": "http://localhost/a" })
      const exit = inner?.status._tag === "Ended" ? inner.status.exit : undefined
      const errors = exit !== undefined && Exit.isFailure(exit) ? Cause.prettyErrors(exit.cause) : []
      assert.deepStrictEqual(errors.map(({ name }) => name), ["Refused"])
    }))

  it.live("is there for who asks for it", () =>
    Effect.gen(function*() {
      const eyes = yield* observed(Layer.succeed(Telemetry.Content, true))
      assert.include(eyes.text(), canary)
    }))
})

describe("Telemetry", () => {
  it("reads what it writes as traceparent, and nothing else", () => {
    const span = Tracer.externalSpan({ traceId: "1a".repeat(16), spanId: "2b".repeat(8), sampled: false })
    const text = Telemetry.traceparentOf(span)
    assert.strictEqual(text, `00-${"1a".repeat(16)}-${"2b".repeat(8)}-00`)
    const { sampled, spanId, traceId } = Option.getOrThrow(Telemetry.spanOf(text))
    assert.deepStrictEqual({ sampled, spanId, traceId }, {
      sampled: false,
      spanId: span.spanId,
      traceId: span.traceId
    })
    const zeros = `00-${"0".repeat(32)}-${"2b".repeat(8)}-01`
    for (const wrong of [undefined, "", "t", zeros, text.toUpperCase(), `${text}0`, ` ${text}`]) {
      assert.isTrue(Option.isNone(Telemetry.spanOf(wrong)), wrong)
    }
  })

  it.effect("leaves alone what a layer does not set", () =>
    Effect.gen(function*() {
      const eyes = Observer.make()
      const inside = Layer.provideMerge(Telemetry.layer(Layer.empty), eyes.layer)
      const context = yield* Layer.build(inside)
      yield* Effect.void.pipe(Effect.withSpan("seen"), Effect.provideContext(context))
      yield* Effect.log("heard", "and all").pipe(Effect.provideContext(context))
      assert.lengthOf(eyes.named("seen"), 1)
      assert.include(eyes.logs.join(), "and all")
    }))
})
