/**
 * What each argument of a call says: to whom, where, how much, which one, or only what.
 */
import type { ToolLabels } from "@durable-agents/core"
import type { Schema } from "effect"

/**
 * What an argument says. `content` is text for others, `plain` says nothing that could be turned against anybody.
 *
 * @category models
 * @since 0.1.0
 */
export type Kind = NonNullable<ToolLabels["sinks"]>[string]

/**
 * A value that decides what a call does, or that stands in a text which it passes on.
 *
 * @category models
 * @since 0.1.0
 */
export interface Sink {
  /** The argument, by its path without the indices of lists: `lines.iban`. */
  readonly path: string
  readonly kind: Exclude<Kind, "plain" | "content"> | "call"
  readonly value: string
  /** It stands within a text for others. */
  readonly embedded: boolean
}

/**
 * How to look for values of the shape of this one, if it has one: an address, an account, a long number, letters with a number. They may
 * stand for each other.
 *
 * @category readers
 * @since 0.1.0
 */
export const alike = ({ kind, value }: Sink): RegExp | undefined => {
  const text = value.trim()
  const known = shapes.find(({ whole }) => whole.test(text))
  if (known !== undefined || kind === "amount" || kind === "call") return known?.within
  return /^(?:\d{5,20}|(?=.{0,20}\d{3})[\p{L}\d_-]{4,40})$/u.test(text)
    ? new RegExp(`(?<![\\p{L}\\p{N}])${text.replace(/\d/g, "\\d")}(?![\\p{L}\\p{N}])`, "giu")
    : undefined
}

/** More values than these are not told apart: a call with more is judged by the first ones, and as one that says too much. */
const most = 64

/** Of a longer text for others, what follows is not looked at. */
const longest = 20_000

/**
 * The values of a call's arguments that have to come from somewhere.
 *
 * **Details**
 *
 * What the labels do not say is guessed: by the value, if it is an address of any kind; by the name of the argument; and what is
 * neither is a text for others, in which addresses, account numbers and long numbers are looked for.
 *
 * @category readers
 * @since 0.1.0
 */
export const of = (
  args: Schema.Json,
  labels: NonNullable<ToolLabels["sinks"]> = {}
): { readonly sinks: ReadonlyArray<Sink>; readonly more: boolean } => {
  const found: Array<Sink> = []
  let tooLong = false
  for (const [path, value] of scalars(args)) {
    const kind = kindOf(path, value, Object.hasOwn(labels, path) ? labels[path] : undefined)
    if (kind === "plain" || String(value).trim() === "") continue
    if (kind !== "content") found.push({ path, kind, value: String(value), embedded: false })
    else {
      const text = String(value)
      tooLong ||= text.length > longest
      found.push(...embedded(path, text.slice(0, longest)))
    }
  }
  const unique = [...new Map(found.map((sink) => [`${sink.path} ${sink.kind} ${sink.value}`, sink])).values()]
  return { sinks: unique.slice(0, most), more: tooLong || unique.length > most }
}

/** Texts and numbers by their paths; of lists, without the index. */
export const scalars = (
  json: Schema.Json,
  path = ""
): ReadonlyArray<readonly [path: string, value: string | number]> => {
  if (typeof json === "string" || typeof json === "number") return [[path, json]]
  if (typeof json !== "object" || json === null) return []
  return Array.isArray(json)
    ? json.flatMap((item: Schema.Json) => scalars(item, path))
    : Object.entries(json).flatMap(([key, value]) => scalars(value, path === "" ? key : `${path}.${key}`))
}

const kindOf = (path: string, value: string | number, label: Kind | undefined): Kind => {
  if (label !== undefined) return label
  const text = String(value).trim()
  const shape = typeof value === "string" ? shapes.find(({ whole }) => whole.test(text)) : undefined
  if (shape !== undefined) return shape.kind
  const [last = "", above = ""] = path.split(".").toReversed()
  const words = wordsOf(last === "value" && above !== "" ? above : last)
  const named = names.find(([, all]) => words.some((word) => all.has(word)))?.[0]
  if (named === "url" && !/[./:\d]/.test(text)) return "content"
  if (named !== undefined) return named
  if (typeof value === "number") {
    return /^\d{6,}$/.test(text) || words.some((word) => numbered.has(word))
      ? "id"
      : "plain"
  }
  return code.test(text) ? "id" : "content"
}

/** Of which a number says which one it is, and not how many. */
const numbered: ReadonlySet<string> =
  new Set(("code ref reference serial tracking container envelope ticket claim invoice booking reservation case deal campaign device listing " +
    "plate barcode version tag room seat flight pin card appointment event task job run build shipment parcel page post comment")
    .split(" "))

/** One word that has a digit, as names of records have. */
const code = /^(?=\S{0,60}\d)(?!\d{1,3}$)[\p{L}\p{N}@#][\p{L}\p{N}._:/=@#-]{2,60}$/u

const wordsOf = (name: string): ReadonlyArray<string> =>
  name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z]+/).flatMap((word) =>
    word.length > 3 ? [word.replace(/(?<!s)s$/, ""), word] : [word]
  )

