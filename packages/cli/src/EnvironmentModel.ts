/**
 * The language model that the environment names, for apps that leave theirs open.
 */
import { Anthropic } from "@durable-agents/anthropic"
import { OpenAi } from "@durable-agents/openai"
import { Config, Context, Effect, Layer, Option, Stream } from "effect"
import { AiError, LanguageModel, Model } from "effect/ai"
import { FetchHttpClient } from "effect/http"

/**
 * The model of the provider that `LLM_PROVIDER` names: with `openai`, the default, that of `LLM_MODEL`, `LLM_API_KEY` and
 * `LLM_BASE_URL`; with `anthropic` that of `ANTHROPIC_MODEL`, `ANTHROPIC_API_KEY` and `ANTHROPIC_BASE_URL`. Where they name no
 * usable one it is a model whose calls fail, so that an app with a model of its own needs none of them.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<LanguageModel.LanguageModel | Model.ModelName> = Layer
  .unwrap(Config.withDefault(Config.String("LLM_PROVIDER"), "").pipe(
    Effect.map((name) => {
      const provider = providers.get(name.trim() === "" ? "openai" : name.trim())
      return provider === undefined
        ? missing(openai.variables, "LLM_PROVIDER must be `openai` or `anthropic`")
        : of(provider)
    }),
    Effect.orDie
  ))

interface Provider {
  readonly layer: ReturnType<typeof OpenAi.layerConfig>
  /** The one that must be set, and all of them in words. */
  readonly required: string
  readonly variables: string
  readonly hint: string
}

const openai: Provider = {
  layer: OpenAi.layerConfig(),
  required: "LLM_MODEL",
  variables: "LLM_MODEL, LLM_API_KEY and LLM_BASE_URL",
  hint: "LLM_API_KEY and LLM_BASE_URL where the endpoint wants them; or LLM_PROVIDER=anthropic and ANTHROPIC_MODEL"
}

const providers: ReadonlyMap<string, Provider> = new Map([
  ["openai", openai],
  ["anthropic", {
    layer: Anthropic.layerConfig(),
    required: "ANTHROPIC_MODEL",
    variables: "ANTHROPIC_MODEL, ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL",
    hint: "and ANTHROPIC_API_KEY"
  }]
])

const of = (provider: Provider) =>
  provider.layer.pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.catchTag("ConfigError", ({ message }) =>
      Layer.unwrap(Effect.map(whyMissing(provider, message), (why) => missing(provider.variables, why))))
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
const whyMissing = ({ hint, required }: Provider, message: string): Effect.Effect<string> =>
  Config.option(Config.NonEmptyString(required)).pipe(
    Effect.match({ onFailure: () => true, onSuccess: Option.isNone }),
    Effect.map((isUnset) =>
      isUnset
        ? `set ${required} (${hint})`
        : message.replace(/^(?:\w+\()+(.*?)\)+$/s, "$1").replace(/\s+/g, " ")
    )
  )

/** Failures that can pass: the run waits, and a process whose environment names a model goes on with it. */
const missing = (variables: string, why: string): Layer.Layer<LanguageModel.LanguageModel | Model.ModelName> =>
  Layer.effectContext(Effect.gen(function*() {
    const description = `the app leaves its model to the environment, which names none by ${variables}: ${why}`
    const fail = (method: string) =>
      AiError.make({ module: "EnvironmentModel", method, reason: new AiError.InternalProviderError({ description }) })
    const model = yield* LanguageModel.make({
      generateText: () => Effect.fail(fail("generateText")),
      streamText: () => Stream.fail(fail("streamText"))
    })
    problems.set(model, description)
    return Context.make(LanguageModel.LanguageModel, model).pipe(Context.add(Model.ModelName, "none"))
  }))
