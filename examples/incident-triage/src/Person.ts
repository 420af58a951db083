/**
 * The person on call: at the terminal if there is one, otherwise somebody who knows when the errors began.
 */
import type { PendingApproval } from "@durable-agents/core"
import { Effect, Schema } from "effect"
import { createInterface } from "node:readline/promises"

/** `undefined` if they agree, otherwise why not. */
export const asked = (approval: PendingApproval): Effect.Effect<string | undefined> =>
  process.stdin.isTTY
    ? Effect.promise((signal) => {
      const terminal = createInterface({ input: process.stdin, output: process.stdout })
      return terminal.question("  Press enter to allow it, or say why not: ", { signal })
        .then((answer) => answer.trim() === "" ? undefined : answer.trim())
        .finally(() => terminal.close())
    })
    : Effect.succeed(objection(approval))

const objection = (approval: PendingApproval): string | undefined =>
  isDeploy(approval.arguments)
    ? "The first errors are from 14:24, before that deploy. Look at what checkout waits for."
    : undefined

const isDeploy = Schema.is(Schema.Struct({ change: Schema.String.check(Schema.isPattern(/^deploy/)) }))
