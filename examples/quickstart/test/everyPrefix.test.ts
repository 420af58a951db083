import { everyPrefix, People } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** What a source declares before it begins to act, as a module; both sources run when they are imported as they are. */
const declared = (file: string, names: string, change: (source: string) => string = (source) => source) =>
  Effect.gen(function*() {
    // Below this folder, so that it finds the packages.
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(import.meta.dirname, "declared-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    const source = readFileSync(join(import.meta.dirname, "../src", file), "utf8")
    const [before = ""] = source.split(/^const (?:main|Store) = /m)
    const module = join(folder, file)
    yield* Effect.sync(() => writeFileSync(module, `${change(before)}\nexport { ${names} }\n`))
    return { folder, ...yield* Effect.promise(() => import(module)) }
  })

describe("the quick start", () => {
  it.effect("refunds once, whenever its process dies", () =>
    Effect.gen(function*() {
      const { refunds, Script, Support, SupportToolsLayer } = yield* declared(
        "main.ts",
        "refunds, Script, Support, SupportToolsLayer"
      )
      const trials = yield* everyPrefix({
        program: Support,
        input: "Refund order A-8891, it arrived damaged.",
        world: () => refunds.clear(),
        layer: Support.layer.pipe(Layer.provide([Script, SupportToolsLayer])),
        effects: () => Array.from(refunds.values()),
        outside: People.approve
      })
      assert.isAbove(trials, 10)
    }).pipe(Effect.scoped))

  it.effect("disables the account under one key, whenever its process dies", () =>
    Effect.gen(function*() {
      const { folder, Model, Offboarding, ToolsLayer } = yield* declared(
        "offboarding.ts",
        "Model, Offboarding, ToolsLayer",
        (source) => source.replace("\"directory.log\"", "import.meta.dirname + \"/directory.log\"")
      )
      const log = join(folder, "directory.log")
      const keys = () => readFileSync(log, "utf8").match(/(?<=disable sam \()\w+/g)
      const trials = yield* everyPrefix({
        program: Offboarding,
        input: "Sam has left.",
        world: () => rmSync(log, { force: true }),
        layer: Offboarding.layer.pipe(Layer.provide([Model, ToolsLayer])),
        effects: () => new Set(keys()).size,
        outside: People.approve
      })
      assert.isAbove(trials, 10)
      assert.lengthOf(new Set(keys()), 1)
    }).pipe(Effect.scoped), 60_000)
})
