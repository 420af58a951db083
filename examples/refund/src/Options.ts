/**
 * What the demonstration can be told on its command line.
 */
import { RunEvent } from "@durable-agents/core"
import { Effect, Schema } from "effect"
import { parseArgs } from "node:util"

/** Something on the command line does not make sense. */
export class BadOption extends Schema.TaggedError<BadOption>()("BadOption", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

/** How the demonstration goes. */
export interface Options {
  readonly goal: string
  readonly cents: number
  /** `payment` (after the money moved, before it is recorded), an event type, or `nothing`. */
  readonly killAt: string
  readonly keep: boolean
}

export const usage = `Usage: npm start -- [options]

  --goal TEXT       what the customer wants (default: Refund order A-8891, item arrived damaged.)
  --amount CENTS    how much the model refunds (default: 6400; above 5000 a person has to agree)
  --kill-at WHERE   payment (default), an event type such as LLMCallRequested, or nothing
  --keep            leave the log and the ledger where they are
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
    const places = ["payment", "nothing", ...Object.keys(RunEvent.RunEvent.cases)]
    if (!places.includes(values["kill-at"])) {
      return yield* new BadOption({ detail: `--kill-at wants one of ${places.join(", ")}` })
    }
    return { goal: values.goal, cents, killAt: values["kill-at"], keep: values.keep }
  })
