/**
 * Learns patterns: of a benign text its strongest windows have to be weak, of an attack its strongest window has to be strong. Several
 * sets of patterns are learned apart, each from its own made texts, and have one voice each: what only one of them sees by chance does
 * not stand out.
 */
import * as Patterns from "../../src/Patterns.ts"
import * as Synonyms from "../../src/Synonyms.ts"
import * as Tokens from "../../src/Tokens.ts"
import * as Chance from "./Chance.ts"
import type { Example, Place } from "./Examples.ts"

export interface Settings {
  /** How many sets of patterns are learned. */
  readonly sets: number
  /** How many patterns a set has. */
  readonly filters: number
  readonly reach: number
  /** How many words are known by themselves. */
  readonly words: number
  readonly epochs: number
  readonly seed: number
  /** Whether a pattern may speak for a text. Without, nothing that stands around an attack excuses it. */
  readonly excuses: boolean
}

const rate = 0.1
const decay = 1e-6
/** How much more is learned from what must not stand out: few benign texts may, of very many. */
const heed = 3
/** How often a word is not known by itself while it is learned from, so that its neighbours have to do. */
const unknown = 0.2

interface Rows {
  /** The row of a word by itself, or -1. */
  readonly own: Int16Array
  /** That of its cluster, or of its form, which counts only for a word that is not known by itself. */
  readonly other: Int16Array
}

interface Window {
  readonly from: number
  readonly to: number
  readonly margin: number
}

/** Numbers that are learned, each with how much it has moved. */
interface Learning {
  readonly values: Float32Array
  readonly moved: Float32Array
}

const learning = (size: number, value: (at: number) => number): Learning => ({
  values: Float32Array.from({ length: size }, (_, at) => value(at)),
  moved: new Float32Array(size).fill(0.02)
})

const move = ({ moved, values }: Learning, at: number, slope: number, speed: number): void => {
  const value = values[at] ?? 0
  const whole = slope + decay * value
  const sum = (moved[at] ?? 0) + whole * whole
  moved[at] = sum
  values[at] = value - speed * whole / Math.sqrt(sum)
}

/** One set of patterns. */
interface Learned {
  readonly weights: Learning
  readonly offsets: Learning
  readonly heads: Learning
  readonly biases: Learning
}

/** From examples, and for each set other ones that are made. */
export const learn = (
  examples: ReadonlyArray<Example>,
  made: (set: number) => ReadonlyArray<Example>,
  settings: Settings
): Patterns.Patterns => {
  const all = Array.from({ length: settings.sets }, (_, set) => [...examples, ...made(set)])
  const words = vocabulary(all.flat(), settings.words)
  return written(settings, words, all.map((some, set) => one(some, words, settings, settings.seed + 1000 * set)))
}

