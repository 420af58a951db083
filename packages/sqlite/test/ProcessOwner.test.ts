import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isDead, owner } from "../src/ProcessOwner.ts"

/** An owner with one part of its name replaced: 1 host, 2 boot, 3 process namespace, 4 process, 5 its start, 6 the rest. */
const but = (name: string, part: number, value: string) => name.split("/").with(part, value).join("/")

describe("ProcessOwner", () => {
  it.effect("makes another name each time, and all of them live as long as this process", () =>
    Effect.gen(function*() {
      const names = yield* Effect.all([owner, owner])
      assert.notStrictEqual(names[0], names[1])
      assert.deepStrictEqual(names.map(isDead), [false, false])
    }))

  it.effect("knows nothing about names of another form", () =>
    Effect.sync(() => {
      for (const name of ["", "worker-1", "process", "process/a/b/c/d/e/f", "process/a/b/c/1/2/3/4"]) {
        assert.isFalse(isDead(name), name)
      }
    }))
})

// Only Linux tells when a process was started.
describe.runIf(process.platform === "linux")("ProcessOwner.isDead", () => {
  it.effect("says so of a process that does not run", () =>
    Effect.map(owner, (name) => assert.isTrue(isDead(but(name, 4, "2147483647")))))

  it.effect("says so of a process whose number another one has taken", () =>
    Effect.map(owner, (name) => assert.isTrue(isDead(but(name, 5, "1")))))

  it.effect("says so of a process from before the machine was restarted", () =>
    Effect.map(owner, (name) => assert.isTrue(isDead(but(name, 2, "another-boot")))))

  it.effect("says nothing about processes of other hosts and of other process namespaces", () =>
    Effect.map(owner, (name) => {
      const gone = but(name, 4, "2147483647")
      assert.isFalse(isDead(but(gone, 1, "elsewhere")))
      assert.isFalse(isDead(but(gone, 3, "pid:[1]")))
    }))
})
