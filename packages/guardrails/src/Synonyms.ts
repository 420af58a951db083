/**
 * Which words mean alike: clusters of word vectors, so that what was learned of one word holds for its neighbours.
 */
import * as stored from "./weights/synonyms.ts"

/** Pairs of a word, as tokens have it, and its cluster, in the order of words. */
const opened = (): ReadonlyArray<readonly [name: number, cluster: number]> => {
  const bytes = Uint8Array.from(atob(stored.words), (character) => character.charCodeAt(0))
  const all: Array<readonly [number, number]> = []
  let name = 0
  for (let at = 0; at < bytes.length;) {
    let shift = 0
    let byte = bytes[at++] ?? 0
    let step = byte & 127
    while (byte > 127) {
      shift += 7
      byte = bytes[at++] ?? 0
      step |= (byte & 127) << shift
    }
    name += step
    all.push([name, bytes[at++] ?? 0])
  }
  return all
}

let known: ReadonlyArray<readonly [name: number, cluster: number]> | undefined

/**
 * The words that have a cluster.
 *
 * @category readers
 * @since 0.1.0
 */
export const all = (): ReadonlyArray<readonly [name: number, cluster: number]> => known ??= opened()

/**
 * How many clusters there are.
 *
 * @category constants
 * @since 0.1.0
 */
export const clusters = 256
