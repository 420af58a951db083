/**
 * The language model that the environment names, for apps that leave theirs open.
 */
import { OpenAi } from "@durable-agents/openai"
import { Config, Context, Effect, Layer, Option, Stream } from "effect"
import { AiError, LanguageModel, Model } from "effect/ai"
import { FetchHttpClient } from "effect/http"

/**
 * The model of `LLM_MODEL`, `LLM_API_KEY` and `LLM_BASE_URL`; without a usable `LLM_MODEL` one whose calls fail, so that an app with
 * a model of its own needs none of them.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<LanguageModel.LanguageModel | Model.ModelName> = OpenAi.layerConfig().pipe(
  Layer.provide(FetchHttpClient.layer),
  Layer.catchTag("ConfigError", ({ message }) => Layer.unwrap(Effect.map(whyMissing(message), missing)))
)

/**
 * Why the model that is in place cannot be asked; none for every other model.
 *
 * @category getters
 * @since 0.1.0
 */
export const problem: Effect.Effect<Option.Option<string>> = Effect.map(
  Effect.serviceOption(LanguageModel.LanguageModel),
  Option.flatMap((model) => Option.fromNullishOr(problems.get(model)))
)

const problems = new WeakMap<object, string>()

/** In words of the environment: a variable is not set, or why its value does not do. */
const whyMissing = (message: string): Effect.Effect<string> =>
  Config.option(Config.NonEmptyString("LLM_MODEL")).pipe(
    Effect.match({ onFailure: () => true, onSuccess: Option.isNone }),
    Effect.map((isUnset) =>
      isUnset
        ? "set LLM_MODEL (LLM_API_KEY and LLM_BASE_URL where the endpoint wants them)"
        : message.replace(/^(?:\w+\()+(.*?)\)+$/s, "$1").replace(/\s+/g, " ")
    )
  )

/** Failures that can pass: the run waits, and a process whose environment names a model goes on with it. */
const missing = (why: string): Layer.Layer<LanguageModel.LanguageModel | Model.ModelName> =>
  Layer.effectContext(Effect.gen(function*() {
    const description = `the app leaves its model to the environment, which names none by LLM_MODEL, LLM_API_KEY and ` +
      `LLM_BASE_URL: ${why}`
    const fail = (method: string) =>
      AiError.make({ module: "EnvironmentModel", method, reason: new AiError.InternalProviderError({ description }) })
    const model = yield* LanguageModel.make({
      generateText: () => Effect.fail(fail("generateText")),
      streamText: () => Stream.fail(fail("streamText"))
    })
    problems.set(model, description)
    return Context.make(LanguageModel.LanguageModel, model).pipe(Context.add(Model.ModelName, "none"))
  }))
