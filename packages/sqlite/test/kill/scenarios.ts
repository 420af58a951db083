import { Approval, CurrentStep, Program, Step, Timer } from "@durable-agents/core"
import { Effect, Schedule, Schema } from "effect"
import { killSelf } from "./KillingStore.ts"
import type { Ledger } from "./Ledger.ts"

/** What a child process is to do, and when it is to die. */
export interface Orders {
  readonly file: string
  readonly ledger: string
  readonly scenario: string
  /** Executes this run; without it, works as a daemon until it is told to stop. */
  readonly runId?: string
  /** Dies when it writes this event. */
  readonly atSeq?: number
  readonly when?: "before" | "after"
  /** Dies after the effect of this name and before its record. */
  readonly inGapOf?: string
  readonly concurrency?: number
}

const Text = { output: Schema.String, error: Schema.String }

export interface Scenario {
  readonly program: Program.Program<string, string, string>
  readonly handler: (
    ledger: Ledger,
    orders: Orders
  ) => Parameters<Program.Program<string, string, string>["toLayer"]>[0]
  /** The effects of an undisturbed run. */
  readonly effects: ReadonlyArray<string>
}

const act = (ledger: Ledger, orders: Orders, name: string) =>
  ledger.act(name).pipe(
    Effect.tap(() => Effect.sync(() => orders.inGapOf === name ? killSelf() : undefined)),
    Effect.tap(() => Effect.yieldNow)
  )

const programOf = (name: string) =>
  Program.make(name, { input: Schema.String, output: Schema.String, error: Schema.String })

/** Three steps in a row, one of which is refused twice before it goes through. */
const sequence: Scenario = {
  program: programOf("sequence"),
  effects: ["charge", "ship", "thank"],
  handler: (ledger, orders) =>
    Effect.fn(function*() {
      yield* act(ledger, orders, "charge").pipe(Step.run("charge", Text))
      yield* Effect.flatMap(
        CurrentStep,
        ({ attempt }) => attempt < 3 ? Effect.fail("the carrier is busy") : act(ledger, orders, "ship")
      ).pipe(Step.run("ship", { ...Text, retry: Schedule.spaced("20 millis") }))
      return yield* act(ledger, orders, "thank").pipe(Step.run("thank", Text))
    })
}

/** Three steps side by side, then one more. */
const parallel: Scenario = {
  program: programOf("parallel"),
  effects: ["east", "north", "sum", "west"],
  handler: (ledger, orders) =>
    Effect.fn(function*() {
      yield* Step.forEach(
        ["north", "east", "west"],
        { key: (name) => name, concurrency: "unbounded" },
        (name) => act(ledger, orders, name).pipe(Step.run("visit", Text))
      )
      return yield* act(ledger, orders, "sum").pipe(Step.run("sum", Text))
    })
}

/** A step, a person, a short sleep, a step. */
const approval: Scenario = {
  program: programOf("approval"),
  effects: ["prepare", "release"],
  handler: (ledger, orders) =>
    Effect.fn(function*() {
      yield* act(ledger, orders, "prepare").pipe(Step.run("prepare", Text))
      const decision = yield* Approval.request("may-release", { subject: "Release it?" })
      yield* Timer.sleep("breath", "30 millis")
      return decision._tag + (yield* act(ledger, orders, "release").pipe(Step.run("release", Text)))
    })
}

export const scenarios: Readonly<Record<string, Scenario>> = { sequence, parallel, approval }
