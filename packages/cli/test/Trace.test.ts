import { type Recorded, RunEvent } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { displayWidth } from "effect/cli/CliOutput"
import * as Printable from "../src/Printable.ts"
import * as Style from "../src/Style.ts"
import * as Trace from "../src/Trace.ts"
import { assertGolden } from "./golden.ts"
import { crashed, everyEvent, runId } from "./logs.ts"
import { isHarmful, nasty } from "./nasty.ts"

const Log = Arbitrary.map(
  Arbitrary.all({ events: Arbitrary.array(Arbitrary.schema(RunEvent.RunEvent), { maxLength: 6 }), text: nasty }),
  ({ events, text }) => events.map((event, seq) => recorded(seq, withText(event, text)))
)

const recorded = (seq: number, event: RunEvent.RunEvent): Recorded => ({
  runId,
  seq,
  at: 1_767_606_131_120 + seq * 40_000_000,
  ...(seq % 3 === 0 ? {} : { epoch: Math.ceil(seq / 2) }),
  event
})

const isEvent = Schema.is(RunEvent.RunEvent)
const isJson = Schema.is(Schema.Json)

/** The event with a text at the end of every string that may be any string. */
const withText = (event: RunEvent.RunEvent, text: string): RunEvent.RunEvent => {
  let next: unknown = event
  for (const path of stringsOf(event).map(([path]) => path)) {
    const changed = changeAt(next, path, text)
    if (isEvent(changed)) next = changed
  }
  return isEvent(next) ? next : event
}

const changeAt = (value: unknown, [name, ...rest]: ReadonlyArray<string>, text: string): unknown =>
  name === undefined
    ? `${value}${text}`
    : Array.isArray(value)
    ? value.map((item, index) => `${index}` === name ? changeAt(item, rest, text) : item)
    : Object.fromEntries(Object.entries(Object(value)).map(([key, item]) =>
      key === name ? [key, changeAt(item, rest, text)] : [key, item]
    ))

/** Every string of a value, with the names that lead to it. */
const stringsOf = (
  value: unknown,
  path: ReadonlyArray<string> = []
): ReadonlyArray<readonly [ReadonlyArray<string>, string]> =>
  typeof value === "string"
    ? [[path, value]]
    : typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, item]) => name === "_tag" ? [] : stringsOf(item, [...path, name]))
    : []

/** The events of a trace, with wrapped lines put together again and without the margin. */
const bodyOf = (log: ReadonlyArray<Recorded>, lines: ReadonlyArray<string>): string => {
  let text = ""
  let deep = 0
  for (const line of lines.slice(lines.findIndex(isRule), lines.findLastIndex(isRule))) {
    const [, sign = "", detail = ""] = /^ {5}([|:]) {2}(.*)$/s.exec(line) ?? []
    if (sign === ":") text += detail.slice(deep)
    else if (sign === "|") {
      text += `\n${detail}`
      deep = Math.min(20, detail.length - detail.trimStart().length)
    } else text += line.startsWith(" ".repeat(19)) ? line.slice(headlineColumn(log)) : `\n${line}`
  }
  return text
}

/** Number, time, the mark of the lease if there is any, and the mark of the event stand before a headline. */
const headlineColumn = (log: ReadonlyArray<Recorded>): number => {
  const leases = log.flatMap(({ epoch }) => epoch === undefined ? [] : [`w${epoch}  `.length])
  return 3 + 2 + 12 + 2 + Math.max(0, ...leases) + 3
}

const isRule = (line: string): boolean => /^=+$/.test(line)

/** The end of a trace without white space, since its lines are wrapped without a mark. */
const footerOf = (lines: ReadonlyArray<string>): string => squeeze(lines.slice(lines.findLastIndex(isRule)).join(""))

const squeeze = (text: string): string => text.replace(/\s/g, "")

/** The forms in which a text may stand in a trace. */
const formsOf = (text: string): ReadonlyArray<string> => [
  Printable.inline(text),
  Printable.jsonText(JSON.stringify(text)),
  ...[2, 4, 6, 8].map((deep) => Printable.block(text).join(`\n${" ".repeat(deep)}`))
]

const withoutColors = (line: string): string =>
  [1, 22, 31, 32, 33, 35, 39].reduce((text, code) => text.replaceAll(`\u001b[${code}m`, ""), line)

