import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fixture, main, outputOf, processesIn } from "./processes.ts"

const folder = mkdtempSync(join(tmpdir(), "durable-agents-cli-"))
const loads = join(folder, "loads")
const { cli, spawn } = processesIn(folder, { DURABLE_AGENTS_STORE: "sqlite:runs.db", LOADS: loads })

/** What a command loads, as far as it costs time or could fail. */
const loadedBy = (...args: ReadonlyArray<string>): ReadonlyArray<string> => {
  writeFileSync(loads, "")
  outputOf(spawn(process.execPath, ["--import", fixture("loads.ts"), main, ...args]))
  const urls = readFileSync(loads, "utf8").split("\n")
  assert.isTrue(urls.some((url) => url.endsWith("/cli/src/DurableAgents.ts")))
  const costly = {
    ai: /\/effect\/(?:src|dist)\/ai\//,
    agent: /\/packages\/agent\//,
    openai: /\/packages\/openai\//,
    sqlite: /\/packages\/sqlite\//,
    app: /\/fixtures\/app\.ts$/
  }
  return Object.entries(costly).flatMap(([name, pattern]) => urls.some((url) => pattern.test(url)) ? [name] : [])
}

describe("durable-agents", () => {
  it("loads neither drivers nor models for its help and its completions (H36, checks 13, 14)", () => {
    for (const args of [["--help"], ["worker", "--help"], ["--version"], ["--completions", "zsh"]]) {
      assert.deepStrictEqual(loadedBy(...args), [])
    }
  })

  it("loads the store alone to look and to decide", () => {
    outputOf(cli(["init-db"]))
    const run = outputOf(cli(["start", "ship", `{"id":"A-1","cents":1}`, "--app", fixture("app.ts")])).trim()
    for (
      const args of [["runs"], ["status", run], ["explain", run], ["replay", run], ["export", run], [
        "cancel",
        run,
        "--actor",
        "dana"
      ]]
    ) {
      assert.deepStrictEqual(loadedBy(...args), ["sqlite"], args.join(" "))
    }
  })

  it("loads the app to start a run, and not the client of the model", () => {
    const loaded = loadedBy("start", "writer", "About the sea.", "--app", fixture("open.ts"))
    assert.deepStrictEqual(loaded, ["ai", "agent", "sqlite"])
  })
})
