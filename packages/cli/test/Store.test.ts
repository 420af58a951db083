import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { inspect } from "node:util"
import * as Store from "../src/Store.ts"

describe("Store.parse", () => {
  it("reads the path of a file", () => {
    for (const path of ["runs.db", "/var/lib/runs.db", "./a b.db", "///runs.db", "C:\\runs.db", "a@b.db"]) {
      assert.deepStrictEqual(Store.parse(`sqlite:${path}`), Result.succeed({ _tag: "Sqlite", file: path }))
    }
    assert.deepStrictEqual(Store.parse("SQLITE:runs.db"), Result.succeed({ _tag: "Sqlite", file: "runs.db" }))
  })

  it("reads the address of a PostgreSQL database, and shows nothing of it that could be secret", () => {
    const shown = {
      "postgres://dana:hunter2@db.example.com:6432/runs?sslmode=require": "postgres://db.example.com:6432/runs",
      "postgresql://hunter2@db/runs?password=hunter2&schema=hunter2": "postgres://db/runs",
      "POSTGRES://dana:hunter2%2F%40%3F@[::1]/runs": "postgres://[::1]/runs",
      "postgres:///runs?host=/var/run/postgresql&user=dana": "postgres://%2Fvar%2Frun%2Fpostgresql/runs",
      "postgres://?host=db&port=6432&dbname=runs&password=hunter2": "postgres://db:6432/runs",
      "postgres:///runs": "postgres://localhost/runs",
      "postgres://db": "postgres://db"
    }
    for (const [address, place] of Object.entries(shown)) {
      const store = Result.getOrThrow(Store.parse(address))
      if (store._tag !== "Postgres") return assert.fail(address)
      assert.strictEqual(Redacted.value(store.url), address)
      assert.strictEqual(Store.show(store), place)
      for (const text of [inspect(store, { depth: 9 }), JSON.stringify(store), Store.withArgument("x", store)]) {
        assert.notInclude(text, "hunter2", address)
      }
    }
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
        "postgres:hunter2",
        "postgres://dana:hunter2@",
        "postgres://dana:hunter2/half@db/runs",
        "postgres://dana:12/hunter2@db/runs",
        "postgres://dana:12?hunter2@db/runs",
        "postgres://dana:12#hunter2@db/runs",
        "postgres://dana:hunter2@db:port/runs",
        "postgres://dana:hunter2@a,b/runs/hunter2",
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
