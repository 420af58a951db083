/**
 * What would be published: every package of the workspace, built and packed.
 */
import { execFileSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** A packed package. */
export interface Packed {
  /** The name of its folder. */
  readonly name: string
  /** The path of the tarball. */
  readonly tarball: string
  /** What it holds. */
  readonly files: ReadonlyArray<string>
  /** Its package.json, as others see it. */
  readonly manifest: Manifest
}

/** The fields of a package.json that are looked at. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description?: string
  readonly keywords?: ReadonlyArray<string>
  readonly license?: string
  readonly sideEffects?: boolean | ReadonlyArray<string>
  readonly engines?: { readonly node?: string }
  readonly bin?: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** Runs a command to its end, and returns what it says; throws with what it complains about. */
export const run = (command: string, args: ReadonlyArray<string>, cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 64 * 1024 * 1024 })

/** The package manager of a workspace, as its own scripts name it. */
export const packageManager = (root: string): string =>
  /pnpm@[\d.]+/.exec(readFileSync(join(root, "package.json"), "utf8"))?.[0] ?? ""

/** Builds all packages, and packs them into a folder. */
export const pack = (root: string, folder: string): ReadonlyArray<Packed> => {
  run(join(root, "node_modules/.bin/tsc"), ["-b"], root)
  run("npx", ["-y", packageManager(root), "--filter", "./packages/*", "pack", "--pack-destination", folder], root)
  return globSync("*.tgz", { cwd: folder }).map((file) => {
    const tarball = join(folder, file)
    return {
      name: file.replace(/^durable-agents-/, "").replace(/-[\d.]+\.tgz$/, ""),
      tarball,
      files: run("tar", ["-tzf", tarball], folder).trim().split("\n").map((path) => path.replace(/^package\//, "")),
      manifest: JSON.parse(run("tar", ["-xzOf", tarball, "package/package.json"], folder))
    }
  })
}
