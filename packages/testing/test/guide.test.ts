// The first example of docs/guide/testing.md, from here on as it stands there.
import { Approval, CurrentStep, Program, Step, Timer } from "@durable-agents/core"
import { everyPrefix, People, runProgram, twoWorkers } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const Reminder = Program.make("reminder", { input: Schema.String, output: Schema.String })

/** A mail service that honours idempotency keys: one mail for each. It outlives the processes that call it. */
const mailService = () => new Map<string, string>()

const reminder = (mails: Map<string, string>) =>
  Reminder.toLayer(Effect.fn("Reminder")(function*(text) {
    yield* Timer.sleep("three-days", "3 days")
    const decision = yield* Approval.request("send", { subject: `Send "${text}"?` })
    if (decision._tag === "Denied") return `not sent: ${decision.reason}`
    return yield* Effect.flatMap(CurrentStep, ({ idempotencyKey }) =>
      Effect.sync(() => {
        mails.set(idempotencyKey, text)
        return "sent"
      })).pipe(Step.run("mail", { output: Schema.String }), Effect.orDie)
  }))

const scenario = {
  program: Reminder,
  input: "water the plants",
  world: mailService,
  layer: reminder,
  effects: (mails: Map<string, string>) => Array.from(mails.values()),
  outside: People.approve
}

describe("the reminder", () => {
  it.effect("is sent after three days, if somebody agrees", () =>
    Effect.gen(function*() {
      const done = yield* runProgram(scenario)
      assert.strictEqual(done.output, "sent")
      assert.deepStrictEqual(done.effects, ["water the plants"])
    }))

  it.effect("is not sent if somebody says no", () =>
    Effect.gen(function*() {
      const done = yield* runProgram({ ...scenario, outside: People.deny("it rains") })
      assert.strictEqual(done.output, "not sent: it rains")
    }))

  it.effect("is sent once, whenever its process dies", () => everyPrefix(scenario))

  it.effect("is sent once, however many workers execute it", () => twoWorkers(scenario))
})

// What follows is not part of it.
describe("docs/guide/testing.md", () => {
  it("begins with the example that runs here", () => {
    const own = readFileSync(import.meta.filename, "utf8")
      .replace(/^\/\/ The first example.*\n/, "")
      .replace(/^import .* from "node:.*"\n/gm, "")
      .split("\n// What follows")[0]
    const page = readFileSync(join(import.meta.dirname, "../../../docs/guide/testing.md"), "utf8")
    const [, example] = /^```ts\n(.*?)^```$/ms.exec(page) ?? []
    assert.strictEqual(own, example)
  })
})
