/**
 * Names and ids in the letters that the Messages API takes.
 */
import type { Tool } from "effect/ai"

/**
 * The names of the tools of one request: as their toolkit has them, and as the API does.
 *
 * @category models
 * @since 0.1.0
 */
export interface Names {
  /** The name under which the API knows a tool; other names in letters that it takes. */
  readonly sent: (name: string) => string
  /** The tool that the API means; other names as they are. */
  readonly meant: (name: string) => string
}

/**
 * Most names are sent as they are. Those that the API would refuse are changed, each into one that no other tool of the request
 * has: equal tools in the same order give equal names.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (tools: ReadonlyArray<Tool.Any>): Names => {
  const own = tools.map(({ name }): string => name)
  const sent = new Map<string, string>(own.filter((name) => valid.test(name)).map((name) => [name, name]))
  const meant = new Map(sent)
  for (const name of own) {
    if (sent.has(name)) continue
    const fitted = fit(name)
    let free = fitted
    for (let nth = 2; meant.has(free); nth++) free = `${fitted}_${nth}`
    sent.set(name, free)
    meant.set(free, name)
  }
  return {
    sent: (name) => sent.get(name) ?? fit(name),
    meant: (name) => meant.get(name) ?? name
  }
}

const valid = /^[a-zA-Z0-9_-]{1,128}$/

/** Short enough for a number behind it, and for older versions of the API. */
const fit = (name: string): string =>
  valid.test(name) ? name : name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 60) || "tool"

/**
 * The id of a call in letters that the API takes. Letters that it does not take stay apart, as their numbers.
 *
 * @category getters
 * @since 0.1.0
 */
export const idOf = (id: string): string =>
  id.replace(/[^a-zA-Z0-9_-]/g, (letter) => `-${letter.charCodeAt(0).toString(16)}-`) || "call"
