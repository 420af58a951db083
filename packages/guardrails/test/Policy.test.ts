import { Policy } from "@durable-agents/guardrails"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const Facts = Schema.Struct({
  effect: Schema.Literals(["write", "send", "destroy", "fetch"]),
  origin: Schema.Literals(["request", "instructions", "own", "third_party", "open_world", "model", "nowhere"]),
  kind: Schema.Literals(["recipient", "address", "amount", "id", "path", "url", "credential", "call"]),
  embedded: Schema.Boolean,
  told: Schema.Boolean,
  ordered: Schema.Boolean,
  prose: Schema.Boolean,
  signal: Schema.Literals(["none", "weak", "strong"]),
  rival: Schema.Boolean,
  twin: Schema.Boolean,
  hidden: Schema.Boolean,
  asked: Schema.Literals(["yes", "half", "no"]),
  handedOver: Schema.Boolean
})
const profiles = ["off", "validation", "lenient", "standard", "strict"] as const

describe("Policy.standard", () => {
  const decide = (profile: (typeof profiles)[number], facts: typeof Facts.Type) =>
    Policy.decide(Policy.standard, profile, facts).action

  it.prop("stops under a stricter profile whatever it stops under a laxer one", { facts: Facts }, ({ facts }) => {
    const severities = profiles.map((profile) => Policy.severity[decide(profile, facts)])
    assert.deepStrictEqual(severities, severities.toSorted((left, right) => left - right))
  })

  it.prop("says nothing of what the request, the instructions or one's own system hold, whatever else is known", {
    facts: Facts,
    origin: Schema.Literals(["request", "instructions", "own"])
  }, ({ facts, origin }) => {
    for (const profile of profiles) assert.strictEqual(decide(profile, { ...facts, origin }), "allow")
  })

  it.prop("says nothing under `off`", { facts: Facts }, ({ facts }) => {
    assert.strictEqual(decide("off", facts), "allow")
  })
})

describe("Policy.version", () => {
  it("is another for another table, and the same for an equal one", () => {
    const [, ...rest] = Policy.standard
    assert.strictEqual(Policy.version(structuredClone(Policy.standard)), Policy.version(Policy.standard))
    assert.notStrictEqual(Policy.version(rest), Policy.version(Policy.standard))
  })
})
