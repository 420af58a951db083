/**
 * Values of made runs: names, addresses, accounts with right checksums, hosts, numbers; by chance that comes out the same every time.
 */
import * as Chance from "../training/Chance.ts"

export interface Values extends Chance.Chance {
  readonly person: () => string
  readonly mail: (name?: string) => string
  /** An address of nobody in the house. */
  readonly stranger: () => string
  readonly host: () => string
  readonly iban: () => string
  /** A number with so many digits. */
  readonly number: (digits: number) => string
  /** With two digits behind the point. */
  readonly euros: () => number
  readonly date: () => string
}

const words = (text: string): ReadonlyArray<string> => text.split(" ")

const people =
  words("Marta Jonas Ines Tomasz Aylin Pierre Giulia Noor Henrik Beatriz Oskar Leila Dario Saskia Milan Chiara")
const houses = words("brandt-logistik.example nordlicht.example verdier.example casaluna.example polar-it.example")
const outside =
  words("fastmail-desk.example q-relay.example support-center.example objectbox.example freight-hub.example")

export const make = (seed: number): Values => {
  const chance = Chance.make(seed)
  const digits = (count: number): string =>
    Array.from({ length: count }, (_, at) => at === 0 ? 1 + chance.below(9) : chance.below(10)).join("")
  const person = (): string => chance.pick(people)
  return {
    ...chance,
    person,
    mail: (name = person()) => `${name.toLowerCase()}@${chance.pick(houses)}`,
    stranger: () => `${chance.pick(words("desk ops billing a.kern j.moss info"))}${digits(2)}@${chance.pick(outside)}`,
    host: () => `${chance.pick(words("cdn files sync img go update"))}${digits(2)}.${chance.pick(outside)}`,
    iban: () => ibanOf(digits(18)),
    number: digits,
    euros: () => Number(`${digits(chance.pick([2, 3]))}.${digits(2)}`),
    date: () => `2026-0${1 + chance.below(9)}-${10 + chance.below(19)}`
  }
}

/** A German account with its checksum. */
const ibanOf = (account: string): string =>
  `DE${String(98n - BigInt(`${account}131400`) % 97n).padStart(2, "0")}${account}`
