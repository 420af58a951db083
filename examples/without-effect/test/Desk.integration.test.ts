import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach } from "vitest"
import { type Desk, openDesk } from "../src/Desk.ts"
import { Payments } from "../src/Payments.ts"

const dana = "dana@example.com"
const question = "turn-1/call-1/approval"

let folder = ""

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "desk-"))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

const open = (payments = new Payments()) => openDesk({ file: join(folder, "runs.db"), payments })

const asked = async (desk: Desk) => {
  const id = await desk.startRefund("A-8891", "it arrived damaged.")
  assert.strictEqual((await desk.settled(id)).status, "AwaitingApproval")
  return id
}

/** The tag of what a promise rejects with. */
const tagOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("it did not reject"),
    (error: unknown) => error instanceof Error && "_tag" in error ? error._tag : error
  )

describe("openDesk", () => {
  it("pays what is allowed, once, and says what the agent said", async () => {
    const payments = new Payments()
    const desk = await open(payments)
    const id = await asked(desk)
    await desk.decide(id, { question, by: dana, allow: true })
    const refund = await desk.settled(id)
    assert.deepStrictEqual(refund, { id, status: "Completed", answer: "Your 64.00 are on their way.", questions: [] })
    assert.deepStrictEqual(await desk.status(id), refund)
    await desk.close()
    assert.strictEqual(payments.refunds.size, 1)
  })

  it("pays nothing that is not allowed", async () => {
    const payments = new Payments()
    const desk = await open(payments)
    const id = await asked(desk)
    await desk.decide(id, { question, by: dana, allow: false, reason: "it was not damaged" })
    assert.strictEqual((await desk.settled(id)).status, "Completed")
    await desk.close()
    assert.strictEqual(payments.attempts, 0)
  })

  it("rejects with errors that have a tag", async () => {
    const desk = await open()
    const id = await asked(desk)
    assert.strictEqual(await tagOf(desk.status("42")), "InvalidRequest")
    assert.strictEqual(await tagOf(desk.settled("00000000-0000-8000-8000-000000000000")), "RunNotFound")
    assert.strictEqual(await tagOf(desk.startRefund("A-8891", "no, keep it.")), "StartConflict")
    assert.strictEqual(await tagOf(desk.decide(id, { question, by: "", allow: true })), "InvalidRequest")
    await desk.decide(id, { question, by: dana, allow: true })
    assert.strictEqual(await tagOf(desk.decide(id, { question, by: dana, allow: false })), "ApprovalNotPending")
    await desk.close()
    assert.strictEqual(await tagOf(openDesk({ file: "/nowhere/runs.db", payments: new Payments() })), "StoreError")
  })

  it("records a payment under way before it is closed, and goes on when it is opened again", async () => {
    const payments = new Payments({ latencyMillis: 200 })
    const desk = await open(payments)
    const id = await asked(desk)
    await desk.decide(id, { question, by: dana, allow: true })
    await payments.firstRequest
    const waiting = tagOf(desk.settled(id))
    await desk.close()
    assert.strictEqual(payments.refunds.size, 1)
    assert.strictEqual(await waiting, "DeskClosed")
    assert.strictEqual(await tagOf(desk.status(id)), "DeskClosed")

    const next = await open(payments)
    assert.strictEqual((await next.settled(id)).status, "Completed")
    await next.close()
    assert.strictEqual(payments.attempts, 1)
  })
})
