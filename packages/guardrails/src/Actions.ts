/**
 * What a call does, in verbs and things: whether a request asks for it, and whether a passage tells its reader to do it.
 */
import { Digest } from "@durable-agents/core"
import * as Asking from "./Asking.ts"
import * as Imperatives from "./Imperatives.ts"
import * as Things from "./Things.ts"
import { families, type Family, nouns } from "./Verbs.ts"

/**
 * What a call of a tool may be asked for by.
 *
 * @category models
 * @since 0.1.0
 */
export interface Action {
  /** As English orders; empty if the name of the tool says nothing. */
  readonly english: ReadonlySet<string>
  /** Forms of other languages that order. */
  readonly others: ReadonlySet<string>
  /** Classes of the things that it is done to, and the words of the name itself. */
  readonly things: ReadonlyArray<ReadonlySet<string>>
  /** Its verbs say what it is done to, unless they are said of anything. */
  readonly isSaidByVerb: boolean
  /** The verbs that names of tools say it by: `send`, `pay`, `delete`. */
  readonly names: ReadonlySet<string>
  /** What verbs begin with that are in no family: the first word of the name, and what is made. */
  readonly stems: ReadonlyArray<string>
}

/**
 * Names the words and rules that this is read by: another one for other words, and for rules that read them in another way.
 *
 * @category getters
 * @since 0.1.0
 */
export const version: string = `1-${
  Digest.digest(JSON.stringify(
    [families, Things.classes, Asking.english, Asking.others],
    (_, value: unknown) => value instanceof Set ? [...value] : value
  )).slice("sha256:".length, "sha256:".length + 12)
}`

/**
 * Reads the name of a tool: its first verb, and what it is done to. Where that verb is said of anything, what is made says more:
 * `create_transfer` pays. A name that has no known verb is taken by its words.
 *
 * @category readers
 * @since 0.1.0
 */
export const of = (tool: string): Action => {
  const known = actions.get(tool)
  if (known !== undefined) return known
  const action = read(tool)
  if (actions.size < 10_000) actions.set(tool, action)
  return action
}

const actions = new Map<string, Action>()

const read = (tool: string): Action => {
  const words = tool.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z]+/).filter((word) => word !== "")
  const named = (of: "names" | "nouns") =>
    words.flatMap((word) => families.filter((one) => one[of].has(word)).slice(0, of === "names" ? 2 : 1))
  const verbal = words.filter((word) => families.some(({ names }) => names.has(word)))
  // Who sells a lock names it before the verb.
  const first = verbal.find((word) => !nouns.has(word) && word !== "lock") ?? verbal[0]
  const verbs = families.filter(({ names }) => first !== undefined && names.has(first))
  const made = named("nouns")
  const things = thingsOf(words, first)
  const own = first === undefined || (generic.has(first) && made.length > 0 && !changing.has(first)) ? made : verbs
  // `send_money` sends no message.
  const classes = new Set(things.map(([name]) => name))
  const fitting = own.filter(({ says }) =>
    says.length === 0 || classes.size === 0 || says.some((one) => classes.has(one))
  )
  const chosen = fitting.length > 0 ? [...fitting, ...(first === "send" ? made : [])] : made.length > 0 ? made : own
  const unknown = chosen.length === 0
  return {
    english: unknown
      ? new Set(words.filter((word) => word.length > 3))
      : new Set([...union(chosen, "english"), ...(first === undefined || generic.has(first) ? [] : [first])]),
    others: union(chosen, "others"),
    names: union(chosen, "names"),
    stems: stemsOf(words, first),
    things: things.map(([, words]) => words),
    isSaidByVerb: unknown || chosen.some(({ says }) => says.length > 0) || things.length === 0
  }
}

const stemsOf = (words: ReadonlyArray<string>, verb: string | undefined): ReadonlyArray<string> => {
  const [first = ""] = words
  const made = verb === undefined || generic.has(verb) ? words.filter((word) => word.length >= 8) : []
  const unknown = verb === undefined ||
    (first !== verb && !isThing(first) && !families.some(({ names }) => names.has(first)))
  return Array.from(new Set([...(unknown ? [first] : []), ...made.filter((word) => !isThing(word))]))
    .filter((word) => word.length >= 5)
    .map((word) => word.slice(0, Math.max(5, Math.ceil(word.length * 0.55))))
}

