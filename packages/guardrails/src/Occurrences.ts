/**
 * Where known values stand in a text: found in time that grows with the text, however many values there are.
 */

/**
 * Values that are added one by one.
 *
 * @category models
 * @since 0.1.0
 */
export interface Occurrences {
  readonly add: (value: string) => void
  /** From the beginning of a text to its end; of those that begin at one place the longest. They may overlap. */
  readonly find: (text: string) => ReadonlyArray<{ readonly start: number; readonly end: number }>
}

/** So many characters of a value are looked up first. */
const lead = 4

/** Values by how they begin, and which lengths those have that begin so: each is looked up once, the longest first. */
export const make = (): Occurrences => {
  const values = new Set<string>()
  const lengths = new Map<string, ReadonlyArray<number>>()
  const pairs = new Uint8Array(65536)
  /** How long the beginnings of values are; those of short values are the values. */
  let sizes: ReadonlyArray<number> = []
  const endAt = (text: string, at: number): number | undefined => {
    for (const size of sizes) {
      for (const length of lengths.get(text.slice(at, at + size)) ?? []) {
        if (at + length <= text.length && values.has(text.slice(at, at + length))) return at + length
      }
    }
    return undefined
  }

  return {
    add: (value) => {
      if (value === "" || values.has(value)) return
      values.add(value)
      const begins = value.slice(0, lead)
      pairs[pairOf(value, 0)] = 1
      if (!sizes.includes(begins.length)) sizes = [...sizes, begins.length].sort((a, b) => b - a)
      const known = lengths.get(begins) ?? []
      if (!known.includes(value.length)) lengths.set(begins, [...known, value.length].sort((a, b) => b - a))
    },
    find: (text) => {
      const found: Array<{ readonly start: number; readonly end: number }> = []
      const isPair = sizes.at(-1) !== 1
      for (let at = 0; at < text.length; at++) {
        if (isPair && pairs[pairOf(text, at)] === 0) continue
        const end = endAt(text, at)
        if (end !== undefined) found.push({ start: at, end })
      }
      return found
    }
  }
}

const pairOf = (text: string, at: number): number => (text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)) & 65535