const one = (
  examples: ReadonlyArray<Example>,
  words: ReadonlyArray<number>,
  { epochs, excuses, filters, reach }: Settings,
  seed: number
): Learned => {
  const { width } = Patterns
  const chance = Chance.make(seed)
  const half = width - 1 >> 1
  const rowOf = new Map(words.map((name, at) => [name, at]))
  const clusterOf = new Map(Synonyms.all())
  const firstForm = words.length + Synonyms.clusters
  const capitals = firstForm + Tokens.shapes
  const rowsOf = ({ tokens: { forms, hashes } }: Example): Rows => ({
    own: Int16Array.from(hashes, (name) => rowOf.get(name) ?? -1),
    other: Int16Array.from(hashes, (name, at) => {
      const cluster = name === 0 ? undefined : clusterOf.get(name)
      return cluster === undefined ? firstForm + (forms[at] ?? 0) : words.length + cluster
    })
  })
  const weights = learning((capitals + 1) * width * filters, () => (chance.next() - 0.5) * 0.2)
  const offsets = learning(filters, () => -0.1)
  const heads = learning(2 * filters, (at) => excuses && at % filters % 4 === 3 ? -0.5 : 0.5)
  const biases = learning(2, () => -2)
  const all = examples.filter(({ tokens }) => tokens.hashes.length > 0).map((of) => ({ of, rows: rowsOf(of) }))
  let sums = new Float32Array(1 << 16)
  let own = new Int16Array(1 << 13)

  const add = (to: number, row: number, column: number): void => {
    const from = (row * width + column) * filters
    for (let next = 0; next < filters; next++) {
      sums[to + next] = (sums[to + next] ?? 0) + (weights.values[from + next] ?? 0)
    }
  }

  const windowsOf = ({ of, rows }: (typeof all)[number]): ReadonlyArray<Window> => {
    const count = rows.other.length
    const { hashes, loud } = of.tokens
    const blocks = Math.ceil(count / Patterns.block)
    if (sums.length < count * filters) sums = new Float32Array(2 * count * filters)
    if (own.length < count) own = new Int16Array(2 * count)
    sums.fill(0, 0, count * filters)
    for (let at = 0; at < count; at++) {
      const row = rows.own[at] ?? -1
      own[at] = row >= 0 && chance.next() < unknown ? -1 : row
    }
    const best = new Float32Array(blocks * filters).fill(-Infinity)
    for (let place = 0; place < count; place++) {
      if (hashes[place] === 0) continue
      const to = place * filters
      for (let column = 0; column < width; column++) {
        const at = place + half - column
        if (at < 0 || at >= count) continue
        const row = own[at] ?? -1
        const other = rows.other[at] ?? 0
        if (row >= 0) add(to, row, column)
        if (row < 0 || other < firstForm) add(to, other, column)
        if (loud[at] === 1) add(to, capitals, column)
      }
      const first = Math.floor(place / Patterns.block) * filters
      for (let filter = 0; filter < filters; filter++) {
        const sum = sums[to + filter] ?? 0
        if (sum > (best[first + filter] ?? 0)) best[first + filter] = sum
      }
    }
    const share = Patterns.shareOf(of.tokens.prose)
    const found: Array<Window> = []
    for (let from = 0; from === 0 || from + reach <= blocks; from++) {
      const to = Math.min(blocks, from + reach)
      let margin = (biases.values[0] ?? 0) * (1 - share) + (biases.values[1] ?? 0) * share
      for (let filter = 0; filter < filters; filter++) {
        let most = -Infinity
        for (let at = from; at < to; at++) most = Math.max(most, best[at * filters + filter] ?? 0)
        const has = most + (offsets.values[filter] ?? 0)
        if (has > 0) margin += has * worthOf(filter, share)
      }
      found.push({ from: from * Patterns.block, to: Math.min(count, to * Patterns.block), margin })
    }
    return found
  }

  const worthOf = (filter: number, share: number): number =>
    (heads.values[filter] ?? 0) * (1 - share) + (heads.values[filters + filter] ?? 0) * share

  const correct = ({ of, rows }: (typeof all)[number], { from, to }: Window, error: number, speed: number) => {
    if (Math.abs(error) < 1e-3) return
    const count = rows.other.length
    const share = Patterns.shareOf(of.tokens.prose)
    for (let filter = 0; filter < filters; filter++) {
      let most = -Infinity
      let place = from
      for (let at = from; at < to; at++) {
        const sum = of.tokens.hashes[at] === 0 ? -Infinity : sums[at * filters + filter] ?? 0
        if (sum > most) {
          most = sum
          place = at
        }
      }
      const has = most + (offsets.values[filter] ?? 0)
      if (has <= 0) continue
      const slope = error * worthOf(filter, share)
      move(heads, filter, error * has * (1 - share), speed)
      move(heads, filters + filter, error * has * share, speed)
      if (!excuses) {
        heads.values[filter] = Math.max(0, heads.values[filter] ?? 0)
        heads.values[filters + filter] = Math.max(0, heads.values[filters + filter] ?? 0)
      }
      move(offsets, filter, slope, speed)
      for (let next = 0; next < width; next++) {
        const at = place + half - next
        if (at < 0 || at >= count) continue
        const column = next * filters + filter
        const row = own[at] ?? -1
        const other = rows.other[at] ?? 0
        if (row >= 0) move(weights, row * width * filters + column, slope, speed)
        if (row < 0 || other < firstForm) move(weights, other * width * filters + column, slope, speed)
        if (of.tokens.loud[at] === 1) move(weights, capitals * width * filters + column, slope, speed)
      }
    }
    move(biases, 0, error * (1 - share), speed * 0.3)
    move(biases, 1, error * share, speed * 0.3)
  }

  const order = Array.from(all)
  for (let epoch = 0; epoch < epochs; epoch++) {
    chance.shuffle(order)
    const speed = rate * (1 - epoch / epochs * 0.8)
    for (const one of order) {
      for (const { isAttack, window, worth } of chosen(one.of, windowsOf(one), reach, chance)) {
        const error = (1 / (1 + Math.exp(-window.margin)) - (isAttack ? 1 : 0)) * worth * (isAttack ? 1 : heed)
        correct(one, window, error, speed)
      }
    }
  }
  return { weights, offsets, heads, biases }
}

