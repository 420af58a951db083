import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "../../..")

/** What differs between two runs, or is shortened on the page. */
const plain = (text: string): string =>
  text
    .replace(/subject='[^']*'/g, "subject='…'")
    .replace(/lease=\d+ worker='[^']*'/g, "lease=… worker='…'")

describe("README.md", () => {
  it("shows the log that npm start prints", () => {
    const { status, stdout } = spawnSync(process.execPath, [join(root, "examples/refund/src/main.ts")], {
      encoding: "utf8"
    })
    assert.strictEqual(status, 0)
    assert.include(plain(readFileSync(join(root, "README.md"), "utf8")), plain(stdout).trim())
  })
})
