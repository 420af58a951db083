/**
 * Looks for inputs that take long: units that are repeated, the worst of them combined and searched from there.
 */
import { Detector, LearnedSignal, PersonalData } from "@durable-agents/guardrails"
import * as Chances from "../training/Chance.ts"

export interface Slow {
  readonly unit: string
  readonly microsecondsPerKilobyte: number
  /** The time of twice as much, divided by that of as much. */
  readonly doubling: number
}

/** What inputs are made of. */
export const units: ReadonlyArray<string> = [
  "a",
  "A",
  "1",
  " ",
  "a ",
  "1 ",
  "@",
  "a@",
  "a@a.",
  ":",
  "a:",
  "a:b@",
  "4242 ",
  "4242424242424242 ",
  "-",
  "-----BEGIN PRIVATE KEY-----",
  "sk-",
  "+1",
  "+41 44 668 18 00 ",
  "601 12 34 56 ",
  "DE89",
  "DE89370400440532013001 ",
  "password=",
  "token: ",
  "://a:",
  "ey",
  "eyJhbGciOi.",
  "Bearer ",
  "1.1.1.1",
  "2001:db8::1 ",
  "1:1:",
  "%41",
  "%",
  "\\u0041",
  "\\",
  "QUJDREVGR0hJSktMTU5PUFFSU1RVVldY",
  "616263646566",
  "a b c d e f g h ",
  "\u200b",
  "\ud835\udc00",
  "gur naq lbh ",
  "eht dna uoy ",
  "h3ll0 ",
  "3",
  "[EMAIL_12345678]",
  "(1) ",
  "\"key\": \"v\", ",
  "é",
  "漢",
  "a\u0301",
  "555-123-4567\n",
  "0044 20 7946 0958, ",
  "+1 415 555 01 ",
  "Phone: 1",
  "fe80:1:",
  "1.",
  "AKIA",
  "ghp_a",
  "acme_live_",
  "api_key=a ",
  "secret=\"",
  "\\n-----END ",
  "user:pass@",
  "[CARD_1234"
]

export const judge = (text: string): void => {
  Detector.scored(LearnedSignal.modelOf("tool_result"), text)
  PersonalData.find(text)
}

const timeOf = (text: string): number => {
  const begun = process.cpuUsage()
  judge(text)
  // The sum is exact; how it is shared between the two is guessed by many kernels.
  const { system, user } = process.cpuUsage(begun)
  return user + system
}

const least = (unit: string, length: number, times: number): number => {
  const text = unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
  return Math.min(...Array.from({ length: times }, () => timeOf(text)))
}

/** The slowest inputs that were found, the slowest first. */
export const search = (length: number, rounds: number): ReadonlyArray<Slow> => {
  for (const unit of units) least(unit, 4096, 2)
  const chance = Chances.make(31)
  const known = new Map(units.map((unit) => [unit, least(unit, length, 2)]))
  for (let round = 0; round < rounds; round++) {
    const worst = Array.from(known).sort(([, a], [, b]) => b - a).slice(0, 12).map(([unit]) => unit)
    const unit = `${chance.pick(worst)}${chance.pick(chance.next() < 0.5 ? worst : units)}`
    known.set(unit, least(unit, length, 2))
  }
  // Once more, now that all code is compiled: the first rounds of a search are slower than any input.
  return Array.from(known, ([unit, time]) => ({
    unit,
    microsecondsPerKilobyte: Math.min(time, least(unit, length, 4)) / (length / 1024),
    doubling: least(unit, 2 * length, 4) / Math.max(1, least(unit, length, 4))
  })).sort((a, b) => b.microsecondsPerKilobyte - a.microsecondsPerKilobyte)
}
