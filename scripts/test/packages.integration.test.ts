import { afterAll, assert, describe, it } from "@effect/vitest"
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pack, run } from "../packaging.ts"

const root = join(import.meta.dirname, "../..")
const folder = mkdtempSync(join(tmpdir(), "durable-agents-packages-"))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"))

/** What would be published. */
const packed = pack(root, folder)

/** Somebody's project, with some of our packages installed, and what those depend on. */
const project = (name: string, ours: ReadonlyArray<string>, others: ReadonlyArray<string>): string => {
  const at = join(folder, name)
  for (const our of ours) {
    const into = join(at, "node_modules/@durable-agents", our)
    mkdirSync(into, { recursive: true })
    const tarball = packed.find((one) => one.name === our)?.tarball ?? ""
    run("tar", ["-xzf", tarball, "--strip-components=1", "-C", into], folder)
  }
  for (const other of others) {
    const link = join(at, "node_modules", other)
    mkdirSync(dirname(link), { recursive: true })
    const owner = ["", ...globSync("packages/*", { cwd: root })].map((of) => join(root, of, "node_modules", other))
      .find((path) => globSync(path).length > 0)
    symlinkSync(realpathSync(owner ?? other), link)
  }
  writeFileSync(join(at, "package.json"), JSON.stringify({ type: "module" }))
  return at
}

const node = (at: string, file: string, ...args: ReadonlyArray<string>): string =>
  run(process.execPath, [file, ...args], at)

