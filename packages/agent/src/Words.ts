/**
 * Texts of others, made fit for a sentence.
 */
import { Payload } from "@durable-agents/core"
import { Cause } from "effect"

/**
 * The longest beginning of a text that has at most so many bytes in UTF-8; never half a character.
 *
 * @category words
 * @since 0.1.0
 */
export const cut = (text: string, maxBytes: number): string => {
  if (text.length * 3 <= maxBytes) return text
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes))
  return text.slice(0, read)
}

/**
 * A text as the log holds it, so that it is the same when it is read back.
 *
 * @category words
 * @since 0.1.0
 */
export const recordable = (text: string): string => text.replaceAll("\u0000", "\u2400").toWellFormed()

/**
 * The beginning of a text that may be long.
 *
 * @category words
 * @since 0.1.0
 */
export const excerpt = (text: string, maxBytes = 300): string => {
  const shown = cut(text, maxBytes)
  return shown.length === text.length ? text : `${shown} …`
}

/**
 * What went wrong, in words, without a stack.
 *
 * @category words
 * @since 0.1.0
 */
export const describe = (cause: Cause.Cause<unknown>): string => Payload.describe(Cause.squash(cause))

/**
 * Why a value does not fit its schema, on one line, and not every reason if there are too many.
 *
 * @category words
 * @since 0.1.0
 */
export const inWords = (cause: Cause.Cause<unknown>): string =>
  excerpt(describe(cause).replace(/\n\s+/g, " ").replaceAll("\n", "; "), 2000)
