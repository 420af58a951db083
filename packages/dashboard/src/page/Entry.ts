/**
 * What a timeline is made of, and what an event changes of it.
 */
import type { recordedOf } from "@durable-agents/server/Api"
import type { Result, Schema } from "effect"

export type Recorded = Result.Result.Success<ReturnType<typeof recordedOf>>

export type Event = Recorded["event"]

export type EventOf<Tag extends Event["_tag"]> = Extract<Event, { readonly _tag: Tag }>

type Json = Schema.Json

/** One line of what happened within an entry. */
export interface Line {
  readonly at: number
  readonly tone: Tone
  readonly text: string
  readonly value?: Json | undefined
  /** The value stands elsewhere too: it is opened on demand. */
  readonly folded?: boolean | undefined
}

/** How something is to be taken. */
export type Tone = "plain" | "good" | "bad" | "wait" | "care"

export interface Entry {
  /** Unique within the log. */
  readonly id: string
  readonly at: number
  /** The first and the last event that it is made of. */
  readonly from: number
  readonly to: number
  readonly kind: "run" | "model" | "tool" | "step" | "approval" | "guardrail" | "wait" | "person"
  readonly title: string
  readonly tone: Tone
  /** In a word: how it stands. */
  readonly state: string
  readonly facts: ReadonlyArray<readonly [name: string, value: string]>
  /** What went in, such as arguments. */
  readonly input?: Json | undefined
  /** What came out, which stands in a line as well. */
  readonly output?: Json | undefined
  readonly turn?: number | undefined
  readonly tool?: string | undefined
  /** What the outside world can find this by. */
  readonly idempotencyKey?: string | undefined
  /** What a guardrail said. */
  readonly verdict?: EventOf<"GuardrailTriggered"> | undefined
  readonly lines: ReadonlyArray<Line>
}

/** What becomes of the entry with this id, which begins with it if there is none, unless there has to be one. */
export type Change = Partial<Omit<Entry, "at" | "from" | "to">> & Pick<Entry, "id"> & { readonly ifThere?: boolean }

/** A line at the time of an event. */
export type MakeLine = (text: string, tone?: Tone, value?: Json, folded?: boolean) => Line

/** The facts that are known. */
export const facts = (all: Readonly<Record<string, string | undefined>>): Entry["facts"] =>
  Object.entries(all).flatMap(([name, value]) => value === undefined ? [] : [[name, value] as const])
