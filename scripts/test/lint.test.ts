import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

const root = join(import.meta.dirname, "../..")

/** Lints these files in a folder of their own, laid out like the workspace, with the workspace's rules. */
const lint = (files: Record<string, string>) => {
  const folder = mkdtempSync(join(tmpdir(), "lint-"))
  copyFileSync(join(root, ".oxlintrc.json"), join(folder, ".oxlintrc.json"))
  symlinkSync(join(root, "scripts"), join(folder, "scripts"))
  for (const [path, source] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), source)
  }
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, "node_modules/oxlint/bin/oxlint"), "--format=json", "packages", "examples"],
    { cwd: folder, encoding: "utf8" }
  )
  rmSync(folder, { recursive: true })
  return { status, output: stdout }
}

/** What one file is told, as one text. */
const complaints = (output: string, path: string): string => {
  const { diagnostics }: { diagnostics: Array<{ filename: string; message: string; help?: string }> } = JSON
    .parse(output)
  return diagnostics.filter((one) => one.filename === path).map((one) => `${one.message} ${one.help ?? ""}`).join("\n")
}

const import_ = (specifier: string) => `import { a } from "${specifier}"\nexport const b = a\n`

/** Each source stands alone in its own file; the text is part of what the linter says. */
const forbidden: ReadonlyArray<[path: string, source: string, says: string]> = [
  ["packages/core/src/A1.ts", import_("node:fs"), "core imports only `effect` itself"],
  ["packages/core/src/A2.ts", import_("fs"), "core imports only `effect` itself"],
  ["packages/core/src/A3.ts", import_("effect/ai"), "core imports only `effect` itself"],
  ["packages/core/src/A4.ts", `import type { A } from "effect/sql"\nexport type B = A\n`, "core imports only `effect`"],
  ["packages/core/src/A5.ts", `export * as Tool from "effect/ai"\n`, "core imports only `effect` itself"],
  ["packages/core/src/A6.ts", `export const a = import("node:os")\n`, "core imports only `effect` itself"],
  [
    "packages/core/src/A7.ts",
    `export type A = import("node:vm").Script\n`,
    "`import()` type annotations are forbidden"
  ],
  ["packages/core/src/A8.ts", import_("@noble/hashes/sha2.js"), "core imports only `effect` itself"],
  ["packages/core/src/A9.ts", import_("@durable-agents/agent"), "core imports only `effect` itself"],
  ["packages/core/src/B1.ts", import_("../../agent/src/Agent.ts"), "core imports only `effect` itself"],
  ["packages/core/src/internal/B2.ts", import_("../../test/given.ts"), "core imports only `effect` itself"],
  ["packages/core/src/B3.ts", `import { Path } from "effect"\nexport const a = Path\n`, "stable modules of `effect`"],
  ["packages/core/src/Digest.ts", import_("node:crypto"), "@noble/hashes and its own modules"],

  ["packages/core/src/C1.ts", "export const a = () => Date.now()\n", "Time comes from Clock"],
  ["packages/core/src/C2.ts", "export const a = new Date()\n", "Time comes from Clock"],
  ["packages/core/src/C3.ts", "export const a = Math.random()\n", "Chance comes from Random"],
  ["packages/core/src/C4.ts", "export const a = async () => 1\n", "async is not allowed"],
  ["packages/core/src/C5.ts", "export const a = () => {\n  throw new Error()\n}\n", "Fail with a typed error"],
  [
    "packages/core/src/C6.ts",
    "export const a = (b: () => void) => {\n  try { b() } catch { return 1 }\n}\n",
    "Effect.try"
  ],
  ["packages/core/src/C7.ts", `console.log("a")\nexport const a = 1\n`, "Unexpected console statement"],
  ["packages/core/src/C8.ts", "export enum A { B }\n", "not an enum"],

  ["packages/sqlite/src/D1.ts", import_("@durable-agents/agent"), "never each other"],
  ["packages/agent/src/D2.ts", import_("@durable-agents/sqlite"), "never each other"],
  ["packages/agent/src/D3.ts", import_("@durable-agents/core/internal/queue"), "never each other"],
  ["packages/agent/src/D4.ts", import_("@durable-agents/testing"), "never each other"],
  ["packages/openai/src/D5.ts", import_("@durable-agents/anthropic"), "never each other"],
  ["packages/openai/src/D6.ts", import_("@durable-agents/agent/internal/turn"), "never each other"],
  ["packages/guardrails/src/D10.ts", import_("@durable-agents/provider"), "guardrails imports core and agent only"],
  ["packages/guardrails/src/D11.ts", import_("@durable-agents/openai"), "guardrails imports core and agent only"],
  ["packages/provider/src/P1.ts", import_("@durable-agents/core"), "provider imports only `effect`"],
  ["packages/provider/src/P2.ts", import_("node:http"), "provider imports only `effect`"],
  ["packages/testing/src/D7.ts", import_("@durable-agents/cli"), "what stands below them"],
  ["packages/testing/src/D8.ts", import_("@durable-agents/server/Api"), "what stands below them"],
  ["packages/testing/src/D9.ts", import_("@durable-agents/core/internal/queue"), "what stands below them"],
  ["packages/dashboard/src/E1.ts", import_("@durable-agents/server"), "server/Api only"],
  ["packages/dashboard/src/E2.ts", import_("@durable-agents/core"), "server/Api only"],
  ["packages/dashboard/src/page/E3.tsx", import_("@durable-agents/cli"), "server/Api only"],
  ["packages/cli/src/commands/E4.ts", import_("../../../core/src/Step.ts"), "what stands below it"],
  ["packages/unheard/src/E5.ts", import_("@durable-agents/core"), "no place in .oxlintrc.json yet"],

  ["packages/agent/src/F1.ts", "export const a: any = 1\n", "Unexpected `any`"],
  ["packages/agent/src/F2.ts", "export const a = (b?: string) => b!.length\n", "Forbidden non-null assertion"],
  ["packages/agent/src/F3.ts", "export default 1\n", "Prefer named exports"],
  ["packages/agent/src/F4.ts", "export enum A { B }\n", "not an enum"],
  ["packages/agent/src/F5.ts", `console.log("a")\nexport const a = 1\n`, "Unexpected console statement"],
  ["packages/agent/src/G1.ts", `import { b } from "./G2.ts"\nexport const a = () => b\n`, "Dependency cycle detected"],
  [
    "packages/agent/src/G2.ts",
    `import { a } from "./G1.ts"\nexport const b = () => a\n`,
    "Dependency cycle detected"
  ],

  ["packages/core/test/H1.test.ts", import_("../../agent/src/Agent.ts"), "Import another package by its name"],
  ["packages/core/test/H2.test.ts", import_("@durable-agents/agent/internal/turn"), "Import what the package exports"],
  ["examples/refund/src/H3.ts", import_("../../../packages/core/src/Step.ts"), "Import another package by its name"]
]

