import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import type { Recorded } from "../src/RunEvent.ts"
import { cleanText, decode, encode, fromLine, RunEvent, toLine } from "../src/RunEvent.ts"
import { Events, recordedOf, runId, started, timerAt, Traces } from "./generators.ts"

const stored = (event: RunEvent) => {
  const { payload, type } = encode(event)
  const fields: unknown = JSON.parse(payload)
  return { type, fields }
}

const again = (event: RunEvent): RunEvent => {
  const { fields, type } = stored(event)
  return decode(type, fields)
}

/** What JSON that every database can hold makes of an event. */
const cleaned = (event: RunEvent): unknown => JSON.parse(cleanText(JSON.stringify(event)))

const read = (line: string): Recorded => Result.getOrThrow(fromLine(line))

const output = (value: Schema.Json): RunEvent => ({ _tag: "StepCompleted", key: "a", attempt: 1, output: value })

const unknown = (event: RunEvent) => {
  assert.strictEqual(event._tag, "UnknownEvent")
  return event as Extract<RunEvent, { _tag: "UnknownEvent" }>
}

describe("RunEvent.encode", () => {
  it.prop("is undone by decode, up to text that databases refuse", { event: Events }, ({ event }) => {
    if (event._tag !== "UnknownEvent") assert.deepEqual(again(event), cleaned(event))
  }, { arbitrary: { runs: 400 } })

  it.prop("is undone by decode exactly once the text is clean", { event: Events }, ({ event }) => {
    const once = again(event)
    assert.deepStrictEqual(again(once), once)
  }, { arbitrary: { runs: 300 } })

  it.prop("writes nothing that decode would not read back, whatever is decided", { trace: Traces }, ({ trace }) => {
    for (const { event } of trace.log) assert.deepStrictEqual(again(event), event)
  }, { arbitrary: { size: 60 } })

  it("names every type of the vocabulary as it is called", () => {
    const { _tag, ...fields } = started()
    assert.deepStrictEqual(stored(started()), { type: "RunStarted", fields })
    for (const type of Object.keys(RunEvent.cases).filter((type) => type !== "UnknownEvent")) {
      assert.include(unknown(decode(type, {})).problem, `the fields of this \`${type}\` cannot be read`)
    }
  })

  it("replaces NUL and half surrogate pairs, in keys too, and leaves all other text alone (EV-1, EV-2)", () => {
    const text = "a\u0000b \ud83d\ude00 \ud83d c \ude00 \u0001 \uffff é"
    const { payload } = encode(output({ [text]: text }))
    assert.isTrue(payload.isWellFormed())
    assert.notInclude(payload, "\\u0000")
    const replaced = "a\u2400b \ud83d\ude00 \ufffd c \ufffd \u0001 \uffff é"
    assert.deepStrictEqual(again(output({ [text]: text })), output({ [replaced]: replaced }))
  })

  it("leaves text alone that only spells out an escape (EV-1)", () => {
    for (const text of [String.raw`\u0000`, String.raw`\\u0000`, String.raw`\ud800`, String.raw`C:\udata`, "\\"]) {
      assert.deepStrictEqual(again(output({ [text]: text })), output({ [text]: text }))
      assert.deepStrictEqual(again(output(`${text}\u0000`)), output(`${text}\u2400`))
    }
  })

  it("takes an event of 5 MB (EV-6)", () => {
    const long = output({ text: "é\"\n".repeat(1_600_000) })
    assert.deepStrictEqual(again(long), long)
  })

  it("writes an unknown event as what it was read from", () => {
    const payload = { later: [1, { a: null }] }
    const { fields, type } = stored(decode("SomethingNew", payload))
    assert.deepStrictEqual([type, fields], ["SomethingNew", payload])
  })
})

