/**
 * A small network that looks for patterns of neighbouring words: each word adds what it is worth to each pattern at the places around
 * it, the best place of a window counts, and a window is scored by what it has of each pattern.
 */
import * as Synonyms from "./Synonyms.ts"
import * as Tokens from "./Tokens.ts"

/**
 * What was learned of patterns.
 *
 * @category models
 * @since 0.1.0
 */
export interface Patterns {
  /** How many patterns there are. */
  readonly filters: number
  /** How many blocks of words a window has. */
  readonly reach: number
  /** The words that are known by themselves, in the order of their rows. */
  readonly words: ReadonlyArray<number>
  /**
   * What words are worth, each one of `levels`: `width * filters` numbers for each known word, then for each cluster, each form and for
   * capitals; the last place of a pattern first.
   */
  readonly rows: Int8Array
  /** What one unit of these is worth. */
  readonly step: number
  /** What each pattern has without any word. */
  readonly offsets: ReadonlyArray<number>
  /** What each pattern is worth to a window in what a machine wrote, and then in sentences. */
  readonly heads: ReadonlyArray<number>
  readonly biases: readonly [machine: number, prose: number]
}

/**
 * The words of a block. Windows begin at blocks.
 *
 * @category constants
 * @since 0.1.0
 */
export const block = 8

/**
 * Over how many words a pattern goes.
 *
 * @category constants
 * @since 0.1.0
 */
export const width = 5

const half = 2

/**
 * What a word can be worth to a pattern: close to each other where it is little, so that six bits are enough for one.
 *
 * @category constants
 * @since 0.1.0
 */
export const levels: ReadonlyArray<number> = [
  0,
  ...Array.from({ length: 31 }, (_, at) => Math.round(127 * ((at + 1) / 31) ** 1.6)).flatMap((level) => [level, -level])
]

/**
 * How much of a text counts as sentences, from 0 to 1.
 *
 * @category measures
 * @since 0.1.0
 */
export const shareOf = (prose: number): number => Math.max(0, Math.min(1, (prose - 0.02) / 0.25))

/** What a model knows, made ready to be looked up. */
interface Lexicon {
  /** Open addressing: words, and where their row begins in the table; without one, the row is that of their form. */
  readonly names: Int32Array
  readonly places: Int32Array
  /** The rows of known words, each with its cluster's added, then clusters, forms; then all of them with capitals. Two patterns a number. */
  readonly table: Int32Array
  readonly firstForm: number
  /** How far behind a row the one with capitals is. */
  readonly capitals: number
}

const size = 1 << 16
const lexicons = new WeakMap<Patterns, Lexicon>()

const slotOf = (names: Int32Array, name: number): number => {
  let slot = Math.imul(name, 0x9e3779b1) >>> 16
  while (names[slot] !== 0 && names[slot] !== name) slot = slot + 1 & (size - 1)
  return slot
}

/** What is added to each number so that none is negative, and two of them have room in one, also when `width` of them are added up. */
const lift = 512
const lifted = lift | lift << 16

/** How many numbers the patterns take, two in each. */
const pairsOf = (filters: number): number => filters + 1 >> 1

const lexiconOf = (patterns: Patterns): Lexicon => {
  const known = lexicons.get(patterns)
  if (known !== undefined) return known
  const { filters, rows, words } = patterns
  const row = width * filters
  const count = words.length + Synonyms.clusters + Tokens.shapes
  const names = new Int32Array(size)
  const places = new Int32Array(size)
  const sums = new Int16Array(2 * count * row)
  sums.set(rows.subarray(0, count * row))
  const pairs = pairsOf(filters)
  const place = width * pairs
  const put = (name: number, at: number): void => {
    const slot = slotOf(names, name)
    names[slot] = name
    places[slot] = at * place
  }
  const clusterOf = new Map(Synonyms.all())
  for (const [name, cluster] of clusterOf) put(name, words.length + cluster)
  for (const [at, name] of words.entries()) {
    put(name, at)
    const cluster = clusterOf.get(name)
    if (cluster === undefined) continue
    for (let next = 0; next < row; next++) {
      sums[at * row + next] = (rows[at * row + next] ?? 0) + (rows[(words.length + cluster) * row + next] ?? 0)
    }
  }
  for (let at = 0; at < count * row; at++) {
    sums[count * row + at] = (sums[at] ?? 0) + (rows[count * row + at % row] ?? 0)
  }
  const table = new Int32Array(2 * count * place).fill(lifted)
  for (let at = 0; at < sums.length; at++) {
    const filter = at % filters
    const to = (at - filter) / filters * pairs + (filter >> 1)
    table[to] = (table[to] ?? 0) + (sums[at] ?? 0) * (filter % 2 === 0 ? 1 : 65_536)
  }
  const lexicon = {
    names,
    places,
    table,
    firstForm: (words.length + Synonyms.clusters) * place,
    capitals: count * place
  }
  lexicons.set(patterns, lexicon)
  return lexicon
}

let bases = new Int32Array(1 << 13)
let best = new Int32Array(1 << 13)
let margins = new Float64Array(1 << 10)

/**
 * Scores the windows of a text in their order: from which word, up to which, and how much it stands out.
 *
 * @category scoring
 * @since 0.1.0
 */
