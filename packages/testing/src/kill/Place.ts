/**
 * Where processes are killed: a store, a ledger in a file beside it, and this process, which outlives the others.
 */
import type { StoreError } from "@durable-agents/core"
import { MemoryStore, Runs, Runtime, Worker } from "@durable-agents/core"
import type { Context, Scope } from "effect"
import { Effect, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Stores } from "../Scenario.ts"
import * as Canonical from "./Canonical.ts"
import { Ledger } from "./Ledger.ts"
import type { Orders } from "./Orders.ts"
import * as Settings from "./Settings.ts"
import * as StoreModule from "./StoreModule.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Place {
  readonly ledger: Ledger
  /** What every worker process is told. */
  readonly orders: Omit<Orders, "worker" | "concurrency">
  /** Those outside, who share nothing with the workers but the store. */
  readonly runs: Context.Context<Runs>
  /** A worker in this process, alive as long as the scope. */
  readonly worker: Effect.Effect<void, never, Scope.Scope>
}

/**
 * A ledger of its own, and runs of its own in a store that others may use as well.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function*(options: {
  readonly module: URL
  readonly address: string
  readonly namespace: string
  readonly leaseMillis: number
}): Effect.fn.Return<Place, StoreError, Scope.Scope> {
  const { layer } = yield* StoreModule.load(options.module.href)
  return yield* over(layer(options.address), { ...options, module: options.module.href })
})

/**
 * The same in memory, where there is no other process.
 *
 * @category constructors
 * @since 0.1.0
 */
export const memory: Effect.Effect<Place, StoreError, Scope.Scope> = Effect.suspend(() =>
  over(MemoryStore.layer, { module: "", address: "", namespace: "default", leaseMillis: 30_000 })
)

const over = Effect.fnUntraced(function*(
  layer: Layer.Layer<Stores, StoreError>,
  orders: Omit<Place["orders"], "ledger">
): Effect.fn.Return<Place, StoreError, Scope.Scope> {
  const stores: Layer.Layer<Stores> = Layer.succeedContext(yield* Layer.build(layer))
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "durable-agents-kill-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const file = join(folder, "ledger.db")
  const ledger = yield* Effect.acquireRelease(
    Effect.sync(() => new Ledger(file, "the last one")),
    (opened) => Effect.sync(() => opened.close())
  )
  const settings = Settings.layer(orders)
  const Programs = Layer.mergeAll(
    Layer.empty,
    ...Canonical.all.map(({ layer }) =>
      layer({
        act: (operation, name) => Effect.sync(() => ledger.act(operation, name)),
        ask: (operation, name) => Effect.sync(() => ledger.ask(operation, name))
      })
    )
  )
  const Main = Worker.layer({ concurrency: 100, poll: "50 millis", lease: orders.leaseMillis }).pipe(
    Layer.provide(Programs),
    Layer.provide(Runtime.layer),
    Layer.provide(stores),
    Layer.provide(settings)
  )
  return {
    ledger,
    orders: { ...orders, ledger: file },
    runs: yield* Layer.build(Runs.layer.pipe(Layer.provide(stores), Layer.provide(settings))),
    worker: Effect.asVoid(Layer.build(Layer.fresh(Main)))
  }
})
