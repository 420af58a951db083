/**
 * A language model behind an OpenAI-compatible endpoint: one call is one HTTP request, whatever comes of it.
 */
import { Endpoint, ProviderFailure } from "@durable-agents/provider"
import { Config, Context, Duration, Effect, Layer, Option, Result, Stream } from "effect"
import type { Redacted } from "effect"
import { AiError, LanguageModel, Model, OpenAiStructuredOutput, type Response } from "effect/ai"
import { HttpClient } from "effect/http"
import * as ChatRequest from "./ChatRequest.ts"
import * as ChatResponse from "./ChatResponse.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The name under which the endpoint knows the model. */
  readonly model: string
  /** Sent as a bearer token; without one, or with a blank one, no such header is sent. */
  readonly apiKey?: Redacted.Redacted | undefined
  /** What stands before `/chat/completions`, with or without a slash at its end. Default `https://api.openai.com/v1`. */
  readonly baseUrl?: string | URL | undefined
  /** Further headers, which replace those of equal names. Redacted values are kept out of errors and traces. */
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>> | undefined
  /** How long one request may take, from the first byte sent to the last received. Default 10 minutes. */
  readonly timeout?: Duration.Input | undefined
  /** The size of an answer that is still read, in bytes without compression. Default 8 MiB. */
  readonly maxResponseBytes?: number | undefined
}

/**
 * The model of an endpoint, over the `HttpClient` in place.
 *
 * **Details**
 *
 * Every call makes exactly one request: nothing is retried and no redirect is followed with `FetchHttpClient`. Whoever calls
 * decides by the error's `isRetryable` and `retryAfter`. Errors name status and code of the provider and an excerpt of what it
 * said, and neither the key nor a redacted header. What the provider does not report is unknown, not zero. Tool calls are passed
 * on as the model wrote them: arguments that are not JSON as their text, ids that are missing as `""`.
 *
 * **Gotchas**
 *
 * Answers are not streamed: `streamText` fails. HTTP clients have limits of their own; fetch and undici wait 5 minutes for the
 * headers. A client that retries or follows redirects makes more requests than calls. A base URL that is none is a defect.
 *
 * **Example**
 *
 * ```ts
 * import { OpenAi } from "@durable-agents/openai"
 * import { Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const Llm = OpenAi.layer({ model: "qwen3:8b", baseUrl: "http://localhost:11434/v1" }).pipe(
 *   Layer.provide(FetchHttpClient.layer)
 * )
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Provided<never> =>
  Layer.effectContext(Effect.suspend(() => make(options, Result.getOrThrow(urlOf(options.baseUrl ?? openAi)))))

const urlOf = (base: string | URL) => Endpoint.urlBelow(base, "chat/completions")

type Provided<E> = Layer.Layer<LanguageModel.LanguageModel | Model.ModelName, E, HttpClient.HttpClient>

const openAi = "https://api.openai.com/v1"

/**
 * Options of which some come from the environment.
 *
 * @category models
 * @since 0.1.0
 */
export interface ConfigOptions extends Pick<Options, "headers" | "timeout" | "maxResponseBytes"> {
  /** Default: `LLM_MODEL`, which must be set. */
  readonly model?: Config.Config<string> | undefined
  /** Default: `LLM_API_KEY`, which may be missing. */
  readonly apiKey?: Config.Config<Redacted.Redacted> | undefined
  /** Default: `LLM_BASE_URL`; if that is missing or blank, `https://api.openai.com/v1`. */
  readonly baseUrl?: Config.Config<string | URL> | undefined
}

/**
 * The model that the environment names by `LLM_MODEL`, `LLM_API_KEY` and `LLM_BASE_URL`.
 *
 * **Example**
 *
 * ```ts
 * import { OpenAi } from "@durable-agents/openai"
 * import { Endpoint, ProviderFailure } from "@durable-agents/provider"
import { Config, Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const Llm = OpenAi.layerConfig({ apiKey: Config.Redacted("GROQ_API_KEY") }).pipe(
 *   Layer.provide(FetchHttpClient.layer)
 * )
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig = (options: ConfigOptions = {}): Provided<Config.ConfigError> =>
  Layer.effectContext(Effect.gen(function*() {
    const model = yield* options.model ?? Config.NonEmptyString("LLM_MODEL")
    const apiKey = yield* options.apiKey ?? Config.withDefault(Config.Redacted("LLM_API_KEY"), undefined)
    const url = yield* Config.mapEffect(
      options.baseUrl ?? Config.map(Config.option(Config.String("LLM_BASE_URL")), orOpenAi),
      (base) => Effect.mapError(Effect.fromResult(urlOf(base)), (error) => new Config.ConfigError(error))
    )
    return yield* make({ ...options, model, apiKey }, url)
  }))

const orOpenAi = (given: Option.Option<string>): string =>
  Option.getOrElse(Option.filter(given, (base) => base.trim() !== ""), () => openAi)

const make = (options: Omit<Options, "baseUrl">, url: URL) =>
  Effect.gen(function*() {
    const endpoint = Endpoint.make(yield* HttpClient.HttpClient, {
      url,
      apiKey: options.apiKey,
      headers: options.headers ?? {},
      timeout: Duration.fromInputUnsafe(options.timeout ?? "10 minutes"),
      maxResponseBytes: options.maxResponseBytes ?? 8 * 1024 * 1024
    })
    const model = yield* LanguageModel.make({
      generateText: (request) => Effect.mapError(ask(endpoint, options.model, request), failed("generateText")),
      streamText: () => Stream.fail(failed("streamText")(notStreaming)),
      codecTransformer: OpenAiStructuredOutput.toCodecOpenAI
    })
    return Context.make(LanguageModel.LanguageModel, model).pipe(Context.add(Model.ModelName, options.model))
  })

const judge = ProviderFailure.make({ provider: "openai" })

const ask = Effect.fnUntraced(function*(
  endpoint: Endpoint.Endpoint,
  model: string,
  request: LanguageModel.ProviderOptions
): Effect.fn.Return<Array<Response.PartEncoded>, AiError.AiErrorReason> {
  const answer = yield* endpoint.post(yield* Effect.fromResult(ChatRequest.make(model, request)))
  if (answer.status < 200 || answer.status > 299) return yield* judge.ofStatus(answer)
  const parts = answer.whole ? ChatResponse.read(answer.text) : Result.fail("larger than the bound on answers")
  return yield* Effect.fromResult(Result.mapError(parts, (problem) => judge.ofAnswer(answer, problem)))
})

const failed = (method: string) => (reason: AiError.AiErrorReason): AiError.AiError =>
  AiError.make({ module: "OpenAi", method, reason })

const notStreaming = new AiError.InvalidRequestError({ description: "this model does not stream: use `generateText`" })
