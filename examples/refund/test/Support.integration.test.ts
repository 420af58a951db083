import { everyPrefix, People } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { books, Payments } from "../src/Payments.ts"
import { Script, Support, SupportToolsLayer } from "../src/Support.ts"

const inFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "refund-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

describe("Support", () => {
  it.effect("refunds once, with the receipt of that refund, whenever its process dies", () =>
    Effect.gen(function*() {
      const folder = yield* inFolder
      let ledgers = 0
      const trials = yield* everyPrefix({
        program: Support,
        input: "Refund order A-8891, item arrived damaged.",
        world: () => join(folder, `${ledgers++}.db`),
        layer: (ledger) =>
          Support.layer.pipe(Layer.provide([
            Script("A-8891", 6400),
            SupportToolsLayer.pipe(Layer.provide(Payments.layer(ledger)))
          ])),
        effects: (ledger) => {
          const { cents, refunds } = Effect.runSync(books(ledger))
          return { cents, refunds }
        },
        outside: People.approve
      })
      assert.isAbove(trials, 10)
    }).pipe(Effect.scoped))
})