const isThing = (word: string): boolean => Object.values(Things.classes).some((all) => all.has(word))

const thingsOf = (
  words: ReadonlyArray<string>,
  verb: string | undefined
): ReadonlyArray<readonly [string, ReadonlySet<string>]> =>
  words.filter((word) => word !== verb).flatMap((word): ReadonlyArray<readonly [string, ReadonlySet<string>]> => {
    const classes = Object.entries(Things.classes).filter(([, all]) => all.has(word))
    return classes.length > 0 ? classes : word.length > 3 ? [[word, new Set([word])]] : []
  })

const union = (all: ReadonlyArray<Family>, of: "english" | "others" | "names"): ReadonlySet<string> =>
  new Set(all.flatMap((one) => [...one[of]]))

/** Said of anything. */
const generic =
  new Set("make do add get set put give create send update check take write let move change open use return issue perform process new start run enter go see load find view show store build file schedule plan"
    .split(" "))

/** What these change is there already. */
const changing = new Set("update set change move open put get".split(" "))

/**
 * How much a request speaks of doing what a call does: `yes`, with a verb for it and the things it is done to; `half`, with one of
 * both; `no`.
 *
 * @category readers
 * @since 0.1.0
 */
export const askedFor = (action: Action, request: string): "yes" | "half" | "no" => {
  // Whose name says nothing may be asked for by anything.
  if (action.english.size === 0) return "yes"
  let verb = false
  let special = false
  let thing = false
  for (const { 0: word, index } of request.matchAll(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)) {
    const lower = word.toLowerCase()
    thing ||= action.things.some((all) => names(all, lower))
    const english = formsOf(lower).find((form) => action.english.has(form))
    if (english === undefined && !action.others.has(lower)) continue
    // A mail is no verb, but "mail me" is.
    if (
      english !== undefined && nouns.has(english) &&
      (english !== lower || !Imperatives.begins(request, index))
    ) continue
    if (lower === "make" && /^\s+sure\b/i.test(request.slice(index + 4, index + 12))) continue
    verb = true
    special ||= english === undefined || !generic.has(english) ||
      (english === "write" &&
        /^\s+(?:to|him|her|them|me|us|back)\b/i.test(request.slice(index + word.length, index + word.length + 12)))
  }
  if (verb && (thing || (special && action.isSaidByVerb))) return "yes"
  return verb || thing ? "half" : "no"
}

const names = (all: ReadonlySet<string>, word: string): boolean => {
  if (all.has(word) || all.has(word.replace(/(?:['’]s|s)$/, ""))) return true
  if (word.length < 8) return false
  for (const one of all) if (one.length > 4 && (word.startsWith(one) || word.endsWith(one))) return true
  return false
}

/** A word and what it may be a form of. */
const formsOf = (word: string): ReadonlyArray<string> => {
  const known = irregular.get(word)
  if (known !== undefined) return [word, known]
  const stem = /^(.{2,}?)(?:(.)\2)?(?:ing|ed|es|s|d)$/.exec(word)
  if (stem === null) return [word]
  const [, start = "", double = ""] = stem
  const bare = start + double
  return [
    word,
    word.replace(/(?:ing|ed|es|s|d)$/, ""),
    word.replace(/(?:s|d)$/, ""),
    bare,
    `${bare}e`,
    word.replace(/(?:ing|ed)$/, "e"),
    word.replace(/ied$|ies$/, "y")
  ]
}

const irregular = new Map(Imperatives.irregular)

/**
 * The classes of things that a text or the name of a tool speaks of; of an address in it, that it is one.
 *
 * @category readers
 * @since 0.1.0
 */
export const classesOf = (text: string): ReadonlyArray<string> => {
  const words = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase().split(/[^\p{L}\p{N}'’-]+/u)
  return [
    ...Object.entries(Things.classes).flatMap(([name, all]) => words.some((word) => names(all, word)) ? [name] : []),
    ...(/:\/\/|www\./.test(text) ? ["web"] : [])
  ]
}

/**
 * Whether a call is done to things of a class.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isOf = ({ things }: Action, name: string): boolean => things.some((all) => all === Things.classes[name])

/**
 * Whether a text names what a call is done to.
 *
 * @category predicates
 * @since 0.1.0
 */
export const namesThing = (action: Action, text: string): boolean =>
  (text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? []).some((word) =>
    action.things.some((all) => names(all, word))
  )