describe("Trace.lines", () => {
  it("says of a summary that it is one", () => {
    const summary = recorded(
      4,
      RunEvent.RunEvent.cases.LLMCallCompleted.make({
        key: "turn-4/compaction",
        attempt: 1,
        turn: 4,
        parts: [{ type: "text", text: "So far." }],
        stopReason: "stop",
        usage: {}
      })
    )
    assert.include(Trace.lines([summary]).join("\n"), "the model summarises the turns before")
    assert.include(Trace.line(summary), "[summary]")
  })

  it("has a golden trace of every type of event", () => {
    const types = new Set<string>(everyEvent.map(({ event }) => event._tag))
    assert.deepStrictEqual(Object.keys(RunEvent.RunEvent.cases).filter((type) => !types.has(type)), [])
    assertGolden("every-event.txt", Trace.lines(everyEvent))
    assertGolden("every-event-wide.txt", Trace.lines(everyEvent, { width: 120, thinking: true }))
    assertGolden("every-event-color.txt", Trace.lines(everyEvent, { style: Style.color }))
  })

  it("shows a log that breaks off as far as it goes, and what it waits for", () => {
    assertGolden("crashed.txt", Trace.lines(crashed))
    for (let length = 0; length <= everyEvent.length; length++) {
      const lines = Trace.lines(everyEvent.slice(0, length))
      assert.strictEqual(lines.length === 0, length === 0)
    }
  })

  it("names a worker by its process, and in full after everything else", () => {
    const owner = "process/vm/b-1/pid:[1]/11985/4711/ec3f0a1b-1111-4222-8333-123456789abc"
    const recovered = recorded(0, { _tag: "RunRecovered", epoch: 3, owner })
    const text = Trace.lines([recovered], { here: "vm", width: 120 }).join("\n")
    assert.include(text, "another worker takes over with lease 3: pid 11985 (ec3f…)\n")
    assert.include(text, `|  worker ${owner}\n`)
    assert.include(Trace.lines([recovered], { width: 120 }).join("\n"), "lease 3: vm pid 11985 (ec3f…)\n")
    assert.match(Trace.line(recovered, { here: "vm" }), / worker='pid 11985 \(ec3f…\)'$/)
  })

  it("gives no label to an error that has its name", () => {
    const failed = (error: string) => {
      const event: RunEvent.RunEvent = {
        _tag: "StepFailed",
        key: "k",
        attempt: 1,
        reason: "Error",
        error,
        final: true
      }
      return Trace.lines([recorded(0, event)]).join("\n")
    }
    assert.match(failed("TypeError: boom"), /\|  TypeError: boom\n/)
    assert.match(failed("boom"), /\|  error: boom\n/)
    assert.match(failed("Error: boom\nbang"), /\|  error:\n.*Error: boom\n.*bang\n/)
  })

  it("hides requests to the model only if they were answered", () => {
    const requests = (lines: ReadonlyArray<string>) => lines.filter((line) => line.includes("asks the model")).length
    assert.strictEqual(requests(Trace.lines(everyEvent)), 0)
    assert.strictEqual(requests(Trace.lines(everyEvent, { thinking: true })), 2)
    assert.strictEqual(requests(Trace.lines(everyEvent.slice(0, 2))), 1)
  })

  it("says `at least` as long as a call has not reported its tokens", () => {
    assert.isTrue(Trace.lines(crashed).some((line) => line.includes("at least 0 tokens")))
    assert.isFalse(Trace.lines(everyEvent).some((line) => line.includes("at least")))
  })

  it.prop("loses no text of any event (D57)", { log: Log }, ({ log }) => {
    const lines = Trace.lines(log, { thinking: true, width: 78 })
    const body = bodyOf(log, lines)
    const footer = footerOf(lines)
    for (const { event } of log) {
      for (const [path, value] of stringsOf(event)) {
        assert.isTrue(
          formsOf(value).some((form) => body.includes(form) || footer.includes(squeeze(form))),
          `${event._tag}.${path.join(".")}: ${JSON.stringify(value)}`
        )
      }
    }
  })

  it.prop("prints no control character but its own colours (D57)", { log: Log }, ({ log }) => {
    for (const line of Trace.lines(log, { thinking: true, style: Style.color })) {
      assert.isFalse(isHarmful(withoutColors(line)), JSON.stringify(line))
    }
    for (const line of Trace.lines(log)) assert.isFalse(isHarmful(line), JSON.stringify(line))
  })

  it.prop(
    "keeps within the width",
    { log: Log, width: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 60, maximum: 160 }))) },
    ({ log, width }) => {
      for (const line of Trace.lines(log, { thinking: true, width })) assert.isAtMost(displayWidth(line), width)
    }
  )

  it("prints a long log in time", () => {
    const log = Array.from({ length: 200 }, () => everyEvent.slice(1, 30)).flat().map((event, seq) => ({
      ...event,
      seq
    }))
    const begin = performance.now()
    Trace.lines(log)
    assert.isBelow(performance.now() - begin, 10_000)
  })
})

describe("Trace.line", () => {
  it("has one golden line for every type of event", () => {
    assertGolden("every-event-lines.txt", everyEvent.map((recorded) => Trace.line(recorded)))
  })

  it("takes a note", () => {
    const [started, , , requested] = crashed
    assert.isDefined(started)
    assert.isDefined(requested)
    assert.strictEqual(
      Trace.line(started),
      "seq=  0  RunStarted         goal='Refund order A-8891, item arrived damaged.'"
    )
    assert.strictEqual(
      Trace.line(requested, { note: "process killed here" }),
      "seq=  3  ToolCallRequested  turn=1 issue_refund(...)     <- process killed here"
    )
  })

  it.prop("is one line without control characters", { log: Log, note: nasty }, ({ log, note }) => {
    for (const recorded of log) {
      const line = Trace.line(recorded, { note })
      assert.isFalse(isHarmful(line), JSON.stringify(line))
    }
  })

  it("shortens long values", () => {
    const output: Schema.Json = { text: "x".repeat(10_000) }
    const event: RunEvent.RunEvent = { _tag: "StepCompleted", key: "k", attempt: 1, output }
    assert.strictEqual(Trace.line(recorded(7, event)), "seq=  7  StepCompleted      k -> {...}")
    assert.isTrue(isJson(output))
    assert.isBelow(Trace.line(recorded(7, { ...event, output: "👩‍👩‍👧".repeat(10_000) })).length, 250)
  })
})
