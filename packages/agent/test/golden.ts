/**
 * Texts kept in files. `UPDATE_GOLDEN=1` writes them anew.
 */
import { assert } from "@effect/vitest"
import { readFileSync, writeFileSync } from "node:fs"

export const assertGolden = (name: string, lines: ReadonlyArray<string>): void => {
  const file = new URL(`./golden/${name}`, import.meta.url)
  const text = lines.map((line) => `${line}\n`).join("")
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, text)
  assert.strictEqual(text, readFileSync(file, "utf8"))
}
