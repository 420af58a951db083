import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { spawnSync } from "node:child_process"
import * as Printable from "../src/Printable.ts"
import { isHarmful, nasty } from "./nasty.ts"

/** Reads what `inline` wrote. */
const unescape = (text: string): string =>
  text.replace(
    /(\\+)(?:([tn])|u\{([0-9a-f]+)\}|u\{)?/g,
    (found, backslashes: string, letter?: string, code?: string) => {
      if (letter === undefined && !found.endsWith("{") && code === undefined) return found
      const half = "\\".repeat(Math.floor(backslashes.length / 2))
      const rest = found.slice(backslashes.length)
      return backslashes.length % 2 === 0
        ? `${half}${rest}`
        : `${half}${
          letter === "t" ? "\t" : letter === "n" ? "\n" : String.fromCodePoint(Number.parseInt(`${code}`, 16))
        }`
    }
  )

describe("Printable.inline", () => {
  it("shows what a terminal would act on", () => {
    assert.strictEqual(
      Printable.inline("a\tb\r\n\u001b[31m\u007f\u009b2J\u202e\u2066\u200b\u2028\u{e0041}\ud800"),
      "a\\tb\\u{d}\\n\\u{1b}[31m\\u{7f}\\u{9b}2J\\u{202e}\\u{2066}\\u{200b}\\u{2028}\\u{e0041}\\u{d800}"
    )
  })

  it("leaves every other text as it is", () => {
    const text = "Grüße 日本語 👩‍👩‍👧 ❤️ नमस्ते می‌خواهم C:\\files \\d+ \"quoted\"  spaces  "
    assert.strictEqual(Printable.inline(text), text)
  })

  it("doubles backslashes where they could be taken for an escape", () => {
    assert.strictEqual(Printable.inline("C:\\temp \\u{1b} \\\t"), "C:\\\\temp \\\\u{1b} \\\\\\t")
  })

  it.prop("is harmless and can be read back", { text: nasty }, ({ text }) => {
    const printed = Printable.inline(text)
    assert.isFalse(isHarmful(printed))
    assert.strictEqual(unescape(printed), text)
  })

  it("takes time in proportion to the text", () => {
    const begin = performance.now()
    for (const unit of ["\\", "\u001b", "\\u{", "\ud800"]) Printable.inline(unit.repeat(300_000))
    assert.isBelow(performance.now() - begin, 5_000)
  })
})

describe("Printable.block", () => {
  it.prop("keeps line breaks and is harmless", { text: nasty }, ({ text }) => {
    const lines = Printable.block(text)
    assert.strictEqual(lines.length, text.split("\n").length)
    assert.isFalse(lines.some(isHarmful))
  })
})

describe("Printable.shellWord", () => {
  it("is read by a shell as what it was", () => {
    const words = [
      "a",
      "turn-1/call-1/approval",
      "two words",
      "it's",
      "$HOME",
      "`id`",
      "a\"b",
      "\\",
      "*",
      "日本",
      "",
      "!"
    ]
    const { stdout } = spawnSync("sh", ["-c", `printf '%s\\n' ${words.map(Printable.shellWord).join(" ")}`], {
      encoding: "utf8"
    })
    assert.deepStrictEqual(stdout.split("\n").slice(0, -1), words)
  })

  it.prop("is harmless, and one word", { text: nasty }, ({ text }) => {
    const word = Printable.shellWord(text)
    assert.isFalse(isHarmful(word))
    assert.match(word, /^(?:[\w@%+=:,./-]+|'(?:[^']|'\\'')*')$/)
  })
})

describe("Printable.wrapAll", () => {
  it.prop("loses nothing, and indents what goes on", {
    lines: Arbitrary.array(nasty),
    width: Schema.Int.check(Schema.isBetween({ minimum: 20, maximum: 100 }))
  }, ({ lines, width }) => {
    const printable = lines.map((line) => `  ${Printable.inline(line)}`)
    const wrapped = Printable.wrapAll(printable, width)
    assert.strictEqual(wrapped.join("").replaceAll(" ", ""), printable.join("").replaceAll(" ", ""))
    assert.isTrue(wrapped.every((line) => line.startsWith("  ")))
  })
})

describe("Printable.json", () => {
  it("puts short values on one line and indents the rest", () => {
    assert.deepStrictEqual(Printable.json({ a: 1, b: ["x", null], c: {} }), [
      "{\"a\": 1, \"b\": [\"x\", null], \"c\": {}}"
    ])
    assert.deepStrictEqual(Printable.json({ short: [1, 2], long: "x".repeat(60) }), [
      "{",
      "  \"short\": [1, 2],",
      `  "long": "${"x".repeat(60)}"`,
      "}"
    ])
  })

  it("prints values as deep as JSON can be written", () => {
    const text = `${"[".repeat(2_000)}${"]".repeat(2_000)}`
    assert.strictEqual(Printable.json(JSON.parse(text)).join("").replace(/\s/g, ""), text)
  })

  it.prop(
    "is harmless and means the same",
    { value: Schema.Json, text: nasty },
    ({ text, value }) => {
      const both = { value, text }
      // Node 24.21 reads any escaped name as a backslash once it has met the name "\\" at the same place.
      if (JSON.stringify(value).includes("\\\\\":")) return
      const lines = Printable.json(both)
      assert.isFalse(lines.some(isHarmful))
      assert.strictEqual(JSON.stringify(JSON.parse(lines.join("\n"))), JSON.stringify(both))
    }
  )
})

describe("Printable.wrap", () => {
  it("breaks after spaces, within words where it must, and never within a character", () => {
    assert.deepStrictEqual(Printable.wrap("the quick brown-fox-jumps", 10), ["the quick ", "brown-fox-", "jumps"])
    assert.deepStrictEqual(Printable.wrap(" abcdef😀", 7), [" ", "abcdef", "😀"])
    assert.deepStrictEqual(Printable.wrap("日本語👩‍👩‍👧é", 4), ["日本", "語👩‍👩‍👧", "é"])
  })

  it.prop(
    "fits, and joins to what it was",
    { text: nasty, width: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 40 }))) },
    ({ text, width }) => {
      const line = Printable.inline(text)
      const pieces = Printable.wrap(line, width)
      assert.strictEqual(pieces.join(""), line)
      for (const piece of pieces) assert.isAtMost(Printable.widthOf(piece), width)
    }
  )
})
