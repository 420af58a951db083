import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { parse, places } from "../src/Options.ts"

describe("parse", () => {
  it.effect("takes every place at which the worker can be killed", () =>
    Effect.gen(function*() {
      for (const place of places) assert.strictEqual((yield* parse(["--kill-at", place]))?.killAt, place)
      assert.isUndefined(yield* parse(["--", "--help"]))
    }))

  it.effect("says what is wrong with a command line", () =>
    Effect.gen(function*() {
      const problem = (...args: ReadonlyArray<string>) => Effect.map(Effect.flip(parse(args)), ({ message }) => message)
      assert.match(yield* problem("--kill-at", "noon"), /^--kill-at wants one of payment, .*, not `noon`$/)
      // The process of the person writes it, and no run that goes well has a signal.
      assert.match(yield* problem("--kill-at", "ApprovalGranted"), /, not `ApprovalGranted`$/)
      assert.match(yield* problem("--kill-at", "SignalReceived"), /, not `SignalReceived`$/)
      assert.match(yield* problem("--amount", "much"), /^--amount wants a whole number of cents above 0, not `much`$/)
      assert.match(yield* problem("--amount=-3"), /not `-3`$/)
      for (const goal of ["", " \n"]) {
        assert.strictEqual(
          yield* problem(`--goal=${goal}`),
          "--goal wants a text that is not blank"
        )
      }
      assert.match(yield* problem("--what"), /--what/)
    }))
})