export const scan = (
  patterns: Patterns,
  tokens: Tokens.Tokens,
  visit: (from: number, to: number, margin: number) => void
): void => {
  const { biases, filters, reach } = patterns
  const { count } = tokens
  const blocks = Math.max(1, Math.ceil(count / block))
  const windows = Math.max(1, blocks - reach + 1)
  const pairs = pairsOf(filters)
  if (best.length < blocks * pairs) best = new Int32Array(2 * blocks * pairs)
  if (margins.length < windows) margins = new Float64Array(2 * windows)
  look(patterns, tokens, blocks)
  const share = shareOf(tokens.prose)
  margins.fill(biases[0] * (1 - share) + biases[1] * share, 0, windows)
  for (let pair = 0; pair < pairs; pair++) {
    const most = mostOf(pair, pairs, blocks)
    for (let side = 0; side < 2; side++) {
      const filter = 2 * pair + side
      // Most patterns are nowhere in most texts.
      if (filter < filters && worthOf(patterns, filter, most >>> side * 16 & 0xffff) > 0) {
        weigh(patterns, filter, share, blocks)
      }
    }
  }
  for (let from = 0; from < windows; from++) {
    visit(from * block, Math.min(count, (from + reach) * block), margins[from] ?? 0)
  }
}

/** The most that two patterns have anywhere. */
const mostOf = (pair: number, pairs: number, blocks: number): number => {
  let low = 0
  let high = 0
  for (let at = pair; at < blocks * pairs; at += pairs) {
    const both = best[at] ?? 0
    low = Math.max(low, both & 0xffff)
    high = Math.max(high, both >>> 16)
  }
  return low | high << 16
}

/** What a place says of a pattern; it counts if it is positive. */
const worthOf = ({ offsets, step }: Patterns, filter: number, value: number): number =>
  (value - width * lift) * step + (offsets[filter] ?? 0)

/** Adds to each window what it has of a pattern: its best place there, if that is enough. */
const weigh = (patterns: Patterns, filter: number, share: number, blocks: number): void => {
  const { filters, heads, reach } = patterns
  const worth = (heads[filter] ?? 0) * (1 - share) + (heads[filters + filter] ?? 0) * share
  const pairs = pairsOf(filters)
  const pair = filter >> 1
  const shift = filter % 2 * 16
  const valueOf = (at: number): number => (best[at * pairs + pair] ?? 0) >>> shift & 0xffff
  let most = -Infinity
  let place = -1
  for (let at = 0; at < blocks; at++) {
    const value = valueOf(at)
    if (value >= most) {
      most = value
      place = at
    } else if (place <= at - reach) {
      // The best one has left the window.
      place = at - reach + 1
      most = valueOf(place)
      for (let next = place + 1; next <= at; next++) {
        const other = valueOf(next)
        if (other >= most) {
          most = other
          place = next
        }
      }
    }
    if (at < reach - 1 && at < blocks - 1) continue
    const has = worthOf(patterns, filter, most)
    if (has > 0) margins[Math.max(0, at - reach + 1)] = (margins[Math.max(0, at - reach + 1)] ?? 0) + has * worth
  }
}

/** Finds the best place of each block for each pattern; a block without words has 0, which is less than any place has. */
const look = (patterns: Patterns, { count, forms, hashes, loud }: Tokens.Tokens, blocks: number): void => {
  const { capitals, firstForm, names, places, table } = lexiconOf(patterns)
  const pairs = pairsOf(patterns.filters)
  const row = width * pairs
  if (bases.length < count + width) bases = new Int32Array(2 * (count + width))
  for (let at = 0; at < count; at++) {
    const name = hashes[at] ?? 0
    let base = -1
    if (name !== 0) {
      let slot = Math.imul(name, 0x9e3779b1) >>> 16
      while (names[slot] !== 0 && names[slot] !== name) slot = slot + 1 & (size - 1)
      if (names[slot] === name) base = places[slot] ?? 0
    }
    if (base < 0) base = firstForm + (forms[at] ?? 0) * row
    bases[at] = base + (loud[at] === 1 ? capitals : 0)
  }
  best.fill(0, 0, blocks * pairs)
  for (let at = 0; at < blocks; at++) {
    const end = Math.min(count, (at + 1) * block)
    const from = at * pairs
    for (let place = at * block; place < end; place++) {
      // The middle of a pattern is a word: most of what machines write is signs and numbers.
      if (hashes[place] === 0) continue
      if (place < half || place + half >= count) {
        atEdge(table, pairs, count, place, from)
        continue
      }
      let first = (bases[place - 2] ?? 0) + 4 * pairs
      let second = (bases[place - 1] ?? 0) + 3 * pairs
      let third = (bases[place] ?? 0) + 2 * pairs
      let fourth = (bases[place + 1] ?? 0) + pairs
      let fifth = bases[place + 2] ?? 0
      for (let to = from; to < from + pairs; to++) {
        keep(
          to,
          (table[first++] ?? 0) + (table[second++] ?? 0) + (table[third++] ?? 0) + (table[fourth++] ?? 0) +
            (table[fifth++] ?? 0)
        )
      }
    }
  }
}

/** The upper bit of each of two numbers. */
const upper = 0x80008000 | 0

/** Keeps what two patterns have of a place if it is more than what they had; without a branch, which nobody could foresee. */
const keep = (to: number, sums: number): void => {
  const had = best[to] ?? 0
  const more = (sums | upper) - had & upper
  best[to] = had ^ (had ^ sums) & more - (more >>> 15)
}

/** The same near the beginning or the end of a text, where a pattern has fewer words. */
const atEdge = (table: Int32Array, pairs: number, count: number, place: number, to: number): void => {
  for (let pair = 0; pair < pairs; pair++) {
    let sums = 0
    for (let next = 0; next < width; next++) {
      const word = place + half - next
      sums += word >= 0 && word < count ? table[(bases[word] ?? 0) + next * pairs + pair] ?? 0 : lifted
    }
    keep(to + pair, sums)
  }
}
