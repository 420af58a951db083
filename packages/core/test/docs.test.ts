import { Budget, Metrics, RunEvent } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Actor } from "../src/Ids.ts"

const page = readFileSync(join(import.meta.dirname, "../../../docs/reference/events.md"), "utf8")

interface Section {
  readonly title: string
  readonly text: string
  /** The first column of its table; a field that may be absent ends in `?`. */
  readonly rows: ReadonlyArray<string>
}

const sections: ReadonlyArray<Section> = page.split(/^#+ /m).slice(1).map((section) => {
  const [title = "", ...lines] = section.split("\n")
  return { title, text: lines.join("\n"), rows: lines.flatMap((line) => /^\| `([^`]+)` \|/.exec(line)?.[1] ?? []) }
})

const section = (title: string): Section => {
  const found = sections.filter((one) => one.title === title)
  assert.lengthOf(found, 1, `one section named ${title}`)
  return found[0] ?? { title, text: "", rows: [] }
}

/** The fields of a schema as its table names them. */
const columns = (fields: Schema.Struct.Fields): ReadonlyArray<string> =>
  Object.entries(fields)
    .filter(([name]) => name !== "_tag")
    .map(([name, field]) => field.ast.context?.isOptional === true ? `${name}?` : name)

/** The words that a field may hold, if it is a choice of words. */
const words = (field: Schema.Top): ReadonlyArray<unknown> => {
  const schema = "schema" in field && Schema.isSchema(field.schema) ? field.schema : field
  return "literals" in schema && Array.isArray(schema.literals) ? schema.literals : []
}

describe("docs/reference/events.md", () => {
  for (const [type, { fields }] of Object.entries(RunEvent.RunEvent.cases)) {
    it(`names ${type}, who writes it, and its fields`, () => {
      const { rows, text } = section(type)
      assert.deepStrictEqual(rows, columns(fields))
      assert.match(text, /[Ww]ritten by/)
      const reasons = text.includes("[reasons]") ? section("Reasons").text : ""
      for (const word of Object.values(fields).flatMap((field) => words(field))) {
        if (typeof word === "string" && word !== type) assert.include(text + reasons, `\`${word}\``)
      }
    })
  }

  it("names no event that does not exist", () => {
    const events = Object.keys(RunEvent.RunEvent.cases)
    const named = sections.filter(({ text }) => /[Ww]ritten by/.test(text)).map(({ title }) => title)
    assert.deepStrictEqual(named.filter((title) => !events.includes(title)), [])
  })

  it("names every reason for a failed attempt, and no other", () => {
    assert.deepStrictEqual(section("Reasons").rows, [...RunEvent.FailureReason.literals])
  })

  const values = {
    Actor,
    Budget: Budget.Budget,
    Usage: Budget.Usage,
    "Call usage": Budget.CallUsage,
    Spend: Budget.Spend,
    "Tool description": RunEvent.ToolDescription,
    "Tool labels": RunEvent.ToolLabels,
    Span: RunEvent.Span
  }
  for (const [title, { fields }] of Object.entries(values)) {
    it(`names the fields of ${title.toLowerCase()}`, () => {
      const { rows, text } = section(title)
      assert.deepStrictEqual(rows, columns(fields))
      for (const word of Object.values(fields).flatMap((field) => words(field))) assert.include(text, `\`${word}\``)
    })
  }
})

describe("docs/guide/observability.md", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../../docs/guide/observability.md"), "utf8")

  it("names every metric with its type, unit, labels and meaning", () => {
    const rows = guide.split("\n").filter((line) => line.startsWith("| `durable_agents_"))
    assert.deepStrictEqual(
      rows,
      Metrics.all.map(({ description, labels, name, type, unit }) => {
        const named = labels.length === 0 ? "none" : labels.map((label) => `\`${label}\``).join(", ")
        return `| \`${name}\` | ${type} | \`${unit}\` | ${named} | ${description}. |`
      })
    )
  })
})
