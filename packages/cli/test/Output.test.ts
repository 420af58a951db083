import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Stdio, Terminal } from "effect"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Output from "../src/Output.ts"
import * as Style from "../src/Style.ts"

const settings = (
  options: {
    readonly isTerminal: boolean
    readonly canColor?: boolean
    readonly color?: boolean
    readonly width?: number
  }
) =>
  Output.settings({
    color: Option.fromNullishOr(options.color),
    width: Option.fromNullishOr(options.width)
  }).pipe(Effect.provide(Layer.mergeAll(
    Stdio.layerTest({ stdoutIsTerminal: Effect.succeed(options.isTerminal) }),
    Layer.succeed(
      Terminal.Terminal,
      Terminal.make({
        columns: Effect.succeed(132),
        rows: Effect.succeed(24),
        size: Effect.die("unused"),
        readInput: Effect.die("unused"),
        readLine: Effect.die("unused"),
        display: () => Effect.void
      })
    ),
    Layer.succeed(TerminalCapabilities.TerminalCapabilities, {
      canColor: options.canColor ?? true,
      canAnimate: false,
      canPrompt: false
    })
  )))

describe("Output.settings", () => {
  it.effect("colours only on a terminal that may have colours", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* settings({ isTerminal: true })).style, Style.color)
      assert.strictEqual((yield* settings({ isTerminal: true, canColor: false })).style, Style.plain)
      assert.strictEqual((yield* settings({ isTerminal: false })).style, Style.plain)
    }))

  it.effect("does as the flags say", () =>
    Effect.gen(function*() {
      const forced = yield* settings({ isTerminal: false, canColor: false, color: true, width: 90 })
      assert.deepStrictEqual(forced, { style: Style.color, width: 90 })
      assert.strictEqual((yield* settings({ isTerminal: true, color: false })).style, Style.plain)
    }))

  it.effect("takes the width of the terminal", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* settings({ isTerminal: true })).width, 132)
      assert.strictEqual((yield* settings({ isTerminal: false })).width, 78)
    }))
})
