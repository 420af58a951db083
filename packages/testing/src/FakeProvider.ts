/**
 * A provider of models on this machine: a real HTTP server that answers as OpenAI's chat completions or Anthropic's messages do, by
 * a script, or as badly as a network can. It remembers every request.
 */
import { Clock, Effect, Random, Result, type Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as FakeReply from "./FakeReply.ts"

export type { Reply, Usage } from "./FakeReply.ts"

/**
 * How one request is answered. Nothing set is an empty answer with status 200.
 *
 * @category models
 * @since 0.1.0
 */
export interface Behaviour {
  /** Default 200. */
  readonly status?: number
  /** They replace those that the server sends by itself, such as the content type. */
  readonly headers?: Readonly<Record<string, string>>
  /** What a model says, in the dialect of the request, as events if it asks for a stream. */
  readonly reply?: FakeReply.Reply
  /** Sent as it is, or as JSON if it is neither text nor bytes. */
  readonly body?: unknown
  /** Awaited before anything is sent: a slow first byte. */
  readonly before?: Effect.Effect<unknown>
  /** Awaited before each piece of the body: a body that drips. */
  readonly between?: Effect.Effect<unknown>
  /** How the body is cut in pieces, whatever its characters: by chance from this seed, or into single bytes. */
  readonly cut?: number | "bytes"
  /** What the headers say of the length; by default nothing, and the body is chunked. */
  readonly contentLength?: number
  /** How many bytes of the body are sent before its end. Default all. With 0 and `reset` not even the headers are sent. */
  readonly after?: number
  /**
   * - `whole`: as it should be.
   * - `close`: the connection is closed without the end of the body.
   * - `reset`: the connection is reset.
   * - `silence`: nothing more comes, and the connection stays open.
   * - `endless`: the body never ends.
   */
  readonly end?: "whole" | "close" | "reset" | "silence" | "endless"
}

/**
 * One request as it came over the wire.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  /** Counted from 1. */
  readonly nth: number
  readonly method: string
  /** With its query. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Read as JSON; text that is none is that text. */
  readonly body: unknown
  /** When it had come, in milliseconds since 1970. */
  readonly at: number
  /** The connection that it came by, counted from 1. */
  readonly connection: number
  /** How it ended so far; `left` if the client closed the connection before its answer was over, `broken` if the server did. */
  readonly outcome: "pending" | "answered" | "left" | "broken"
}

/**
 * @category models
 * @since 0.1.0
 */
export interface FakeProvider {
  /** Without a slash at its end. */
  readonly url: string
  /** `url` with `/v1`, below which the paths of both dialects are. */
  readonly baseUrl: string
  /** In the order in which they came; it grows. */
  readonly requests: ReadonlyArray<Request>
  readonly connections: { readonly open: number; readonly most: number; readonly all: number }
  /** Waits until this holds; it is looked at whenever a request comes or ends, and a connection opens or closes. */
  readonly until: (condition: (provider: FakeProvider) => boolean) => Effect.Effect<void>
}

/**
 * Behaviours for all requests, for one after the other (the last one for all that follow), or by the request.
 *
 * @category models
 * @since 0.1.0
 */
export type Script = Behaviour | ReadonlyArray<Behaviour> | ((request: Request) => Behaviour)

/**
 * @category behaviours
 * @since 0.1.0
 */
export const reply = (said: FakeReply.Reply | string, more: Behaviour = {}): Behaviour => ({
  reply: typeof said === "string" ? { text: said } : said,
  ...more
})

/**
 * An answer with a status and any body.
 *
 * @category behaviours
 * @since 0.1.0
 */
export const respond = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Behaviour => ({
  status,
  body,
  headers
})

/**
 * The connection is taken, and nothing is ever sent.
 *
 * @category behaviours
 * @since 0.1.0
 */
export const silence: Behaviour = { before: Effect.never }

/**
 * The connection is reset instead of an answer.
 *
 * @category behaviours
 * @since 0.1.0
 */
export const reset: Behaviour = { after: 0, end: "reset" }

