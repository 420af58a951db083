/**
 * What every model over HTTP lets its user say of a request, and where the endpoint is.
 */
import { Config, Duration, Effect, Option, type Result, type Schema } from "effect"
import type * as Endpoint from "./Endpoint.ts"
import type * as Secrets from "./Secrets.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface RequestOptions {
  /** Further headers, which replace those of equal names. Redacted values are kept out of errors and traces. */
  readonly headers?: Secrets.Headers | undefined
  /** How long one request may take, from the first byte sent to the last received. Default 10 minutes. */
  readonly timeout?: Duration.Input | undefined
  /** How long the endpoint may take until it begins to answer; without a stream, models begin when they are done. Default `timeout`. */
  readonly firstByteTimeout?: Duration.Input | undefined
  /** How long an answer that has begun may be silent, streamed or not. Default 5 minutes, 2 where the API sends signs of life. */
  readonly idleTimeout?: Duration.Input | undefined
  /** The size of an answer that is still read, in bytes without compression. Default 8 MiB. */
  readonly maxResponseBytes?: number | undefined
}

/**
 * The bounds of a request, with what holds where nothing is said; `silence` is how long an answer of this API may be silent.
 *
 * @category constructors
 * @since 0.1.0
 */
export const bounds = (
  { firstByteTimeout, idleTimeout, maxResponseBytes = 8 * 1024 * 1024, timeout = "10 minutes" }: RequestOptions,
  silence: Duration.Input = "5 minutes"
): Pick<Endpoint.Options, "timeout" | "firstByteTimeout" | "idleTimeout" | "maxResponseBytes"> => ({
  timeout: Duration.fromInputUnsafe(timeout),
  firstByteTimeout: firstByteTimeout === undefined ? undefined : Duration.fromInputUnsafe(firstByteTimeout),
  idleTimeout: Duration.fromInputUnsafe(idleTimeout ?? silence),
  maxResponseBytes
})

/**
 * A base URL that a variable of the environment names; `otherwise` where it is missing or blank.
 *
 * @category config
 * @since 0.1.0
 */
export const baseUrl = (variable: string, otherwise: string): Config.Config<string> =>
  Config.map(
    Config.option(Config.String(variable)),
    (given) => Option.getOrElse(Option.filter(given, (base) => base.trim() !== ""), () => otherwise)
  )

/**
 * The URL that requests go to, read from a base URL of the configuration.
 *
 * @category config
 * @since 0.1.0
 */
export const url = (
  base: Config.Config<string | URL>,
  urlOf: (base: string | URL) => Result.Result<URL, Schema.SchemaError>
): Config.Config<URL> =>
  Config.mapEffect(
    base,
    (given) => Effect.mapError(Effect.fromResult(urlOf(given)), (error) => new Config.ConfigError(error))
  )
