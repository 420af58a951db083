import { assert, describe, it } from "@effect/vitest"
import * as Crowd from "../src/Crowd.ts"

const times = (count: number, f: () => void) => Array.from({ length: count }).forEach(f)

/** So many ask, go together and are answered. */
const round = (crowd: Crowd.Crowd, count: number) => {
  times(count, crowd.asked)
  times(count, crowd.sent)
  crowd.nextGroup()
  times(count, crowd.answered)
}

describe("Crowd", () => {
  it("is nobody's before anybody was answered, however many wait", () => {
    const crowd = Crowd.make()
    times(200, crowd.asked)
    assert.strictEqual(crowd.waiting(), 200)
    assert.strictEqual(crowd.enough(), Infinity)
  })

  it("lets half of many go, and few together", () => {
    const many = Crowd.make()
    const few = Crowd.make()
    round(many, 64)
    round(few, 46)
    assert.strictEqual(many.enough(), 32)
    assert.strictEqual(few.enough(), Infinity)
  })

  it("counts those that wait, are under way, or were answered just now, once each", () => {
    const crowd = Crowd.make()
    round(crowd, 64)
    for (let i = 0; i < 10; i++) {
      times(32, crowd.asked)
      times(32, crowd.sent)
      crowd.nextGroup()
      times(32, crowd.answered)
      assert.strictEqual(crowd.enough(), 32)
    }
  })

  it("is one as long as one asks alone, and not while others were answered just now", () => {
    const crowd = Crowd.make()
    for (let i = 0; i < 3; i++) {
      crowd.asked()
      assert.strictEqual(crowd.size(), 1)
      crowd.sent()
      crowd.nextGroup()
      crowd.answered()
    }
    round(crowd, 2)
    crowd.asked()
    assert.strictEqual(crowd.size(), 2)
  })

  it("forgets who does not ask again", () => {
    const crowd = Crowd.make()
    round(crowd, 64)
    round(crowd, 4)
    round(crowd, 4)
    round(crowd, 4)
    assert.strictEqual(crowd.enough(), Infinity)
  })
})
