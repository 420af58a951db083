import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import { basename, dirname, join, normalize } from "node:path"

const root = join(import.meta.dirname, "../..")

const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"))

/** The folders that a project's tsconfig.json refers to, from the root. */
const references = (project: string): ReadonlyArray<string> =>
  (readJson(join(project, "tsconfig.json")).references ?? []).map(({ path }: { path: string }) =>
    normalize(join(project, path))
  )

/** The folders of the packages of this workspace among some dependencies. */
const packages = (dependencies: Record<string, string> = {}): ReadonlyArray<string> =>
  Object.keys(dependencies).filter((name) => dependencies[name]?.startsWith("workspace:")).map((name) =>
    join("packages", basename(name))
  )

const folders = globSync("{packages,examples}/*/package.json", { cwd: root }).map(dirname).toSorted()

describe("workspace", () => {
  it("compiles every project there is", () => {
    const projects = globSync([
      "{packages,examples}/*/tsconfig.json",
      "packages/*/test/tsconfig.json",
      "{scripts,bench}/tsconfig.json"
    ], {
      cwd: root
    })
    assert.sameMembers([...references(".")], projects.map(dirname))
    for (const folder of folders) assert.isTrue(existsSync(join(root, folder, "tsconfig.json")), folder)
  })

  it("has every command that its pages name (check 98)", () => {
    const pages = globSync(["*.md", "docs/**/*.md", "examples/*/README.md"], { cwd: root })
    const named = pages.flatMap((page) =>
      [
        ...readFileSync(join(root, page), "utf8")
          .matchAll(/(?:npx -y pnpm@[\d.]+|\bpnpm|\bnpm)(?: --filter @durable-agents\/(\S+))?(?: run)? ([a-z][a-z:-]*)/g)
      ].map(([, of, command = ""]) => ({ page, of, command }))
    )
    const own = readJson("package.json").scripts
    const scriptsOf = (of: string | undefined): object =>
      of === undefined
        ? { ...own, install: "", exec: "", run: "" }
        : readJson(`${of.startsWith("example-") ? `examples/${of.slice(8)}` : `packages/${of}`}/package.json`).scripts
    assert.isAtLeast(named.length, 20)
    for (const { command, of, page } of named) {
      if (of !== "example-NAME") assert.property(scriptsOf(of), command, `${page} names ${command}`)
    }
    for (const folder of folders.filter((name) => name.startsWith("examples"))) {
      assert.property(readJson(join(folder, "package.json")).scripts, "start", folder)
    }
  })

  it("refers from each project to the packages it depends on, and to no other", () => {
    for (const folder of folders) {
      const { dependencies, devDependencies } = readJson(join(folder, "package.json"))
      const needed = packages(dependencies)
      const neededByTests = [...needed, ...packages(devDependencies)]
      if (folder.startsWith("examples")) {
        assert.sameMembers([...references(folder)], neededByTests, folder)
      } else {
        assert.sameMembers([...references(folder)], [...needed], folder)
        assert.sameMembers([...references(join(folder, "test"))], [folder, ...neededByTests], `${folder}/test`)
      }
    }
  })

  it("has every example in README.md, and a command that starts it", () => {
    const readme = readFileSync(join(root, "README.md"), "utf8")
    for (const folder of folders.filter((folder) => folder.startsWith("examples"))) {
      const { name, scripts } = readJson(join(folder, "package.json"))
      assert.strictEqual(name, `@durable-agents/example-${basename(folder)}`)
      assert.match(scripts.start, /^node src\/main\.ts/, folder)
      assert.include(readme, `| [${basename(folder)}](${folder}/`)
    }
  })
})
