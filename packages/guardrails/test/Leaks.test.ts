import { Leaks } from "@durable-agents/guardrails"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const backwards = (text: string) => Array.from(text).reverse().join("")
const escaped = (text: string) =>
  Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")

const hide: { readonly [form: string]: (text: string) => string } = {
  plain: (text) => text,
  base64: (text) => Buffer.from(`see: ${text}`).toString("base64"),
  base64url: (text) => Buffer.from(`${text}, then`).toString("base64url"),
  "base64 twice": (text) => btoa(Buffer.from(`see: ${text}`).toString("base64")),
  hex: (text) => Buffer.from(text).toString("hex"),
  "hex of base64": (text) => Buffer.from(btoa(text)).toString("hex"),
  percent: escaped,
  entities: (text) => Array.from(text, (one) => `&#${one.charCodeAt(0)};`).join(""),
  backwards,
  "base64 of backwards": (text) => btoa(backwards(text)),
  spread: (text) => Array.from(text).join(" "),
  "in full width": (text) =>
    Array.from(text, (one) => one === " " ? one : String.fromCharCode(one.charCodeAt(0) + 0xfee0)).join("")
}

const Value = Schema.Literals([
  "4eZ7q0Rb2VnT8xKdLw3P",
  "4539 1488 0343 6467",
  "DE02 1203 0000 0000 2020 51",
  "+49 30 901820"
])
const find = (value: string, args: Schema.Json, before: Schema.Json = {}) =>
  Leaks.find({ value, isCode: true }, Leaks.of(args), Leaks.of(before))

describe("Leaks.find", () => {
  it.prop("finds a value in whatever form it leaves, and says in which argument", {
    value: Value,
    form: Schema.Literals(["plain", ...Object.keys(hide)]),
    around: Schema.Literals(["", "Hello. ", "a=1&q=", "\n"])
  }, ({ around, form, value }) => {
    const leak = find(value, { to: "ann@x.org", body: `${around}${hide[form]?.(value) ?? ""} ok` })
    assert.strictEqual(leak?.path, "body", `${form} of ${value}`)
    assert.strictEqual(leak?.form === undefined, form === "plain" || form === "in full width")
  })

  it.prop("puts two parts together, wherever the value is cut and whichever part goes first", {
    value: Value,
    cut: Schema.Int.check(Schema.isBetween({ minimum: 7, maximum: 9 })),
    isEarlier: Schema.Boolean,
    isFirst: Schema.Boolean
  }, ({ cut, isEarlier, isFirst, value }) => {
    const parts = [`one: ${value.slice(0, cut)}`, `${value.slice(cut)} is two`]
    const [left = "", right = ""] = isFirst ? parts : parts.toReversed()
    const leak = isEarlier ? find(value, { b: right }, { a: left }) : find(value, { a: left, b: right })
    assert.strictEqual(leak?.form, "split")
  })

  it.prop("finds nothing of a value of which a part alone leaves", { value: Value }, ({ value }) => {
    assert.isUndefined(find(value, { a: value.slice(0, 9), b: "Nothing else." }))
  })

  it("takes words for what they are: an address is not put together of others", () => {
    const value = "ines@casaluna.example"
    assert
      .isUndefined(Leaks.find(
        { value, isCode: false },
        Leaks.of({ to: "tom@casaluna.example", body: "Ines asks you to call." })
      ))
  })
})
