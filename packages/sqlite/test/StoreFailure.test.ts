import { assert, describe, it } from "@effect/vitest"
import { isBusy, storeFailure } from "../src/StoreFailure.ts"

const thrown = (errcode: number, message = "what SQLite says") => Object.assign(new Error(message), { errcode })

describe("StoreFailure.storeFailure", () => {
  it.each([
    [5, "another process has kept `runs.db` locked for too long"],
    [8, "`runs.db` is read-only"],
    [13, "there is no space left for `runs.db`"],
    [26, "`runs.db` is not an SQLite database"]
  ])("says what result code %i means for the file", (code, detail) => {
    assert.strictEqual(storeFailure("runs.db", "append", thrown(code)).detail, detail)
  })

  it("understands extended result codes", () => {
    assert.include(storeFailure("runs.db", "append", thrown(778, "disk I/O error")).detail, "disk I/O error")
    assert.isTrue(isBusy(thrown(261)))
    assert.isFalse(isBusy(thrown(2067)))
  })

  it("keeps the cause and takes one line of it", () => {
    const cause = thrown(1, "no such table: runs\n    at somewhere (file.ts:1:2)")
    const failure = storeFailure("runs.db", "append", cause)
    assert.strictEqual(failure.detail, "`runs.db`: no such table: runs")
    assert.strictEqual(failure.cause, cause)
  })
})
