/**
 * Keeps unit tests on this machine: a connection to any other fails at once, and says so. Loaded before each of their files.
 */
import { Socket } from "node:net"

const connect = Socket.prototype.connect

/** A path, a port with or without a host, options, or those as Node passes them on to itself. */
const hostOf = ([first, second]: ReadonlyArray<unknown>): string => {
  const options: unknown = Array.isArray(first) ? first[0] : first
  if (typeof options === "object" && options !== null) {
    return "path" in options && typeof options.path === "string"
      ? "localhost"
      : "host" in options && typeof options.host === "string"
      ? options.host
      : "localhost"
  }
  return typeof options === "number" && typeof second === "string" ? second : "localhost"
}

const isHere = (host: string): boolean => host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host)

Reflect.set(Socket.prototype, "connect", function(this: Socket, ...args: ReadonlyArray<unknown>): Socket {
  const host = hostOf(args)
  if (!isHere(host)) throw new Error(`Unit tests need no network, and this one asks for ${host}`)
  return Reflect.apply(connect, this, args)
})