const allowed: Record<string, string> = {
  "packages/core/src/Step.ts": `import { Effect, Schema } from "effect"\nimport { a } from "./internal/queue.ts"\n`
    + "export const b: Date | undefined = undefined\nexport const c = [Effect, Schema, a]\n",
  "packages/core/src/internal/queue.ts": import_("../Digest.ts"),
  "packages/core/src/Digest.ts": import_("@noble/hashes/sha2.js"),
  "packages/core/src/Empty.ts":
    `import { Effect } from "effect"\nexport const a = Effect.gen(function*() {\n  return 1\n})\n`,
  "packages/core/test/Step.test.ts": import_("@durable-agents/testing") + `export { c } from "../src/Step.ts"\n`,
  "packages/core/test/deep/Queue.test.ts": `export { a } from "../../src/internal/queue.ts"\nexport * from "node:fs"\n`,
  "packages/agent/src/Agent.ts": import_("@durable-agents/core") + `export * as Ai from "effect/ai"\n`,
  "packages/sqlite/src/Sqlite.ts": import_("@durable-agents/core") + `export * from "node:sqlite"\n`,
  "packages/openai/src/OpenAi.ts": import_("@durable-agents/agent") + `export * from "@durable-agents/core"\n`,
  "packages/anthropic/src/Anthropic.ts": import_("@durable-agents/provider") +
    `export * from "@durable-agents/agent"\n`,
  "packages/guardrails/src/Labels.ts": import_("@durable-agents/agent") + `export * from "@durable-agents/core"\n`,
  "packages/provider/src/Endpoint.ts": import_("effect/http") + `export * from "./Json.ts"\nexport * from "effect"\n`,
  "packages/testing/src/index.ts": import_("@durable-agents/agent") + `export * from "@durable-agents/core"\n`,
  "packages/server/src/Server.ts": import_("@durable-agents/core") + `export * from "./Api.ts"\n`,
  "packages/server/src/Api.ts": import_("@durable-agents/core"),
  "packages/dashboard/src/Dashboard.ts": import_("@durable-agents/server/Api"),
  "packages/cli/src/commands/serve.ts": import_("@durable-agents/dashboard"),
  "packages/cli/src/main.ts": import_("@durable-agents/sqlite") +
    `export * from "@durable-agents/server"\nconsole.log(b)\n`,
  "packages/cli/vitest.config.ts": "export default {}\n",
  "examples/refund/src/main.ts": import_("@durable-agents/core") + "console.log(b)\n"
}

describe("lint", () => {
  const bad = lint(Object.fromEntries(forbidden))

  it("fails when a rule is broken", () => {
    assert.strictEqual(bad.status, 1)
  })

  for (const [path, source, says] of forbidden) {
    it(`refuses ${source.split("\n", 1)[0]} in ${path}`, () => {
      assert.include(complaints(bad.output, path), says)
    })
  }

  it("passes what the architecture allows", () => {
    const { output, status } = lint(allowed)
    assert.deepStrictEqual(JSON.parse(output).diagnostics, [])
    assert.strictEqual(status, 0)
  })
})
