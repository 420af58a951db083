import { Guardrails } from "@durable-agents/agent"
import type { RunId } from "@durable-agents/core"
import { Cycles, Limits, Profiles, Scope } from "@durable-agents/guardrails"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { clerk, eventsOf, mail, money, only, play, turn, verdictsOf } from "./fixtures.ts"

const ask = (guardrail: Guardrails.Guardrail, call: Guardrails.Call) =>
  Effect.map(
    guardrail.call?.(call) ?? Effect.succeed([]),
    (verdicts) => verdicts.map(({ action, ends }) => ends === true ? "END" : action)
  )

const past = (tool: string, args: Schema.Json, more: Partial<Guardrails.Past> = {}): Guardrails.Past => ({
  key: "turn-1/call-1",
  turn: 1,
  tool,
  effect: "once",
  labels: {},
  arguments: args,
  at: 0,
  state: "made",
  ...more
})

const call = (
  tool: string,
  args: Schema.Json,
  before: ReadonlyArray<Guardrails.Past>,
  more: Partial<Guardrails.Call> = {}
) => ({
  runId: "run" as RunId,
  agent: "clerk",
  profile: "validation" as const,
  key: "turn-9/call-1",
  turn: 9,
  tool,
  effect: "once" as const,
  labels: {},
  arguments: args,
  messages: [],
  goal: "Refund A-1.",
  instructions: "",
  by: "model" as const,
  past: before,
  verdicts: [],
  now: 1_000_000,
  ...more
})

const eur: Limits.Limit = {
  name: "eur",
  tools: ["pay"],
  of: "sum",
  field: "amount",
  most: { EUR: 100 },
  currency: "currency"
}
const pay = (amount: Schema.Json, currency = "EUR") => ({ amount, currency })

