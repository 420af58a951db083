import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { newFolder } from "./folders.ts"
import { commandsIn } from "./inProcess.ts"
import { costlyOf, fixture, inPairs, main, outputOf, processesIn } from "./processes.ts"

const folder = newFolder()
const environment = { DURABLE_AGENTS_STORE: "sqlite:runs.db" }
const cli = commandsIn(folder, environment)
const { beginWith } = processesIn(folder, environment)
let count = 0

/** What a command loads, as far as it costs time or could fail. */
const loadedBy = async (...args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const loads = join(folder, `loads-${count++}`)
  outputOf(await beginWith(["--import", fixture("loads.ts"), main, ...args], { LOADS: loads }).ended)
  return costlyOf(readFileSync(loads, "utf8"))
}

describe("durable-agents", () => {
  it("loads neither drivers nor models for its help and its completions (H36, checks 13, 14)", async () => {
    await inPairs(
      [["--help"], ["worker", "--help"], ["--version"], ["--completions", "zsh"]],
      async (args) => assert.deepStrictEqual(await loadedBy(...args), [])
    )
  })

  it("loads the store alone to look and to decide", async () => {
    outputOf(await cli(["init-db"]))
    const run = outputOf(await cli(["start", "ship", `{"id":"A-1","cents":1}`, "--app", fixture("app.ts")])).trim()
    await inPairs(
      [["runs"], ["status", run], ["explain", run], ["replay", run], ["export", run], [
        "cancel",
        run,
        "--actor",
        "dana"
      ]],
      async (args) => assert.deepStrictEqual(await loadedBy(...args), ["sqlite"], args.join(" "))
    )
  })

  it("loads the app to start a run, and not the client of the model", async () => {
    const loaded = await loadedBy("start", "writer", "About the sea.", "--app", fixture("open.ts"))
    assert.deepStrictEqual(loaded, ["ai", "agent", "sqlite"])
  })
})
