/**
 * What was done to workers and to their server, and when: what excuses a second attempt.
 */

/**
 * From one moment to another one, in milliseconds since 1970; without an end it lasts.
 *
 * @category models
 * @since 0.1.0
 */
export interface Span {
  readonly from: number
  readonly to: number
}

/**
 * @category models
 * @since 0.1.0
 */
export class History {
  readonly #trouble = new Map<string, Array<Span>>()
  readonly #outages: Array<Span> = []
  readonly #log: Array<string> = []
  readonly counts = { kills: 0, freezes: 0, drains: 0, restarts: 0 }
  /** What workers did that nobody had told them to. */
  readonly problems: Array<string> = []

  /** It is told in order when a test fails. */
  note(at: number, text: string): void {
    this.#log.push(`${new Intl.DateTimeFormat("en", clockFormat).format(at)} ${text}`)
  }

  /** To be told when it begins: all runs may have ended before it has. Returns how to say when it is over, if it ever is. */
  trouble(worker: string, span: Span): (to: number) => void {
    const spans = this.#trouble.get(worker) ?? []
    this.#trouble.set(worker, spans)
    return begin(spans, span)
  }

  outage(span: Span): (to: number) => void {
    return begin(this.#outages, span)
  }

  /** Whether a worker was killed, stood still, or had no database at some moment of this time. */
  wasInTrouble(worker: string, { from, to }: Span): boolean {
    return [...this.#outages, ...this.#trouble.get(worker) ?? []].some((span) => span.from <= to && span.to >= from)
  }

  lines(): ReadonlyArray<string> {
    return this.#log
  }
}

const begin = (spans: Array<Span>, span: Span): (to: number) => void => {
  const at = spans.push(span) - 1
  return (to) => {
    spans[at] = { from: span.from, to }
  }
}

const clockFormat = { hour12: false, minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 } as const
