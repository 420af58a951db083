/**
 * What must hold of a layer of a model over HTTP, whatever its endpoint answers: a law over sound answers with faults in them.
 */
import { Agent, Verify } from "@durable-agents/agent"
import { Runs, Runtime } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schedule, Schema, Stream } from "effect"
import { LanguageModel, Tool, Toolkit } from "effect/ai"
import { HttpClient, HttpClientResponse } from "effect/http"
import * as OddAnswer from "./OddAnswer.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The layer, over the client in place. */
  readonly model: Layer.Layer<LanguageModel.LanguageModel, never, HttpClient.HttpClient>
  /** A sound answer in one piece, as JSON, in which the tool `stock` is called with an `item`. */
  readonly whole: unknown
  /** The same as the events of a stream. */
  readonly events: ReadonlyArray<unknown>
  /** The events as the endpoint sends them; they may be anything. */
  readonly textOf: (events: ReadonlyArray<unknown>) => string
}

/**
 * Registers the laws with vitest.
 *
 * **Details**
 *
 * Answers have wrong types, missing and repeated fields, changed bytes, any status, and end anywhere. Each is read or fails for a
 * reason of `effect/ai`, after one request; none is a defect. A run of an agent ends, its log says every request, and its prompts
 * can be built again from it.
 *
 * @category contracts
 * @since 0.1.0
 */
export const answerContract = (name: string, options: Options): void => {
  describe(`${name}, whose answers are odd in any way`, () => {
    it.effect.prop(
      "reads them or fails for a reason, whole or streamed, after one request, and never by a defect (MR-1 to MR-9, MR-15)",
      { answer: Answer },
      ({ answer }) => {
        const { client, requests } = clientOf(options, [answer])
        return Effect.gen(function*() {
          yield* Effect.ignore(LanguageModel.generateText(asked))
          assert.strictEqual(requests(), 1)
          yield* Effect.ignore(Stream.runDrain(LanguageModel.streamText(asked)))
          assert.strictEqual(requests(), 2)
        }).pipe(Effect.provide(Layer.provide(options.model, client)))
      },
      { arbitrary: { runs: 100 } }
    )

    it.effect.prop(
      "has its agent's runs end, with every request in the log (MR-8, ME-4)",
      { answers: Schema.NonEmptyArray(Answer), stream: Schema.Boolean },
      ({ answers, stream }) => {
        const { client, requests } = clientOf(options, answers.map((answer) => ({ ...answer, stream })))
        const Keeper = keeperOf(stream)
        const items: Array<unknown> = []
        const handlers = Kit.toLayer({ stock: ({ item }) => Effect.sync(() => ({ left: items.push(item) })) })
        return Effect.gen(function*() {
          const runs = yield* Runs
          const runId = yield* runs.start(Keeper, "How many bolts?")
          const view = yield* (yield* Runtime).execute(runId)
          const log = yield* Stream.runCollect(runs.events(runId))
          assert.oneOf(view.status, ["Completed", "Failed"])
          const tags = log.map(({ event }) => event._tag)
          assert.notInclude(tags, "UnknownEvent")
          assert.strictEqual(tags.filter((tag) => tag === "LLMCallRequested").length, requests())
          for (const { event } of log) {
            if (event._tag === "LLMCallFailed" || event._tag === "RunFailed") {
              assert.notStrictEqual(event.reason, "Defect", event.error)
            }
          }
          for (const { key, rebuilt, recorded } of Verify.prompts(log)) assert.strictEqual(rebuilt, recorded, key)
          assert.isTrue(items.every((item) => typeof item === "string"))
        }).pipe(Effect.provide(Keeper.layer.pipe(
          Layer.provideMerge(Runtime.layerMemory),
          Layer.provide(Layer.merge(Layer.provide(options.model, client), handlers))
        )))
      },
      { arbitrary: { runs: 40 } }
    )
  })
}

const Answer = Schema.Struct({ faults: OddAnswer.Faults, status: Schema.Natural, stream: Schema.Boolean })

/** Mostly a success, since the others say little by themselves. */
const statuses = [...Array.from({ length: 16 }, () => 200), 204, 302, 400, 401, 429, 500, 503, 599]

/** A client whose server gives these answers, one after the other and from the beginning again. */
const clientOf = ({ events, textOf, whole }: Options, answers: ReadonlyArray<typeof Answer.Type>) => {
  let nth = 0
  const bodyOf = ({ faults, stream }: typeof Answer.Type): ReadonlyArray<Uint8Array> => {
    const odd = OddAnswer.edited(stream ? events : whole, faults)
    return OddAnswer.pieces(stream ? textOf(Array.isArray(odd) ? odd : [odd]) : JSON.stringify(odd) ?? "", faults)
  }
  const client = HttpClient.make((request) =>
    Effect.sync(() => {
      const answer = answers[nth % answers.length]
      nth += 1
      const status = statuses[(answer?.status ?? 0) % statuses.length] ?? 200
      const body = answer === undefined || status === 204 ? null : streamOf(bodyOf(answer))
      return HttpClientResponse.fromWeb(request, new Response(body, { status }))
    })
  )
  return { client: Layer.succeed(HttpClient.HttpClient, client), requests: () => nth }
}

const streamOf = (pieces: ReadonlyArray<Uint8Array>): ReadableStream<Uint8Array> => {
  const rest = [...pieces]
  return new ReadableStream({
    pull: (controller) => {
      const next = rest.shift()
      if (next === undefined) controller.close()
      else controller.enqueue(next)
    }
  }, { highWaterMark: 0 })
}

const asked = { prompt: "Hi.", disableToolCallResolution: true, toolCallValidation: "deferred" } as const

const Stock = Tool.make("stock", {
  parameters: Schema.Struct({ item: Schema.String }),
  success: Schema.Struct({ left: Schema.Int })
}).annotate(Tool.Readonly, true)

const Kit = Toolkit.make(Stock)

const keeperOf = (stream: boolean) =>
  Agent.make("keeper", {
    instructions: "You keep a shop.",
    toolkit: Kit,
    attempts: 3,
    retry: Schedule.forever,
    budget: { turns: 4 },
    stream
  })
