import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dirname, "../..")

/** Runs these test files with the default reporter and ours; returns the exit code and the last line printed. */
const run = (files: Record<string, string>) => {
  const folder = mkdtempSync(join(tmpdir(), "closing-line-"))
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  symlinkSync(join(root, "scripts"), join(folder, "scripts"))
  writeFileSync(
    join(folder, "vitest.config.ts"),
    `import { ClosingLineReporter } from "./scripts/closing-line-reporter.ts"
     export default { test: { include: ["*.test.ts"], reporters: ["default", new ClosingLineReporter()] } }`
  )
  for (const [path, source] of Object.entries(files)) {
    writeFileSync(join(folder, path), `import { beforeAll, describe, it } from "vitest"\n${source}`)
  }
  const { status, stdout } = spawnSync(process.execPath, [join(root, "node_modules/vitest/vitest.mjs"), "run"], {
    cwd: folder,
    encoding: "utf8"
  })
  rmSync(folder, { recursive: true })
  return { status, lastLine: stdout.slice(stdout.lastIndexOf("\n", stdout.length - 2) + 1) }
}

describe("ClosingLineReporter", () => {
  it("ends a good run with the number of tests", () => {
    const good = run({ "a.test.ts": `it("a", () => {}); describe("b", () => { it("c", () => {}) })` })
    assert.deepStrictEqual(good, { status: 0, lastLine: "2 passed, 0 failed\n" })
  })

  it("counts as failed whatever failed, also outside of a test", () => {
    const bad = run({
      "test.test.ts": `it("a", () => { throw new Error() }); it("b", () => {}); it.skip("c", () => {}); it.todo("d")`,
      "module.test.ts": `import "./gone.ts"`,
      "suite.test.ts": `describe("a", () => { beforeAll(() => { throw new Error() }); it("b", () => {}) })`,
      "late.test.ts":
        `it("a", () => { setTimeout(() => { throw new Error() }); return new Promise((end) => setTimeout(end, 50)) })`
    })
    assert.deepStrictEqual(bad, { status: 1, lastLine: "2 passed, 4 failed, 3 skipped\n" })
  })

  it("reports a failure when there are no tests", () => {
    assert.deepStrictEqual(run({}), { status: 1, lastLine: "0 passed, 1 failed\n" })
  })
})
