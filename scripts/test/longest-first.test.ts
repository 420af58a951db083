import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "../..")

describe("LongestFirst", () => {
  it("names test files that are there, each once", () => {
    const [, list = ""] =
      /const longest = \[([^\]]*)\]/.exec(readFileSync(join(root, "scripts/longest-first.ts"), "utf8")) ?? []
    const names = Array.from(list.matchAll(/"([^"]+)"/g), ([, name = ""]) => name)
    assert.isNotEmpty(names)
    for (const name of names) {
      const found = globSync(`{packages/,examples/,}${name}.test.ts`, { cwd: root })
      assert.lengthOf(found, 1, name)
    }
    assert.lengthOf(names, new Set(names).size)
  })
})
