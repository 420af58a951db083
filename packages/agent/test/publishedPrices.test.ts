import { Prices } from "@durable-agents/agent"
import { assert, describe, it } from "@effect/vitest"
import { readFileSync, writeFileSync } from "node:fs"

const file = new URL("../../../docs/reference/prices.md", import.meta.url)

const row = (name: string, { cachedInput = "", cacheWrite = "", input, output }: Prices.Price) =>
  `| ${name} | ${input} | ${cachedInput} | ${cacheWrite} | ${output} |`

const table = Object.entries(Prices.published.models).flatMap(([model, price]) => [
  row(`\`${model}\``, price),
  ...(price.above === undefined
    ? []
    : [row(`prompts above ${price.above.tokens.toLocaleString("en")} tokens`, price.above)])
])

describe("docs/reference/prices.md", () => {
  it("has the prices of the code, and their version", () => {
    const page = readFileSync(file, "utf8")
    const rows = page.split("\n").filter((line) => line.startsWith("| `") || line.startsWith("| prompts"))
    if (process.env["UPDATE_GOLDEN"] === "1") {
      const [first = ""] = rows
      const start = first === "" ? page.length : page.indexOf(first)
      writeFileSync(file, `${page.slice(0, start)}${table.join("\n")}\n`)
    } else assert.deepStrictEqual(rows, table)
    assert.include(page, `version \`${Prices.published.version}\``)
  })
})
