/**
 * Sizes beyond which something is refused at the border, or recorded as too large.
 */
import { Context } from "effect"

/**
 * @category references
 * @since 0.1.0
 */
export interface Limits {
  /** Bytes of JSON of one operation's output. */
  readonly outputBytes: number
  /** Bytes of a tool result as the model is shown it; the rest is cut, with a note. */
  readonly shownBytes: number
  /** UTF-16 units of a whole conversation with a model; an agent whose conversation is longer ends with an error. */
  readonly transcriptLength: number
  /** Bytes of JSON of one append. */
  readonly appendBytes: number
  /** UTF-16 units of a goal or another input that is text. */
  readonly goalLength: number
  /** UTF-16 units of an actor, a reason, a comment or a label. */
  readonly textLength: number
}

/**
 * 1 MiB of output, 64 KiB shown to the model, conversations of 4,000,000 characters, 4 MiB an append, goals of 100,000 and other
 * texts of 2,000 characters.
 *
 * @category references
 * @since 0.1.0
 */
export const Limits = Context.Reference<Limits>("@durable-agents/core/Limits", {
  defaultValue: () => ({
    outputBytes: 1024 * 1024,
    shownBytes: 64 * 1024,
    transcriptLength: 4_000_000,
    appendBytes: 4 * 1024 * 1024,
    goalLength: 100_000,
    textLength: 2_000
  })
})
