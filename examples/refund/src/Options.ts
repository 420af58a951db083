/**
 * What the demonstration can be told on its command line.
 */
import type { RunEvent } from "@durable-agents/core"
import { Effect, Schema } from "effect"
import { parseArgs } from "node:util"

/** Something on the command line does not make sense. */
export class BadOption extends Schema.TaggedError<BadOption>()("BadOption", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

/** The events that the worker itself writes here, in their order; what a person decides is written by the process of the person. */
const written: ReadonlyArray<RunEvent.RunEvent["_tag"]> = [
  "RunStarted",
  "LLMCallRequested",
  "LLMCallFailed",
  "LLMCallCompleted",
  "ApprovalRequested",
  "ToolCallRequested",
  "ToolCallCompleted",
  "RunCompleted"
]

/** Where the worker can be killed. */
export const places: ReadonlyArray<string> = ["payment", "nothing", ...written]

/** How the demonstration goes. */
export interface Options {
  readonly goal: string
  readonly cents: number
  /** `payment` (after the money moved, before it is recorded), a type of event (right after it), or `nothing`. */
  readonly killAt: string
  readonly keep: boolean
  /** Stays, with a run that waits for a person and a page to decide it on. */
  readonly serve: boolean
}

export const usage = `Usage: npm start -- [options]

  --goal TEXT       what the customer wants (default: Refund order A-8891, item arrived damaged.)
  --amount CENTS    how much the model refunds (default: 6400; above 5000 a person has to agree)
  --kill-at WHERE   payment (default), nothing, or right after an event:
                    ${written.slice(0, 4).join(", ")},
                    ${written.slice(4).join(", ")}
  --keep            leave the log and the ledger where they are
  --serve           stay, with another run that waits for you, and tell the address of its page
  --help            this text

The model is a script that needs no network. With LLM_MODEL set it is a real one, at LLM_BASE_URL
(default https://api.openai.com/v1) with the key in LLM_API_KEY; then the amount is its decision.`

/** Reads the command line; `undefined` when only help is asked for. */
export const parse = (args: ReadonlyArray<string>): Effect.Effect<Options | undefined, BadOption> =>
  Effect.gen(function*() {
    const { values } = yield* Effect.try({
      try: () =>
        parseArgs({
          args: args.filter((arg) => arg !== "--"),
          options: {
            "goal": { type: "string", default: "Refund order A-8891, item arrived damaged." },
            "amount": { type: "string", default: "6400" },
            "kill-at": { type: "string", default: "payment" },
            "keep": { type: "boolean", default: false },
            "serve": { type: "boolean", default: false },
            "help": { type: "boolean", default: false }
          }
        }),
      catch: (error) => new BadOption({ detail: error instanceof Error ? error.message : String(error) })
    })
    if (values.help) return undefined
    const cents = Number(values.amount)
    if (!Number.isSafeInteger(cents) || cents < 1) {
      return yield* new BadOption({
        detail: `--amount wants a whole number of cents above 0, not \`${values.amount}\``
      })
    }
    if (values.goal.trim() === "") return yield* new BadOption({ detail: "--goal wants a text that is not blank" })
    if (!places.includes(values["kill-at"])) {
      return yield* new BadOption({
        detail: `--kill-at wants one of ${places.join(", ")}, not \`${values["kill-at"]}\``
      })
    }
    return { goal: values.goal, cents, killAt: values["kill-at"], keep: values.keep, serve: values.serve }
  })
