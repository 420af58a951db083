import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { canonicalJson, derivedRunId, digest, idempotencyKey, noArguments, sha256Hex } from "../src/Digest.ts"
import { RunId } from "../src/Ids.ts"
import { runId } from "./generators.ts"

/** JSON, and text that says the same in another way: members in another order, white space, escapes. */
interface Written {
  readonly json: Schema.Json
  readonly text: string
}

const spaces = ["", " ", "\n\t", "\r\n  "]

/** A small generator of numbers, so that a drawn seed gives the same text again. */
const chance = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor(state / 2 ** 32 * below)
  }
}

const rewrite = (json: Schema.Json, draw: (below: number) => number): string => {
  const space = () => spaces[draw(spaces.length)] ?? ""
  if (typeof json === "string") {
    return `"${
      Array.from(
        { length: json.length },
        (_, index) =>
          draw(3) === 0
            ? `\\u${json.charCodeAt(index).toString(16).padStart(4, "0").toUpperCase()}`
            : JSON.stringify(json.charAt(index)).slice(1, -1)
      ).join("")
    }"`
  }
  if (typeof json !== "object" || json === null) return JSON.stringify(json)
  const list = (items: ReadonlyArray<string>) => items.map((item) => `${space()}${item}${space()}`).join(",")
  if (Array.isArray(json)) return `[${space()}${list(json.map((item) => rewrite(item, draw)))}]`
  const members = Object.entries(json)
  const shuffled = members.map((member) => ({ member, at: draw(1000) })).sort((left, right) => left.at - right.at)
  return `{${space()}${
    list(shuffled.map(({ member: [key, value] }) =>
      `${rewrite(key, draw)}${space()}:${space()}${rewrite(value, draw)}`
    ))
  }}`
}

const WrittenJson = Arbitrary.map(
  Arbitrary.all([Arbitrary.schema(Schema.Json), Arbitrary.schema(Schema.Natural)]),
  ([json, seed]): Written => ({ json, text: rewrite(json, chance(seed)) })
)

describe("Digest.idempotencyKey", () => {
  it("gives the keys of the Python durable-agents (check 30)", () => {
    assert.strictEqual(
      idempotencyKey(runId, 11, "issue_refund", { reason: "damaged", order_id: "A-8891", amount_inr: 3000 }),
      "7d1648051421abdea6ab411c54aa312c002adb37b33d25b95a8c56b7ac68e236"
    )
    assert.strictEqual(
      idempotencyKey(runId, 0, "noargs", {}),
      "5b94457dfe38ca775a8321f142b94c7ef1c2c3b03e57b0d8aa6c2b0f7dfaab00"
    )
    assert.strictEqual(
      idempotencyKey(runId, 7, "f", { y: 0.1, a: 2, x: 1e21, B: 1 }),
      "8290aa13cf4256a041c2876938023b1d686df7f9c258abc9618173cdab00c6f8"
    )
  })

  it("gives them also where only the text of the arguments keeps the form of a number", () => {
    const args = canonicalJson(`{"b": {"z": 1, "a": [true, null, "₹😀"]}, "a": 1.0}`)
    assert.strictEqual(args, String.raw`{"a":1.0,"b":{"a":[true,null,"\u20b9\ud83d\ude00"],"z":1}}`)
    assert.strictEqual(
      sha256Hex(`${runId}:3:note:${args}`),
      "c33bcf003bb7860f3fe76f09fc49b1359fb43dbcd655fa704350d2c23616ef49"
    )
  })

  it("hashes the text of runId:seq:name:{} for a step", () => {
    assert.strictEqual(
      idempotencyKey(runId, 12, "charge", noArguments),
      sha256Hex("00000000-0000-4000-8000-000000000001:12:charge:{}")
    )
  })

  it.prop("does not depend on how the arguments were written (EV-3)", { written: WrittenJson }, ({ written }) => {
    assert.strictEqual(
      idempotencyKey(runId, 3, "note", JSON.parse(written.text)),
      idempotencyKey(runId, 3, "note", written.json)
    )
  })

  it.prop("differs between operations of a run, whatever they are called and given (EV-4)", {
    left: Schema.Struct({ seq: Schema.Natural, name: Schema.String, args: Schema.Json }),
    right: Schema.Struct({ seq: Schema.Natural, name: Schema.String, args: Schema.Json })
  }, ({ left, right }) => {
    const seq = right.seq === left.seq ? right.seq + 1 : right.seq
    assert.notStrictEqual(
      idempotencyKey(runId, left.seq, left.name, left.args),
      idempotencyKey(runId, seq, right.name, right.args)
    )
  })

  it("keeps apart what would join to the same text without the run's fixed length (EV-4)", () => {
    const other = RunId.make("00000000-0000-4000-8000-000000000011")
    const keys = [
      idempotencyKey(runId, 1, "1:a", {}),
      idempotencyKey(runId, 11, "a", {}),
      idempotencyKey(other, 1, "a", {}),
      idempotencyKey(runId, 1, "a", "{}:"),
      idempotencyKey(runId, 1, "a", ["{}"]),
      idempotencyKey(runId, 1, "a", { a: 1 }),
      idempotencyKey(runId, 1, "a", { a: "1" })
    ]
    assert.strictEqual(new Set(keys).size, keys.length)
  })
})

