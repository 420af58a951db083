/**
 * Sentences that instruct a model, and sentences that only look alike. Written for this project, so that the detector learns forms and
 * not the examples of one corpus.
 */
import type { Chance } from "./Chance.ts"
import { goals } from "./grammar/Goals.ts"
import { injections } from "./grammar/Injections.ts"
import { ordinary } from "./grammar/Ordinary.ts"
import { payloads } from "./grammar/Payloads.ts"
import { requests } from "./grammar/Requests.ts"
import * as Sentences from "./grammar/Sentences.ts"
import { things } from "./grammar/Things.ts"
import { tongues } from "./grammar/Tongues.ts"

export interface Grammar {
  /** A sentence that instructs a model. */
  readonly attack: () => string
  /** A request that would be nothing in the mouth of a person. */
  readonly request: () => string
  /** What a person may say to an agent to make it drop its rules or say its secrets. */
  readonly goal: () => string
  /** An ordinary sentence with the words of the others. */
  readonly hard: () => string
  /** An ordinary goal with the words of the others. */
  readonly hardGoal: () => string
  /** An ordinary sentence in another language. */
  readonly foreign: () => string
  /** Arguments of a call that carry a payload. */
  readonly payload: () => string
  /** Arguments of a call that look technical. */
  readonly call: () => string
}

export const make = (chance: Chance): Grammar => {
  const { next, pick } = chance
  const say = Sentences.make({ ...things, ...requests, ...injections, ...goals, ...payloads, ...ordinary }, chance)
  const cased = (text: string): string => next() < 0.06 ? text.toUpperCase() : next() < 0.06 ? text.toLowerCase() : text
  /** All of it in one language, or half of it in another. */
  const abroad = (): string => {
    const tongue = pick(tongues)
    const other = next() < 0.25 ? pick(tongues) : tongue
    const overrule = () => next() < 0.2 ? Sentences.capital(say("‹overrule›")) : say(pick(tongue.overrule))
    const ask = () => next() < 0.15 ? say("‹request›") : say(pick(other.ask))
    const form = next()
    if (form < 0.3) return ask()
    if (form < 0.75) return `${overrule()}${pick([". ", ": ", "\n", " - ", "! "])}${ask()}${pick([".", "", "!"])}`
    return `${pick(["IMPORTANT: ", "*** ", "[system] ", "<system> ", "TODO: ", ""])}${overrule()}. ${ask()}. ${ask()}.`
  }
  const plain = (): string => say(pick(pick(tongues).plain))
  const attack = (): string => cased(next() < 0.15 ? abroad() : say("‹attack›"))
  const argumentsOf = (value: () => string): string => {
    const members: Record<string, string | number> = { [say("‹argument›")]: value() }
    if (next() < 0.25) members[say("‹argument›")] = next() < 0.5 ? say("‹word›") : chance.below(500)
    return JSON.stringify(members)
  }
  return {
    attack,
    request: () => say("‹request›"),
    goal: () => cased(next() < 0.15 ? abroad() : say("‹plot›")),
    hard: () => say("‹hard›"),
    hardGoal: () => next() < 0.15 ? plain() : say("‹goalHard›"),
    foreign: () => plain(),
    payload: () => argumentsOf(() => say("‹payload›")),
    call: () => argumentsOf(() => next() < 0.1 ? plain() : say("‹plainValue›"))
  }
}
