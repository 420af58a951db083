import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Store from "../src/Store.ts"

describe("Store.parse", () => {
  it("reads the path of a file", () => {
    for (const path of ["runs.db", "/var/lib/runs.db", "./a b.db", "///runs.db", "C:\\runs.db", "a@b.db"]) {
      assert.deepStrictEqual(Store.parse(`sqlite:${path}`), Result.succeed({ _tag: "Sqlite", file: path }))
    }
    assert.deepStrictEqual(Store.parse("SQLITE:runs.db"), Result.succeed({ _tag: "Sqlite", file: "runs.db" }))
  })

  it("refuses everything else, and repeats no secret", () => {
    for (
      const address of [
        "",
        "hunter2",
        "sqlite:",
        "sqlite:runs.db?key=hunter2",
        "sqlite:runs.db#hunter2",
        "sqlite://dana:hunter2@db.example.com/runs",
        "postgres://dana:hunter2@db.example.com/runs",
        "mysql://db.example.com/runs?password=hunter2",
        "hunter2://x:y",
        "://hunter2"
      ]
    ) {
      const parsed = Store.parse(address)
      assert.isTrue(Result.isFailure(parsed))
      if (Result.isFailure(parsed)) assert.isFalse(parsed.failure.includes("hunter2"), address)
    }
  })
})
