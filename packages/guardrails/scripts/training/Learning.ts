/**
 * Learns weights: logistic regression on windows of texts, in which no feature may say much by itself.
 */
import { type Linear, windows } from "../../src/Linear.ts"
import * as Chance from "./Chance.ts"
import type { Featured } from "./Examples.ts"

export interface Settings {
  readonly bits: number
  readonly epochs: number
  /** What one feature may weigh at most: many have to agree. */
  readonly most: number
  readonly seed: number
}

interface Window {
  readonly of: Featured
  readonly start: number
  readonly end: number
  readonly isAttack: boolean
  readonly worth: number
}

const rate = 0.1
const decay = 1e-6
const least = 48

const offset = ({ ends }: Featured, at: number): number => at <= 0 ? 0 : ends[at - 1] ?? 0

const along = (length: number, size: number, stride: number): ReadonlyArray<readonly [number, number]> => {
  if (length <= size) return [[0, length]]
  const all: Array<readonly [number, number]> = []
  for (let start = 0; start + size < length; start += stride) all.push([start, start + size])
  all.push([length - size, length])
  return all
}

export const learn = (examples: ReadonlyArray<Featured>, { bits, epochs, most, seed }: Settings): Linear => {
  const mask = (1 << bits) - 1
  const weights = new Float32Array(1 << bits)
  const squares = new Float32Array(1 << bits).fill(1e-2)
  const chance = Chance.make(seed)
  let bias = -2
  const marginOf = (of: Featured, start: number, end: number): number => {
    let sum = 0
    const to = offset(of, end)
    for (let at = offset(of, start); at < to; at++) sum += weights[(of.hashes[at] ?? 0) & mask] ?? 0
    return sum / Math.sqrt(Math.max(least, end - start)) + bias
  }
  for (let epoch = 0; epoch < epochs; epoch++) {
    const all = examples.flatMap((of) => windowsOf(of, chance, epoch === 0 ? undefined : marginOf))
    chance.shuffle(all)
    const speed = rate * (1 - epoch / epochs * 0.7)
    for (const { end, isAttack, of, start, worth } of all) {
      const margin = marginOf(of, start, end)
      const error = (1 / (1 + Math.exp(-margin)) - (isAttack ? 1 : 0)) * worth
      if (Math.abs(error) < 1e-3) continue
      const gradient = error / Math.sqrt(Math.max(least, end - start))
      const to = offset(of, end)
      for (let at = offset(of, start); at < to; at++) {
        const index = (of.hashes[at] ?? 0) & mask
        const weight = weights[index] ?? 0
        const slope = gradient + decay * weight
        const square = (squares[index] ?? 0) + slope * slope
        squares[index] = square
        weights[index] = Math.max(-most, Math.min(most, weight - speed * slope / Math.sqrt(square)))
      }
      bias -= 0.01 * error
    }
  }
  const step = most / 127
  return { weights: Int8Array.from(weights, (weight) => Math.round(weight / step)), step, bias }
}

/** What is learned of a text: all windows of a benign one; of an attack those that show it, and some that do not. */
const windowsOf = (
  of: Featured,
  chance: Chance.Chance,
  marginOf: ((of: Featured, start: number, end: number) => number) | undefined
): ReadonlyArray<Window> => {
  const { attack, length, line } = of
  const found: Array<Window> = []
  if (line.label === "benign") {
    for (const size of windows) {
      for (const [start, end] of along(length, size, size * 0.75)) {
        found.push({ of, start, end, isAttack: false, worth: 1 })
      }
      if (length <= size) break
    }
  } else if (attack !== undefined) {
    found.push({ of, start: attack.start, end: Math.min(attack.end, attack.start + 512), isAttack: true, worth: 2 })
    for (const size of windows) {
      for (const [start, end] of along(length, size, size / 4)) {
        const seen = Math.min(end, attack.end) - Math.max(start, attack.start)
        if (seen >= Math.min(size * 0.6, (attack.end - attack.start) * 0.9)) {
          found.push({ of, start, end, isAttack: true, worth: 0.8 })
        } else if (seen <= 0 && chance.next() < 0.3) found.push({ of, start, end, isAttack: false, worth: 0.5 })
      }
    }
  } else {
    // Where in the text the attack is, nobody says: where the weights so far say.
    for (const size of windows) {
      const all = along(length, size, size / 2)
      const ranked = all.map(([start, end]) => ({ start, end, margin: marginOf?.(of, start, end) ?? chance.next() }))
        .sort((a, b) => b.margin - a.margin)
      for (const { end, start } of ranked.slice(0, Math.max(1, Math.ceil(all.length / 3)))) {
        found.push({ of, start, end, isAttack: true, worth: 1 })
      }
      if (all.length === 1) break
    }
  }
  return found
}
