import { PersonalData } from "@durable-agents/guardrails"
import { assert, describe, it } from "@effect/vitest"
import { units } from "../scripts/adversaries/SlowInputs.ts"

const found = (text: string) =>
  PersonalData.find(text).map(({ end, kind, start }) => `${kind} ${text.slice(start, end)}`)

/** Twenty or more characters that chance might have written. */
const chance = (length: number, alphabet = "Q7xTz2LmK9vRb4WnE8sYc3HgU6pJd5Af"): string =>
  Array.from({ length }, (_, at) => alphabet[(at * 7 + (at >> 2) * 3) % alphabet.length]).join("")

describe("PersonalData.find", () => {
  it("finds mail addresses, and not what only has an at sign", () => {
    assert.deepStrictEqual(found("Write to jane.doe+x@mail.example.co.uk."), ["email jane.doe+x@mail.example.co.uk"])
    assert.deepStrictEqual(found("to=<a.b@example.org>, cc: \"c-d@example.net\""), [
      "email a.b@example.org",
      "email c-d@example.net"
    ])
    for (
      const text of ["foo@bar", "@scope/name@1.2.3", "git@host.example:org/repo.git", "app@sha256:abc", "a @ b.example"]
    ) {
      assert.deepStrictEqual(found(text), [], text)
    }
  })

  it("finds cards by issuer, length and checksum, and none with a wrong one", () => {
    for (const card of ["4242424242424242", "4242 4242 4242 4242", "3782-822463-10005", "3056 930902 5904"]) {
      assert.deepStrictEqual(found(`pan ${card}, ok`), [`card ${card}`])
    }
    for (
      const text of [
        "4242424242424241",
        "9242424242424242",
        "4242 4242 4242 4242 4242",
        "1692579199000000000",
        "x4242424242424242"
      ]
    ) {
      assert.deepStrictEqual(found(text), [], text)
    }
  })

  it("finds IBANs of any country in either writing, and none with wrong check digits", () => {
    for (
      const iban of [
        "DE89370400440532013000",
        "GB29 NWBK 6016 1331 9268 19",
        "nl91abna0417164300",
        "NO93 8601 1117 947"
      ]
    ) {
      assert.deepStrictEqual(found(`to ${iban} today`), [`iban ${iban}`])
    }
    for (const text of ["DE89370400440532013001", "GB29 NWBK 6016 1331 9268 18", "XX89370400440532013000"]) {
      assert.deepStrictEqual(found(text), [], text)
    }
  })

  it("finds addresses of both versions, and neither versions, times nor masks", () => {
    assert.deepStrictEqual(found("from 198.51.100.7:443 to [2001:db8::ff00:42:8329]"), [
      "ip 198.51.100.7",
      "ip 2001:db8::ff00:42:8329"
    ])
    for (
      const text of [
        "v1.2.3.4",
        "Chrome/95.0.41.7",
        "1.3.6.1.4.1",
        "12:30:45",
        "82:04:7c:f6:aa:de",
        "std::byte",
        "255.255.255.0",
        "127.0.0.1",
        "::1"
      ]
    ) {
      assert.deepStrictEqual(found(text), [], text)
    }
  })

  it("finds phone numbers in E.164, in a country's groups, and where they are called so", () => {
    for (const text of ["+41 44 668 18 00", "+14155550132", "(415) 555-0132", "030 901820"]) {
      assert.deepStrictEqual(found(`Please use ${text} for this`).map((one) => one.split(" ")[0]), ["phone"], text)
    }
    assert.deepStrictEqual(found("Phone: 083 564 9312"), ["phone 083 564 9312"])
    for (
      const text of [
        "2024-05-18 10:00",
        "order 5-87-330",
        "ORD-2020-579937",
        "10 20 30 40 50 60 70 80 90 11 22 33 44",
        "978-3-16-148410-0",
        "200 1950"
      ]
    ) {
      assert.deepStrictEqual(found(text), [], text)
    }
  })

  it("finds secrets by format, in headers and URLs, and by what they are called", () => {
    const token = chance(40)
    for (
      const [text, secret] of [
        [`npm_${chance(36)}`, `npm_${chance(36)}`],
        [`glpat-${chance(20)}`, `glpat-${chance(20)}`],
        [`hf_${chance(34)}`, `hf_${chance(34)}`],
        [`"Authorization: Bearer ${token}"`, token],
        [`postgres://app:${chance(14)}@db.example.com/prod`, chance(14)],
        [`DB_PASSWORD=${chance(9)}!`, `${chance(9)}!`],
        [`{"clientSecret": "${token}"}`, token],
        [`acme_live_${chance(24)}`, `acme_live_${chance(24)}`],
        [
          `-----BEGIN PRIVATE KEY-----\n${token}\n-----END PRIVATE KEY-----`,
          `-----BEGIN PRIVATE KEY-----\n${token}\n-----END PRIVATE KEY-----`
        ]
      ]
    ) assert.deepStrictEqual(found(`${text}`), [`secret ${secret}`], text)
    for (
      const text of [
        "token: ${API_TOKEN}",
        "secret: {{ .Values.secret }}",
        "password: required",
        "AWS_SECRET_ACCESS_KEY=",
        "-----BEGIN CERTIFICATE-----",
        "KeyId: 1234abcd-12ab-34cd-56ef-1234567890ab",
        "postgres://user:password@localhost/db",
        "commit 6113728f27ae82c7b1a177c8d03f9e96e0adf246"
      ]
    ) assert.deepStrictEqual(found(text), [], text)
  })

  it("takes what the formats say for a phone number, whatever country it is of, and no order number (H37, H44)", () => {
    for (
      const text of [
        "+1 415 555 2671",
        "+1-415-555-0134",
        "415-555-2671",
        "(415) 555-2671",
        "+44 20 7946 0958",
        "020 7946 0958",
        "+49 30 901820",
        "+33 1 42 68 53 00",
        "+91 98765 43210",
        "+81 3-3224-5000",
        "+55 11 2555-1234",
        "+61 2 9374 4000",
        "+86 10 6552 9988",
        "+27 21 461 1234",
        "+46 8 508 290 00"
      ]
    ) assert.deepStrictEqual(found(`Ask ${text} please`), [`phone ${text}`], text)
    for (
      const text of [
        "1234567890123",
        "INV-99887766554",
        "1Z999AA10123456784",
        "8891 6400 3000 1200",
        "9780306406157",
        "2024-05-18",
        "2024-05-18/2024-06-01",
        "1111 2222 3333 4444 5555",
        "US12ABCDEFGHIJKL"
      ]
    ) assert.deepStrictEqual(found(text), [], text)
  })

  it("looks at one value, and not at what values next to each other would be (H13, D43)", () => {
    const ids = Array.from({ length: 400 }, (_, at) => `${4_242_424_200 + at * 7919}`)
    const joined = ids.map((id, at) => `{"order": "${id}", "cents": ${(at * 37) % 9000 + 1000}}`).join("\n")
    assert.deepStrictEqual(found(joined), [])
    const times = Array.from({ length: 500 }, (_, at) => 1_692_579_199_000 + at * 86_400_123).join(" ")
    assert.deepStrictEqual(found(times), [])
  })

  it("finds kinds of one's own, which win if they come first (D48, D51)", () => {
    const badge: PersonalData.Kind = {
      name: "badge",
      find: (text) =>
        Array.from(
          text.matchAll(/\bB-\d{6}\b/g),
          ({ 0: value, index }) => ({ start: index, end: index + value.length })
        )
    }
    const text = "B-123456 writes from a@example.org"
    assert.deepStrictEqual(PersonalData.find(text, [badge, ...PersonalData.kinds]).map(({ kind }) => kind), [
      "badge",
      "email"
    ])
    assert.deepStrictEqual(PersonalData.find(text, [badge]).map(({ kind }) => kind), ["badge"])
  })

  it("takes time that grows with the text, whatever it holds (H20, D66)", () => {
    assert.isAtLeast(units.length, 40)
    for (const unit of units) {
      const text = unit.repeat(Math.ceil(16_000 / unit.length))
      // As much text in all: in pieces, and in pieces that are four times as long, which a square would make take four times as long.
      const pieces = millis(text.slice(0, 4_000), 8)
      const isLinear = () => millis(text.slice(0, 16_000), 2) < 2.2 * pieces + 8
      assert.isTrue(isLinear() || isLinear() || isLinear(), `${JSON.stringify(unit)}: ${pieces} ms for pieces of 4 KB`)
    }
  })
})

/** Processor time, which other processes do not add to. */
const millis = (text: string, times: number): number => {
  const before = process.cpuUsage()
  for (let time = 0; time < times; time++) PersonalData.find(text)
  const { system, user } = process.cpuUsage(before)
  return (user + system) / 1000
}
