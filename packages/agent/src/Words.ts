/**
 * Texts of others, made fit for a sentence.
 */
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
 * The beginning of a text that may be long.
 *
 * @category words
 * @since 0.1.0
 */
export const excerpt = (text: string): string => {
  const shown = cut(text, 300)
  return shown.length === text.length ? text : `${shown} …`
}

/**
 * An error as text, without its stack.
 *
 * @category words
 * @since 0.1.0
 */
export const textOf = (error: unknown): string =>
  error instanceof Error
    ? error.message || error.name
    : typeof error === "string"
    ? error
    : JSON.stringify(error) ?? "?"

/**
 * Why a value does not fit its schema, on one line.
 *
 * @category words
 * @since 0.1.0
 */
export const inWords = (cause: Cause.Cause<unknown>): string => {
  const found = Cause.squash(cause)
  return (found instanceof Error ? found.message : String(found)).replace(/\n\s+/g, " ").replaceAll("\n", "; ")
}
