/**
 * What a request leaves to texts that stand elsewhere: all that is to be done, or only with which values.
 */
import * as Actions from "./Actions.ts"
import * as CanonicalText from "./CanonicalText.ts"
import type * as Origins from "./Origins.ts"
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
  return request.split(clauses).filter((clause) => {
    const own = Actions.askedFor(action, clause) === "yes"
    const leaves = (own || before) && values.test(clause)
    before = own
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
  if (!others(sink, request)) return false
  const asking = request.split(clauses).filter((clause) => Actions.askedFor(action, clause) === "yes")
  return asking.every((clause) => others(sink, clause))
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
  return !isOther && !others(sink, near)
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

const others = (sink: Sinks.Sink, text: string): boolean => {
  const shape = Sinks.alike(sink)
  if (shape === undefined) return false
  const own = plain(sink.value)
  return Array.from(text.matchAll(shape)).some(([other]) => plain(other) !== own)
}

const plain = (value: string): string => CanonicalText.value(value).replace(/\s|[.,;:!?)\]]+$/g, "")

const clauses = /[!?;\n]+|\.(?=\s|\p{Lu}|$)|(?:^|\s)\d{1,2}[.)]\s/u

/** Whoever lists the tasks in the request itself hands nothing over. */
const orders = (verbs: string, things: string): RegExp =>
  new RegExp(
    `(?<!\\p{L})(?:${verbs})(?!\\p{L})(?![^.!?\\n]{0,20}\\bfollowing\\b)[^.!?\\n]{0,60}?(?<!\\p{L})(?:${things})(?!\\p{L})(?!\\s*:)`,
    "iu"
  )

/** English, German, French, Spanish, Italian, Portuguese, Dutch, Polish. */
const actions: ReadonlyArray<RegExp> = [
  orders(
    "do|perform|complete|execute|carry out|follow|handle|work through|act on|take care of|process|finish|obey|go through",
    "instructions?|directions|actions?|tasks?|to-?dos?|steps|checklist|runbook|playbook|procedure|(?:what|whatever) [^.!?\\n]{1,40} (?:says?|asks?|wants?|tells?|lists?|describes?)"
  ),
  orders(
    "erledige|erledigen|mache?|tu|führe|folge|befolge|arbeite|bearbeite",
    "anweisung(?:en)?|aufgaben?|schritten?|aktionen|punkte|anleitung|was [^.!?\\n]{1,40} (?:sagt|steht|verlangt|will|möchte)"
  ),
  orders(
    "fais|faites|suis|suivez|exécute|effectue|traite|applique",
    "instructions?|tâches?|étapes|actions|consignes|ce que"
  ),
  orders("haz|haga|sigue|siga|realiza|ejecuta|completa|atiende|cumple", "instrucciones|tareas?|pasos|acciones|lo que"),
  orders("fai|segui|esegui|svolgi|completa|applica", "istruzioni|compiti|attività|passi|azioni|quello che|ciò che"),
  orders("faça|siga|execute|realize|complete|cumpra", "instruções|tarefas?|passos|ações|o que"),
  orders("doe|volg|voer|werk|handel", "instructies|taken|stappen|acties|wat"),
  orders("zrób|wykonaj|postępuj", "instrukcj\\p{L}*|zadani\\p{L}*|krok\\p{L}*|to, co|co")
]

const values = new RegExp(
  `(?<!\\p{L})(?:${
    [
      "details?|instructions?|specified|mentioned|accord\\p{L}*|described|listed|stated|bills?|invoices?|based on|asks?|proposes?|suggests?|says|(?<!(?:merge|pull) )requests?|wants|recommends|lists|as per|to-?dos?",
      "rechnung|laut|gemäß|angegeben\\p{L}*|genannt\\p{L}*|beschrieben\\p{L}*|steht|vorschlägt|bittet|verlangt|möchte|anfrage",
      "facture|selon|indiqué\\p{L}*|mentionné\\p{L}*|décrit\\p{L}*|demande|propose|d['’]après|souhaite",
      "factura|según|indicad\\p{L}*|mencionad\\p{L}*|descrit\\p{L}*|pide|propone|dice|solicitud",
      "fattura|secondo|indicat\\p{L}*|menzionat\\p{L}*|descritt\\p{L}*|chiede|richiesta",
      "fatura|conforme|segundo|pede|propõe|diz",
      "factuur|volgens|vermeld\\p{L}*|genoemd\\p{L}*|beschreven|vraagt|voorstelt|verzoek",
      "faktur\\p{L}*|rachun\\p{L}*|według|zgodnie|podan\\p{L}*|wymienion\\p{L}*|opisan\\p{L}*|prosi|proponuje"
    ].join("|")
  })(?!\\p{L})`,
  "iu"
)
