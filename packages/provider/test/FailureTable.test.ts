import { FailureTable } from "@durable-agents/provider"
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const page = readFileSync(join(import.meta.dirname, "../../../docs/reference/failures.md"), "utf8")

/** The rows of the table below a heading, cells as they are meant. */
const tableBelow = (heading: string): ReadonlyArray<ReadonlyArray<string>> =>
  (page.split(`\n## ${heading}\n`)[1] ?? "").split("\n## ")[0]?.split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line.slice(2, -2).replaceAll("\\|", "\u0000").split(" | ").map((cell) =>
        cell.trim().replaceAll("\u0000", "|").replaceAll("`", "")
      )
    ) ?? []

const grouped = (table: ReadonlyMap<number | string, FailureTable.Verdict>): ReadonlyArray<ReadonlyArray<string>> =>
  [...new Set(table.values())].map((verdict) => [
    verdict,
    [...table].filter(([, one]) => one === verdict).map(([word]) => `${word}`).join(", ")
  ])

describe("docs/reference/failures.md", () => {
  it("has every code, type, phrase and status of the table, and no other", () => {
    assert.deepStrictEqual(tableBelow("Codes and types"), grouped(FailureTable.words))
    assert.deepStrictEqual(
      tableBelow("Phrases"),
      FailureTable.phrases.map(([phrase, verdict]) => [phrase.source.replaceAll("`", ""), verdict])
    )
    assert.deepStrictEqual(tableBelow("Statuses"), grouped(FailureTable.statuses))
    assert.deepStrictEqual(tableBelow("Types under a success"), grouped(FailureTable.hints))
  })

  it("explains every kind", () => {
    assert.deepStrictEqual(tableBelow("Kinds").map(([kind]) => kind), [...FailureTable.Kind.literals])
  })
})
