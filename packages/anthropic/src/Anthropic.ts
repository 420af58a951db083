/**
 * A language model behind Anthropic's Messages API: one call is one HTTP request, whatever comes of it.
 */
import { MaxOutputTokens } from "@durable-agents/core"
import { Endpoint, ModelSpan, Parameters, ProviderFailure, RequestOptions, StreamParts } from "@durable-agents/provider"
import { Config, Context, Effect, Layer, Result, Stream } from "effect"
import type { Redacted, Schema } from "effect"
import { AiError, AnthropicStructuredOutput, LanguageModel, Model } from "effect/ai"
import { HttpClient } from "effect/http"
import * as MessageRequest from "./MessageRequest.ts"
import * as MessageResponse from "./MessageResponse.ts"
import * as MessageStream from "./MessageStream.ts"
import * as Names from "./Names.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Options extends RequestOptions.RequestOptions {
  /** The model's id, such as `claude-sonnet-5-5`. */
  readonly model: string
  /** Sent as `x-api-key`; without one, or with a blank one, no such header is sent. */
  readonly apiKey?: Redacted.Redacted | undefined
  /** What stands before `/v1/messages`, with or without a slash or `/v1` at its end. Default `https://api.anthropic.com`. */
  readonly baseUrl?: string | URL | undefined
  /** The most tokens of one answer, thinking included; the API wants a number. Default 16384, which every current model takes. */
  readonly maxTokens?: number | undefined
  /** For how long the API is to keep tools, system prompt and conversation in its cache. Writing costs more. Default not at all. */
  readonly cache?: "5m" | "1h" | undefined
  /** Whether one answer may call several tools. Default true. */
  readonly parallelToolCalls?: boolean | undefined
  /** Further fields of every request, as the API names them, such as `thinking` or `service_tier`. */
  readonly parameters?: Schema.JsonObject | undefined
  /** Names of beta features to ask for. */
  readonly betas?: ReadonlyArray<string> | undefined
  /** The version of the API, for `anthropic-version`. Default `2026-10-21`, which takes no `temperature`. */
  readonly version?: string | undefined
}

/**
 * The model of the Messages API, over the `HttpClient` in place.
 *
 * **Details**
 *
 * Every call makes exactly one request: nothing is retried and no redirect is followed with `FetchHttpClient`. Whoever calls
 * decides by the error's `isRetryable` and `retryAfter`. Errors name status and code of the provider and an excerpt of what it
 * said, and neither the key nor a redacted header. What the provider does not report is unknown, not zero. Thinking is kept in
 * reasoning parts with its signature and sent back unchanged; thinking of other providers is not sent. Tool calls are passed on as
 * the model wrote them. The request asks for no more than `MaxOutputTokens`. The parts of a streamed answer, put together, are
 * those of the same answer in one piece.
 *
 * **Gotchas**
 *
 * Tools that the provider executes are not supported. HTTP clients have limits of their own; fetch and undici wait 5 minutes for
 * the headers, which come with the whole answer unless it is streamed: for answers beyond some 16,000 tokens, stream. A client that
 * retries or follows redirects makes more requests than calls. A base URL that is none is a defect, and so are parameters that the layer
 * sends itself. The interfaces of Bedrock and Vertex AI are others.
 *
 * **Example**
 *
 * ```ts
 * import { Anthropic } from "@durable-agents/anthropic"
 * import { Layer, Redacted } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const Llm = Anthropic.layer({
 *   model: "claude-sonnet-5-5",
 *   apiKey: Redacted.make("…"),
 *   cache: "5m",
 *   parameters: { thinking: { type: "adaptive" } }
 * }).pipe(Layer.provide(FetchHttpClient.layer))
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Provided<never> =>
  Layer.effectContext(Effect.suspend(() => make(options, Result.getOrThrow(urlOf(options.baseUrl ?? anthropic)))))

type Provided<E> = Layer.Layer<LanguageModel.LanguageModel | Model.ModelName, E, HttpClient.HttpClient>

const anthropic = "https://api.anthropic.com"

/** Some name the version as a part of the base, others do not. */
const urlOf = (base: string | URL): Result.Result<URL, Schema.SchemaError> =>
  Result.map(Endpoint.urlBelow(base, "v1/messages"), (url) => {
    url.pathname = url.pathname.replace(/\/v1\/v1\/messages$/, "/v1/messages")
    return url
  })

/**
 * Options of which some come from the environment.
 *
 * @category models
 * @since 0.1.0
 */
export interface ConfigOptions extends Omit<Options, "model" | "apiKey" | "baseUrl"> {
  /** Default: `ANTHROPIC_MODEL`, which must be set. */
  readonly model?: Config.Config<string> | undefined
  /** Default: `ANTHROPIC_API_KEY`, which may be missing. */
  readonly apiKey?: Config.Config<Redacted.Redacted> | undefined
  /** Default: `ANTHROPIC_BASE_URL`; if that is missing or blank, `https://api.anthropic.com`. */
  readonly baseUrl?: Config.Config<string | URL> | undefined
}

