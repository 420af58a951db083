import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { newFolder } from "./folders.ts"
import { commandsIn } from "./inProcess.ts"
import { assertFails, fixture, inPairs, outputOf, processesIn } from "./processes.ts"

const app = fixture("app.ts")

/** Modules are loaded by Node itself, so commands that load one of these run in processes of their own. */
const setUp = () => {
  const folder = newFolder()
  const environment = { DURABLE_AGENTS_STORE: "sqlite:runs.db" }
  const { begin } = processesIn(folder, environment)
  return { folder, cli: commandsIn(folder, environment), command: (args: ReadonlyArray<string>) => begin(args).ended }
}

describe("durable-agents --app", () => {
  it("takes a plain object, a default export, and a package that the folder can import", async () => {
    const { cli, command, folder } = setUp()
    outputOf(await cli(["init-db"]))
    const from = JSON.stringify(pathToFileURL(app).href)
    writeFileSync(join(folder, "plain.js"), `import { app as it } from ${from}; export const app = { ...it }`)
    writeFileSync(join(folder, "other.mjs"), `import { app } from ${from}; export default app`)
    mkdirSync(join(folder, "node_modules/@acme/agents"), { recursive: true })
    writeFileSync(
      join(folder, "node_modules/@acme/agents/package.json"),
      JSON.stringify({ name: "@acme/agents", type: "module", exports: { ".": { import: "./main.js" } } })
    )
    writeFileSync(join(folder, "node_modules/@acme/agents/main.js"), `export { app } from ${from}`)
    const runs: Array<string> = []
    for (let count = 0; count < 3; count++) {
      runs.push(outputOf(await cli(["start", "ship", `{"id":"A-1","cents":1}`, "--app", app])).trim())
    }
    await inPairs(["plain.js", "./other.mjs", "@acme/agents"], async (module) => {
      const run = runs.pop() ?? ""
      assert.match(outputOf(await command(["resume", run, "--app", module])), /is Completed/)
    })
  })

  it("says what is wrong with a module, in one line", async () => {
    const { cli, command, folder } = setUp()
    const modules: ReadonlyArray<readonly [text: string, why: RegExp]> = [
      [
        "\nthrow new Error(\"boom\\n  at somewhere\")",
        /it cannot be loaded: app0\.mjs:2:7: Error: boom at somewhere$/m
      ],
      ["\n\nexport const", /it cannot be loaded: SyntaxError: /],
      ["import \"no-such-package\"", /it cannot be loaded: Error: Cannot find package 'no-such-package'/],
      [
        "const make = () => missing\nmake()",
        /it cannot be loaded: app3\.mjs:1:20: ReferenceError: missing is not defined$/m
      ],
      ["export const agents = 1", /it exports no `app`: write /]
    ]
    const named = modules.map(([text, why], index) => {
      writeFileSync(join(folder, `app${index}.mjs`), text)
      return [`./app${index}.mjs`, why] as const
    })
    writeFileSync(join(folder, "typed.ts"), "\nexport const cents: number = ;\n")
    await inPairs<readonly [module: string, why: RegExp]>([
      ...named,
      ["./typed.ts", /it cannot be loaded: typed\.ts:2:30: SyntaxError: Expression expected$/m],
      ["no-such-package", /Cannot find package 'no-such-package'/]
    ], async ([module, why]) => assertFails(await command(["start", "x", "y", "--app", module]), 7, why))
    const places: ReadonlyArray<readonly [module: string, why: RegExp]> = [
      ["./app4", /there is no such file; did you mean `\.\/app4\.mjs`\?/],
      ["./none.ts", /`\.\/none\.ts` cannot be used: there is no such file/],
      [".", /is a folder/]
    ]
    for (const [module, why] of places) assertFails(await cli(["start", "x", "y", "--app", module]), 7, why)
  })
})
