import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { contentSecurityPolicy } from "../src/Dashboard.ts"

const folder = join(import.meta.dirname, "..")
const assets = join(folder, "assets")

describe("assets", () => {
  it("are what `pnpm dashboard:build` makes of the sources, byte for byte", () => {
    const built = mkdtempSync(join(tmpdir(), "durable-agents-dashboard-"))
    try {
      const { NODE_ENV: _, ...env } = process.env
      execFileSync(join(folder, "node_modules/.bin/vite"), ["build", "--outDir", built], {
        cwd: folder,
        env,
        stdio: "pipe"
      })
      assert.sameMembers(readdirSync(built), readdirSync(assets))
      for (const name of readdirSync(assets)) {
        const isSame = readFileSync(join(built, name)).equals(readFileSync(join(assets, name)))
        assert.isTrue(isSame, `${name} is not what the sources make: run \`pnpm dashboard:build\``)
      }
    } finally {
      rmSync(built, { recursive: true, force: true })
    }
  })

  it("are one small script that names no other machine, and no script or style within the page (D57)", () => {
    const script = readFileSync(join(assets, "dashboard.js"), "utf8")
    assert.isBelow(script.length, 300_000)
    assert.notMatch(script, /\.innerHTML\s*=(?!=)(?!.*__html)|insertAdjacentHTML|document\.write\b/)
    const page = readFileSync(join(assets, "index.html"), "utf8")
    assert.notMatch(page, /<script(?![^>]*src=")|<style|style="|\son\w+="|https?:/)
    assert.notMatch(contentSecurityPolicy, /unsafe|https?:|\*/)
  })
})
