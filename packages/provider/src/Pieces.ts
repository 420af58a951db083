/**
 * A body as text, piece by piece: up to a bound, and with a limit on silence.
 */
import { Clock, Duration, Effect, Pull, type Scope, Stream } from "effect"
import type { AiError } from "effect/ai"
import type { HttpClientError, HttpClientResponse } from "effect/http"

/**
 * @category models
 * @since 0.1.0
 */
export interface Pieces {
  /** The next piece, never empty; undefined after the last one. Bytes that are no UTF-8 are replaced. */
  readonly next: Effect.Effect<string | undefined, AiError.AiErrorReason>
  /** Whether nothing was left out so far: what is beyond the bound is not read. */
  readonly whole: () => boolean
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly maxBytes: number
  /** How long a piece may take. */
  readonly idle: Duration.Duration
  /** When all must be over, on the monotonic clock in nanoseconds. */
  readonly deadline: bigint | undefined
  /** A piece did not come in time; `within` is the limit that was reached. */
  readonly onSilence: (limit: "idle" | "deadline") => AiError.AiErrorReason
  /** What becomes of a body that ends too early: nothing if it is to end there. */
  readonly onTorn: (error: HttpClientError.HttpClientError) => AiError.AiErrorReason | undefined
}

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  response: HttpClientResponse.HttpClientResponse,
  { deadline, idle, maxBytes, onSilence, onTorn }: Options
): Effect.Effect<Pieces, never, Scope.Scope> =>
  Effect.gen(function*() {
    const pull = yield* Stream.toPull(response.stream)
    const decoder = new TextDecoder()
    let bytes = 0
    let ended = false
    const end = (): string | undefined => {
      ended = true
      const rest = decoder.decode()
      return rest === "" ? undefined : rest
    }
    const take = (chunks: ReadonlyArray<Uint8Array>): string => {
      let text = ""
      for (const chunk of chunks) {
        bytes += chunk.length
        if (bytes > maxBytes) return text
        text += decoder.decode(chunk, { stream: true })
      }
      return text
    }
    const read: Effect.Effect<string | undefined, AiError.AiErrorReason> = Pull.matchEffect(pull, {
      onSuccess: (chunks) => {
        const text = take(chunks)
        return text === "" && bytes <= maxBytes ? read : Effect.succeed(text === "" ? end() : text)
      },
      onFailure: (cause) =>
        Effect.catch(
          Effect.failCause(cause),
          (error) => {
            const torn = error.reason._tag === "EmptyBodyError" ? undefined : onTorn(error)
            return torn === undefined ? Effect.sync(end) : Effect.fail(torn)
          }
        ),
      onDone: () => Effect.sync(end)
    })
    return {
      next: Effect.suspend(() => {
        if (ended) return Effect.undefined
        return bytes > maxBytes ? Effect.sync(end) : within(read)
      }),
      whole: () => bytes <= maxBytes
    }

    function within<A>(effect: Effect.Effect<A, AiError.AiErrorReason>): Effect.Effect<A, AiError.AiErrorReason> {
      if (deadline === undefined && !Duration.isFinite(idle)) return effect
      return Effect.flatMap(Clock.Clock, (clock) => {
        const left = deadline === undefined
          ? Duration.infinity
          : Duration.nanos(max(deadline - clock.monotonicTimeNanosUnsafe(), 0n))
        const limit = Duration.isLessThan(left, idle) ? "deadline" : "idle"
        return Effect.timeoutOrElse(effect, {
          duration: Duration.min(left, idle),
          orElse: () => Effect.fail(onSilence(limit))
        })
      })
    }
  })

const max = (one: bigint, other: bigint): bigint => one > other ? one : other
