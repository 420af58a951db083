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
   * What words are worth: `width * filters` numbers for each known word, then for each cluster, each form and for capitals; the last
   * place of a pattern first.
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
  /** The rows of known words, each with its cluster's added, then clusters, forms; then all of them with capitals. */
  readonly table: Int16Array
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

const lexiconOf = (patterns: Patterns): Lexicon => {
  const known = lexicons.get(patterns)
  if (known !== undefined) return known
  const { filters, rows, words } = patterns
  const row = width * filters
  const count = words.length + Synonyms.clusters + Tokens.shapes
  const names = new Int32Array(size)
  const places = new Int32Array(size)
  const table = new Int16Array(2 * count * row)
  table.set(rows.subarray(0, count * row))
  const put = (name: number, at: number): void => {
    const slot = slotOf(names, name)
    names[slot] = name
    places[slot] = at * row
  }
  const clusterOf = new Map(Synonyms.all())
  for (const [name, cluster] of clusterOf) put(name, words.length + cluster)
  for (const [at, name] of words.entries()) {
    put(name, at)
    const cluster = clusterOf.get(name)
    if (cluster === undefined) continue
    for (let next = 0; next < row; next++) {
      table[at * row + next] = (rows[at * row + next] ?? 0) + (rows[(words.length + cluster) * row + next] ?? 0)
    }
  }
  for (let at = 0; at < count * row; at++) {
    table[count * row + at] = (table[at] ?? 0) + (rows[count * row + at % row] ?? 0)
  }
  const lexicon = { names, places, table, firstForm: (words.length + Synonyms.clusters) * row, capitals: count * row }
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
  if (best.length < blocks * filters) best = new Int32Array(2 * blocks * filters)
  if (margins.length < windows) margins = new Float64Array(2 * windows)
  look(patterns, tokens, blocks)
  const share = shareOf(tokens.prose)
  margins.fill(biases[0] * (1 - share) + biases[1] * share, 0, windows)
  for (let filter = 0; filter < filters; filter++) weigh(patterns, filter, share, blocks)
  for (let from = 0; from < windows; from++) {
    visit(from * block, Math.min(count, (from + reach) * block), margins[from] ?? 0)
  }
}

/** Adds to each window what it has of a pattern: its best place there, if that is enough. */
const weigh = ({ filters, heads, offsets, reach, step }: Patterns, filter: number, share: number, blocks: number) => {
  const offset = offsets[filter] ?? 0
  const worth = (heads[filter] ?? 0) * (1 - share) + (heads[filters + filter] ?? 0) * share
  let most = -Infinity
  let place = -1
  for (let at = 0; at < blocks; at++) {
    const value = best[at * filters + filter] ?? 0
    if (value >= most) {
      most = value
      place = at
    } else if (place <= at - reach) {
      // The best one has left the window.
      place = at - reach + 1
      most = best[place * filters + filter] ?? 0
      for (let next = place + 1; next <= at; next++) {
        const other = best[next * filters + filter] ?? 0
        if (other >= most) {
          most = other
          place = next
        }
      }
    }
    if (at < reach - 1 && at < blocks - 1) continue
    const has = most * step + offset
    if (has > 0) margins[Math.max(0, at - reach + 1)] = (margins[Math.max(0, at - reach + 1)] ?? 0) + has * worth
  }
}

/** Finds the best place of each block for each pattern. */
const look = (patterns: Patterns, { count, forms, hashes, loud }: Tokens.Tokens, blocks: number): void => {
  const { filters } = patterns
  const { capitals, firstForm, names, places, table } = lexiconOf(patterns)
  const row = width * filters
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
  for (let at = 0; at < blocks; at++) {
    const end = Math.min(count, (at + 1) * block)
    best.fill(-0x7fffffff, at * filters, (at + 1) * filters)
    for (let place = at * block; place < end; place++) {
      // The middle of a pattern is a word: most of what machines write is signs and numbers.
      if (hashes[place] === 0) continue
      if (place < half || place + half >= count) {
        atEdge(table, filters, count, place, at)
        continue
      }
      const first = (bases[place - 2] ?? 0) + 4 * filters
      const second = (bases[place - 1] ?? 0) + 3 * filters
      const third = (bases[place] ?? 0) + 2 * filters
      const fourth = (bases[place + 1] ?? 0) + filters
      const fifth = bases[place + 2] ?? 0
      const to = at * filters
      for (let filter = 0; filter < filters; filter++) {
        const sum = (table[first + filter] ?? 0) + (table[second + filter] ?? 0) + (table[third + filter] ?? 0) +
          (table[fourth + filter] ?? 0) + (table[fifth + filter] ?? 0)
        if (sum > (best[to + filter] ?? 0)) best[to + filter] = sum
      }
    }
  }
}

/** The same near the beginning or the end of a text, where a pattern has fewer words. */
const atEdge = (table: Int16Array, filters: number, count: number, place: number, at: number): void => {
  for (let filter = 0; filter < filters; filter++) {
    let sum = 0
    for (let next = 0; next < width; next++) {
      const word = place + half - next
      if (word >= 0 && word < count) sum += table[(bases[word] ?? 0) + next * filters + filter] ?? 0
    }
    if (sum > (best[at * filters + filter] ?? 0)) best[at * filters + filter] = sum
  }
}