/**
 * Starts a provider on a free port of this machine, for as long as the scope.
 *
 * **Details**
 *
 * Paths that end in `/messages` are answered as Anthropic does, others as OpenAI does. Effects of behaviours run with the clock of
 * the test.
 *
 * **Example**
 *
 * ```ts
 * import * as FakeProvider from "@durable-agents/testing/FakeProvider"
 * import { Effect } from "effect"
 *
 * const asked = Effect.gen(function*() {
 *   const provider = yield* FakeProvider.make([FakeProvider.respond(503, "busy"), FakeProvider.reply("Hello.")])
 *   yield* Effect.promise(() => fetch(`${provider.baseUrl}/chat/completions`, { method: "POST", body: "{}" }))
 *   return provider.requests.length
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function*(
  script: Script
): Effect.fn.Return<FakeProvider, never, Scope.Scope> {
  const context = yield* Effect.context<never>()
  const clock = yield* Clock.Clock
  const requests: Array<Mutable<Request>> = []
  const connections = { open: 0, most: 0, all: 0 }
  const waiting = new Set<() => void>()
  const changed = (): void => waiting.forEach((look) => look())
  const numbers = new WeakMap<object, number>()

  const server = createServer((incoming, response) => {
    const chunks: Array<Buffer> = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", () => {
      const request = requestOf(incoming, Buffer.concat(chunks).toString("utf8"), {
        nth: requests.length + 1,
        at: clock.currentTimeMillisUnsafe(),
        connection: numbers.get(incoming.socket) ?? 0
      })
      requests.push(request)
      const fiber = Effect.runForkWith(context)(play(behaviourOf(script, request), request, response))
      response.on("close", () => {
        if (request.outcome === "pending") request.outcome = response.writableFinished ? "answered" : "left"
        fiber.interruptUnsafe()
        changed()
      })
      changed()
    })
  })
  server.on("connection", (socket) => {
    numbers.set(socket, ++connections.all)
    connections.most = Math.max(connections.most, ++connections.open)
    socket.on("close", () => {
      connections.open--
      changed()
    })
    changed()
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  )
  const { port } = server.address() as AddressInfo
  const provider: FakeProvider = {
    url: `http://127.0.0.1:${port}`,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    connections,
    until: (condition) =>
      Effect.callback<void>((resume) => {
        const look = (): void => {
          if (condition(provider)) {
            waiting.delete(look)
            resume(Effect.void)
          }
        }
        waiting.add(look)
        look()
        return Effect.sync(() => waiting.delete(look))
      })
  }
  return provider
})

type Mutable<A> = { -readonly [Key in keyof A]: A[Key] }

const behaviourOf = (script: Script, request: Request): Behaviour => {
  if (typeof script === "function") return script(request)
  return isList(script) ? script[Math.min(request.nth, script.length) - 1] ?? {} : script
}

const isList = (script: Exclude<Script, Function>): script is ReadonlyArray<Behaviour> => Array.isArray(script)

const requestOf = (
  { headers, method = "", url = "" }: IncomingMessage,
  text: string,
  more: Pick<Request, "nth" | "at" | "connection">
): Mutable<Request> => ({
  ...more,
  method,
  path: url,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `${value}`])),
  body: jsonOf(text),
  outcome: "pending"
})

const jsonOf = (text: string): unknown => Result.getOrElse(Result.try(() => JSON.parse(text)), () => text)

interface Content {
  readonly type: string
  readonly bytes: Buffer
  /** What an endless body goes on with. */
  readonly again: Buffer
}

const contentOf = ({ body, reply }: Behaviour, request: Request, random: Chance): Content => {
  if (reply !== undefined) {
    const dialect = /\/messages(\?|$)/.test(request.path) ? "anthropic" : "openai"
    const asked = Object(request.body)
    if (asked.stream !== true) {
      return { type: "application/json", bytes: Buffer.from(FakeReply.whole(dialect, reply)), again: Buffer.from(" ") }
    }
    const usage = Object(asked.stream_options).include_usage === true
    const { again, all } = FakeReply.events(dialect, reply, (text) => parts(Array.from(text), random), usage)
    return { type: "text/event-stream", bytes: Buffer.from(all.join("")), again: Buffer.from(again) }
  }
  const bytes = body === undefined
    ? Buffer.alloc(0)
    : body instanceof Uint8Array
    ? Buffer.from(body)
    : Buffer.from(typeof body === "string" ? body : JSON.stringify(body))
  return { type: "application/json", bytes, again: bytes.length === 0 ? Buffer.from(" ") : bytes }
}

/** A whole number from 1 to the bound. */
type Chance = (bound: number) => number

const chanceOf = (seed: number): Effect.Effect<Chance> =>
  Effect.map(
    Random.withSeed(Random.Random, seed),
    (random) => (bound) => Math.min(bound, 1 + Math.floor(random.nextDoubleUnsafe() * bound))
  )

/** Texts of a few characters each. */
const parts = (characters: ReadonlyArray<string>, random: Chance): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let at = 0; at < characters.length;) {
    const size = random(8)
    found.push(characters.slice(at, at + size).join(""))
    at += size
  }
  return found
}

const piecesOf = (bytes: Buffer, cut: Behaviour["cut"], random: Chance): ReadonlyArray<Buffer> => {
  if (cut === undefined) return bytes.length === 0 ? [] : [bytes]
  const largest = cut === "bytes" ? 1 : Math.max(8, Math.ceil(bytes.length / 30))
  const pieces: Array<Buffer> = []
  for (let at = 0; at < bytes.length;) {
    const size = random(largest)
    pieces.push(bytes.subarray(at, at + size))
    at += size
  }
  return pieces
}

const play = Effect.fnUntraced(function*(behaviour: Behaviour, request: Mutable<Request>, response: ServerResponse) {
  const {
    after,
    before = Effect.void,
    between = Effect.void,
    contentLength,
    cut,
    end = "whole",
    headers,
    status = 200
  } = behaviour
  const random = yield* chanceOf(typeof cut === "number" ? cut : 1)
  const { again, bytes, type } = contentOf(behaviour, request, random)
  yield* before
  const breakOff = (how: "close" | "reset") => {
    request.outcome = "broken"
    if (how === "reset") response.socket?.resetAndDestroy()
    else response.destroy()
  }
  if (end === "reset" && after === 0) return breakOff("reset")
  response.writeHead(status, {
    "content-type": type,
    ...(contentLength === undefined ? {} : { "content-length": `${contentLength}` }),
    ...headers
  })
  response.flushHeaders()
  for (const piece of piecesOf(bytes.subarray(0, after), cut, random)) {
    yield* between
    yield* written(response, piece)
  }
  switch (end) {
    case "whole":
      return void response.end()
    case "close":
    case "reset":
      return breakOff(end)
    case "silence":
      return
    case "endless":
      while (!response.destroyed) {
        yield* between
        yield* written(response, again)
      }
  }
})

/** Waits until the piece is sent, so that the next one is one of its own. */
const written = (response: ServerResponse, piece: Buffer): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    response.write(piece, () => void setImmediate(() => resume(Effect.void)))
  })
