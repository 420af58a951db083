/**
 * How other systems stood against the limit, all of them on one machine with two cores and PostgreSQL 15 (Restate on its own log),
 * in one sitting in which each was interleaved with the limit. Nothing of it was measured on the machine of a report: there, only
 * ratios to the same limit are compared.
 */

interface Peer {
  /** The system and its version. */
  readonly name: string
  /** Its value divided by the limit's. */
  readonly ofLimit: number
  /** Whether less is better. */
  readonly isBetterBelow: boolean
}

const faster = (name: string, ofLimit: number): Peer => ({ name, ofLimit, isBetterBelow: false })
const longer = (name: string, ofLimit: number): Peer => ({ name, ofLimit, isBetterBelow: true })

/**
 * @category constants
 * @since 0.1.0
 */
export const peers = {
  steps1: faster("Absurd 0.5", 0.29),
  steps16: faster("Absurd 0.5", 0.105),
  steps64: faster("OpenWorkflow 0.10", 0.066),
  steps64Restate: faster("Restate 1.7", 0.079),
  wake: longer("Restate 1.7", 2.8 / 1.25),
  wakeLate: longer("Restate 1.7", 6.1 / 2.59),
  create16: faster("OpenWorkflow 0.10", 3_503 / 15_717),
  create64: faster("OpenWorkflow 0.10", 5_671 / 49_300)
} satisfies Record<string, Peer>