describe("RunEvent.decode", () => {
  it.prop("drops fields that this build does not know (check 96)", { event: Events }, ({ event }) => {
    const { fields, type } = stored(event)
    assert.deepStrictEqual(
      decode(type, { ...Object(fields), addedLater: { deep: [1] }, another: null }),
      event._tag === "UnknownEvent"
        ? decode(type, { ...Object(fields), addedLater: { deep: [1] }, another: null })
        : decode(type, fields)
    )
  })

  it("reads optional fields that are missing or null as absent (EV-11)", () => {
    const { fields, type } = stored(started())
    const optional = ["startAtMillis", "startKey", "parent", "traceparent", "goal", "model", "systemPrompt"]
    const nulls = Object.fromEntries(optional.map((name) => [name, null]))
    assert.deepStrictEqual(decode(type, { ...Object(fields), ...nulls }), started())
    assert.deepStrictEqual(
      decode("StepFailed", { key: "a", attempt: 1, reason: "Error", error: "no", final: true, durationMillis: null }),
      { _tag: "StepFailed", key: "a", attempt: 1, reason: "Error", error: "no", final: true }
    )
  })

  it("keeps null where it is a value", () => {
    assert.deepStrictEqual(decode("StepCompleted", { key: "a", attempt: 1, output: null, actor: null }), output(null))
    assert.deepStrictEqual(
      decode("StepFailed", {
        key: "a",
        attempt: 1,
        reason: "Error",
        error: "",
        final: true,
        failure: null,
        shown: null
      }),
      { _tag: "StepFailed", key: "a", attempt: 1, reason: "Error", error: "", final: true, failure: null }
    )
  })

  it("reads a type that it does not know as an unknown event that says so", () => {
    for (const type of ["SomethingNew", "", "constructor", "toString", "__proto__", "UnknownEvent", "runStarted"]) {
      const event = unknown(decode(type, { a: 1 }))
      assert.deepStrictEqual([event.type, event.payload], [type, { a: 1 }])
      assert.strictEqual(event.problem, `this build does not know events of type \`${type}\``)
    }
  })

  it("reads fields that do not fit as an unknown event whose problem is one line", () => {
    for (
      const fields of [
        {},
        { key: "a", attempt: -1, output: 1 },
        { key: "", attempt: 1, output: 1 },
        { key: "a".repeat(257), attempt: 1, output: 1 },
        { key: null, attempt: 1, output: 1 },
        { key: "line\nbreak", attempt: "one\r\ntwo", output: 1 },
        null,
        undefined,
        "text",
        [1, 2],
        7
      ]
    ) {
      const event = unknown(decode("StepCompleted", fields))
      assert.strictEqual(event.type, "StepCompleted")
      assert.deepStrictEqual(event.payload, fields ?? null)
      assert.match(event.problem, /^the fields of this `StepCompleted` cannot be read: .+$/)
    }
  })

  it("never cuts a problem inside a character (EV-2)", () => {
    for (let length = 0; length < 400; length++) {
      assert.isTrue(unknown(decode(`${"a".repeat(length)}${"😀".repeat(300)}`, {})).problem.isWellFormed())
    }
  })

  it.prop("never fails, whatever is stored", { type: Schema.String, fields: Schema.Unknown }, ({ fields, type }) => {
    assert.strictEqual(decode(type, fields)._tag, "UnknownEvent")
    for (const known of ["RunStarted", "StepFailed", "ApprovalRequested"]) {
      assert.oneOf(decode(known, fields)._tag, [known, "UnknownEvent"])
    }
  })

  it("passes keys that mean something to JavaScript on as plain data (EV-10)", () => {
    const data: Schema.Json = JSON.parse(`{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":"a"}`)
    const event = again(output(data))
    assert.strictEqual(JSON.stringify(event), JSON.stringify(output(data)))
    const { fields, type } = stored(started({ input: data }))
    const labels: unknown = JSON.parse(`{"__proto__":"x","constructor":"y","hasOwnProperty":"z"}`)
    assert.strictEqual(
      JSON.stringify(decode(type, { ...Object(fields), labels })),
      JSON.stringify(started({ input: data })).replace(`"labels":{}`, `"labels":${JSON.stringify(labels)}`)
    )
    assert.isUndefined(Object.getOwnPropertyDescriptor(Object.prototype, "polluted"))
  })
})