describe("Limits", () => {
  for (
    const [what, limit, before, args, action] of [
      ["exactly the sum that is allowed", eur, [pay(60)], pay(40), []],
      ["more than the sum", eur, [pay(60)], pay("40.01"), ["BLOCK"]],
      ["an amount in a text with its currency", { ...eur, currency: "no" }, [pay("EUR 60")], pay("€41"), ["BLOCK"]],
      ["another currency", eur, [], pay(1, "USD"), ["BLOCK"]],
      ["a negative amount", eur, [pay(60)], pay(-50), ["BLOCK"]],
      ["no plain amount", eur, [], pay("1,000"), ["BLOCK"]],
      ["the amounts of a list", { ...eur, field: "lines.amount", most: 10 }, [], {
        lines: [{ amount: 6 }, { amount: 5 }]
      }, ["BLOCK"]],
      ["as many calls as are allowed", { ...eur, of: "calls", most: 2 }, [pay(1)], pay(1), []],
      ["one call more", { ...eur, of: "calls", most: 2 }, [pay(1), pay(1)], pay(1), ["BLOCK"]],
      ["another recipient", { ...eur, of: "distinct", field: "to", most: 1 }, [{ to: "Ann" }], { to: "bob" }, [
        "BLOCK"
      ]],
      ["the same recipient in another case", { ...eur, of: "distinct", field: "to", most: 1 }, [{ to: "Ann" }], {
        to: "ann"
      }, []],
      ["more, where a person is asked", { ...eur, most: 1, onExceeded: "ask" }, [], { amount: 2 }, ["ESCALATE"]],
      ["more, where the run ends", { ...eur, most: 1, onExceeded: "end" }, [], { amount: 2 }, ["END"]]
    ] as const satisfies ReadonlyArray<
      readonly [string, Limits.Limit, ReadonlyArray<Schema.Json>, Schema.Json, ReadonlyArray<string>]
    >
  ) {
    it.effect(`${action.length === 0 ? "permit" : "stop"} ${what} (check 68, D47)`, () =>
      Effect.gen(function*() {
        const asked = yield* ask(Limits.make([limit]), call("pay", args, before.map((one) => past("pay", one))))
        assert.deepStrictEqual(asked, [...action])
      }))
  }

  it.effect("count what was made or may have been, and not what was refused or failed", () =>
    Effect.gen(function*() {
      const limit: Limits.Limit = { ...eur, of: "calls", most: 2 }
      const states = ["made", "open", "planned", "unknown", "failed", "refused"] as const
      const stopped = yield* Effect.filter(states, (state) =>
        Effect.map(ask(Limits.make([limit]), call("pay", {}, [past("pay", {}), past("pay", {}, { state })])), (all) =>
          all.length > 0))
      assert.deepStrictEqual(stopped, ["made", "open", "planned", "unknown"])
    }))

  it.effect("hold within a time before the call", () =>
    Effect.gen(function*() {
      const limit: Limits.Limit = { ...eur, of: "calls", most: 1, per: "10 seconds" }
      const at = (millis: number) => ask(Limits.make([limit]), call("pay", {}, [past("pay", {}, { at: millis })]))
      assert.deepStrictEqual(yield* at(990_000), [])
      assert.deepStrictEqual(yield* at(990_001), ["BLOCK"])
    }))

  it.effect("end the run under `strict`, tell the model under the others, and never crash (check 69)", () => {
    const limits = Limits.layer([{ name: "one", tools: ["send_money"], of: "sum", field: "amount", most: 100 }])
    const { effects, layer } = clerk([turn(money("A", 60), money("A", 41), money("A", 40)), "Done."], limits)
    return Effect.gen(function*() {
      const { view } = yield* play("Pay.", "standard")
      assert.strictEqual(view.output, "Done.")
      assert.deepStrictEqual(effects, ["pay A 60", "pay A 40"])
      const strict = yield* play("Pay.", "strict")
      assert.strictEqual(strict.view.status, "Failed")
      assert.include(strict.view.reason, "GuardrailBlocked")
      assert.lengthOf(effects, 2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("that cannot be meant are refused where they are given", () =>
    Effect.gen(function*() {
      for (
        const limit of [
          { ...eur, most: "many" },
          { ...eur, most: -1 },
          { name: "eur", tools: [], of: "sum", most: 1 } as const,
          { ...eur, per: "soon" as never },
          // Within no time nothing was done before, so such a limit would hold nothing.
          { ...eur, per: NaN },
          { ...eur, per: 0 }
        ]
      ) {
        const error = yield* Effect.flip(Effect.scoped(Layer.build(Limits.layer([limit]))))
        assert.strictEqual(error.setting, "limits.eur")
      }
    }))

  it.effect.prop("permit no sum above the limit, however it is split", {
    amounts: Schema.Array(Schema.Literals([1, 7, 33, 50, 99]))
  }, ({ amounts }) =>
    Effect.gen(function*() {
      let paid = 0
      const made: Array<Guardrails.Past> = []
      for (const amount of amounts) {
        if ((yield* ask(Limits.make([eur]), call("pay", pay(amount), made))).length > 0) continue
        made.push(past("pay", pay(amount)))
        paid += amount
      }
      assert.isAtMost(paid, 100)
    }))
})

describe("Cycles", () => {
  const round = (...calls: ReadonlyArray<string>) => calls.map((name) => past(name, { to: "ann" }))
  const stops = (
    before: ReadonlyArray<Guardrails.Past>,
    tool: string,
    args: Schema.Json = { to: "ann" },
    more: Partial<Guardrails.Call> = {}
  ) => Effect.map(ask(Cycles.make(), call(tool, args, before, more)), (all) => all.length > 0)

  it.effect("stop one, two or three calls in the third round, and not before (check 79, D10)", () =>
    Effect.gen(function*() {
      assert.isFalse(yield* stops(round("a"), "a"))
      assert.isTrue(yield* stops(round("a", "a"), "a"))
      assert.isFalse(yield* stops(round("a", "b", "a", "b"), "a"))
      assert.isTrue(yield* stops(round("a", "b", "a", "b", "a"), "b"))
      assert.isFalse(yield* stops(round("a", "b", "c", "a", "b", "c", "a"), "b"))
      assert.isTrue(yield* stops(round("a", "b", "c", "a", "b", "c", "a", "b"), "c"))
      assert.isFalse(yield* stops(round("a", "b", "a", "c", "a"), "b"))
    }))

  it.effect("take no other case, width or space for another call", () =>
    Effect.gen(function*() {
      const before = [past("a", { to: "ANN " }), past("a", { to: "ａｎｎ" })]
      assert.isTrue(yield* stops(before, "a", { to: "an\u200bn" }))
      assert.isFalse(yield* stops(before, "a", { to: "bob" }))
    }))

  it.effect("do not look at calls that only read (H31)", () =>
    Effect.gen(function*() {
      const reads = ["a", "a"].map((tool) => past(tool, {}, { effect: "readonly" }))
      assert.isFalse(yield* stops(reads, "a", {}, { effect: "readonly" }))
      assert.isTrue(yield* stops(round("a", "a").flatMap((one, index) => [one, ...reads.slice(index)]), "a"))
    }))

  it.effect("are stopped in a run, and the model is told", () => {
    const two = [money("A", 1), mail("ann@example.com")]
    const { effects, layer } = clerk([turn(...two), turn(...two), turn(...two), "Done."], Cycles.layer())
    return Effect.gen(function*() {
      const { runId, view } = yield* play("Pay.")
      assert.strictEqual(view.output, "Done.")
      // The built-in rule stops the third payment, so the circle is not complete; the mail is its third as well.
      assert.lengthOf(effects, 4)
      assert.isAbove((yield* verdictsOf(runId)).length, 0)
    }).pipe(Effect.provide(layer))
  })
})

describe("Scope", () => {
  const scope = Scope.make({
    tools: ["refund", "mail"],
    values: { refund: { orderId: "request" }, mail: { to: ["*@example.com", "ann@*.org"] } }
  })

  for (
    const [tool, args, action] of [
      ["refund", { orderId: "A-1" }, []],
      ["refund", { orderId: "a\u200b-1" }, []],
      ["refund", { orderId: "A-2" }, ["BLOCK"]],
      ["refund", { orderId: "A" }, ["BLOCK"]],
      ["mail", { to: "Bob@EXAMPLE.com" }, []],
      ["mail", { to: ["ann@x.org", "bob@example.com"] }, []],
      ["mail", { to: "bob@example.com.evil.net" }, ["BLOCK"]],
      ["mail", { to: "bob@x.org" }, ["BLOCK"]],
      ["delete", {}, ["BLOCK"]]
    ] as const
  ) {
    it.effect(`${action.length === 0 ? "permits" : "stops"} ${tool} ${JSON.stringify(args)}`, () =>
      Effect.map(ask(scope, call(tool, args, [])), (asked) => assert.deepStrictEqual(asked, [...action])))
  }

  it.effect("may be another for each run", () =>
    Effect.gen(function*() {
      const own = Scope.make({ tools: ({ goal }) => goal.includes("Refund") ? ["refund"] : [] })
      assert.deepStrictEqual(yield* ask(own, call("refund", {}, [])), [])
      assert.deepStrictEqual(yield* ask(own, call("refund", {}, [], { goal: "Look." })), ["BLOCK"])
    }))
})

describe("Profiles.layer", () => {
  it.effect("refuses a name that is none (check 71, H16, D38)", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Effect.scoped(Layer.build(Profiles.layer({ profile: "strikt" as never }))))
      assert.strictEqual(error._tag, "UnknownProfile")
      assert.include(error.message, "validation, lenient, standard, strict")
    }))

  for (const profile of Guardrails.Profile.literals) {
    it.effect(`lets an ordinary run end under \`${profile}\` (checks 70, 71, H15)`, () => {
      const { effects, layer } = clerk(
        [turn({ name: "read_inbox", params: {} }), turn(mail("ann@example.com")), "Done."],
        Profiles.layer({ profile }),
        { inbox: "system: disk full\nuser: root\nOperating System: Linux" }
      )
      return Effect.gen(function*() {
        const { runId, view } = yield* play("Look into the inbox, then mail ann@example.com: Hello.")
        if (profile === "strict" || profile === "standard" || profile === "lenient") {
          // The inbox is labelled as private and as what others wrote: the rule of two asks.
          assert.strictEqual(view.status, "AwaitingApproval")
          assert.include(view.pendingApprovals[0]?.reason, "what is private")
        } else {
          assert.strictEqual(view.output, "Done.")
          assert.deepStrictEqual(effects, ["mail ann@example.com"])
          const acting = (yield* verdictsOf(runId)).filter(({ action }) => action !== "ALLOW" && action !== "MARK")
          assert.deepStrictEqual(acting, [])
        }
      }).pipe(Effect.provide(layer))
    })
  }

  it.effect("sends messages byte for byte, and records nothing, where a run is under `off` (check 72)", () => {
    const { layer } = clerk([turn({ name: "read_inbox", params: {} }), "Done."], Profiles.strict)
    return Effect.gen(function*() {
      const { runId } = yield* play("Look.", "off")
      assert.deepStrictEqual(only(yield* eventsOf(runId), "GuardrailTriggered"), [])
    }).pipe(Effect.provide(layer))
  })
})
