/**
 * One process: a worker for all canonical runs, on the store that its orders name. It ends with its parent.
 */
import { RunQueue, Runtime, Worker } from "@durable-agents/core"
import { Clock, Effect, Fiber, Layer, References } from "effect"
import { flushCompileCache } from "node:module"
import process from "node:process"
import type { World } from "./Canonical.ts"
import * as Canonical from "./Canonical.ts"
import type { Operation } from "./Ledger.ts"
import { Ledger } from "./Ledger.ts"
import * as Mortal from "./Mortal.ts"
import type { Orders } from "./Orders.ts"
import * as Settings from "./Settings.ts"
import * as StoreModule from "./StoreModule.ts"

const orders: Orders = JSON.parse(process.argv[2] ?? "{}")
const ledger = new Ledger(orders.ledger, orders.worker)

/** As a power cut would: no handler, no flush, no goodbye. */
const kill = () => {
  process.kill(process.pid, "SIGKILL")
}

const mortal = Mortal.make(new Map(Object.entries(orders.deaths ?? {})), ledger, kill)

/** Takes its time after each call, now and then ten times as much; always the same for the same attempt. */
const slow = ({ act, ask }: World, most: number): World => {
  const pause = ({ attempt, idempotencyKey }: Operation) => {
    const lot = hash(`${idempotencyKey} ${attempt}`)
    return most === 0 ? Effect.void : Effect.sleep(lot % (lot % 7 === 0 ? 10 * most : most))
  }
  return {
    act: (operation, name) => Effect.tap(act(operation, name), () => pause(operation)),
    ask: (operation, name) => Effect.andThen(ask(operation, name), pause(operation))
  }
}

const hash = (text: string): number => {
  let sum = 7
  for (let i = 0; i < text.length; i++) sum = (Math.imul(sum, 31) + text.charCodeAt(i)) >>> 0
  return sum
}

/** Writes down when this process got to nothing, whoever stopped it. */
const pulse = Effect.gen(function*() {
  let last = yield* Clock.currentTimeMillis
  while (true) {
    yield* Effect.sleep("100 millis")
    const now = yield* Clock.currentTimeMillis
    if (now - last > orders.leaseMillis / 4) ledger.pause(last, now)
    last = now
  }
})

/** The same for a heartbeat that is long on its way. */
const timed = Layer.effect(
  RunQueue,
  Effect.map(RunQueue, (queue) => ({
    ...queue,
    heartbeat: (options) =>
      Effect.gen(function*() {
        const from = yield* Clock.currentTimeMillis
        const beat = yield* queue.heartbeat(options)
        const to = yield* Clock.currentTimeMillis
        if (to - from > orders.leaseMillis / 4) ledger.pause(from, to)
        return beat
      })
  } satisfies RunQueue["Service"]))
)

const world = slow(mortal.world, orders.slowMillis ?? 0)

const Programs = Layer.mergeAll(Layer.empty, ...Canonical.all.map(({ layer }) => layer(world)))

const main = Effect.gen(function*() {
  const store = yield* StoreModule.load(orders.module)
  const Main = Worker.layer({ concurrency: orders.concurrency, poll: "50 millis", lease: orders.leaseMillis }).pipe(
    Layer.provide(Programs),
    Layer.provide(Runtime.layer),
    Layer.provide(mortal.layer.pipe(Layer.provideMerge(timed), Layer.provideMerge(store.layer(orders.address)))),
    Layer.provide(Settings.layer(orders))
  )
  yield* Layer.build(Main)
  // Node would keep what it has compiled when a process ends, and these do not come to that.
  flushCompileCache()
  process.stdout.write("ready\n")
  return yield* pulse
})

const fiber = Effect.runFork(Effect.scoped(Effect.provideService(main, References.MinimumLogLevel, "Error")))
process.on("SIGTERM", () => Effect.runFork(Fiber.interrupt(fiber)))
process.stdin.on("data", () => {}).on("end", () => process.exit(1))
fiber.addObserver((exit) => {
  process.exit(exit._tag === "Failure" && exit.cause.reasons.every(({ _tag }) => _tag === "Interrupt") ? 0 : 70)
})
