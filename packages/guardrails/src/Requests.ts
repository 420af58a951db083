/**
 * What a request leaves to texts that stand elsewhere: all that is to be done, or only with which values.
 */
import * as Actions from "./Actions.ts"
import * as CanonicalText from "./CanonicalText.ts"
import * as Imperatives from "./Imperatives.ts"
import type * as Origins from "./Origins.ts"
import * as Passages from "./Passages.ts"
import * as Sinks from "./Sinks.ts"
import type * as Sources from "./Sources.ts"

/**
 * Whether a request leaves to a text what a call does: "do the tasks in that list"; or the values of what it asks for itself: "pay
 * the bill", "the time that she proposes". Values are left only for what the same clause asks for, or the one before it.
 *
 * @category predicates
 * @since 0.1.0
 */
export const leaves = (action: Actions.Action, request: string): "actions" | "values" | "nothing" => {
  if (actions.some((one) => one.test(request))) return "actions"
  return leaving(action, request).length > 0 ? "values" : "nothing"
}

/** The clauses that leave values of this to a text. */
const leaving = (action: Actions.Action, request: string): ReadonlyArray<string> => {
  let before = false
  let last = ""
  return request.split(clauses).filter((clause) => {
    const asked = Actions.askedFor(action, clause)
    // "Correct it", which was said before.
    const own = asked === "yes" || (asked === "half" && Actions.askedFor(action, `${last}; ${clause}`) === "yes")
    const leaves = (own || before) && (values.test(clause) || places.test(clause))
    before = own
    last = clause
    return leaves
  })
}

/**
 * Whether a request names another value of the same shape wherever it asks for what a call does: who says "invite ann@example.com" asks
 * for nobody else.
 *
 * @category predicates
 * @since 0.1.0
 */
export const namesOther = (action: Actions.Action, request: string, sink: Sinks.Sink): boolean => {
  if (!hasOther(sink, request)) return false
  const asking = request.split(clauses).filter((clause) => Actions.askedFor(action, clause) === "yes")
  return asking.every((clause) => hasOther(sink, clause))
}

/**
 * How much a request asks for what a call does with this value: it counts that the request speaks of what the value is, and that it does
 * not. Who asks for a new phone number asks for no other address.
 *
 * @category readers
 * @since 0.1.0
 */
export const askedWith = (
  asked: "yes" | "half" | "no",
  action: Actions.Action,
  request: string,
  { path }: Sinks.Sink
): "yes" | "half" | "no" => {
  if (asked === "no") return asked
  const classes = Actions.classesOf(path).filter((name) => !Actions.isOf(action, name))
  if (classes.length === 0) return asked
  const named = new Set(Actions.classesOf(request))
  return classes.some((name) => named.has(name)) ? "yes" : asked
}

/**
 * Whether the values that a request leaves to a text are left to the text that this one comes from: it is of the kind that the request
 * speaks of, a mail, a file, a page, and it has no second value of the same shape that it could be.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isLeftTo = (
  action: Actions.Action,
  request: string,
  sink: Sinks.Sink,
  place: Origins.Place | undefined
): boolean => {
  if (place === undefined) return true
  // A link to pass on is none of the values of what was asked for.
  if (sink.embedded && sink.kind === "url") return false
  const from = Actions.classesOf(place.source.tool ?? "")
  const named = new Set(leaving(action, request).flatMap((clause) => Actions.classesOf(clause)))
  const known = sources.filter((one) => named.has(one))
  const isOther = known.length > 0 && from.some((one) => sources.includes(one)) && !from.some((one) => named.has(one))
  const near = place.text.slice(Math.max(0, place.start - reach), place.end + reach)
  return !isOther && !hasOther(sink, near) && orders(action, place) < 2
}

/** How many sentences of a text order such a thing: of two, one is not what the person meant. */
const orders = (action: Actions.Action, { source, text }: Origins.Place): number =>
  new Set(Imperatives.of(action, text, source.imperatives).map(({ end, start }) =>
    Passages.statement(text, start, end)[0]
  )).size

