/**
 * A server on loopback over a store, and what sends it requests.
 */
import type { AccessTokens, EventStore, Quotas, RunId, RunIndex, RunQueue } from "@durable-agents/core"
import {
  AccessToken,
  Approval,
  MemoryStore,
  Program,
  Runtime,
  RuntimeSettings,
  Signal,
  Step
} from "@durable-agents/core"
import type { Role } from "@durable-agents/core"
import { Context, Effect, Exit, Layer, Redacted, Schema, Scope } from "effect"
import { HttpServer } from "effect/http"
import { connect } from "node:net"
import { Server, ServerSettings } from "../src/index.ts"

type Stores = EventStore | RunQueue | RunIndex | AccessTokens | Quotas

/** Takes a step, asks a person about two things, waits for a signal, and ends. */
export const Ship = Program.make("ship", {
  input: Schema.String,
  output: Schema.String,
  budget: { turns: 5 }
})

const ShipLayer = Ship.toLayer(Effect.fnUntraced(function*(order) {
  const parcel = yield* Effect.succeed(`parcel ${order}`).pipe(Step.run("pack", { output: Schema.String }))
  const decision = yield* Approval.request("ship", { subject: `Ship ${parcel}?`, arguments: { parcel } })
  if (decision._tag === "Denied") return `kept: ${decision.reason}`
  const by = yield* Signal.receive("pickup")
  return `shipped by ${JSON.stringify(by)}`
}))

/** Nobody executes it here. */
export const Count = Program.make("count", { input: Schema.Struct({ to: Schema.Natural }), output: Schema.Finite })

export const quick = Layer.succeed(RuntimeSettings, {
  ...RuntimeSettings.defaultValue(),
  suspendAfter: "5 millis",
  keep: 0,
  grace: "100 millis"
})

/** Executes a run until it rests, over the store of this context. */
export const execute = (runId: string) =>
  Effect.flatMap(Runtime, (runtime) => runtime.execute(runId as RunId))
    .pipe(Effect.provide(ShipLayer.pipe(Layer.provideMerge(Runtime.layer), Layer.provide(quick))))

/** A token for somebody. */
export const tokenFor = (holder: string, ...roles: readonly [Role, ...ReadonlyArray<Role>]) =>
  Effect.map(Effect.orDie(AccessToken.issue({ holder, roles })), ({ secret }) => Redacted.value(secret))

type Settings = Partial<typeof ServerSettings.Service>

/** Starts a server on a free port; it ends with the scope, or when `stop` is called. */
export const serve = Effect.fnUntraced(function*(
  options: Partial<Parameters<typeof Server.layer>[0]> & { readonly settings?: Settings } = {}
) {
  const { settings, ...rest } = options
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope, exit) => Scope.close(scope, exit))
  const context = yield* Layer.buildWithScope(
    Layer.fresh(Server.layer({ programs: [Ship, Count], port: 0, ...rest }))
      .pipe(Layer.provide(Layer.succeed(ServerSettings, { ...ServerSettings.defaultValue(), ...settings }))),
    scope
  )
  const address = Context.get(context, HttpServer.HttpServer).address
  const port = address._tag === "UnixPathAddress" ? 0 : address.port
  return { url: `http://127.0.0.1:${port}`, port, stop: Scope.close(scope, Exit.void) }
})

/** What came back: its status, its headers, and its body as JSON where it is JSON. */
export interface Answer {
  readonly status: number
  readonly type: string | null
  readonly headers: Headers
  readonly body: ReturnType<typeof JSON.parse>
}

export interface Call extends Omit<RequestInit, "headers"> {
  readonly token?: string
  readonly json?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a request and reads its answer. */
export const call = (url: string, { json, token, ...init }: Call = {}): Effect.Effect<Answer> =>
  Effect.promise(async (signal) => {
    const response = await fetch(url, {
      signal,
      ...init,
      ...(json === undefined ? {} : { method: "POST", body: JSON.stringify(json) }),
      headers: {
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...init.headers
      }
    })
    const type = response.headers.get("content-type")
    const text = await response.text()
    const body = type?.includes("json") === true && text !== "" ? JSON.parse(text) : text
    return { status: response.status, type, headers: response.headers, body }
  })

/** The head of a request, as it goes over the wire. */
export const request = (token: string, headers: ReadonlyArray<string>, path = "/runs", method = "POST") =>
  [`${method} ${path} HTTP/1.1`, "host: x", `authorization: Bearer ${token}`, ...headers, "", ""].join("\r\n")

/** What comes back over a connection of its own when these bytes are sent, until it is closed. */
export const raw = (port: number, ...bytes: ReadonlyArray<string | Uint8Array>): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const socket = connect(port, "127.0.0.1")
    let text = ""
    socket.setEncoding("utf8")
    socket.on("data", (chunk: string) => void (text += chunk))
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.succeed(text)))
    for (const part of bytes) socket.write(part)
    return Effect.sync(() => socket.destroy())
  })

/** Another store in memory at each call. */
export const memory = (): Layer.Layer<Stores> => MemoryStore.layerOf(MemoryStore.memory())

export type { Stores }
