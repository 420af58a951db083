/**
 * Branches: whichever comes first, as a recorded choice.
 */
import { Effect, Exit, Fiber } from "effect"
import { below, Journal, Path } from "./Journal.ts"
import { NotRecordable } from "./JournalService.ts"
import { KeyMismatch } from "./RunError.ts"
import { scope } from "./Step.ts"

/**
 * Runs branches side by side; the first to end, well or badly, wins, and the others are interrupted. Which one it was is in
 * the log, so the choice stands in every replay, also when code is edited.
 *
 * **Details**
 *
 * The keys of a branch stand below `key/name`. Once the choice is in the log a branch that lost begins nothing more, but for what
 * it does when it is interrupted (`Effect.onInterrupt`). Its waits are closed with the choice; its operations in flight are
 * interrupted, and their outcome is unknown. A race whose branches are all interrupted is interrupted itself, as
 * happens to waits while a cancelled run undoes what it did.
 *
 * **Gotchas**
 *
 * A signal that a branch has met is used up, also if that branch loses: when both are there, the one that was waited for first
 * wins.
 *
 * **Example**
 *
 * ```ts
 * import { Branch, Signal, Timer } from "@durable-agents/core"
 * import { Effect } from "effect"
 *
 * const answer = Branch.race("answer-or-timeout", {
 *   answer: Effect.asSome(Signal.receive("answer")),
 *   timeout: Effect.as(Timer.sleep("patience", "3 days"), undefined)
 * })
 * ```
 *
 * @category branches
 * @since 0.1.0
 */
export const race = <Branches extends Record<string, Effect.Effect<unknown, unknown, unknown>>>(
  key: string,
  branches: Branches
): Effect.Effect<
  Effect.Success<Branches[keyof Branches]>,
  Effect.Error<Branches[keyof Branches]>,
  Effect.Services<Branches[keyof Branches]> | Journal
> =>
  Effect.gen(function*() {
    const journal = yield* Journal
    const path = below(yield* Path, key)
    let left = Object.keys(branches).length
    if (left === 0) {
      return yield* Effect
        .die(new NotRecordable({ key: path, detail: "a race without branches never ends" }))
    }
    const fibers = new Map<string, Fiber.Fiber<unknown, unknown>>()
    for (const [name, branch] of Object.entries(branches)) {
      if (name.includes("/")) {
        return yield* Effect
          .die(new NotRecordable({ key: path, detail: `the branch name \`${name}\` contains a slash` }))
      }
      const running = Effect.onExit(
        scope(key)(scope(name)(branch)),
        (exit) =>
          Effect.sync(() => {
            if (!Exit.hasInterrupts(exit)) return journal.choose(path, name)
            left -= 1
            if (left === 0) journal.unchoose(path)
          })
      )
      fibers.set(name, yield* Effect.forkChild(running))
    }
    const winner = yield* journal.chosen(path)
    const losers = Array.from(fibers).filter(([name]) => name !== winner)
    yield* Fiber.interruptAll(losers.map(([, fiber]) => fiber))
    const fiber = fibers.get(winner)
    return yield* fiber === undefined
      ? journal.mismatch(new KeyMismatch({
        runId: journal.runId,
        key: path,
        recorded: `the branch \`${winner}\` as the winner`,
        asked: `one of ${Object.keys(branches).join(", ")}`
      }))
      : Fiber.join(fiber)
  }) as never
