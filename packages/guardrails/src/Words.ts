/**
 * Classes of words that instructions to a model are made of, whatever the instruction is: to overrule, what came before, an
 * assistant, a secret, to send.
 */

/**
 * The same number for the same word as it is read.
 *
 * @category hashes
 * @since 0.1.0
 */
export const hashOf = (word: string): number => {
  let hash = 0x811c9dc5 | 0
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  return hash
}

/** Each list is one class. A word is of the first class that has it. */
const classes: ReadonlyArray<string> = [
  "ignore disregard forget override bypass skip overlook neglect discard drop abandon cancel stop cease suspend void supersede overrule omit dismiss erase",
  "previous prior above earlier preceding foregoing before former past existing initial original current other all any every everything whatever following further additional",
  "instruction instructions prompt prompts directive directives rule rules guideline guidelines command commands order orders constraint constraints restriction restrictions policy policies request requests task tasks message messages context input inputs query",
  "ai assistant model chatbot chatgpt gpt llm bot agent claude gemini llama mistral copilot openai anthropic language",
  "you your yourself u ur youre yours",
  "i me my mine we us our",
  "secret password passwords credential credentials token tokens key keys confidential private sensitive hidden system configuration config pin passcode",
  "print output say respond reply answer write repeat display show reveal tell return state include append add insert echo provide give list generate produce",
  "send forward email mail transfer pay wire deposit share post upload submit transmit deliver invite",
  "delete remove execute run call visit open click download install make create update change modify reserve book buy purchase schedule set get grant read fetch retrieve translate summarize",
  "must should shall need please kindly immediately now urgent important attention critical mandatory required always never only just instead first",
  "new newly updated real actual true next",
  "act pretend roleplay imagine simulate behave become persona character dan developer mode unrestricted unfiltered jailbreak uncensored free",
  "not no don't dont without nothing can't cannot won't",
  "user users human person customer owner admin administrator"
]

/** The class of a word, from 1 on, by its hash. */
export const classOf: ReadonlyMap<number, number> =
  new Map(classes.flatMap((list, at) => list.split(" ").map((word) => [hashOf(word), at + 1] as const)).reverse())

const common =
  "the a an to of and in is for that with on be this are you it or as by from if can not will your at have which when we has should i was must all use but they its any these there may"

/** Words that sentences of English cannot do without. */
export const isCommon: ReadonlySet<number> = new Set(common.split(" ").map(hashOf))

/**
 * Says of most hashes, at the cost of one look, that they are not among these.
 *
 * @category hashes
 * @since 0.1.0
 */
export const sieveOf = (hashes: Iterable<number>): Uint8Array => {
  const sieve = new Uint8Array(4096)
  for (const hash of hashes) sieve[hash & 4095] = 1
  return sieve
}
