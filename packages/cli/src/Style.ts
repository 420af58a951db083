/**
 * How a trace says by colour what it says in words as well.
 */

/**
 * Turns a printable text into one that is shown in the terminal's colour for it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Style {
  /** What went well. */
  readonly good: (text: string) => string
  /** What failed. */
  readonly bad: (text: string) => string
  /** What waits for somebody. */
  readonly wait: (text: string) => string
  /** What is unusual: guardrails, takeovers. */
  readonly odd: (text: string) => string
  /** What stands out. */
  readonly strong: (text: string) => string
}

/**
 * @category models
 * @since 0.1.0
 */
export type Tone = keyof Style | "plain"

const same = (text: string): string => text

/**
 * No colour at all.
 *
 * @category styles
 * @since 0.1.0
 */
export const plain: Style = { good: same, bad: same, wait: same, odd: same, strong: same }

const sgr = (on: number, off: number) => (text: string): string =>
  text === "" ? "" : `\u001b[${on}m${text}\u001b[${off}m`

/**
 * Green, red, yellow, magenta and bold.
 *
 * @category styles
 * @since 0.1.0
 */
export const color: Style = {
  good: sgr(32, 39),
  bad: sgr(31, 39),
  wait: sgr(33, 39),
  odd: sgr(35, 39),
  strong: sgr(1, 22)
}
