import { PostgresNotStarted } from "@durable-agents/testing/PostgresServer"
import * as PostgresServer from "@durable-agents/testing/PostgresServer"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Scope } from "effect"
import { spawn } from "node:child_process"
import { connect, type Socket } from "node:net"
import process from "node:process"
import { fileURLToPath } from "node:url"

const portOf = (url: string) => Number(new URL(url).port)

/** A connection to a port of this machine; fails if nobody listens there. */
const connected = (port: number): Effect.Effect<Socket, Error> =>
  Effect.callback((resume) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resume(Effect.succeed(socket))).once("error", (error) => resume(Effect.fail(error)))
  })

const answers = (port: number): Effect.Effect<boolean> =>
  Effect.match(connected(port), {
    onFailure: () => false,
    onSuccess: (socket) => {
      socket.destroy()
      return true
    }
  })

const closed = (socket: Socket): Effect.Effect<void> =>
  Effect.callback((resume) => {
    socket.on("error", () => {}).once("close", () => resume(Effect.void))
  })

describe("PostgresServer.make", () => {
  it.live("starts a server on a port of its own, again after it was stopped or crashed, and leaves nothing behind", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const server = yield* Scope.provide(PostgresServer.make(), scope)
      const port = portOf(server.url)
      assert.isTrue(yield* answers(port))
      for (const how of ["fast", "crash"] as const) {
        yield* server.stop(how)
        assert.isFalse(yield* answers(port))
        yield* server.start
        assert.isTrue(yield* answers(port))
      }
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(yield* answers(port))
      assert.isUndefined(server.pid())
    }))

  it.live("says why a server does not start", () =>
    Effect.gen(function*() {
      const refused = yield* Effect.flip(PostgresServer.make({ settings: { no_such_setting: "1" } }))
      assert.instanceOf(refused, PostgresNotStarted)
      assert.include(refused.message, "no_such_setting")
    }))

  it.live.skipIf(process.platform === "win32")(
    "ends the server also if its process is killed",
    () =>
      Effect.gen(function*() {
        const told = yield* Deferred.make<string>()
        const program = fileURLToPath(new URL("fixtures/holdServer.ts", import.meta.url))
        const holder = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] })
        holder.stdout.setEncoding("utf8").once("data", (url: string) => Deferred.doneUnsafe(told, Effect.succeed(url)))
        const connection = yield* connected(portOf(yield* Deferred.await(told)))
        holder.kill("SIGKILL")
        yield* closed(connection)
      })
  )
})
