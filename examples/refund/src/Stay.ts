/**
 * What is there after the demonstration: a run that waits for a person, and the page on which it is decided.
 */
import { Dashboard } from "@durable-agents/dashboard"
import { Server } from "@durable-agents/server"
import { Sqlite } from "@durable-agents/sqlite"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { Support } from "./Support.ts"
import { worker } from "./WorkerProcess.ts"

/** Goes on until it is interrupted. Whoever uses the page acts as Dana. */
export const stay = (orders: { readonly store: string } & Record<string, unknown>) =>
  Effect.gen(function*() {
    const { address } = yield* HttpServer.HttpServer
    const { ended } = yield* worker(orders)
    yield* Effect.sync(() =>
      console.log(`\nAnother run waits for you at ${HttpServer.formatAddress(address)}/ until you press Ctrl-C.`)
    )
    return yield* ended
  }).pipe(
    Effect.scoped,
    Effect
      .provide(Server.layer({ port: 0, programs: [Support], localUser: "dana@example.com", beside: Dashboard.routes() })
        .pipe(Layer.provide(Sqlite.layer({ file: orders.store }))))
  )
