/**
 * One process: a worker for all canonical runs, on the store that its orders name. It ends with its parent.
 */
import { Namespace, Runtime, RuntimeSettings, Worker } from "@durable-agents/core"
import { Clock, Effect, Fiber, Layer } from "effect"
import process from "node:process"
import type { World } from "./Canonical.ts"
import * as Canonical from "./Canonical.ts"
import { Ledger } from "./Ledger.ts"
import * as Mortal from "./Mortal.ts"
import type { Orders } from "./Orders.ts"
import * as StoreModule from "./StoreModule.ts"

const orders: Orders = JSON.parse(process.argv[2] ?? "{}")
const ledger = new Ledger(orders.ledger, orders.worker)

/** As a power cut would: no handler, no flush, no goodbye. */
const kill = () => {
  process.kill(process.pid, "SIGKILL")
}

const mortal = Mortal.make(new Map(Object.entries(orders.deaths ?? {})), ledger, kill)

/** Takes its time after each call, always the same for the same attempt. */
const slow = ({ act, ask }: World, most: number): World => {
  const pause = (of: string) => most === 0 ? Effect.void : Effect.sleep(hash(of) % most)
  return {
    act: (operation, name) =>
      Effect.tap(act(operation, name), () => pause(`${operation.idempotencyKey} ${operation.attempt}`)),
    ask: (operation, name) =>
      Effect.andThen(ask(operation, name), pause(`${operation.idempotencyKey} ${operation.attempt}`))
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

const world = slow(mortal.world, orders.slowMillis ?? 0)

const Programs = Layer.mergeAll(Layer.empty, ...Canonical.all.map(({ layer }) => layer(world)))

const Settings = Layer.mergeAll(
  Layer.succeed(Namespace, orders.namespace),
  Layer.succeed(RuntimeSettings, {
    ...RuntimeSettings.defaultValue(),
    suspendAfter: "5 millis",
    keep: "20 millis",
    lease: orders.leaseMillis
  })
)

const main = Effect.gen(function*() {
  const store = yield* StoreModule.load(orders.module)
  const Main = Worker.layer({ concurrency: orders.concurrency, poll: "50 millis", lease: orders.leaseMillis }).pipe(
    Layer.provide(Programs),
    Layer.provide(Runtime.layer),
    Layer.provide(mortal.layer.pipe(Layer.provideMerge(store.layer(orders.address)))),
    Layer.provide(Settings)
  )
  return yield* Effect.raceFirst(pulse, Layer.launch(Main))
})

const fiber = Effect.runFork(main)
process.on("SIGTERM", () => Effect.runFork(Fiber.interrupt(fiber)))
process.stdin.on("data", () => {}).on("end", () => process.exit(1))
fiber.addObserver((exit) => {
  process.exit(exit._tag === "Failure" && exit.cause.reasons.every(({ _tag }) => _tag === "Interrupt") ? 0 : 70)
})
