import type { RunId, Seq } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import type { Recorded } from "../src/page/Entry.ts"
import { add, empty } from "../src/page/Timeline.ts"
import { chosen, type Group } from "../src/page/TimelineFilter.ts"
import { eventful } from "./scenes.ts"

const { entries } = add(
  empty,
  eventful.map((event, seq): Recorded => ({ runId: "0" as RunId, seq: seq as Seq, at: 0, event }))
)

const titles = (group: Group, text = "") => chosen(entries, group, text).map(({ title }) => title)

describe("TimelineFilter.chosen", () => {
  it("takes the kinds of a group", () => {
    assert.strictEqual(chosen(entries, "all", " "), entries)
    assert.deepStrictEqual(titles("models"), ["Turn 1: ask the model"])
    assert.deepStrictEqual(titles("people"), [
      "Paused by dana@example.com",
      "Resumed by dana@example.com",
      "Asked for approval: Go on?",
      "Budget changed by dana@example.com"
    ])
    assert.deepStrictEqual(titles("trouble"), [
      "Call read_inbox",
      "A worker took the run up again, attempt 2",
      "Taken out of what the model is shown: instruction wording",
      "Asked for approval: Go on?"
    ])
  })

  it("looks for words in titles, states, facts, lines and values, whatever their case", () => {
    assert.deepStrictEqual(titles("all", "STRANGER.example"), ["Call read_inbox"])
    assert.deepStrictEqual(titles("all", "nobody decided"), ["Asked for approval: Go on?"])
    assert.deepStrictEqual(titles("work", "more to do"), [])
  })
})
