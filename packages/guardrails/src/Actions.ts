/**
 * What a call does, in verbs: whether a request asks for such a thing, and whether a passage tells the reader to do it.
 */

/** Verbs for the same doing. The first word of each is how names of tools say it. */
const families: ReadonlyArray<readonly [names: string, verbs: string]> = [
  [
    "send mail message reply forward notify",
    "send email mail message write tell reply respond forward notify share inform contact ask text dm deliver congratulate thank"
  ],
  [
    "pay transfer money payment transaction wire refund charge",
    "pay send transfer wire refund remit charge settle reimburse make issue"
  ],
  [
    "create add new insert make register open generate",
    "create add make schedule book put insert register plan organize organise arrange set save store generate write record open start file"
  ],
  ["add append attach join", "add append attach invite include join put insert write"],
  [
    "delete remove cancel drop revoke unsubscribe terminate close erase purge",
    "delete remove cancel erase drop clear wipe destroy unsubscribe kick ban revoke terminate discard close purge"
  ],
  [
    "update modify edit change set rename replace patch reset",
    "update modify edit change adjust set replace reset amend correct fix switch redirect increase decrease raise lower rename alter make move turn"
  ],
  ["reschedule move postpone", "reschedule move postpone change shift delay"],
  ["reserve book", "reserve book make"],
  ["schedule plan", "schedule plan set make book arrange create pay"],
  ["invite", "invite add onboard bring"],
  ["post publish upload comment", "post publish upload write put announce share comment send"],
  ["share grant give allow", "share grant give allow send let"],
  [
    "get fetch open visit browse read download search load request http web",
    "visit open read fetch go check click look download browse get follow see load access summarize summarise search navigate"
  ],
  [
    "run execute exec shell command install call invoke deploy launch start",
    "run execute install launch start call invoke type enter deploy use"
  ],
  ["order buy purchase checkout", "order buy purchase get add"],
  [
    "block unlock lock enable disable grant approve accept activate deactivate",
    "block unlock lock enable disable grant approve accept activate deactivate open turn switch confirm"
  ],
  ["withdraw deposit exchange return", "withdraw deposit exchange return take give swap"]
]

/**
 * The verbs that a call of a tool may be asked for by; none if its name says nothing.
 *
 * @category readers
 * @since 0.1.0
 */
export const of = (tool: string): ReadonlySet<string> => {
  const words = tool.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z]+/).filter((word) => word !== "")
  const found = new Set<string>()
  for (const [names, verbs] of families) {
    const all = names.split(" ")
    if (words.some((word) => all.includes(word))) { for (const verb of verbs.split(" ")) found.add(verb) }
  }
  return found
}

/**
 * Whether a request speaks of doing what a call does, in any form of the verb. A tool whose name says nothing is spoken of.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isAskedFor = (verbs: ReadonlySet<string>, request: string): boolean =>
  verbs.size === 0 || request.toLowerCase().split(/[^\p{L}]+/u).some((word) => verbs.has(word) || verbs.has(stem(word)))

const stem = (word: string): string => word.replace(/(?:ing|ed|es|s)$/, "")

/**
 * Whether a passage tells its reader to do what a call does: one of its verbs stands where an instruction begins.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isToldBy = (verbs: ReadonlySet<string>, passage: string): boolean => {
  for (const { 0: word, index } of passage.matchAll(/[\p{L}][\p{L}'’-]*/gu)) {
    if (!verbs.has(word.toLowerCase())) continue
    const after = passage.slice(index + word.length, index + word.length + 2)
    // The name of a member, or a part of a longer name.
    if (/^(?:['"]?\s*[:=]|[_.@/])/.test(after) || /[_@./-]$/.test(passage.slice(0, index))) continue
    if (begins.test(passage.slice(Math.max(0, index - 24), index))) return true
  }
  return false
}

/** At the beginning, after what ends a sentence or a heading, or after what leads to an instruction. */
const begins =
  /(?:^|[^\p{L}\p{N},'’\s]\s*|[\n\r]\s*|(?<![\p{L}])(?:please|kindly|to|must|should|shall|then|and|or|first|also|just|now|do|don't|not|never|always|could|can|will|would|you|have to|need to|immediately|instead|next|finally|simply|him|her|them|me)[\s,]+)$/iu

/**
 * Whether a request hands over what is to be done to what stands elsewhere: "do the tasks listed in", "follow the instructions",
 * "pay the bill". Whoever asks so has given that text a say.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isHandedOver = (request: string): boolean => handsOver.test(request)

const handsOver =
  /\b(?:instructions?|details|actions|tasks?|to-?dos?|steps|specified|mentioned|according(?:ly)?|described|listed|bill|invoice)\b/i
