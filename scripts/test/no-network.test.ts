import { assert, describe, it } from "@effect/vitest"
import { connect, createServer } from "node:net"

describe("a unit test", () => {
  it("reaches no other machine (check 97)", async () => {
    for (const host of ["192.0.2.1", "example.com", "::ffff:192.0.2.1"]) {
      assert.throws(() => connect({ host, port: 80 }), `Unit tests need no network, and this one asks for ${host}`)
      assert.throws(() => connect(80, host), "Unit tests need no network")
    }
    const refused = await fetch("http://192.0.2.1/").catch((error: unknown) => error)
    assert.include(String(Object(refused).cause), "Unit tests need no network")
  })

  it("may talk to itself", async () => {
    const server = createServer((socket) => socket.end())
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    await new Promise<void>((done) => connect({ host: "127.0.0.1", port }).on("close", () => done()).resume())
    await new Promise((done) => server.close(done))
  })
})
