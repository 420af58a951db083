import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parse } from "../src/ListenAddress.ts"

describe("ListenAddress.parse", () => {
  it("reads a port, with a host before it or without one", () => {
    const read = (text: string) => Result.getOrThrow(parse(text))
    assert.deepStrictEqual(read("9464"), { host: "127.0.0.1", port: 9464 })
    assert.deepStrictEqual(read("0"), { host: "127.0.0.1", port: 0 })
    assert.deepStrictEqual(read("0.0.0.0:65535"), { host: "0.0.0.0", port: 65_535 })
    assert.deepStrictEqual(read("worker-1.local:80"), { host: "worker-1.local", port: 80 })
    assert.deepStrictEqual(read("[::1]:80"), { host: "::1", port: 80 })
  })

  it("refuses everything else", () => {
    for (const text of ["", ":", ":80", "host", "host:", "65536", "80:80:80", "::1", "http://host:80", "-1", "8 0"]) {
      assert.isTrue(Result.isFailure(parse(text)), text)
    }
  })
})
