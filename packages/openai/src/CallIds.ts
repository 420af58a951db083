/**
 * Ids of calls that an endpoint takes: those of a conversation may come from another one, or from nobody.
 */
import { Hash } from "effect"
import type { Prompt } from "effect/ai"

/**
 * The ids of a conversation as they are sent: those that fit as they are, others replaced by nine letters and digits. Different
 * ids stay different, and what is replaced stays the same as the conversation goes on.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (prompt: Prompt.Prompt, fits: RegExp): (id: string) => string => {
  const ids = prompt.content.flatMap((message) =>
    typeof message.content === "string"
      ? []
      : message.content.flatMap((part) => part.type === "tool-call" ? [part.id] : [])
  )
  const taken = new Set(ids.filter((id) => fits.test(id)))
  const sent = new Map<string, string>()
  for (const id of ids) {
    if (fits.test(id) || sent.has(id)) continue
    let free = short(id)
    for (let nth = 2; taken.has(free); nth++) free = short(`${id} ${nth}`)
    taken.add(free)
    sent.set(id, free)
  }
  return (id) => sent.get(id) ?? id
}

const short = (id: string): string => (Hash.string(id) >>> 0).toString(36).padStart(9, "0")
