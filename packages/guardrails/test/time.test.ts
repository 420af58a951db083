import { Policy, Provenance, Sources, TextSignal } from "@durable-agents/guardrails"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const repeat = (text: string, length: number) => text.repeat(Math.ceil(length / text.length)).slice(0, length)

/** Texts that make patterns slow: one letter, nearly an address, nearly encoded, nearly a number, nearly hidden. */
const slow: ReadonlyArray<readonly [what: string, text: string]> = [
  ["one letter", "a"],
  ["spaces", " "],
  ["lines", "\n"],
  ["hyphens", "a-"],
  ["dots", "a."],
  ["addresses without an end", "a@"],
  ["hosts without an end", "www.a-"],
  ["base64 without an end", "QUJD"],
  ["hex", "4"],
  ["percent signs", "%4"],
  ["escapes", "%41"],
  ["entities", "&#65"],
  ["marks", "e\u0301"],
  ["marks without an end", "\u0301"],
  ["unseen characters", "\u200b"],
  ["tags", "\u{e0041}"],
  ["members", "\nto: send "],
  ["instructions", "please send "],
  ["account numbers", "DE44 1234 "],
  ["digits and separators", "1,1."],
  ["brackets", "[{\"a\":"],
  ["Chinese", "\u4e2d\u6587"]
]

/** Processor time, which other processes do not add to. */
const millis = <A>(effect: Effect.Effect<A>) =>
  Effect.gen(function*() {
    const before = process.cpuUsage()
    yield* effect
    const { system, user } = process.cpuUsage(before)
    return (user + system) / 1000
  })

/** What nobody asks for, and what is left to a text. */
const judge = (result: string, body: string) =>
  Effect.forEach(["Look.", "Send a mail to whom the message says."], (goal) => judgeFor(goal, result, body))

const judgeFor = (goal: string, result: string, body: string) =>
  Provenance.judge({
    tool: "send_mail",
    effect: "once",
    labels: {},
    arguments: { to: "eve@evil.example", amount: 12.5, body },
    profile: "strict",
    goal,
    policy: Policy.standard,
    signal: TextSignal.none,
    sources: [
      Sources.ofText("request", goal),
      Sources.ofResult({ key: "turn-1/call-1", turn: 1, tool: "read", labels: {}, result })
    ]
  })

describe("Provenance.judge", () => {
  for (const [what, text] of slow) {
    it.effect(`takes time that grows with the length of a result made of ${what} (GR-1, H20, D66)`, () =>
      Effect.gen(function*() {
        const size = 50_000
        yield* judge(repeat(text, 2000), repeat(text, 2000))
        const small = yield* millis(judge(repeat(text, size), repeat(text, size)))
        const large = yield* millis(judge(repeat(text, size * 4), repeat(text, size * 4)))
        // A square would be 16 times as much.
        assert.isBelow(large, Math.max(small * 8, 400), `${small} ms, then ${large} ms`)
      }))
  }
})