describe("RunEvent.toLine", () => {
  const line = (event: RunEvent, more: Partial<Recorded> = {}): string =>
    toLine({ runId, seq: 7, at: Date.UTC(2026, 9, 19, 12, 30, 15, 123), epoch: 3, event, ...more })

  it("writes the envelope, the type, then the fields", () => {
    assert.strictEqual(
      line({ _tag: "TimerFired", key: "nap" }),
      `{"runId":"${runId}","seq":7,"at":"2026-10-19T12:30:15.123Z","epoch":3,"type":"TimerFired","key":"nap"}`
    )
  })

  it("writes an epoch once, also that of a takeover", () => {
    assert.strictEqual(
      line({ _tag: "RunRecovered", epoch: 3, owner: "w" }),
      `{"runId":"${runId}","seq":7,"at":"2026-10-19T12:30:15.123Z","epoch":3,"type":"RunRecovered","owner":"w"}`
    )
  })

  it.prop("is undone by fromLine", {
    event: Events,
    seq: Schema.Natural,
    at: Schema.Int.check(Schema.isBetween({ minimum: -8.64e15, maximum: 8.64e15 })),
    epoch: Schema.Natural
  }, ({ at, epoch, event, seq }) => {
    const own = again(event._tag === "RunRecovered" ? { ...event, epoch } : event)
    if (own._tag === "UnknownEvent") return
    const recorded: Recorded = { runId, seq, at, epoch, event: own }
    assert.deepStrictEqual(read(toLine(recorded)), recorded)
    assert.strictEqual(toLine(read(toLine(recorded))), toLine(recorded))
    const { epoch: _, ...outside } = recorded
    if (own._tag !== "RunRecovered") assert.deepStrictEqual(read(toLine(outside)), outside)
  }, { arbitrary: { runs: 300 } })

  it.prop("is undone by fromLine for every log that is decided", { trace: Traces }, ({ trace }) => {
    assert.deepStrictEqual(trace.log.map((recorded) => read(toLine(recorded))), trace.log)
  }, { arbitrary: { size: 60 } })

  it.prop("is one line of well-formed text", { event: Events }, ({ event }) => {
    const text = line(event)
    assert.notInclude(text, "\n")
    assert.isTrue(text.isWellFormed())
    assert.strictEqual(JSON.parse(text).seq, 7)
  })

  it("keeps what an unknown event holds, and the envelope above all", () => {
    const kept = decode("SomethingNew", { a: [1, null] })
    assert.deepStrictEqual(read(line(kept)).event, kept)
    const unreadable = decode("StepCompleted", { key: "a" })
    assert.deepStrictEqual(read(line(unreadable)).event, unreadable)
    for (const payload of [{ seq: 99, type: "RunCompleted", runId: "x", at: "y" }, "text", [1], null, 7]) {
      const { event, seq } = read(line(decode("SomethingNew", payload)))
      assert.deepStrictEqual([seq, unknown(event).type], [7, "SomethingNew"])
    }
  })
})

describe("RunEvent.fromLine", () => {
  it("says in one line what is wrong with a line", () => {
    for (
      const text of [
        "",
        "not json",
        "[]",
        "null",
        "{}",
        `{"runId":"x","seq":0,"at":"2026-10-19T12:30:15.123Z","type":"TimerFired"}`,
        `{"runId":"${runId}","seq":-1,"at":"2026-10-19T12:30:15.123Z","type":"TimerFired"}`,
        `{"runId":"${runId}","seq":0,"at":"yesterday\\nnoon","type":"TimerFired"}`,
        `{"runId":"${runId}","seq":0,"at":"2026-10-19T12:30:15.123Z"}`
      ]
    ) {
      const result = fromLine(text)
      assert.isTrue(Result.isFailure(result), text)
      if (Result.isFailure(result)) assert.match(result.failure, /^.+$/)
    }
  })

  it("reads a line with its members in any order, and with more of them", () => {
    const [, recorded] = recordedOf([started(), timerAt("nap", 5)])
    const line = JSON.stringify({
      untilMillis: 5,
      key: "nap",
      type: "TimerStarted",
      later: {},
      epoch: 1,
      seq: 1,
      runId
    })
    assert.deepStrictEqual(read(line.replace("{", `{"at":"1970-01-01T00:00:01.000Z",`)), recorded)
  })
})

describe("RunEvent.cleanText", () => {
  it.prop("gives well-formed text without NUL, keeps its length, and changes nothing the second time", {
    text: Schema.String
  }, ({ text }) => {
    const once: string = JSON.parse(cleanText(JSON.stringify(text)))
    assert.isTrue(once.isWellFormed())
    assert.notInclude(once, "\u0000")
    assert.strictEqual(once.length, text.length)
    assert.strictEqual(JSON.parse(cleanText(JSON.stringify(once))), once)
    if (text.isWellFormed() && !text.includes("\u0000")) assert.strictEqual(once, text)
  }, { arbitrary: { runs: 300 } })
})
