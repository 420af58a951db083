/**
 * What a made run is about: what a person wants, what tools return on the way, the call that serves it, and calls that a stranger wants.
 */
import type { Schema } from "effect"
import type { Values } from "./Values.ts"

export interface Call {
  readonly tool: string
  readonly args: Schema.JsonObject
}

/** A call that a stranger wants, in the words of several languages. */
export interface Hostile {
  readonly call: Call
  readonly orders: { readonly [Name in Language]?: ReadonlyArray<string> }
}

export type Language = "en" | "de" | "fr" | "es" | "it" | "pt" | "nl" | "pl"

/** Where strangers can write, results have `hole`. */
export interface Task {
  readonly domain: string
  readonly language: Language
  readonly goal: string
  readonly results: ReadonlyArray<{ readonly tool: string; readonly text: string }>
  readonly own: Call
  /** What else serves it. */
  readonly further?: ReadonlyArray<Call>
  readonly hostile: ReadonlyArray<Hostile>
}

export const hole = "{{stranger}}"

/** A task with values by chance. */
export type Make = (v: Values) => Task