/**
 * Whether the text that a number of an account comes from has another one that is the same but for a sign or two: a slip, or who counts on one.
 *
 * @category predicates
 * @since 0.1.0
 */
export const hasTwin = ({ kind, value }: Sinks.Sink, place: Origins.Place | undefined): boolean => {
  const own = plain(value)
  if (place === undefined || kind !== "recipient" || own.length < 12 || own.includes("@") || own.startsWith("+")) {
    return false
  }
  const shape = Sinks.alike({ path: "", kind, value, embedded: false })
  const near = place.text.slice(Math.max(0, place.start - reach), place.end + reach)
  return shape !== undefined && Array.from(near.matchAll(shape)).some(([other]) => isNearly(own, plain(other)))
}

/** Of one length, with one sign changed, or two, of which two may have changed places. */
const isNearly = (one: string, other: string): boolean => {
  if (one.length !== other.length || one === other) return false
  let different = 0
  for (let at = 0; at < one.length && different < 4; at++) if (one[at] !== other[at]) different++
  return different < 3
}

/** How far around a value another one of its shape is looked for. */
const reach = 4000

/**
 * Whether a text may be one that the request names: a file, an address, a title in quotes. If a call was told to look at that, its result
 * is, and what the calls behind it were led to by its result; any may be if there is no such call.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isNamed = (
  request: string,
  place: Origins.Place | undefined,
  sources: ReadonlyArray<Sources.Source>
): boolean => {
  if (place?.source.about === undefined) return true
  const { about, text } = place.source
  const all = Array.from(request.matchAll(titles), ([, ...found]) => CanonicalText.value(found.find(Boolean) ?? ""))
  const named = sources.filter((source) => all.some((name) => source.about?.includes(name) === true))
  return named.length === 0 || named.includes(place.source) || all.some((name) => text.includes(name)) ||
    about.split("\n").some((one) => named.some((source) => source.text.includes(one)))
}

/** Files, addresses, titles in quotes. */
const titles =
  /(?<![\p{L}\p{N}@])((?:https?:\/\/|www\.)[^\s'"<>]{3,200}|[\p{L}\p{N}_-]{1,80}\.\p{L}{2,5}(?![\p{L}\p{N}@]))|(?<!\p{L})['"‘“„«]([^'"’”“»\n]{3,80})['"’”“»](?!\p{L})/gu

/** What texts come as. */
const sources = ["message", "file", "web", "event", "ticket"]

/**
 * Whether a text has another value of the shape of this one.
 *
 * @category predicates
 * @since 0.1.0
 */
export const hasOther = (sink: Sinks.Sink, text: string): boolean => {
  const shape = Sinks.alike(sink)
  if (shape === undefined) return false
  const own = plain(sink.value)
  return Array.from(text.matchAll(shape)).some(([other]) => plain(other) !== own)
}

const plain = (value: string): string => CanonicalText.value(value).replace(/\s|[.,;:!?)\]]+$/g, "")

const clauses = /[!?;\n]+|\.(?=\s|\p{Lu}|$)|(?:^|\s)\d{1,2}[.)]\s/u

/** Whoever lists the tasks in the request itself hands nothing over. */
const handing = (verbs: string, things: string): RegExp =>
  new RegExp(
    `(?<!\\p{L})(?:${verbs})(?!\\p{L})(?![^.!?\\n]{0,20}\\bfollowing\\b)[^.!?\\n]{0,60}?(?<!\\p{L})(?:${things})(?!\\p{L})(?!\\s*:)`,
    "iu"
  )

