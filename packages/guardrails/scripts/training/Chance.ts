/**
 * Chance that comes out the same every time: a generator with a seed.
 */

export interface Chance {
  /** From 0 up to 1, without it. */
  readonly next: () => number
  readonly below: (limit: number) => number
  readonly pick: <A>(of: ReadonlyArray<A>) => A
  readonly shuffle: <A>(all: Array<A>) => void
}

export const make = (seed: number): Chance => {
  let state = seed | 1
  const next = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  const pick = <A>(of: ReadonlyArray<A>): A => {
    const [chosen] = of.slice(below(of.length))
    if (chosen === undefined) throw new Error("There is nothing to pick from")
    return chosen
  }
  return {
    next,
    below,
    pick,
    shuffle: (all) => {
      for (let at = all.length - 1; at > 0; at--) {
        const other = below(at + 1)
        const [a, b] = [all[at], all[other]]
        if (a !== undefined && b !== undefined) {
          all[at] = b
          all[other] = a
        }
      }
    }
  }
}
