/**
 * Uses the desk as any program would: with `await`, and with `try` around what may go wrong. Nothing here knows of Effect.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openDesk } from "./Desk.ts"
import { Payments } from "./Payments.ts"

const folder = mkdtempSync(join(tmpdir(), "refunds-"))
const file = join(folder, "runs.db")
const payments = new Payments({ latencyMillis: 300 })

const desk = await openDesk({ file, payments })

const id = await desk.startRefund("A-8891", "it arrived damaged.")
console.log("the same again:", id === await desk.startRefund("A-8891", "it arrived damaged."))

const { questions, status } = await desk.settled(id)
console.log(status)
for (const { arguments: shown, key, reason } of questions) {
  console.log(`${key}: ${reason}`, shown)
  await desk.decide(id, { question: key, by: "dana@example.com", allow: true })
}

// What is refused is thrown, and says by its `_tag` what it is.
const mistakes = [
  () => desk.status("42"),
  () => desk.status("00000000-0000-8000-8000-000000000000"),
  () => desk.startRefund("A-8891", "I changed my mind, keep it."),
  () => desk.decide(id, { question: "turn-1/call-7", by: "dana@example.com", allow: true })
]
for (const mistake of mistakes) {
  try {
    await mistake()
  } catch (error) {
    if (!(error instanceof Error && "_tag" in error)) throw error
    console.log(`${error._tag}: ${error.message}`)
  }
}

// Closing lets the payment under way end and writes it down. A service would do this on SIGTERM:
// process.once("SIGTERM", () => desk.close())
await payments.firstRequest
await desk.close()
console.log(`closed: attempts ${payments.attempts}, refunds ${payments.refunds.size}`)

// The next process goes on where this one stopped.
const next = await openDesk({ file, payments })
console.log((await next.settled(id)).answer)
await next.close()
console.log(`done: attempts ${payments.attempts}, refunds ${payments.refunds.size}`)

rmSync(folder, { recursive: true })