/** English, German, French, Spanish, Italian, Portuguese, Dutch, Polish. */
const actions: ReadonlyArray<RegExp> = [
  handing(
    "do|perform|complete|execute|carry out|follow|handle|work through|act on|take care of|process|finish|obey|go through",
    "instructions?|directions|actions?|tasks?|to-?dos?|steps|checklist|runbook|playbook|procedure|(?:what|whatever) [^.!?\\n]{1,40} (?:says?|asks?|wants?|tells?|lists?|describes?)"
  ),
  handing(
    "erledige|erledigen|mache?|tu|führe|folge|befolge|arbeite|bearbeite",
    "anweisung(?:en)?|aufgaben?|schritten?|aktionen|punkte|anleitung|was [^.!?\\n]{1,40} (?:sagt|steht|verlangt|will|möchte)"
  ),
  handing(
    "fais|faites|suis|suivez|exécute|effectue|traite|applique",
    "instructions?|tâches?|étapes|actions|consignes|ce que"
  ),
  handing("haz|haga|sigue|siga|realiza|ejecuta|completa|atiende|cumple", "instrucciones|tareas?|pasos|acciones|lo que"),
  handing("fai|segui|esegui|svolgi|completa|applica", "istruzioni|compiti|attività|passi|azioni|quello che|ciò che"),
  handing("faça|siga|execute|realize|complete|cumpra", "instruções|tarefas?|passos|ações|o que"),
  handing("doe|volg|voer|werk|handel", "instructies|taken|stappen|acties|wat"),
  handing("zrób|wykonaj|postępuj", "instrukcj\\p{L}*|zadani\\p{L}*|krok\\p{L}*|to, co|co")
]

/** "The address in their letter". */
const places =
  /(?<!\p{L})(?:(?:address|number|account|amount|date|time|code|name|figure|price|link|detail|value)s?(?: (?:is|are|given|shown|printed|noted))? (?:in|on|from|at) (?:the|their|his|her|its|my|our|this|that)|\p{L}*(?:adresse|nummer|konto|betrag|datum|code|preis|daten|angaben)n? (?:\p{L}+ ){0,2}(?:in|aus|auf|von|im|vom)|(?:adresse|numéro|compte|montant|date|code|prix|données) (?:\p{L}+ ){0,2}dans|(?:dirección|número|cuenta|importe|fecha|código|precio|datos|usuario) (?:\p{L}+ ){0,2}en|(?:indirizzo|numero|conto|importo|data|codice|prezzo|dati) (?:\p{L}+ ){0,2}(?:in|nella?|nell['’]\p{L}+)|(?:endereço|número|conta|valor|data|código|preço|dados) (?:\p{L}+ ){0,2}(?:em|na|no)|(?:adres|nummer|rekening|bedrag|datum|code|prijs|gegevens) (?:\p{L}+ ){0,2}(?:in|uit|op|van))(?!\p{L})/iu

const values = new RegExp(
  `(?<!\\p{L})(?:${
    [
      "details?|instructions?|specified|mentioned|accord\\p{L}*|described|listed|stated|bills?|invoices?|based on|asks?|proposes?|suggests?|says|(?<!(?:merge|pull) )requests?|wants|recommends|lists|as per|to-?dos?|writes|wrote|written",
      "rechnung|laut|gemäß|angegeben\\p{L}*|genannt\\p{L}*|beschrieben\\p{L}*|steht|vorschlägt|bittet|verlangt|möchte|anfrage|schreibt|geschrieben|wünscht",
      "facture|selon|indiqué\\p{L}*|mentionné\\p{L}*|décrit\\p{L}*|demande|propose|d['’]après|souhaite|(?:l['’])?écrit",
      "factura|según|indicad\\p{L}*|mencionad\\p{L}*|descrit\\p{L}*|pide|propone|dice|solicitud|escribe|dicen",
      "fattura|secondo|indicat\\p{L}*|menzionat\\p{L}*|descritt\\p{L}*|chiede|richiesta|scrive|dice|propone",
      "fatura|conforme|segundo|pede|propõe|diz|escreve",
      "factuur|volgens|vermeld\\p{L}*|genoemd\\p{L}*|beschreven|vraagt|voorstelt|verzoek|schrijft|geschreven",
      "faktur\\p{L}*|rachun\\p{L}*|według|zgodnie|podan\\p{L}*|wymienion\\p{L}*|opisan\\p{L}*|prosi|proponuje|pisze"
    ].join("|")
  })(?!\\p{L})`,
  "iu"
)
