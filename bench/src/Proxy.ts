/**
 * A server between a process and the database that counts what comes back: answers and bytes.
 */
import type { Scope } from "effect"
import { Effect } from "effect"
import { connect, createServer, type Socket } from "node:net"

/**
 * @category models
 * @since 0.1.0
 */
export interface Traffic {
  /** How many times the database was asked and has answered in full. */
  readonly roundTrips: number
  /** Bytes that it has sent. */
  readonly bytes: number
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Proxy {
  /** What leads through it, for a process. */
  readonly url: string
  readonly traffic: () => Traffic
}

/**
 * Starts it in front of a database without TLS; the end of the scope closes it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function*(url: string): Effect.fn.Return<Proxy, never, Scope.Scope> {
  const { hostname, port } = new URL(url)
  const total = { roundTrips: 0, bytes: 0 }
  const open = new Set<Socket>()
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const started = createServer((client) => {
        const database = connect(Number(port) || 5432, hostname)
        for (const socket of [client, database]) {
          open.add(socket.setNoDelay(true))
          socket.on("error", () => socket.destroy()).on("close", () => open.delete(socket))
        }
        client.pipe(database)
        database.pipe(client)
        database.on("data", counter(total))
      })
      started.listen(0, "127.0.0.1", () => resume(Effect.succeed(started)))
    }),
    (started) =>
      Effect.sync(() => {
        open.forEach((socket) => socket.destroy())
        started.close()
      })
  )
  const address = server.address()
  const own = new URL(url)
  own.hostname = "127.0.0.1"
  own.port = address !== null && typeof address === "object" ? `${address.port}` : ""
  return { url: own.href, traffic: () => ({ ...total }) }
})

/** A message is a letter, its length in four bytes, and the rest; `Z` says that everything asked for has been answered. */
const counter = (total: { roundTrips: number; bytes: number }) => {
  let head = Buffer.alloc(0)
  let left = 0
  return (chunk: Buffer): void => {
    total.bytes += chunk.length
    let at = 0
    while (at < chunk.length) {
      const skipped = Math.min(left, chunk.length - at)
      left -= skipped
      at += skipped
      if (left > 0 || at === chunk.length) return
      const part = chunk.subarray(at, at + 5 - head.length)
      head = Buffer.concat([head, part])
      at += part.length
      if (head.length < 5) return
      if (head[0] === 0x5a) total.roundTrips += 1
      left = head.readUInt32BE(1) - 4
      head = Buffer.alloc(0)
    }
  }
}
