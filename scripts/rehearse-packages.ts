/**
 * Installs the packages as they would be published into projects of somebody else, from the registry, and uses them there: with npm and
 * with pnpm, compiled by TypeScript in its strictest and its usual settings, run by Node. `pnpm rehearse:packages`, by hand: it takes
 * a minute or two, and needs the network.
 */
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pack, packageManager, type Packed, run } from "./packaging.ts"

const root = join(import.meta.dirname, "..")
const folder = mkdtempSync(join(tmpdir(), "durable-agents-rehearsal-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))

const check = (what: string, holds: boolean, detail: unknown = ""): void => {
  if (!holds) throw new Error(`not so: ${what} ${String(detail)}`)
  process.stdout.write(`  ok: ${what}\n`)
}

/** The version of a tool that this workspace uses. */
const versionOf = (tool: string): string =>
  JSON.parse(readFileSync(join(root, "node_modules", tool, "package.json"), "utf8")).version

const project = (name: string, manifest: object = {}): string => {
  process.stdout.write(`${name}\n`)
  const at = join(folder, name.replaceAll(" ", "-"))
  mkdirSync(at)
  writeFileSync(join(at, "package.json"), JSON.stringify({ private: true, type: "module", ...manifest }))
  return at
}

const npmInstall = (at: string, ours: ReadonlyArray<Packed>, others: ReadonlyArray<string> = []): string =>
  run("npm", ["install", "--no-audit", "--no-fund", ...ours.map(({ tarball }) => tarball), ...others], at)

const node = (at: string, file: string, ...args: ReadonlyArray<string>): string =>
  run(process.execPath, [file, ...args], at)

/** How often a package is installed in a project. */
const copies = (at: string, of: string): number =>
  new Set(globSync([`node_modules/${of}`, `node_modules/**/node_modules/${of}`], { cwd: at })).size

/** A program that imports all entry points of some packages, and says of each how much it exports. */
const everything = (packages: ReadonlyArray<Packed>): string => {
  const entries = packages.flatMap(({ manifest }) =>
    Object.keys(manifest.exports).map((path) => manifest.name + path.slice(1))
  )
  return [
    ...entries.map((entry, index) => `import * as it${index} from "${entry}"`),
    ...entries.map((entry, index) => `console.log("${entry}", Object.keys(it${index}).length)`)
  ].join("\n")
}

const firstExample =
  "AwaitingApproval\nturn-1/call-1/approval { orderId: 'A-8891', cents: 6400 }\nCompleted Refund RF-1 processed. 1\n"

process.stdout.write("pack\n")
const packed = pack(root, folder)
const withoutTests = packed.filter(({ name }) => name !== "testing")
const only = (...names: ReadonlyArray<string>) => packed.filter(({ name }) => names.includes(name))

const app = project("an app, with npm")
npmInstall(app, withoutTests, [`typescript@${versionOf("typescript")}`, `@types/node@${versionOf("@types/node")}`])
check("there is one copy of effect", copies(app, "effect") === 1)
copyFileSync(join(root, "examples/quickstart/src/main.ts"), join(app, "main.ts"))
writeFileSync(join(app, "everything.ts"), everything(withoutTests))
const settings = ["--module", "nodenext", "--target", "es2024", "--strict", "--types", "node", "--outDir", "out"]
const compile = (...more: ReadonlyArray<string>) =>
  run("npx", ["tsc", ...settings, ...more, "main.ts", "everything.ts"], app)
check("all types compile, those of libraries too", compile() === "")
check("also in the strictest settings", compile("--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess") === "")
check("the first example of the README does what it says", node(app, "out/main.js") === firstExample)
check("all entry points load", node(app, "out/everything.js").split("\n").length > withoutTests.length)
run("npx", ["durable-agents", "init-db", "--store", "sqlite:runs.db"], app)
const runs = run("npx", ["durable-agents", "runs", "--json", "--store", "sqlite:runs.db"], app)
check("the command finds a store that it has made", runs.trim() === "{\"items\":[]}", runs)

const strict = project("the same app, with pnpm, where each package sees only what it names", {
  dependencies: Object.fromEntries([
    ...withoutTests.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`]),
    ...["effect", "@effect/platform-node"].map((name) => [name, versionOf(name)])
  ])
})
writeFileSync(
  join(strict, "pnpm-workspace.yaml"),
  `hoist: false\noverrides:\n${
    withoutTests.map(({ manifest, tarball }) => `  "${manifest.name}": "file:${tarball}"\n`).join("")
  }`
)
run("npx", ["-y", packageManager(root), "install"], strict)
for (const file of ["main.js", "everything.js"]) copyFileSync(join(app, "out", file), join(strict, file))
check("the first example of the README does what it says", node(strict, "main.js") === firstExample)
check("all entry points load", node(strict, "everything.js") === node(app, "out/everything.js"))

const tests = project("tests, without a test runner")
npmInstall(tests, only("core", "agent", "testing"))
check("nobody is given one", copies(tests, "vitest") === 0)
writeFileSync(join(tests, "main.js"), `import * as testing from "@durable-agents/testing"; console.log(typeof testing)`)
check("what needs none loads", node(tests, "main.js") === "object\n")
npmInstall(tests, [], [`vitest@${versionOf("vitest")}`, `@effect/vitest@${versionOf("@effect/vitest")}`])
copyFileSync(join(root, "packages/core/test/MemoryStore.test.ts"), join(tests, "store.test.ts"))
check("a store passes the contract", /Tests .* passed/.test(run("npx", ["vitest", "run", "--no-color"], tests)))

const old = project("an app with another version of effect", { dependencies: { effect: "4.0.6" } })
npmInstall(old, [])
let refusal = ""
try {
  npmInstall(old, only("core"))
} catch (error) {
  refusal = String(error)
}
check("it is told that they do not fit", refusal.includes("ERESOLVE"), refusal)