const highest = (windows: ReadonlyArray<Window>): Window | undefined =>
  windows.reduce<Window | undefined>(
    (best, next) => best === undefined || next.margin > best.margin ? next : best,
    undefined
  )

/** The windows of a text that something is learned from. */
const chosen = (
  { line, said, stands }: Example,
  windows: ReadonlyArray<Window>,
  reach: number,
  chance: Chance.Chance
) => {
  const found: Array<{ readonly window: Window; readonly isAttack: boolean; readonly worth: number }> = []
  const put = (window: Window | undefined, isAttack: boolean, worth: number): void => {
    if (window !== undefined) found.push({ window, isAttack, worth })
  }
  const best = highest(windows)
  if (line.label === "benign") {
    put(best, false, 1)
    if (windows.length > 3 && best !== undefined) {
      const other = chance.pick(windows)
      if (other !== best) put(other, false, 0.5)
      put(highest(windows.filter(({ from }) => Math.abs(from - best.from) > Patterns.block * reach)), false, 1)
    }
  } else if (said === undefined) put(best, true, 1)
  else {
    const need = Math.min((said.end - said.start) * 0.9, Patterns.block * (reach - 1))
    const seen = ({ from, to }: Window, { end, start }: Place): number => Math.min(to, end) - Math.max(from, start)
    put(highest(windows.filter((window) => seen(window, said) >= need)), true, 1)
    put(highest(windows.filter((window) => stands.every((place) => seen(window, place) <= 0))), false, 0.5)
  }
  return found
}

/** The words that most attacks have, and half as much the beginnings of benign texts. */
const vocabulary = (examples: ReadonlyArray<Example>, size: number): ReadonlyArray<number> => {
  const counts = new Map<number, number>()
  for (const { line, said, tokens: { forms, hashes } } of examples) {
    const attack = line.label === "attack"
    const seen = new Set<number>()
    const to = said?.end ?? (attack ? hashes.length : Math.min(hashes.length, 60))
    for (let at = said?.start ?? 0; at < to; at++) {
      if ((hashes[at] ?? 0) !== 0 && (forms[at] ?? 0) >= Tokens.signs + 4) seen.add(hashes[at] ?? 0)
    }
    for (const name of seen) counts.set(name, (counts.get(name) ?? 0) + (attack ? 1 : 0.5))
  }
  return Array.from(counts).sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, size).map(([name]) => name)
}

/** The level that is closest to a number. */
const levelOf = (value: number): number => closest[Math.round(Math.max(-127, Math.min(127, value))) + 127] ?? 0

const closest = Int8Array.from(
  { length: 255 },
  (_, at) =>
    Patterns.levels.reduce((best, next) => Math.abs(next - at + 127) < Math.abs(best - at + 127) ? next : best, 0)
)

/** The sets side by side; each counts as much as the others. */
const written = (
  { filters, reach, sets }: Settings,
  words: ReadonlyArray<number>,
  learned: ReadonlyArray<Learned>
): Patterns.Patterns => {
  const most = Math.max(
    0.01,
    ...learned.map(({ weights }) => weights.values.reduce((most, value) => Math.max(most, Math.abs(value)), 0))
  )
  const step = Math.min(most, 4) / 127
  const round = (value: number): number => Math.round(value * 10_000) / 10_000
  const mean = (of: (set: Learned) => number): number => round(learned.reduce((sum, set) => sum + of(set), 0) / sets)
  const head = (kind: number) =>
    learned.flatMap(({ heads }) =>
      Array.from(heads.values.subarray(kind * filters, (kind + 1) * filters), (value) => round(value / sets))
    )
  const all = filters * sets
  const rows = new Int8Array((learned[0]?.weights.values.length ?? 0) * sets)
  for (const [set, { weights }] of learned.entries()) {
    for (const [at, value] of weights.values.entries()) {
      const filter = at % filters
      rows[(at - filter) * sets + set * filters + filter] = levelOf(value / step)
    }
  }
  return {
    filters: all,
    reach,
    words,
    rows,
    step,
    offsets: learned.flatMap(({ offsets }) => Array.from(offsets.values, round)),
    heads: [...head(0), ...head(1)],
    biases: [mean(({ biases }) => biases.values[0] ?? 0), mean(({ biases }) => biases.values[1] ?? 0)]
  }
}
