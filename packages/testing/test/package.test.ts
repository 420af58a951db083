import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"

const folder = join(import.meta.dirname, "..")
const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

/** The packages that a module needs when it is loaded, with all that it imports of its own. */
const needed = (file: string, seen = new Set<string>()): Set<string> => {
  seen.add(file)
  const packages = new Set<string>()
  for (
    const [, specifier = ""] of readFileSync(file, "utf8")
      .matchAll(/^(?:import|export)(?! type)[^"]* from "([^"]+)"/gms)
  ) {
    if (!specifier.startsWith(".")) packages.add(specifier)
    else if (!seen.has(join(dirname(file), specifier))) {
      for (const name of needed(join(dirname(file), specifier), seen)) packages.add(name)
    }
  }
  return packages
}

describe("@durable-agents/testing", () => {
  it("needs no runner of tests, contracts apart", () => {
    const runners = ["vitest", "@effect/vitest"]
    for (const [subpath, file] of Object.entries<string>(manifest.exports)) {
      const found = Array.from(needed(join(folder, file))).filter((name) => runners.includes(name))
      assert.deepStrictEqual(found, subpath.endsWith("Contract") ? ["@effect/vitest"] : [], subpath)
    }
  })

  it("declares the runner of its contracts as an optional peer", () => {
    for (const name of ["vitest", "@effect/vitest"]) {
      assert.property(manifest.peerDependencies, name)
      assert.deepStrictEqual(manifest.peerDependenciesMeta[name], { optional: true })
      assert.notProperty(manifest.dependencies, name)
    }
  })
})
