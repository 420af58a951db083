/**
 * Digests: SHA-256, canonical JSON, idempotency keys and derived run ids.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import type { Schema } from "effect"
import type { RunId, Seq } from "./Ids.ts"
import { uuid } from "./Ids.ts"

/**
 * Hex SHA-256 of the UTF-8 bytes of a text.
 *
 * @category digests
 * @since 0.1.0
 */
export const sha256Hex = (text: string): string => bytesToHex(sha256Of(text))

/** The hash of a text, good until the next one is asked for: a hasher costs as much as hashing a short text, so there is one. */
const sha256Of = (text: string): Uint8Array => {
  fresh._cloneInto(hasher).update(utf8(text)).digestInto(hash)
  return hash
}

const fresh = sha256.create()
const hasher = sha256.create()
const hash = new Uint8Array(32)

/** The bytes of a text, for as long as no other text is asked for: most are short and written to the same place. */
const utf8 = (text: string): Uint8Array =>
  text.length * 3 <= place.length ? place.subarray(0, encoder.encodeInto(text, place).written) : encoder.encode(text)

const encoder = new TextEncoder()
const place = new Uint8Array(8192)

/**
 * The digest under which a prompt, an input or a tool set is recorded: `sha256:` and 64 hex digits.
 *
 * @category digests
 * @since 0.1.0
 */
export const digest = (text: string): string => `sha256:${sha256Hex(text)}`

const byCodePoint = (left: string, right: string): number => {
  // Only surrogates have another order as UTF-16 units.
  if (!surrogate.test(left) && !surrogate.test(right)) return left < right ? -1 : left > right ? 1 : 0
  const a = Array.from(left)
  const b = Array.from(right)
  for (let i = 0; i < a.length && i < b.length; i++) {
    const difference = (a[i]?.codePointAt(0) ?? 0) - (b[i]?.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** What JSON writes as it is. */
const plain = /^[ !#-[\]-~]*$/

const surrogate = /[\ud800-\udfff]/

const asciiString = (text: string): string =>
  plain.test(text) ? `"${text}"` : JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** An object or a list whose end has not come yet. */
interface Open {
  readonly items: Array<string>
  /** The written members of an object by key; absent for a list. */
  readonly members: Map<string, string> | undefined
  /** The key whose value comes next. */
  key: string | undefined
}

const close = ({ items, members }: Open): string =>
  members === undefined
    ? `[${items.join(",")}]`
    : `{${Array.from(members.keys()).sort(byCodePoint).map((key) => members.get(key)).join(",")}}`

const endOfString = (json: string, start: number): number => {
  let at = start
  while (true) {
    at = json.indexOf("\"", at + 1)
    if (at === -1) return json.length
    let escapes = 0
    while (json[at - 1 - escapes] === "\\") escapes++
    if (escapes % 2 === 0) return at + 1
  }
}

/**
 * Rewrites JSON text so that equal values have equal text: keys sorted by code point at every level, no white space,
 * all but printable ASCII as lower-case `\uXXXX`. Numbers keep the form in which they were written, so `1.0` stays `1.0`.
 * However large or deep the text is, nothing of it is on the stack.
 *
 * **Gotchas**
 *
 * The text must be valid JSON. Of equal keys in one object the last counts.
 *
 * @category digests
 * @since 0.1.0
 */
export const canonicalJson = (json: string): string => {
  const open: Array<Open> = []
  const literal = /[^\s{}[\],:"]+/y
  let written = ""
  const put = (text: string): void => {
    const around = open.at(-1)
    if (around === undefined) written = text
    else if (around.members === undefined) around.items.push(text)
    else if (around.key !== undefined) {
      around.members.set(around.key, `${asciiString(around.key)}:${text}`)
      around.key = undefined
    }
  }
  let at = 0
  while (at < json.length) {
    const unit = json[at]
    if (unit === "{") open.push({ items: [], members: new Map(), key: undefined })
    else if (unit === "[") open.push({ items: [], members: undefined, key: undefined })
    else if (unit === "}" || unit === "]") {
      const ended = open.pop()
      if (ended !== undefined) put(close(ended))
    } else if (unit === "\"") {
      const end = endOfString(json, at)
      const text: string = JSON.parse(json.slice(at, end))
      const around = open.at(-1)
      if (around?.members !== undefined && around.key === undefined) around.key = text
      else put(asciiString(text))
      at = end
      continue
    } else {
      literal.lastIndex = at
      const found = literal.exec(json)
      if (found !== null) {
        put(found[0])
        at = literal.lastIndex
        continue
      }
    }
    at += 1
  }
  return written
}

/**
 * What a step passes for arguments.
 *
 * @category digests
 * @since 0.1.0
 */
export const noArguments: Schema.Json = {}

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
  sha256Hex(`${runId}:${seq}:${name}:${args === noArguments ? "{}" : canonicalJson(JSON.stringify(args))}`)

/**
 * The id of the run with this start key: the same three names give the same id everywhere. Without a program (`null`), the key
 * is one that all programs of the namespace share.
 *
 * @category digests
 * @since 0.1.0
 */
export const derivedRunId = (namespace: string, program: string | null, startKey: string): RunId =>
  uuid(sha256Of(JSON.stringify([namespace, program, startKey])), 8)
