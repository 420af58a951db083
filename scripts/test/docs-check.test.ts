import { assert, describe, it } from "@effect/vitest"
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { checkDocs } from "../docs-check.ts"

const root = join(import.meta.dirname, "../..")

/** Checks these files in a folder of their own, laid out like the workspace. */
const check = (files: Record<string, string>) => {
  const folder = mkdtempSync(join(tmpdir(), "docs-"))
  copyFileSync(join(root, "tsconfig.base.json"), join(folder, "tsconfig.base.json"))
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  const all = {
    "package.json": `{ "type": "module" }`,
    "packages/core/package.json":
      `{ "name": "@durable-agents/core", "type": "module", "exports": { ".": "./src/index.ts" } }`,
    "packages/core/src/index.ts": `export const answer: number = 42\n`,
    ...files
  }
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const { errors } = checkDocs(folder)
  rmSync(folder, { recursive: true })
  return errors
}

const page = (...lines: ReadonlyArray<string>) => lines.join("\n")

describe("docs-check", () => {
  it("passes a workspace without docs", () => {
    assert.deepStrictEqual(check({}), [])
  })

  it("passes fences that compile and links that lead to files", () => {
    const guide = page("```ts", "import { Effect } from \"effect\"", "await Effect.runPromise(Effect.void)", "```")
    const readme = page(
      "[guide](docs/guide/steps.md#retries), [site](https://example.com/a.md), [here](#here), ![logo](./logo.svg), `[a](b)`",
      "",
      "1. ```ts",
      "   import { answer } from \"@durable-agents/core\"",
      "   ```",
      "",
      "   ```ts",
      "   // continued",
      "   const twice: number = 2 * answer",
      "   ```",
      "",
      "````md",
      "```ts",
      "not a fence of this page",
      "```",
      "````"
    )
    assert.deepStrictEqual(check({ "README.md": readme, "docs/guide/steps.md": guide, "logo.svg": "" }), [])
  })

  it("names the page and the line of what does not compile", () => {
    const steps = page(
      "# Steps",
      "",
      "```ts",
      "import { answer } from \"@durable-agents/core\"",
      "```",
      "between",
      "```ts",
      "// continued",
      "export const text: string = answer",
      "```",
      "> ```ts",
      "> export const other = answer",
      "> ```"
    )
    assert.deepStrictEqual(check({ "docs/steps.md": steps }), [
      "docs/steps.md:9: error TS2322: Type 'number' is not assignable to type 'string'.",
      "docs/steps.md:12: error TS2304: Cannot find name 'answer'."
    ])
  })

  it("refuses fences that would escape it", () => {
    const readme = page(
      "```ts no-check",
      "nonsense",
      "```",
      "```typescript",
      "```",
      "```ts",
      "// continued",
      "```",
      "```ts"
    )
    assert.deepStrictEqual(check({ "README.md": readme }), [
      "README.md:1: write ```ts and nothing else, not ```ts no-check: every fence compiles",
      "README.md:4: write ```ts and nothing else, not ```typescript: every fence compiles",
      "README.md:7: no fence before this one to continue",
      "README.md:9: this fence is not closed"
    ])
  })

  it("names links that lead nowhere", () => {
    const steps = page("[a](../README.md) [b](gone.md#top)", "", "[c]: ../gone/", "[d][c]")
    assert.deepStrictEqual(check({ "README.md": "", "docs/steps.md": steps }), [
      "docs/steps.md:1: no such file: gone.md",
      "docs/steps.md:3: no such file: ../gone/"
    ])
  })
})
