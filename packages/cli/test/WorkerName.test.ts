import { assert, describe, it } from "@effect/vitest"
import * as WorkerName from "../src/WorkerName.ts"

const name =
  "process/vm/0c8e2f5e-1111-4222-8333-123456789abc/pid:[4026531836]/11985/4711/ec3f0a1b-1111-4222-8333-123456789abc"

describe("WorkerName.shortened", () => {
  it("says which process a worker is, and on which machine unless it is this one", () => {
    assert.strictEqual(WorkerName.shortened(name), "vm pid 11985 (ec3f…)")
    assert.strictEqual(WorkerName.shortened(name, "vm"), "pid 11985 (ec3f…)")
    assert.strictEqual(WorkerName.shortened(name, "other"), "vm pid 11985 (ec3f…)")
  })

  it("does so on a store of many machines", () => {
    const far = "postgres/db%2Dhost/11985/ec3f0a1b-1111-4222-8333-123456789abc"
    assert.strictEqual(WorkerName.shortened(far), "db%2Dhost pid 11985 (ec3f…)")
    assert.strictEqual(WorkerName.shortened(far, "db%2Dhost"), "pid 11985 (ec3f…)")
  })

  it("does so in the middle of a sentence, and leaves every other name as it is", () => {
    assert.strictEqual(
      WorkerName.shortened(`The worker \`${name}\` has it, not \`host-b/4711\`.`, "vm"),
      "The worker `pid 11985 (ec3f…)` has it, not `host-b/4711`."
    )
  })
})
