import { RunId, Runtime, RuntimeSettings, Worker } from "@durable-agents/core"
import { Sqlite } from "@durable-agents/sqlite"
import { Effect, Fiber, Layer } from "effect"
import * as KillingStore from "./KillingStore.ts"
import { Ledger } from "./Ledger.ts"
import { type Orders, scenarios } from "./scenarios.ts"

/** A worker process of the kill tests: does what its first argument says, and may kill itself in the middle of it. */
const orders: Orders = JSON.parse(process.argv[2] ?? "{}")
const scenario = scenarios[orders.scenario]
if (scenario === undefined) process.exit(64)

const Stores = KillingStore.layer(orders.atSeq, orders.when ?? "after")
  .pipe(Layer.provideMerge(Sqlite.layer({ file: orders.file })))

const App = scenario.layer(new Ledger(orders.ledger), orders)
  .pipe(Layer.provideMerge(Runtime.layer))

const Settings = Layer.succeed(RuntimeSettings, {
  ...RuntimeSettings.defaultValue(),
  suspendAfter: "5 millis",
  lease: "5 seconds"
})

const execute = Effect.gen(function*() {
  const runtime = yield* Runtime
  const view = yield* runtime.execute(RunId.make(orders.runId ?? ""))
  process.send?.({ status: view.status })
  console.log(view.status)
}).pipe(Effect.provide(App.pipe(Layer.provide(Stores), Layer.provide(Settings))))

const daemon = Layer.launch(Worker.layer({ concurrency: orders.concurrency ?? 8, poll: "50 millis" }).pipe(
  Layer.provide(App),
  Layer.provide(Stores),
  Layer.provide(Settings)
))

const main = Effect.runFork(orders.runId === undefined ? daemon : execute)
process.on("SIGTERM", () => Effect.runFork(Fiber.interrupt(main)))
main.addObserver((exit) => process.exit(exit._tag === "Success" || orders.runId === undefined ? 0 : 1))
