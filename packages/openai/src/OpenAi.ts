/**
 * A language model behind an OpenAI-compatible endpoint: one call is one HTTP request, whatever comes of it.
 */
import { MaxOutputTokens } from "@durable-agents/core"
import { Endpoint, ModelSpan, Parameters, ProviderFailure, RequestOptions, StreamParts } from "@durable-agents/provider"
import { Config, Context, Effect, Layer, Result, Stream } from "effect"
import type { Redacted, Schema } from "effect"
import { AiError, LanguageModel, Model, OpenAiStructuredOutput, type Response } from "effect/ai"
import { HttpClient } from "effect/http"
import * as ChatRequest from "./ChatRequest.ts"
import * as ChatResponse from "./ChatResponse.ts"
import * as ChatStream from "./ChatStream.ts"
import * as Dialect from "./Dialect.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Options extends RequestOptions.RequestOptions {
  /** The name under which the endpoint knows the model. */
  readonly model: string
  /**
   * Sent as a bearer token, or in the header that the dialect names; without one, or with a blank one, no such header is sent.
   */
  readonly apiKey?: Redacted.Redacted | undefined
  /**
   * What stands before `/chat/completions`, with or without a slash at its end. A query, such as `?api-version=…`, stays behind
   * it. Default `https://api.openai.com/v1`.
   */
  readonly baseUrl?: string | URL | undefined
  /** In what the endpoint differs from others. Default by the host of the base URL; what is given here replaces parts of that. */
  readonly dialect?: Partial<Dialect.Dialect> | undefined
  /** Further fields of every request, as the endpoint names them, such as `temperature`, `reasoning_effort` or `max_tokens`. */
  readonly parameters?: Schema.JsonObject | undefined
}

/**
 * The model of an endpoint, over the `HttpClient` in place.
 *
 * **Details**
 *
 * Every call makes exactly one request: nothing is retried and no redirect is followed with `FetchHttpClient`. Whoever calls
 * decides by the error's `isRetryable` and `retryAfter`. Errors name status and code of the provider and an excerpt of what it
 * said, and neither the key nor a redacted header. What the provider does not report is unknown, not zero. Tool calls are passed
 * on as the model wrote them: arguments that are not JSON as their text, ids that are missing as `""`. Reasoning is kept, and sent
 * back beside tool calls to endpoints that want it. The request asks for no more than `MaxOutputTokens`. What a provider reports as
 * its price stands in the metadata of the finish part, as `durableAgents.costUsd`. The parts of a streamed answer, put together,
 * are those of the same answer in one piece.
 *
 * **Gotchas**
 *
 * HTTP clients have limits of their own: how many connections there are, and how long fetch and undici wait for the headers and
 * for each piece (5 minutes). A client that retries or follows redirects makes more requests than calls. Tools that a provider executes, audio and files other than images
 * are not supported. A base URL that is none is a defect, and so are parameters that are no JSON or that the layer sends itself.
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
export interface ConfigOptions extends Omit<Options, "model" | "apiKey" | "baseUrl"> {
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
 * import { Config, Layer } from "effect"
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
    const url = yield* RequestOptions.url(options.baseUrl ?? RequestOptions.baseUrl("LLM_BASE_URL", openAi), urlOf)
    return yield* make({ ...options, model, apiKey }, url)
  }))

const make = (options: Omit<Options, "baseUrl">, url: URL) =>
  Effect.gen(function*() {
    const dialect = { ...Dialect.of(url), ...options.dialect }
    const endpoint = Endpoint.make(yield* HttpClient.HttpClient, {
      url,
      apiKey: options.apiKey,
      keyHeader: dialect.keyHeader,
      headers: options.headers ?? {},
      ...RequestOptions.bounds(options)
    })
    const parameters = Result.getOrThrow(decodeParameters(options.parameters ?? {}))
    const settings = { model: options.model, dialect, parameters }
    const model = yield* LanguageModel.make({
      generateText: (request) => Effect.mapError(ask(endpoint, settings, request), failed("generateText")),
      streamText: (request) =>
        Stream.mapError(Stream.unwrap(stream(endpoint, settings, request)), failed("streamText")),
      codecTransformer: OpenAiStructuredOutput.toCodecOpenAI
    })
    return Context.make(LanguageModel.LanguageModel, model).pipe(Context.add(Model.ModelName, options.model))
  })

const decodeParameters = Parameters.decoder(ChatRequest.ownFields)

const judge = ProviderFailure.make({ provider: "openai" })

const bodyOf = Effect.fnUntraced(function*(settings: ChatRequest.Settings, request: LanguageModel.ProviderOptions) {
  const { dialect: { maxTokens, provider }, model, parameters } = settings
  const body = yield* Effect.fromResult(ChatRequest.make(settings, request, yield* MaxOutputTokens))
  const most = body[maxTokens]
  ModelSpan.asked(request.span, {
    provider,
    model,
    parameters,
    maxTokens: typeof most === "number" ? most : undefined
  })
  return body
})

const ask = Effect.fnUntraced(function*(
  endpoint: Endpoint.Endpoint,
  settings: ChatRequest.Settings,
  request: LanguageModel.ProviderOptions
): Effect.fn.Return<Array<Response.PartEncoded>, AiError.AiErrorReason> {
  const answer = yield* endpoint.post(yield* bodyOf(settings, request))
  const parts = yield* Effect.fromResult(partsOf(answer, settings.dialect))
  for (const part of parts) ModelSpan.answered(request.span, part)
  return parts
})

const stream = Effect.fnUntraced(function*(
  endpoint: Endpoint.Endpoint,
  settings: ChatRequest.Settings,
  request: LanguageModel.ProviderOptions
) {
  const opened = yield* endpoint.open(ChatRequest.streaming(yield* bodyOf(settings, request), settings))
  const parts = opened._tag === "Answer"
    ? Stream.fromIterable(StreamParts.fromParts(yield* Effect.fromResult(partsOf(opened.answer, settings.dialect))))
    : ChatStream.make(opened.events, {
      dialect: settings.dialect,
      judge: (data, problem) => judge.ofAnswer(opened.answerOf(data), problem)
    })
  return Stream.tap(parts, (part) => Effect.sync(() => ModelSpan.answered(request.span, part)))
})

const partsOf = (answer: Endpoint.Answer, dialect: Dialect.Dialect) =>
  judge.partsOf(answer, (text) => ChatResponse.read(text, dialect))

const failed = (method: string) => (reason: AiError.AiErrorReason): AiError.AiError =>
  AiError.make({ module: "OpenAi", method, reason })
