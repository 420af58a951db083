/**
 * Digests: SHA-256, canonical JSON, idempotency keys and derived run ids.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type { Schema } from "effect"
import type { RunId, Seq } from "./Ids.ts"
import { uuid } from "./Ids.ts"

/**
 * Hex SHA-256 of the UTF-8 bytes of a text.
 *
 * @category digests
 * @since 0.1.0
 */
export const sha256Hex = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)))

/**
 * The digest under which a prompt, an input or a tool set is recorded: `sha256:` and 64 hex digits.
 *
 * @category digests
 * @since 0.1.0
 */
export const digest = (text: string): string => `sha256:${sha256Hex(text)}`

const byCodePoint = (left: string, right: string): number => {
  const a = Array.from(left)
  const b = Array.from(right)
  for (let i = 0; i < a.length && i < b.length; i++) {
    const difference = (a[i]?.codePointAt(0) ?? 0) - (b[i]?.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

const asciiString = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

const token = /\s*(?:([{}[\],:])|("(?:[^"\\]|\\.)*")|([^\s{}[\],:"]+))/gy

/**
 * Rewrites JSON text so that equal values have equal text: keys sorted by code point at every level, no white space,
 * non-ASCII as lower-case `\uXXXX`. Numbers keep the form in which they were written, so `1.0` stays `1.0`.
 *
 * **Gotchas**
 *
 * The text must be valid JSON. Of equal keys in one object the last counts.
 *
 * @category digests
 * @since 0.1.0
 */
export const canonicalJson = (json: string): string => {
  const tokens = Array.from(
    json.matchAll(token),
    ([, punctuation, text, literal]) =>
      punctuation ?? (text === undefined ? literal ?? "" : asciiString(JSON.parse(text)))
  )
  let at = 0
  const value = (): string => {
    const first = tokens[at++] ?? ""
    if (first === "{") {
      const members = new Map<string, string>()
      while (tokens[at] !== "}") {
        if (tokens[at] === ",") at++
        const key = tokens[at] ?? ""
        at += 2
        members.set(JSON.parse(key), `${key}:${value()}`)
      }
      at++
      const keys = Array.from(members.keys()).sort(byCodePoint)
      return `{${keys.map((key) => members.get(key)).join(",")}}`
    }
    if (first === "[") {
      const items: Array<string> = []
      while (tokens[at] !== "]") {
        if (tokens[at] === ",") at++
        items.push(value())
      }
      at++
      return `[${items.join(",")}]`
    }
    return first
  }
  return value()
}

/**
 * The key that every attempt of one operation shows to the outside world: hex SHA-256 of
 * `runId:seq:name:canonicalArguments`, where `seq` is the position of the operation's first request. Steps pass `{}`.
 *
 * **Details**
 *
 * The formula is that of the Python durable-agents, so that keys made there stay valid. Run ids have a fixed length, `seq`
 * is decimal and used once per run, so no two operations share a text.
 *
 * @category digests
 * @since 0.1.0
 */
export const idempotencyKey = (runId: RunId, seq: Seq, name: string, args: Schema.Json): string =>
  sha256Hex(`${runId}:${seq}:${name}:${canonicalJson(JSON.stringify(args))}`)

/**
 * The id of the run with this start key: the same three names give the same id everywhere.
 *
 * @category digests
 * @since 0.1.0
 */
export const derivedRunId = (namespace: string, program: string, startKey: string): RunId =>
  uuid(sha256(utf8ToBytes(JSON.stringify([namespace, program, startKey]))), 8)
