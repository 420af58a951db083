/**
 * What a text looks like: the port by which a detector tells the rules which passages read like instructions to a model.
 */
import { Context, Effect } from "effect"

/**
 * What kind of text is scored, which the runtime knows.
 *
 * @category models
 * @since 0.1.0
 */
export type Channel = "goal" | "tool_result" | "tool_args"

/**
 * A passage of a text, from `start` up to `end` in UTF-16 units, and how much it reads like an instruction to a model.
 *
 * @category models
 * @since 0.1.0
 */
export interface Passage {
  readonly start: number
  readonly end: number
  /** From 0 to 1; comparable between texts of one channel. */
  readonly score: number
}

/**
 * Scores texts. A signal is weak evidence: rules on origins read it, and it decides nothing alone.
 *
 * @category models
 * @since 0.1.0
 */
export interface Signal {
  /** Names what scores and its weights; recorded with every verdict that a score had a part in. */
  readonly version: string
  /** From which score on a passage is `weak` and from which it is `strong`, by channel. */
  readonly levels: Readonly<Record<Channel, { readonly weak: number; readonly strong: number }>>
  /**
   * The passages that stand out, in their order, without overlaps. The same text has the same passages, in time that grows with its
   * length; a large text is scored in pieces between which other fibers run.
   */
  readonly score: (text: string, channel: Channel) => Effect.Effect<ReadonlyArray<Passage>>
}

/**
 * The signal that rules read. Without a layer nothing stands out.
 *
 * @category references
 * @since 0.1.0
 */
export const TextSignal = Context.Reference<Signal>("@durable-agents/guardrails/TextSignal", {
  defaultValue: () => none
})

/**
 * The same signal, which scores a text once as long as it is remembered: up to so many characters of texts.
 *
 * @category combinators
 * @since 0.1.0
 */
export const remembered = (signal: Signal, characters = 4_000_000): Signal => {
  const known = new Map<string, ReadonlyArray<Passage>>()
  let size = 0
  return {
    ...signal,
    score: (text, channel) =>
      Effect.suspend(() => {
        const name = `${channel} ${text}`
        const passages = known.get(name)
        return passages === undefined
          ? Effect.tap(signal.score(text, channel), (found) =>
            Effect.sync(() => {
              known.set(name, found)
              size += name.length
              for (const oldest of known.keys()) {
                if (size <= characters || oldest === name) break
                known.delete(oldest)
                size -= oldest.length
              }
            }))
          : Effect.succeed(passages)
      })
  }
}

const never = { weak: Infinity, strong: Infinity }

/**
 * A signal that finds nothing.
 *
 * @category constructors
 * @since 0.1.0
 */
export const none: Signal = {
  version: "none",
  levels: { goal: never, tool_result: never, tool_args: never },
  score: () => Effect.succeed([])
}
