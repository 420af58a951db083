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

/** Puts the names in; not by recursion, as there may be more levels than the stack has room for. */
const named = (json: Schema.Json, names: ReadonlyMap<string, string>): Schema.Json => {
  const left = [json]
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value !== "object" || value === null) continue
    for (const inner of Object.values(value)) left.push(inner)
    if (Object.keys(value).some((name) => names.has(name))) rename(value, names)
  }
  return json
}

/** All members anew, so that they keep their order; not by assignment, to which `__proto__` would mean something. */
const rename = (value: object, names: ReadonlyMap<string, string>): void => {
  const members = Object.entries(value)
  for (const [name] of members) Reflect.deleteProperty(value, name)
  for (const [name, inner] of members) {
    const descriptor = { value: inner, writable: true, enumerable: true, configurable: true }
    Object.defineProperty(value, names.get(name) ?? name, descriptor)
  }
}

/** Whether this engine is one that reads such names wrongly. */
const isWrong = ((): boolean => {
  JSON.parse("{\"durable-agents\":1,\"\\\\\":1}")
  return !Object.hasOwn(JSON.parse("{\"durable-agents\":1,\"\\n\":1}"), "\n")
})()
