/**
 * Logs that are long, and values that are large, without an end, or turn what follows.
 */
import type { RunEvent } from "@durable-agents/core"
import { completed, markup, requested, started, turnOf } from "./scenes.ts"

type Event = RunEvent.RunEvent

/** A log of `count` events and one. */
export const long = (count: number): ReadonlyArray<Event> => [
  started({ program: "ledger", input: { entries: count / 2 } }),
  ...Array.from({ length: Math.floor(count / 2) }, (_, index): ReadonlyArray<Event> => [
    { _tag: "StepRequested", key: `entry-${index}`, attempt: 1, idempotencyKey: "k" },
    { _tag: "StepCompleted", key: `entry-${index}`, attempt: 1, output: { booked: index, text: `line ${index}` } }
  ]).flat()
]

/** A result as large as one may be, and words without an end. */
export const large: ReadonlyArray<Event> = [
  started({ program: "x".repeat(120), labels: { ["l".repeat(300)]: "v".repeat(300), "\u202elabel": "\u2066v" } }),
  ...turnOf(1, { type: "tool-call", id: "call-1", name: "read_inbox", params: {} }),
  requested(1, "read_inbox", { query: "q".repeat(5000) }),
  completed(1, "read_inbox", { rows: Array.from({ length: 9000 }, (_, row) => `${row} ${markup.slice(0, 90)}`) }),
  {
    _tag: "ApprovalRequested",
    key: "x".repeat(250),
    subject: `Delete ${"everything".repeat(200)} \u202egnihton`,
    reason: "because ".repeat(500),
    tool: "t".repeat(200),
    argumentsSchema: {
      type: "object",
      properties: {
        list: { type: "array", title: "\u202etsil", items: { type: "string" } },
        text: { type: "string", title: "\u202etxet" },
        choice: { title: "\u202eeciohc", enum: ["one", "\u202eowt"] },
        "\u202eeman": { type: "string" }
      },
      required: ["list", "text", "choice", "\u202eeman"]
    },
    arguments: {
      list: Array.from({ length: 300 }, (_, index) => `row ${index}`),
      text: "w".repeat(20_000),
      choice: "\u202eowt",
      "\u202eeman": "\u2066"
    }
  }
]