/**
 * The model that the environment names by `ANTHROPIC_MODEL`, `ANTHROPIC_API_KEY` and `ANTHROPIC_BASE_URL`.
 *
 * **Example**
 *
 * ```ts
 * import { Anthropic } from "@durable-agents/anthropic"
 * import { Config, Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const Llm = Anthropic.layerConfig({ model: Config.succeed("claude-haiku-5-5"), maxTokens: 4096 }).pipe(
 *   Layer.provide(FetchHttpClient.layer)
 * )
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig = (options: ConfigOptions = {}): Provided<Config.ConfigError> =>
  Layer.effectContext(Effect.gen(function*() {
    const model = yield* options.model ?? Config.NonEmptyString("ANTHROPIC_MODEL")
    const apiKey = yield* options.apiKey ?? Config.withDefault(Config.Redacted("ANTHROPIC_API_KEY"), undefined)
    const base = options.baseUrl ?? RequestOptions.baseUrl("ANTHROPIC_BASE_URL", anthropic)
    const url = yield* RequestOptions.url(base, urlOf)
    return yield* make({ ...options, model, apiKey }, url)
  }))

const make = (options: Omit<Options, "baseUrl">, url: URL) =>
  Effect.gen(function*() {
    const { betas = [], headers = {} } = options
    const endpoint = Endpoint.make(yield* HttpClient.HttpClient, {
      url,
      apiKey: options.apiKey,
      keyHeader: "x-api-key",
      headers: {
        "anthropic-version": options.version ?? "2026-10-21",
        ...(betas.length === 0 ? {} : { "anthropic-beta": betas.join(",") }),
        ...headers
      },
      ...RequestOptions.bounds(options, "2 minutes"),
      requestIdHeaders: ["request-id"]
    })
    const settings: MessageRequest.Settings = {
      model: options.model,
      maxTokens: options.maxTokens ?? 16_384,
      cache: options.cache,
      parallelToolCalls: options.parallelToolCalls ?? true,
      parameters: Result.getOrThrow(decodeParameters(options.parameters ?? {}))
    }
    const model = yield* LanguageModel.make({
      generateText: (request) => Effect.mapError(ask(endpoint, settings, request), failed("generateText")),
      streamText: (request) =>
        Stream.mapError(Stream.unwrap(stream(endpoint, settings, request)), failed("streamText")),
      codecTransformer: AnthropicStructuredOutput.toCodecAnthropic
    })
    return Context.make(LanguageModel.LanguageModel, model).pipe(Context.add(Model.ModelName, options.model))
  })

const decodeParameters = Parameters.decoder(MessageRequest.ownFields)

const bodyOf = Effect
  .fnUntraced(function*(settings: MessageRequest.Settings, names: Names.Names, request: LanguageModel.ProviderOptions) {
    const maxTokens = Math.min(settings.maxTokens, (yield* MaxOutputTokens) ?? settings.maxTokens)
    const body = yield* Effect.fromResult(MessageRequest.make({ ...settings, maxTokens }, names, request))
    const { model, parameters } = settings
    ModelSpan.asked(request.span, { provider: "anthropic", model, maxTokens, parameters })
    return body
  })

const ask = Effect
  .fnUntraced(function*(
    endpoint: Endpoint.Endpoint,
    settings: MessageRequest.Settings,
    request: LanguageModel.ProviderOptions
  ) {
    const names = Names.make(request.tools)
    const answer = yield* endpoint.post(yield* bodyOf(settings, names, request))
    const parts = yield* Effect.fromResult(partsOf(answer, names))
    for (const part of parts) ModelSpan.answered(request.span, part)
    return parts
  })

const stream = Effect
  .fnUntraced(function*(
    endpoint: Endpoint.Endpoint,
    settings: MessageRequest.Settings,
    request: LanguageModel.ProviderOptions
  ) {
    const names = Names.make(request.tools)
    const body = yield* bodyOf(settings, names, request)
    const opened = yield* endpoint.open({ ...body, stream: true })
    const parts = opened._tag === "Answer"
      ? Stream.fromIterable(StreamParts.fromParts(yield* Effect.fromResult(partsOf(opened.answer, names))))
      : MessageStream.make(opened.events, {
        names,
        errorIn: (data) => judge.ofError(opened.answerOf(data)),
        unreadable: (data, problem) => judge.ofAnswer(opened.answerOf(data), problem)
      })
    return Stream.tap(parts, (part) => Effect.sync(() => ModelSpan.answered(request.span, part)))
  })

const judge = ProviderFailure.make({ provider: "anthropic" })

const partsOf = (answer: Endpoint.Answer, names: Names.Names) =>
  judge.partsOf(answer, (text) => MessageResponse.read(text, names))

const failed = (method: string) => (reason: AiError.AiErrorReason): AiError.AiError =>
  AiError.make({ module: "Anthropic", method, reason })
