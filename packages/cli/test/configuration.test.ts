import { Guardrails, ToolPolicy } from "@durable-agents/agent"
import { Budget, Limits, RuntimeSettings } from "@durable-agents/core"
import { ServerSettings } from "@durable-agents/server"
import { assert, describe, it } from "@effect/vitest"
import { Struct } from "effect"
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const read = (path: string): string => readFileSync(`${root}${path}`, "utf8")
const page = read("docs/reference/configuration.md")

/** The table below a heading: what the first column names, and what the column of defaults says. */
const tableOf = (heading: string): ReadonlyMap<string, string> => {
  const from = page.indexOf(`\n${heading}\n`)
  assert.notStrictEqual(from, -1, heading)
  const [, section = ""] = page.slice(from + 1).split(/^#{2,3} .*$/m)
  return new Map(Array.from(section.matchAll(/^\| `(\w+)` \|(.*)\|$/gm), ([, name = "", rest = ""]) => {
    const cells = rest.split(" | ").map((cell) => cell.trim())
    return [name, (cells.at(-2) ?? "").replaceAll("`", "")] as const
  }))
}

/** What the layers of both APIs share. */
const requestOptions = "packages/provider/src/RequestOptions.ts"

/** The members of an interface, by its source. */
const membersOf = (path: string, name: string): ReadonlyArray<string> => {
  const source = read(path)
  const from = source.indexOf(`export interface ${name}`)
  assert.notStrictEqual(from, -1, `${path} ${name}`)
  const body = source.slice(from, source.indexOf("\n}\n", from))
  const shared = body.includes("extends RequestOptions.RequestOptions")
    ? membersOf(requestOptions, "RequestOptions")
    : []
  return [...Array.from(body.matchAll(/^ {2}readonly (\w+)\??:/gm), ([, member = ""]) => member), ...shared]
}

const names = (heading: string) => Array.from(tableOf(heading).keys())

describe("docs/reference/configuration.md", () => {
  it("lists every variable of the environment that the code reads, and no other", () => {
    const sources = globSync("packages/*/src/**/*.ts", { cwd: root }).map(read)
    const variables = sources.flatMap((source) =>
      // Not those in examples.
      Array.from(
        source.replace(/^ *\/?\*.*$/gm, "")
          .matchAll(/(?:Config\.\w+\(|RequestOptions\.baseUrl\(|process\.env\[?\.?)"?([A-Z][A-Z0-9_]+)/g),
        ([, name = ""]) => name
      )
    )
    // Read by effect/cli.
    assert.sameMembers(names("## Environment"), Array.from(new Set([...variables, "NO_COLOR"])))
  })

  it("lists every variable of OpenTelemetry that this code reads by itself", () => {
    const [, section = ""] = page.split("### OpenTelemetry\n")
    for (const [name] of read("packages/cli/src/Exporting.ts").matchAll(/\bOTEL_[A-Z_]+[A-Z]\b/g)) {
      assert.include(section, name.replace(/_(TRACES|METRICS|LOGS)_ENDPOINT$/, "_TRACES_ENDPOINT"))
    }
  })

  it("says what the references are, with their defaults", () => {
    const asText = (value: object) => Object.entries(value).map(([name, value]) => [name, `${value}`])
    assert.deepStrictEqual(Array.from(tableOf("### `RuntimeSettings`")), asText(RuntimeSettings.defaultValue()))
    assert.deepStrictEqual(Array.from(tableOf("### `Limits`")), asText(Limits.defaultValue()))
    assert.deepStrictEqual(Array.from(tableOf("### `ServerSettings`")), asText(ServerSettings.defaultValue()))
    const budget = {
      ...Object.fromEntries(Struct.keys(Budget.Budget.fields).map((name) => [name, "none"])),
      ...Budget.defaultBudget
    }
    assert.deepStrictEqual(Array.from(tableOf("### `Budget`")), asText(budget))
    assert.strictEqual(
      tableOf("### `Guardrails.layer`").get("loopThreshold"),
      `${Guardrails.Guardrails.defaultValue().loopThreshold}`
    )
    assert.strictEqual(tableOf("### `ToolPolicy`").get("attempts"), `${ToolPolicy.Policy.defaultValue().attempts}`)
    assert.strictEqual(tableOf("### `ToolPolicy`").get("onUnknown"), ToolPolicy.Policy.defaultValue().onUnknown)
  })

  it("lists the options of layers and definitions, all of them", () => {
    const options = [
      ["### `Worker.layer`", "packages/core/src/Worker.ts", "Options"],
      ["### `Sqlite.layer`", "packages/sqlite/src/Sqlite.ts", "Options"],
      ["### `OpenAi.layer` and `OpenAi.layerConfig`", "packages/openai/src/OpenAi.ts", "Options"],
      ["### `Anthropic.layer` and `Anthropic.layerConfig`", "packages/anthropic/src/Anthropic.ts", "Options"],
      ["### `Guardrails.layer`", "packages/agent/src/Guardrails.ts", "Settings"],
      ["### `Agent.make`", "packages/agent/src/Agent.ts", "Options"],
      ["### `Approval.request`", "packages/core/src/Approval.ts", "Options"]
    ] as const
    for (const [heading, path, name] of options) assert.sameMembers(names(heading), [...membersOf(path, name)], heading)
    assert.sameMembers(names("### `Step.run`"), ["error", ...membersOf("packages/core/src/Step.ts", "Options")])
    const notOptions = ["Policy", "of", "effect", "problem"]
    assert.sameMembers(names("### `ToolPolicy`"), Struct.keys(ToolPolicy).filter((name) => !notOptions.includes(name)))
  })

  it("says of options what the code says of their defaults", () => {
    const value = /(?:\?\?|\bbounds\(options,) ("[^"]+"|[\d_]+|true|\d+ \* 1024 \* 1024)/g
    const shared = Array.from(read(requestOptions).matchAll(/[{,] \w+ = ("[^"]+")/g))
    const defaults = (path: string) => {
      const source = read(path)
      const found = [...source.matchAll(value), ...(source.includes("RequestOptions.bounds(") ? shared : [])]
      return new Map(found.map(([, value = ""]) => [value, true]))
    }
    for (
      const [path, heading, expected] of [
        ["packages/core/src/Worker.ts", "### `Worker.layer`", {
          concurrency: "8",
          poll: "\"1 second\"",
          unhealthyAfter: "\"30 seconds\"",
          stalledAfter: "\"10 minutes\"",
          progress: "\"Debug\""
        }],
        ["packages/sqlite/src/Sqlite.ts", "### `Sqlite.layer`", { access: "\"write\"", create: "true" }],
        ["packages/agent/src/Agent.ts", "### `Agent.make`", {
          attempts: "100",
          timeout: "\"10 minutes\"",
          guardrailProfile: "\"validation\"",
          version: "\"1\""
        }],
        ["packages/openai/src/OpenAi.ts", "### `OpenAi.layer` and `OpenAi.layerConfig`", { timeout: "\"10 minutes\"" }],
        ["packages/anthropic/src/Anthropic.ts", "### `Anthropic.layer` and `Anthropic.layerConfig`", {
          maxTokens: "16_384",
          parallelToolCalls: "true",
          version: "\"2026-10-21\"",
          timeout: "\"10 minutes\"",
          idleTimeout: "\"2 minutes\""
        }]
      ] as const
    ) {
      for (const [option, value] of Object.entries(expected)) {
        assert.isTrue(defaults(path).has(value), `${path} has no default ${value}`)
        assert.strictEqual(tableOf(heading).get(option), value.replaceAll(/["_]/g, ""))
      }
    }
  })
})
