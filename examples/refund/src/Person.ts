/**
 * The person who has to agree: at the terminal if there is one, otherwise somebody who always does.
 */
import type { RunEventOf } from "@durable-agents/core"
import { Effect } from "effect"
import { createInterface } from "node:readline/promises"
import type { Printer } from "./Printer.ts"

/** Shows what is asked, and answers whether it may happen. */
export const asked = (request: RunEventOf<"ApprovalRequested">, printer: Printer): Effect.Effect<boolean> =>
  Effect.gen(function*() {
    if (!process.stdin.isTTY) return true
    yield* printer.line("")
    yield* printer.line(`  ${request.subject}`)
    yield* printer.line(`  ${request.reason}`)
    yield* printer.line(`  ${JSON.stringify(request.arguments)}`)
    return yield* Effect.promise((signal) => question("  Approve? [Y/n] ", signal))
  })

const question = (text: string, signal: AbortSignal): Promise<boolean> => {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  return terminal.question(text, { signal })
    .then((answer) => !/^\s*n/i.test(answer))
    .finally(() => terminal.close())
}