describe("Digest.digest", () => {
  it("gives the prompt hashes of the Python durable-agents", () => {
    assert.strictEqual(digest(""), "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    assert.strictEqual(digest("be careful"), "sha256:9814ac3eaf081b78fb8b2b4b5e2379c1b3ba5be07851ab1d4b27fa7a9176ec0e")
  })

  it("hashes the UTF-8 bytes", () => {
    assert.strictEqual(sha256Hex("₹😀"), "27b0cd9f7fc63708d5fed1f381e57b632d68b99e8c29fab425b6cd17cbfd9092")
  })
})

describe("Digest.canonicalJson", () => {
  const raw = String.raw

  it.each([
    ["white space", raw` [ 1 ,${"\t"}{ "a" :${"\r\n"} [ ] , "b" : { } } ] `, raw`[1,{"a":[],"b":{}}]`],
    [
      "key order at every level",
      raw`{"b":{"d":1,"c":2},"a":[{"z":1,"y":2}]}`,
      raw`{"a":[{"y":2,"z":1}],"b":{"c":2,"d":1}}`
    ],
    ["upper case before lower case", raw`{"b":1,"B":2,"a":3,"_":4}`, raw`{"B":2,"_":4,"a":3,"b":1}`],
    ["prefixes first", raw`{"aa":1,"a":2,"":3}`, raw`{"":3,"a":2,"aa":1}`],
    ["keys that look like numbers", raw`{"10":1,"9":2,"1":3}`, raw`{"1":3,"10":1,"9":2}`],
    [
      "number lexemes",
      raw`[1.0,1e2,1E+2,-0,0.10,12345678901234567890]`,
      raw`[1.0,1e2,1E+2,-0,0.10,12345678901234567890]`
    ],
    ["literals", raw`[true,false,null]`, raw`[true,false,null]`],
    ["escapes", raw`"\u0041\/\u000a\u0008\u000c\r\t\"\\"`, raw`"A/\n\b\f\r\t\"\\"`],
    ["control characters", raw`"\u0000\u001f\u007F"`, raw`"\u0000\u001f\u007f"`],
    ["other scripts", `"é₹😀\u2028"`, raw`"\u00e9\u20b9\ud83d\ude00\u2028"`],
    ["other scripts in keys", `{"é":1,"e":2}`, raw`{"e":2,"\u00e9":1}`],
    ["half a surrogate pair", raw`"\ud83d"`, raw`"\ud83d"`],
    ["structure inside text", raw`{"a":"{\"b\":[1,2]}","c":"\\"}`, raw`{"a":"{\"b\":[1,2]}","c":"\\"}`],
    ["the last of equal keys", raw`{"a":1,"\u0061":2}`, raw`{"a":2}`],
    [
      "keys that mean something to JavaScript",
      raw`{"__proto__":{"x":1},"constructor":2}`,
      raw`{"__proto__":{"x":1},"constructor":2}`
    ],
    ["a lone value", ` "a" `, `"a"`]
  ])("writes %s in one way", (_, json, canonical) => {
    assert.strictEqual(canonicalJson(json), canonical)
  })

  it("sorts keys by code point, where UTF-16 units would put an astral character first", () => {
    assert.strictEqual(canonicalJson(`{"😀":1,"\uff5e":2}`), raw`{"\uff5e":2,"\ud83d\ude00":1}`)
  })

  it.prop("gives equal values equal text, whatever their order, white space and escapes", {
    written: WrittenJson
  }, ({ written }) => {
    assert.strictEqual(canonicalJson(written.text), canonicalJson(JSON.stringify(written.json)))
  })

  it.prop("changes nothing the second time", { json: Schema.Json }, ({ json }) => {
    const once = canonicalJson(JSON.stringify(json))
    assert.strictEqual(canonicalJson(once), once)
  })

  it.prop("keeps the value, and is printable ASCII", { json: Schema.Json }, ({ json }) => {
    const text = canonicalJson(JSON.stringify(json))
    assert.deepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(json)))
    assert.match(text, /^[ -~]*$/)
  })

  it.prop("gives different values different text", { left: Schema.Json, right: Schema.Json }, ({ left, right }) => {
    const text = (json: Schema.Json) => canonicalJson(JSON.stringify(json))
    assert.strictEqual(text(left) === text(right), text([left]) === text([right]))
    if (typeof left !== typeof right) assert.notStrictEqual(text(left), text(right))
  })

  it("takes text of 20 MB and 100,000 levels", () => {
    const long = JSON.stringify("a".repeat(20_000_000))
    assert.strictEqual(canonicalJson(long).length, long.length)
    const deep = "[".repeat(100_000) + "]".repeat(100_000)
    assert.strictEqual(canonicalJson(deep), deep)
  })
})

describe("Digest.derivedRunId", () => {
  it("is a UUID of version 8, the same everywhere", () => {
    const id = derivedRunId("default", "support", "order-1")
    assert.strictEqual(id, "d5726407-ce05-88f5-b0d8-719b5319936a")
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it("is another one for the keys that all programs share", () => {
    const id = derivedRunId("default", null, "order-1")
    assert.strictEqual(id, "5a584b35-fbc3-867c-92e7-58e61872b5f3")
    for (const program of ["", "null", "support"]) {
      assert.notStrictEqual(derivedRunId("default", program, "order-1"), id)
    }
  })

  it.prop("is an id of its own for every three names, however they would join", {
    left: Schema.Tuple([Schema.String, Schema.String, Schema.String]),
    right: Schema.Tuple([Schema.String, Schema.String, Schema.String])
  }, ({ left, right }) => {
    assert.isTrue(Schema.is(RunId)(derivedRunId(...left)))
    const same = left.every((name, index) => name === right[index])
    assert.strictEqual(derivedRunId(...left) === derivedRunId(...right), same)
    const [a, b, c] = left
    assert.notStrictEqual(derivedRunId(a, `${b}${c}x`, ""), derivedRunId(a, b, `${c}x`))
  })
})
