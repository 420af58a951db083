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

  it("finds phone numbers in what they are written with: slashes, dots, other prefixes of long distance, other languages", () => {
    for (
      const [text, number] of [
        ["Rückruf an 0171 / 39200 27 bitte", "0171 / 39200 27"],
        ["Doe;Jo;0171/3920027;Berlin", "0171/3920027"],
        ["Hr. Otto, 0221 4710-555", "0221 4710-555"],
        ["031-390 06 12 is her number", "031-390 06 12"],
        ["0470/12.34.56 or mail", "0470/12.34.56"],
        ["rang from 8 (495) 123-45-67 today", "8 (495) 123-45-67"],
        ["at 1.613.555.0149 all day", "1.613.555.0149"],
        ["the desk at 020 7946 0018", "020 7946 0018"],
        ["reach the desk at 9123 4567", "9123 4567"],
        ["12 503-555-0177 97201", "503-555-0177"],
        ["503-555-0177x204", "503-555-0177"],
        ["tel:020-7946-0018", "020-7946-0018"],
        ["tél.0612345678", "0612345678"],
        ["Störungsdienst: 0800 1234567", "0800 1234567"],
        ["Portaria: (11) 3061-1234", "(11) 3061-1234"],
        ["Fr. Ude, +49 (0) 40 / 66969-345", "+49 (0) 40 / 66969-345"],
        ["TEL;TYPE=WORK,VOICE:(212) 555-0147", "(212) 555-0147"],
        ["https://wa.me/4915112345678", "4915112345678"],
        ["{\"phone\": 4915112345678}", "4915112345678"],
        ["caller_id=\"612 3456\"", "612 3456"],
        ["call +52 1 81 8123 4567 now", "+52 1 81 8123 4567"],
        ["cellulare 347 1234567", "347 1234567"],
        ["telemóvel: 912345678", "912345678"],
        ["手机13800138000,请联系", "13800138000"],
        ["電話番号は090-1234-5678です", "090-1234-5678"],
        ["Тел.: 8 (495) 123-45-67", "8 (495) 123-45-67"],
        ["هاتف: ٠٥٠١٢٣٤٥٦٧", "٠٥٠١٢٣٤٥٦٧"],
        ["फ़ोन: ९८७६५४३२१०", "९८७६५४३२१०"],
        ["“+1 303–555–0109”", "+1 303–555–0109"]
      ]
    ) assert.deepStrictEqual(found(`${text}`), [`phone ${number}`], text)
    for (
      const text of [
        "1 000 000 items in 12 345 files",
        "article 198.613.07",
        "release 14.10.156",
        "Customer no. 55 0012 3347",
        "Kundennr. 100 432 17",
        "SIREN 732 829 320",
        "AWB 020-12345675",
        "ABN 51 824 753 556",
        "Zolltarifnummer 8471 30 00",
        "Personal-Nr. 00 123 456",
        "12 345 678 Kč",
        "Cat.No. 11-675-0460",
        "SN: 1234-5678-9012",
        "at=11.23.46",
        "GET /calls/1234567890"
      ]
    ) assert.deepStrictEqual(found(text), [], text)
  })

  it("finds cards and IBANs in the digits, dashes and blanks of any script, in groups of other sizes", () => {
    for (
      const [text, value] of [
        ["card ４２４２４２４２４２４２４２４２", "card ４２４２４２４２４２４２４２４２"],
        ["البطاقة ٤٢٤٢ ٤٢٤٢ ٤٢٤٢ ٤٢٤٢", "card ٤٢٤٢ ٤٢٤٢ ٤٢٤٢ ٤٢٤٢"],
        ["“4242–4242–4242–4242”", "card 4242–4242–4242–4242"],
        ["4242\u00a04242\u00a04242\u00a04242.", "card 4242\u00a04242\u00a04242\u00a04242"],
        ["4242.4242.4242.4242", "card 4242.4242.4242.4242"],
        ["card 4000 0566 5566 5556 12/30 999", "card 4000 0566 5566 5556"],
        ["%B4242424242424242^DOE/JO^2904101", "card 4242424242424242"],
        ["to DE 89370400440532013000 now", "iban DE 89370400440532013000"],
        ["DE89.3704.0044.0532.0130.00", "iban DE89.3704.0044.0532.0130.00"],
        ["从DE89 370400440532013000付款", "iban DE89 370400440532013000"],
        ["PK71UAOJAVN4X6PHA0UCHRXR", "iban PK71UAOJAVN4X6PHA0UCHRXR"]
      ]
    ) assert.deepStrictEqual(found(`${text}`), [`${value}`], text)
    for (const text of ["4242.4242.4242.4241", "DE 89370400440532013001", "٤٢٤٢ ٤٢٤٢ ٤٢٤٢ ٤٢٤١"]) {
      assert.deepStrictEqual(found(text), [], text)
    }
  })

  it("finds addresses beside words of any script, in ranges, with labels and with others inside of them", () => {
    for (
      const [text, ...addresses] of [
        ["nameserver 172.16.254.1", "172.16.254.1"],
        ["192.0.2.8から接続", "192.0.2.8"],
        ["192.0.2.1-192.0.2.9", "192.0.2.1", "192.0.2.9"],
        ["from ::ffff:192.0.2.128 on", "::ffff:192.0.2.128"],
        ["64:ff9b::192.0.2.33", "64:ff9b::192.0.2.33"],
        ["mx ([IPv6:2001:db8::8])", "2001:db8::8"]
      ]
    ) assert.deepStrictEqual(found(`${text}`), addresses.map((address) => `ip ${address}`), text)
    for (
      const text of ["AssemblyVersion(\"2.14.0.1\")", "Section 4.2.1.3", "00:1a:2b:ff:fe:3c:4d:5e", "::ffff:127.0.0.1"]
    ) assert.deepStrictEqual(found(text), [], text)
  })

  it("finds mail addresses in URLs, beside words of any script, and so written that they are not found", () => {
    for (
      const [text, address] of [
        ["https://example.com/u?mail%3Djo%40example.com&x", "jo%40example.com"],
        ["联系jo@example.com即可", "jo@example.com"],
        ["用户@例え.jp", "用户@例え.jp"],
        ["jo＠example.com", "jo＠example.com"],
        ["jo (at) example (dot) com", "jo (at) example (dot) com"],
        ["jo[at]mail.example.com", "jo[at]mail.example.com"],
        ["to \"jo roe\"@example.com", "\"jo roe\"@example.com"],
        ["<bounce+jo=example.com@lists.example.org>", "bounce+jo=example.com@lists.example.org"],
        ["<bounce-12-jo=example.com@lists.example.org>", "bounce-12-jo=example.com@lists.example.org"],
        ["<SRS0=HHH=TT=example.com=jo@fwd.example>", "SRS0=HHH=TT=example.com=jo@fwd.example"],
        ["mail jo.roe AT example DOT com", "jo.roe AT example DOT com"],
        ["jo at mail dot example dot org, please", "jo at mail dot example dot org"],
        ["邮箱jo.roe@163.com，谢谢", "jo.roe@163.com"]
      ]
    ) assert.deepStrictEqual(found(`${text}`), [`email ${address}`], text)
    for (
      const text of [
        "logo@2x.png",
        "file@1.2.3.txt",
        "ssh git@git.example.com",
        "x%28%40java.lang%29",
        "see (at) once",
        "https://jo@example.com/path",
        "pg://user:password@db.example.com/a",
        "meet at the dot matrix",
        "we are at page dot com"
      ]
    ) {
      assert.deepStrictEqual(found(text), [], text)
    }
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
