/**
 * Where a text asks for something by the way it is said, whatever the verb is: a word at the beginning of an instruction before "the", a form
 * that only orders have, a word for "must" or "please".
 */

const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter((word) => word !== ""))

/**
 * What follows a verb and no noun: articles and pronouns of what something is done to. Of those that other languages have for something
 * else, such as the `de` of Dutch, none.
 */
const articles = set(`
  the a an all this that these those my your our his her their its every each both it them me us him
  den die das dem alle allen mir mich ihm ihnen einen eine ein einem meine meinen deine deinen seine seinen unsere unseren diese diesen
  dieses diesem jede jeden jedes auch
  le la les un une des ce cet cette ces mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs tous toutes aussi également
  el los las una unos unas este esta estos estas mi mis tu tus su sus todo toda todos todas también al
  il lo gli uno questo questa questi queste tutti tutte anche o os as um uma este essa todos também
  het alle deze mijn uw ook
`)

/** Words that stand before an article at the beginning of a sentence, and order nothing. */
const closed = set(`
  in on at of to for from with by about into onto over under after before during between among against through without within along across
  behind beyond near since until till per via than as like unlike upon off out up down around except despite besides
  and or but nor so yet if when while because although though unless whereas whether where who whom whose which what why how that
  is are was were be been am do does did has have had can could will would shall should may might must not no
  i you he she we they it this these those there here then now today tomorrow yesterday tonight also only just even still again once
  maybe perhaps however therefore thus hence meanwhile overall instead otherwise already almost always never often sometimes soon later
  both either neither all some any most many much more less few several each every such same other another half
  hello hi hey dear welcome sorry ok okay yes please well given says said see let the a an my your our their one two three not quite rather
  across worth plus minus next last first second third morning evening afternoon monday tuesday wednesday thursday friday saturday sunday
  heute gestern morgen bitte alle viele liebe ihre seine meine deine unsere eure keine eine diese jene welche beide solche ohne gerade gerne
  danke hätte wäre würde könnte sollte müsste möchte habe hatte war ist sind wurde werde wenn weil dass obwohl während sowie oder und aber
  denn sondern auf aus bei bis durch für gegen hinter mit nach neben seit statt trotz über um unter von vor wegen zu zwischen als wie was wer
  wo wann warum ob da dort hier nun jetzt dann noch nur schon sehr ich wir sie er es man vielleicht leider bevor nachdem sobald sofern falls
  dans sur sous avec sans pour par chez vers entre depuis pendant avant après contre selon malgré dès jusque et ou mais donc car si quand
  comme que qui dont où est sont était a ont avait sera voici voilà tout toute tous toutes je tu il elle on nous vous ils elles ce ne pas plus
  aussi bien très encore déjà toujours jamais ici là lundi mardi mercredi jeudi vendredi samedi dimanche bonjour merci une de même chaque
  en de del por para con sin sobre desde hasta entre contra durante mediante según ante bajo tras y o u pero sino porque aunque cuando donde
  como que quien cual es son era fue está están estaba hay ha han había ser no ni sí ya muy más menos también hola gracias hoy mañana ayer
  lunes martes miércoles jueves viernes sábado domingo toda todo todas esta este esa ese nada cada misma
  di da su per tra fra e ma se quando dove come che chi è sono era c'è non più anche già oggi domani ieri ciao grazie tutta
  em no na nos nas ao à dos das com sem até e mas se onde quem é são foi está estão não já hoje amanhã ontem olá obrigado obrigada ainda
  van naar met voor bij op uit tot als dat wie wat waar is zijn was niet ook nog maar omdat hoe deze
`)

/** Forms of questions and of states, that look like those of orders. */
const asking = set(`
  können könnten haben hatten sind waren wollen möchten werden würden wissen kennen sollen müssen dürfen mögen finden wünschen
  avez aviez êtes pouvez voulez devez savez allez chez assez nez serez aurez souhaitez aimez
`)

/** Said where something has to be done. */
const musts = set(`
  must bitte soll sollen muss müssen doit doivent faut svp debe deben deve devono bisogna moet moeten graag alstublieft musi
  muszą należy trzeba proszę
`)

/** "Please note" and the like want nothing. */
const polite = set("note find see feel refer accept enjoy forgive excuse be let don't do")

