import { PersonalData, Placeholders } from "@durable-agents/guardrails"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const words = [
  "jane@example.org",
  "4242 4242 4242 4242",
  "4242424242424242",
  "DE89370400440532013000",
  "+41 44 668 18 00",
  "198.51.100.7",
  "[EMAIL_deadbeef]",
  "[EMAIL_deadbeef!]",
  "[CARD_00000000.ab.n]",
  "password=Xk29!ffQw",
  "hello",
  " ",
  "[",
  "_",
  "]",
  "Phone: 083 564 9312"
]
const Text = Schema.Array(Schema.Union([Schema.Literals(words), Schema.String]))
  .pipe(Schema.check(Schema.isMaxLength(12)))
const Json = Schema
  .Array(Schema.Union([
    Schema.Struct({ phone: Schema.Literals(words), n: Schema.Finite }),
    Schema.Literals(words),
    Schema.Literal(4242424242424242)
  ]))

describe("Placeholders", () => {
  it.prop("mask and restore change nothing, whatever the texts", { parts: Text, others: Text }, ({ others, parts }) => {
    const placeholders = Placeholders.make("key")
    const texts = [parts.join(""), others.join(" ")]
    for (const text of texts) placeholders.learn(text)
    for (const text of texts) assert.strictEqual(placeholders.restore(placeholders.mask(text)), text)
  })

  it.prop("do the same to JSON, with its numbers", { json: Json }, ({ json }) => {
    const placeholders = Placeholders.make("key")
    Placeholders.learnJson(placeholders, json)
    assert.deepStrictEqual(Placeholders.restoreJson(placeholders, Placeholders.maskJson(placeholders, json)), json)
  })

  it.prop("leave no value that was recognised anywhere", { parts: Text, others: Text }, ({ others, parts }) => {
    const placeholders = Placeholders.make("key")
    const texts = [parts.join(""), others.join(" ")]
    for (const text of texts) placeholders.learn(text)
    const values = texts.flatMap((text) => PersonalData.find(text).map(({ end, start }) => text.slice(start, end)))
    for (const text of texts) {
      const masked = placeholders.mask(text)
      for (const value of values) assert.notInclude(masked.replace(/\[[A-Z]+_[^\]]*\]/g, "\0"), value)
    }
  })

  it("leave no part of a value that overlaps with another, and restore both or none", () => {
    const text = "4242 4242 4242 4242jane@example.org"
    const placeholders = Placeholders.make("key")
    placeholders.learn("4242 4242 4242 4242")
    placeholders.learn("4242jane@example.org")
    const masked = placeholders.mask(text)
    assert.match(masked, /^\[CARD_[0-9a-f.]+\]$/)
    assert.strictEqual(placeholders.restore(masked), text)
    assert.strictEqual(placeholders.restore(masked, (kind) => kind === "card"), masked)
  })

  it.prop("give a text back in pieces as in one, and no piece of a placeholder", {
    parts: Text,
    cuts: Schema.Array(Schema.Natural)
  }, ({ cuts, parts }) => {
    const placeholders = Placeholders.make("run 1")
    const masked = placeholders.mask(parts.join(" "))
    const places = [0, ...cuts.map((cut) => cut % (masked.length + 1)).toSorted((a, b) => a - b), masked.length]
    const pieces = Placeholders.pieces(placeholders)
    const told = [...places.slice(1).map((end, at) => pieces.add(masked.slice(places[at], end))), pieces.end()]
    assert.strictEqual(told.join(""), placeholders.restore(masked))
    for (const piece of told) assert.notMatch(piece, /\[(?:EMAIL|CARD|IBAN|PHONE|IP|SECRET)_[0-9a-f]*$/)
  })

  it("name a value alike however it is written, in every process, and differently in another run", () => {
    const first = Placeholders.make("run 1").mask("4242 4242 4242 4242 and 4242424242424242")
    assert.match(first, /^\[CARD_([0-9a-f]{8})\.[0-9a-f]+\] and \[CARD_\1\]$/)
    assert.strictEqual(Placeholders.make("run 1").mask("4242424242424242"), first.split(" and ")[1])
    assert.notInclude(Placeholders.make("run 2").mask("4242424242424242"), first.split(" and ")[1] ?? "")
  })

  it("give values back by kind", () => {
    const placeholders = Placeholders.make("key")
    const masked = placeholders.mask("jane@example.org 198.51.100.7")
    assert.strictEqual(
      placeholders.restore(masked, (kind) => kind === "ip"),
      masked.replace(/\[IP_[0-9a-f]+\]/, "198.51.100.7")
    )
    assert.deepStrictEqual(placeholders.counts(), { email: 1, ip: 1 })
  })

  it("mask a value where it would not be recognised, once it was anywhere", () => {
    const placeholders = Placeholders.make("key")
    placeholders.learn("Phone: 3660170548")
    assert.notInclude(placeholders.mask("id3660170548x"), "3660170548")
  })

  it("know the values of lists, of members of members and of pairs by what these are called", () => {
    const placeholders = Placeholders.make("key")
    const json = {
      phones: ["5035550177"],
      phone: { number: 5035550188 },
      env: [{ name: "DB_PASSWORD", value: "tR4ub-4dor" }],
      "jo@example.org": { "4242424242424242": 1 }
    }
    Placeholders.learnJson(placeholders, json)
    const masked = Placeholders.maskJson(placeholders, json)
    for (const value of ["5035550177", "5035550188", "tR4ub-4dor", "jo@example.org", "4242424242424242"]) {
      assert.notInclude(JSON.stringify(masked), value)
    }
    assert.deepStrictEqual(Placeholders.restoreJson(placeholders, masked), json)
  })

  it("keep a value apart from one that it begins with, and one value in the digits of two scripts together", () => {
    const placeholders = Placeholders.make("key")
    const text = "jo@example.com, jo@example.com.au, 4242424242424242 and ٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢"
    const masked = placeholders.mask(text)
    assert.strictEqual(placeholders.restore(masked), text)
    const [short, long, card, same] = masked.match(/\[[^\]]*\]/g) ?? []
    assert.notStrictEqual(short, long)
    assert.strictEqual(same?.split(".")[0], card?.slice(0, -1))
  })

  it("take time that grows with the text, however many values there are", () => {
    const placeholders = Placeholders.make("key")
    const text = Array.from({ length: 20_000 }, (_, at) => `user${at}@example.com`).join(" ")
    assert.strictEqual(placeholders.restore(placeholders.mask(text)), text)
    const before = process.cpuUsage()
    for (let at = 0; at < 40; at++) {
      assert.include(placeholders.mask(`new${at}@example.com and user7@example.com`), " and [")
    }
    // As many times a pattern of all values took ten seconds.
    assert.isBelow(process.cpuUsage(before).user / 1000, 1000)
  })
})
