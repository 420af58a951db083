/**
 * The HTTP server of Node, with limits on what a client may do to it.
 */
import { Duration } from "effect"
import { createServer, type Server, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { ServerSettings } from "./Settings.ts"

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = ({ arrival, headerBytes, idle }: ServerSettings): Server => {
  const idleMillis = Duration.toMillis(Duration.fromInputUnsafe(idle))
  const millis = Duration.toMillis(Duration.fromInputUnsafe(arrival))
  const server = createServer({
    maxHeaderSize: headerBytes,
    headersTimeout: millis,
    requestTimeout: millis,
    connectionsCheckingInterval: Math.min(1000, Math.max(50, millis / 4)),
    // Longer than proxies keep theirs: a connection that is closed while it is used again costs a request.
    keepAliveTimeout: Math.min(65_000, idleMillis)
  })
  server.timeout = idleMillis
  server.on("clientError", refuse)
  return server
}

/** What cannot be read as HTTP, or does not arrive in time, is answered in the same words as everything else. */
const refuse = (error: Error & { readonly code?: string }, socket: Socket): void => {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy()
  const status = error.code === "HPE_HEADER_OVERFLOW" ? 431 : error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400
  const title = STATUS_CODES[status] ?? ""
  const body = JSON.stringify({ type: "about:blank", status, title })
  socket.end(`HTTP/1.1 ${status} ${title}\r\nconnection: close\r\ncontent-type: application/problem+json\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}