/** By the name of an argument, the first that fits. */
const names: ReadonlyArray<readonly [Kind, ReadonlySet<string>]> = ([
  [
    "plain",
    "date time start end day days month months year begin until since duration timezone recurring format language page limit " +
    "weekday hour hours minutes seconds nights weeks at"
  ],
  ["content", "body content text message subject title description note comment summary query question reason caption"],
  ["credential", "password passphrase passcode pin secret token credential"],
  [
    "recipient",
    "recipient recipients to cc bcc email mail participant attendee invitee user username member iban bic account " +
    "payee beneficiary phone contact wallet receiver assignee guest owner login collaborator handle msisdn mobile tel fax sms " +
    "person people holder grantee borrower lender signer signatory creditor debtor vendor supplier customer client employee " +
    "student pupil patient passenger traveler traveller driver tenant buyer seller approver reviewer manager author follower delegate destination"
  ],
  [
    "url",
    "url uri link href website webpage site host hostname domain endpoint webhook callback cidr ip ns nameserver nameservers origin redirect registry image"
  ],
  ["path", "path paths file filename folder directory attachment"],
  [
    "amount",
    "amount price cent cents total sum quantity fee budget cost rent salary wage minor micros percent pct discount refund limit rate deposit qty"
  ],
  ["address", "street city zip postal postcode address location line line1 addr depot"],
  [
    "id",
    "id ids iid uid uuid number no key channel group hotel restaurant company repository repo branch product order item database table"
  ]
] as const).map(([kind, words]) => [kind, new Set(words.split(" "))])

interface Shape {
  readonly kind: Exclude<Kind, "plain" | "content">
  readonly whole: RegExp
  readonly within: RegExp
}

const shape = (kind: Shape["kind"], source: string): Shape => ({
  kind,
  whole: new RegExp(`^${source}$`, "iu"),
  within: new RegExp(`(?<![\\p{L}\\p{N}])${source}(?![\\p{L}\\p{N}])`, "giu")
})

const handle = shape("recipient", "@[\\p{L}\\p{N}_](?:[\\p{L}\\p{N}_.-]{0,38}[\\p{L}\\p{N}_])?")

const host = shape(
  "url",
  "(?:www\\.[\\p{L}\\p{N}-]{1,63}|[\\p{L}\\p{N}-]{2,63})(?:\\.[\\p{L}\\p{N}-]{1,63}){0,4}\\.[a-z]{2,12}(?:\\/[^\\s<>\"'`]{0,2000})?"
)

/** Values that say by themselves what they are. Each is bounded, so none is looked for twice at the same place. */
const shapes: ReadonlyArray<Shape> = [
  shape("url", "\\d{1,3}(?:\\.\\d{1,3}){3}(?:\\/\\d{1,2})?(?::\\d{1,5})?"),
  shape("recipient", "[\\p{L}\\p{N}._%+-]{1,64}@[\\p{L}\\p{N}-]{1,63}(?:\\.[\\p{L}\\p{N}-]{1,63}){1,5}"),
  shape("url", "[a-z][a-z0-9+.-]{1,15}:\\/\\/[^\\s<>\"'`]{1,2000}"),
  handle,
  host,
  shape("recipient", "[a-z]{2}\\d{2}(?: ?[a-z0-9]{3,4}){2,8}(?: ?[a-z0-9]{1,3})?"),
  shape("recipient", "0x[0-9a-f]{40}"),
  shape("recipient", "(?:bc1|[13])(?=[a-z]{0,30}\\d)[a-z0-9]{25,60}"),
  shape("recipient", "\\+\\d[\\d ().-]{6,20}\\d")
]

/** `main.py` and `user.id` are no hosts: in a text, one without a scheme has a domain that hosts have. */
const isHost = (value: string): boolean => {
  const [name = "", ...path] = value.toLowerCase().split("/")
  const labels = name.split(".")
  const top = labels.at(-1) ?? ""
  if (labels[0] === "www" || domains.has(top)) return true
  return top.length === 2 && !suffixes.has(top) && (labels.length > 2 || path.length > 0 || countries.has(top))
}

const domains: ReadonlySet<string> =
  new Set(("com net org info biz io co dev app ai edu gov mil int xyz online site website tech store shop club live top cloud link click page pro " +
    "eu agency blog company digital email group help host icu life media mobi network news one press services solutions space support " +
    "systems team today vip wiki world work zone bank finance money credit center cash chat click download email fun games global gmbh " +
    "guru hosting ink lol monster name ninja party plus pw quest rest rocks run sale science social software stream studio tools trade " +
    "tube video webcam win wtf buzz cyou sbs bond onion local internal localhost lan home corp example test invalid")
    .split(" "))

const countries: ReadonlySet<string> =
  new Set("de at ch fr es it pt nl pl be uk us ca au nz se dk fi cz hu gr ro bg hr ie lu ru ua cn jp kr br mx ar cl za tr il tv cc"
    .split(" "))

/** Ends of names of files, and of what programs call by a name. */
const suffixes: ReadonlySet<string> =
  new Set("py rs md sh pl so cc id is in to at do my no js ts go rb hs ml mm ps db gz bz xz".split(" "))

/** Addresses, account numbers, and numbers and codes too long to be chance, in a text for others. */
const embedded = (path: string, text: string): ReadonlyArray<Sink> => {
  let rest = text
  const found: Array<Sink> = []
  for (const one of shapes) {
    const { kind, within } = one
    rest = rest.replace(within, (value) => {
      // Who is spoken to is named so, and annotations in code are; neither leads anywhere.
      if (one === handle) return " "
      if (one === host && !isHost(value)) return value
      if (found.length <= most) found.push({ path, kind, value: value.replace(/[.,;:!?)\]]+$/, ""), embedded: true })
      return " "
    })
  }
  for (const [value] of rest.matchAll(codes)) {
    if (found.length > most) break
    found.push({ path, kind: "id", value, embedded: true })
  }
  return found
}

/** Four digits and more, or letters and digits mixed, as keys and numbers of documents are; years and times are not. */
const codes =
  /(?<![\p{L}\p{N}_.:-])(?!(?:19|20)\d\d(?![\p{L}\p{N}]))(?=[\p{L}-]{0,20}\d)[\p{L}\p{N}-]{0,20}\d{3,40}[\p{L}\p{N}-]{0,40}(?![\p{L}\p{N}_:])/gu