describe("the packages, as they would be published,", () => {
  it("hold what runs, its types, its sources and the licence, and nothing else (check 102)", () => {
    assert.sameMembers(packed.map(({ name }) => name), globSync("*", { cwd: join(root, "packages") }))
    for (const { files, name } of packed) {
      // The page is in `assets`, built.
      const modules = globSync("**/*.ts", { cwd: join(root, "packages", name, "src"), exclude: ["page/**"] })
      const built = modules.map((module) => module.replace(/\.ts$/, ""))
      assert.includeMembers([...files], ["LICENSE", "package.json", ...modules.map((module) => `src/${module}`)], name)
      assert.includeMembers([...files], built.flatMap((module) => [`dist/${module}.js`, `dist/${module}.d.ts`]), name)
      const more = files.filter((file) =>
        !/^(LICENSE|package\.json|dist\/.+\.(js|d\.ts)(\.map)?|src\/.+\.tsx?|assets\/\w+\.(html|css|svg|js|md)|src\/weights\/README\.md|sql\/\d{4}_\w+\.sql|operations\/\w+\.sql)$/
          .test(file)
      )
      assert.deepStrictEqual(more, [], name)
      assert.deepStrictEqual(
        files.filter((file) => /(^|\/)(test|demo|examples?|fixtures?)\b|\.test\./i.test(file)),
        [],
        name
      )
    }
  })

  it("have entry points that are there, versions of each other, and a licence (check 102)", () => {
    for (const { files, manifest, name } of packed) {
      const entries = Object.values(manifest.exports).flatMap((entry) => Object.values(Object(entry)))
      for (const entry of [...entries, ...Object.values(Object(manifest.bin))]) {
        assert.include(files, String(entry).replace(/^\.\//, ""), name)
      }
      for (const script of ["preinstall", "install", "postinstall", "prepare"]) {
        assert.notProperty(Object(manifest.scripts), script, name)
      }
      assert.strictEqual(manifest.license, "MIT", name)
      assert.isString(manifest.description, name)
      assert.isString(manifest.engines?.node, name)
      assert.isDefined(manifest.sideEffects, name)
      assert.isAtLeast(manifest.keywords?.length ?? 0, 2, name)
      for (const version of Object.values(Object(manifest.dependencies))) {
        assert.match(String(version), /^[\d.]+$/, name)
      }
    }
  })

  it("expect `effect` of the project that they are installed in, in the version that they are tested with", () => {
    for (const { manifest, name } of packed) {
      const { dependencies = {}, peerDependencies = {} } = manifest
      const own = Object.keys(dependencies).filter((dependency) => dependency.startsWith("@durable-agents/"))
      for (const [peer, range] of Object.entries(peerDependencies)) {
        const version = /^[~^](\d+\.\d+\.\d+)$/.exec(range)?.[1]
        assert.isDefined(version, `${name}: ${peer} ${range}`)
        assert.include(readFileSync(join(root, "pnpm-workspace.yaml"), "utf8"), `: ${version}\n`, `${name}: ${peer}`)
        assert.notProperty(dependencies, peer, name)
      }
      assert.property(peerDependencies, "effect", name)
      // What a dependency expects has to be there for it too.
      for (const dependency of own) {
        const theirs = packed.find((one) => one.manifest.name === dependency)?.manifest.peerDependencies
        assert.containsAllKeys({ ...dependencies, ...peerDependencies }, Object.keys(Object(theirs)), name)
      }
    }
  })

  it("import and run the first example of the README with nothing else installed (checks 13, 15)", () => {
    const at = project("quickstart", ["core", "agent"], ["effect", "@noble/hashes", "@effect/platform-node"])
    copyFileSync(join(root, "examples/quickstart/src/main.ts"), join(at, "main.ts"))
    assert.strictEqual(
      node(at, "main.ts"),
      "AwaitingApproval\nturn-1/call-1/approval { orderId: 'A-8891', cents: 6400 }\nCompleted Refund RF-1 processed. 1\n"
    )
  })

  it("load neither servers nor databases nor the client of a provider until they are asked for (check 14)", () => {
    const at = project("loading", ["core", "agent"], ["effect", "@noble/hashes"])
    writeFileSync(
      join(at, "main.js"),
      `import { registerHooks } from "node:module"
      const loaded = []
      registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
      await import("@durable-agents/" + process.argv[2])
      console.log(loaded.join("\\n"))`
    )
    const core = node(at, "main.js", "core")
    assert.include(core, "@durable-agents/core/dist/index.js")
    assert.notMatch(core, /\/effect\/dist\/(ai|http\/Http|http-api|rpc|cluster|workflow|socket)/)
    for (const loaded of [core, node(at, "main.js", "agent")]) {
      assert.notMatch(
        loaded,
        /^node:|platform-node|undici|@durable-agents\/(anthropic|openai|provider|sqlite|cli|testing)\//m
      )
    }
  })

  it("have types that others can compile against (check 102)", () => {
    const at = project("types", ["core", "agent", "server", "sqlite"], ["effect", "@noble/hashes"])
    writeFileSync(
      join(at, "main.ts"),
      `import { Agent } from "@durable-agents/agent"
      import { Runs, Worker } from "@durable-agents/core"
      import type { EventLine } from "@durable-agents/server/Api"
      import { Sqlite } from "@durable-agents/sqlite"
      import { Effect, Layer } from "effect"
      const Writer = Agent.make("writer", { instructions: "You write." })
      export const begin = Effect.flatMap(Runs, (runs) => runs.start(Writer, "About the sea."))
      export const Main = Worker.layer().pipe(Layer.provide(Sqlite.layer({ file: "runs.db" })))
      export const epochOf = ({ epoch }: EventLine): number | undefined => epoch
      // @ts-expect-error the goal is a text
      export const wrong = Effect.flatMap(Runs, (runs) => runs.start(Writer, 7))`
    )
    const options = ["--module", "nodenext", "--target", "es2024", "--strict", "--noEmit", "--types", ""]
    assert.strictEqual(run(join(root, "node_modules/.bin/tsc"), [...options, "main.ts"], at), "")
  })

  it("bring a command that runs (check 13)", () => {
    const others = ["effect", "@noble/hashes", "@effect/platform-node"]
    const at = project("command", ["core", "agent", "provider", "anthropic", "openai", "sqlite", "cli"], others)
    const { bin } = readJson(join(at, "node_modules/@durable-agents/cli/package.json"))
    const command = join("node_modules/@durable-agents/cli", bin["durable-agents"])
    assert.include(node(at, command, "--help"), "durable-agents")
    node(at, command, "init-db", "--store", "sqlite:runs.db")
    assert.strictEqual(node(at, command, "runs", "--json", "--store", "sqlite:runs.db").trim(), "{\"items\":[]}")
  })
})
