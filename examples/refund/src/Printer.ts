/**
 * Prints a log as it grows. The last line stays open until we know whether something happened right after it.
 */
import { Trace } from "@durable-agents/cli"
import type { Recorded } from "@durable-agents/core"
import { Effect, Latch } from "effect"
import { hostname } from "node:os"

/** A log on the screen. */
export interface Printer {
  readonly event: (recorded: Recorded) => Effect.Effect<void>
  /** Something to say at the end of the last line. */
  readonly note: (text: string) => Effect.Effect<void>
  /** A line that is not of the log. */
  readonly line: (text: string) => Effect.Effect<void>
  /** Waits until this many events are on the screen. */
  readonly hasPrinted: (count: number) => Effect.Effect<void>
}

const here = encodeURIComponent(hostname())

/** A printer on standard output. */
export const make = (): Printer => {
  let isOpen = false
  let count = 0
  const more = Latch.makeUnsafe()
  const write = (text: string, open: boolean) =>
    Effect.sync(() => {
      process.stdout.write(`${isOpen && !text.startsWith("  <-") ? "\n" : ""}${text}${open ? "" : "\n"}`)
      isOpen = open
    })
  const hasPrinted = (wanted: number): Effect.Effect<void> =>
    Effect.suspend(() => count >= wanted ? Effect.void : Effect.andThen(more.await, hasPrinted(wanted)))
  return {
    event: (recorded) =>
      Effect.tap(write(Trace.line(recorded, { here }), true), () =>
        Effect.suspend(() => {
          count += 1
          return Effect.andThen(more.open, more.close)
        })),
    note: (text) => Effect.suspend(() => isOpen ? write(`  <- ${text}`, true) : Effect.void),
    line: (text) => write(text, false),
    hasPrinted
  }
}
