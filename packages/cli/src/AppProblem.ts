/**
 * What is wrong with a module that was to be an app, in words and with its place.
 */
import { Program } from "@durable-agents/core"
import { Layer, Option, Predicate, Schema } from "effect"
import { relative } from "node:path"
import { fileURLToPath } from "node:url"

const isSchema: (value: unknown) => value is Schema.Top = Schema.isSchema

const isDefinition = Schema.is(Schema.Struct({
  name: Program.Name,
  version: Schema.String,
  input: Schema.declare(isSchema),
  description: Schema.Struct({})
}))

/**
 * Why a value is no app; nothing if it is one.
 *
 * @category checks
 * @since 0.1.0
 */
export const ofApp = (found: unknown): string | undefined => {
  if (!Predicate.isObject(found)) {
    return "its `app` is not an object with `programs` and `layer`: give these to App.make"
  }
  const { layer, programs, settings } = found as Readonly<Record<string, unknown>>
  if (!Array.isArray(programs)) {
    return programs === undefined
      ? "its `app` has no `programs`: list what Agent.make and Program.make returned"
      : "the `programs` of its `app` are not a list"
  }
  const odd = programs.findIndex((program) => !isDefinition(program))
  if (odd >= 0) {
    return `\`programs[${odd}]\` of its \`app\` is not a program: list what Agent.make and Program.make returned`
  }
  if (layer === undefined) return "its `app` has no `layer`: give the layer that registers its programs"
  if (!Layer.isLayer(layer)) return "the `layer` of its `app` is not a Layer"
  return settings === undefined || Layer.isLayer(settings) ? undefined : "the `settings` of its `app` are not a Layer"
}

/**
 * An error of a module on one line: what it says, and where. `href` is the module's own address.
 *
 * @category words
 * @since 0.1.0
 */
export const ofError = (found: unknown, href: string): string => {
  if (!(found instanceof Error)) return String(found)
  const said = `${found.name}: ${found.message}`
  const place = placeOf(found, href)
  return place === undefined || said.includes(place.path)
    ? said
    : `${relative(process.cwd(), place.path)}:${place.position}: ${said}`
}

interface Place {
  readonly path: string
  /** Line, and column where it is known. */
  readonly position: string
}

/** The innermost place in the app's own folder. Of what cannot be parsed, Node writes the place above the stack. */
const placeOf = ({ name, stack = "" }: Error, href: string): Place | undefined => {
  const lines = stack.split("\n")
  const head = name === "SyntaxError" ? Option.fromNullishOr(/^(.+):(\d+)$/.exec(lines[0] ?? "")) : Option.none()
  if (Option.isSome(head)) {
    const [, at = "", line = ""] = head.value
    const caret = lines.slice(1, 4).findIndex((text) => /^\s*\^+\s*$/.test(text))
    const column = caret < 0 ? "" : `:${(lines[caret + 1] ?? "").indexOf("^") + 1}`
    return { path: pathOf(at), position: `${line}${column}` }
  }
  const folder = href.slice(0, href.lastIndexOf("/") + 1)
  for (const line of lines) {
    const [, at = "", position = ""] = /^\s+at .*?(file:\/\/[^\s()]+?):(\d+:\d+)\)?$/.exec(line) ?? []
    if (at.startsWith(folder) && folder !== "" && !at.includes("/node_modules/")) return { path: pathOf(at), position }
  }
  return undefined
}

const pathOf = (at: string): string => at.startsWith("file://") ? fileURLToPath(at) : at