/**
 * Whether a word orders something by what follows it.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isOrder = (word: string, next: string): boolean => {
  if (closed.has(word) || word.length < 3 || (next === "that" && /^not(?:e|ice)$/.test(word))) return false
  if (next === "sie") return word.endsWith("n") && !asking.has(word)
  if (!isArticle(next)) return false
  return !/(?:ing|ed|ly|[^s]s|ión|ção|dad|ment|ung|keit|tion)$/.test(word) || /(?:ets|ais|ends|ds)$/.test(word)
}

/**
 * Whether a word is a form that only orders have: `annulez`.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isOnlyOrder = (word: string): boolean => word.length > 4 && word.endsWith("ez") && !asking.has(word)

/**
 * Whether a word says that something has to be done, or asks for it politely.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isMust = (word: string, next: string): boolean =>
  musts.has(word) ||
  ((word === "has" || word === "have" || word === "needs" || word === "need") && next === "to") ||
  ((word === "please" || word === "kindly") && next !== "" && !polite.has(next))

/**
 * Whether a word may be followed by another one only that makes it an order.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isArticle = (word: string): boolean => articles.has(word) || /^l['’]./.test(word)

/**
 * The words that tell an order by what stands before them.
 *
 * @category constants
 * @since 0.1.0
 */
export const behind: ReadonlyArray<string> = [...articles, "sie"]

/**
 * The words that say by themselves that something has to be done.
 *
 * @category constants
 * @since 0.1.0
 */
export const saying: ReadonlyArray<string> = [...musts, ..."has have needs need please kindly".split(" ")]

/**
 * Verbs of English that order where an instruction begins, and that are no verb for what a tool does.
 *
 * @category constants
 * @since 0.1.0
 */
export const english: ReadonlyArray<string> = (
  "accelerate acknowledge adapt adopt advance advertise alert align answer apologize append archive arrange assemble attest audit award ban " +
  "bill boost borrow bypass cache calculate capture celebrate certify channel charge claim collect combine compile conceal concede conduct " +
  "confiscate connect consolidate consult convert convince count cut deduct default delay demand demote depart detach devote dim disclose " +
  "disconnect display dispose distribute divide donate double downgrade duplicate eject eliminate email embed empty encode encrypt engage " +
  "evacuate exchange exclude exfiltrate expedite expel explain fetch finalize flash flush fund gather hide hire host impersonate implement " +
  "incorporate infer inject inspect instruct invalidate invoke isolate kick leak lift liquidate list load log lookup lower mask match " +
  "maintain migrate mirror mint mute navigate neglect nominate obtain offer omit operate outsource overwrite owe park paste patch " +
  "pause permit pin pledge plug pour prefer prepare present press print prioritize proceed produce program promise proxy purge push " +
  "quarantine query quote raise reach rebuild recall recommend redeem redirect reinstate relay release relocate remind repair replicate " +
  "report reproduce reroute rescue reserve resend resolve respond resume retain retire retry reveal revert reward rotate route sack sell " +
  "serve shred sign silence skip solicit spend split sponsor spread stage stamp steal stream stress strip subtract sue supply suppress " +
  "surrender swap sync take tap tax teach tell test throw tip top trade train transcribe transform trash trim trust unban unblock uninstall " +
  "unpin unsubscribe upvote use vote wake wave whitelist wrap write yield zip"
).split(" ")

/**
 * The same of other languages.
 *
 * @category constants
 * @since 0.1.0
 */
export const others: ReadonlyArray<string> = (
  "belaste wechsle wechseln hinterlege hinterlegen sperr behalte verwende verwendet benutze nutze ersetz verkaufe spende belohne verstecke kodiere " +
  "drucke hänge zeige zieh stufe verrechne melde übertrage überweis vergiss ignoriere wandle tippe gehe folge installier fahre fahr rufe ruf kopier " +
  "débitez encode encodez prélève prélevez épingle épinglez utilise utilisez bascule basculez vends vendez masque masquez imprime augmente " +
  "oublie oubliez ignore ignorez expulse expulsez bannis adopte mentionne ajoutes colle collez tape tapez reverse reversez " +
  "expulsa expulse graba grabe carga cargue usa use utiliza utilice vende venda oculta oculte imprime olvida olvide ignora ignore mete meta " +
  "fija pega pegue escribe banea silencia dona done cobra cobre contrata contrate dale ponle " +
  "addebita addebiti codifica usa usi utilizza vendi nascondi stampa dimentica ignora fissa incolla scrivi banna dona espelli passa attribuisci " +
  "cobre codifique use utilize venda oculte imprima esqueça ignore fixe cole escreva expulse doe passe transfira partilha partilhe envia " +
  "wijs belast codeer gebruik verkoop verberg print vergeet negeer plak typ verban doneer zeg ga neem geef leg trek " +
  "obciąż zakoduj użyj sprzedaj ukryj wydrukuj zapomnij zignoruj przypnij wklej wpisz zablokuj przekaż podaruj"
).split(" ")
