/**
 * JSON as it was written: names that `JSON.parse` of Node 24 reads wrongly are read right.
 */
import type { Schema } from "effect"

/**
 * Reads JSON.
 *
 * **Details**
 *
 * Once the V8 of Node 24 has read an object whose next name has a backslash, it may take a name with another escaped character at that
 * place for the same one: `{"\n":1}` after `{"\\":1}` comes back with the name `\`. So what a log says of such a member would come back
 * under another name. Texts with escaped names, which are rare, are read with plain ones there, for which the right ones are put in.
 *
 * **Gotchas**
 *
 * Throws a `SyntaxError`, as `JSON.parse` does.
 *
 * @category parsing
 * @since 0.1.0
 */
export const parse = (text: string): Schema.Json => {
  if (!isWrong || !text.includes("\\") || !escapedName.test(text)) return JSON.parse(text)
  let mark = "escaped "
  while (text.includes(mark)) mark += "_"
  const names = new Map<string, string>()
  const plain = text.replaceAll(escapedNames, (name) => {
    const short = `${mark}${names.size}`
    names.set(short, JSON.parse(name))
    return `"${short}"`
  })
  return named(JSON.parse(plain), names)
}

/** A quote that begins a name stands behind a bracket, a comma or a blank; one within a text stands behind a backslash. */
const escapedName = /(?<=[{,\s])"[^"\\]*(?:\\.[^"\\]*)+"(?=\s*:)/
const escapedNames = new RegExp(escapedName, "g")

const named = (json: Schema.Json, names: ReadonlyMap<string, string>): Schema.Json => {
  if (Array.isArray(json)) return json.map((item) => named(item, names))
  if (typeof json !== "object" || json === null) return json
  const members = Object.entries(json).map(([name, value]) => [names.get(name) ?? name, named(value, names)] as const)
  // Not by assignment, which `__proto__` would mean something to.
  return Object.fromEntries(members)
}

/** Whether this engine is one that reads such names wrongly. */
const isWrong = ((): boolean => {
  JSON.parse("{\"durable-agents\":1,\"\\\\\":1}")
  return !Object.hasOwn(JSON.parse("{\"durable-agents\":1,\"\\n\":1}"), "\n")
})()
