/**
 * Programs with a planted fault of each kind, and the same programs without it.
 */
import type { Journal } from "@durable-agents/core"
import { Approval, CurrentStep, Program, Step, Timer } from "@durable-agents/core"
import type { Scenario } from "@durable-agents/testing"
import { People } from "@durable-agents/testing"
import { Clock, Effect, Schema } from "effect"

/** A mailbox: what it was told under one key it sends once. Without a key it sends whatever it is told. */
export class Mailbox {
  readonly sent: Array<string> = []
  readonly keys = new Set<string>()

  readonly send = (text: string, key?: string) =>
    Effect.sync(() => {
      if (key !== undefined && this.keys.has(key)) return text
      if (key !== undefined) this.keys.add(key)
      this.sent.push(text)
      return text
    })
}

type Body = (mailbox: Mailbox) => Effect.Effect<string, never, Journal>

export const step = (key: string, effect: Effect.Effect<string, never, CurrentStep>) =>
  effect.pipe(Step.run(key, { output: Schema.String }), Effect.orDie)

export const mail = (mailbox: Mailbox, text: string) =>
  step(text, Effect.flatMap(CurrentStep, ({ idempotencyKey }) => mailbox.send(text, idempotencyKey)))

export const scenarioOf = (body: Body): Scenario<Mailbox, string, string, never> => {
  const program = Program.make("letters", { input: Schema.String, output: Schema.String })
  return {
    program,
    input: "go",
    world: () => new Mailbox(),
    layer: (mailbox) => program.toLayer(() => body(mailbox)),
    effects: ({ sent }) => sent,
    outside: People.approve
  }
}

export const faultless = scenarioOf((mailbox) =>
  Effect.gen(function*() {
    yield* mail(mailbox, "first")
    const decision = yield* Approval.request("second-too", { subject: "Send the second, too?" })
    if (decision._tag === "Granted") yield* mail(mailbox, "second")
    yield* Timer.sleep("a-day", "1 day")
    return yield* mail(mailbox, "third")
  })
)

/** Numbers that differ in each process and are the same in every run of the test. */
const counter = () => {
  let count = 0
  return () => ++count
}

const arrival = counter()

export const faulty: Readonly<Record<string, Scenario<Mailbox, string, string, never>>> = {
  "an effect outside of steps": scenarioOf((mailbox) =>
    Effect.gen(function*() {
      yield* mail(mailbox, "first")
      yield* mailbox.send("between")
      return yield* mail(mailbox, "second")
    })
  ),
  "a missing idempotency key": scenarioOf((mailbox) =>
    Effect.gen(function*() {
      yield* step("first", mailbox.send("first"))
      return yield* mail(mailbox, "second")
    })
  ),
  "a clock between steps": scenarioOf((mailbox) =>
    Effect.gen(function*() {
      yield* mail(mailbox, "first")
      const now = yield* Clock.currentTimeMillis
      yield* mail(mailbox, "second")
      return `at ${now}`
    })
  ),
  "a key that depends on chance": scenarioOf((mailbox) =>
    Effect.gen(function*() {
      yield* mail(mailbox, "first")
      yield* step(`letter-${arrival()}`, mailbox.send("second", "second"))
      return yield* mail(mailbox, "last")
    })
  ),
  "steps in an order that differs": scenarioOf((mailbox) =>
    Effect.gen(function*() {
      const letters = arrival() % 2 === 0 ? ["b", "a"] : ["a", "b"]
      const sent = yield* Effect.forEach(letters, (letter) => step(letter, mailbox.send("letter", letter)))
      return `${sent.length} sent`
    })
  ),
  "a decision kept in memory": (() => {
    const program = Program.make("letters", { input: Schema.String, output: Schema.String })
    return {
      program,
      input: "go",
      world: () => new Mailbox(),
      layer: (mailbox: Mailbox) => {
        const seen = new Set<string>()
        return program.toLayer(() =>
          Effect.gen(function*() {
            yield* step("look", Effect.sync(() => `${seen.add("looked").size}`))
            if (seen.has("looked")) yield* mail(mailbox, "found")
            return "done"
          })
        )
      },
      effects: ({ sent }: Mailbox) => sent
    }
  })()
}
