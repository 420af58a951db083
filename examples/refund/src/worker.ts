/**
 * A worker process: starts the run if it is told to, then works on whatever is due until it is stopped.
 */
import { Daemon } from "@durable-agents/cli"
import { Runs, Runtime, RuntimeSettings, Worker } from "@durable-agents/core"
import { OpenAi } from "@durable-agents/openai"
import { Sqlite } from "@durable-agents/sqlite"
import { Config, Effect, Layer, Option, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import * as KillSwitch from "./KillSwitch.ts"
import { Payments } from "./Payments.ts"
import { Script, Support, SupportToolsLayer } from "./Support.ts"

/** What a worker process is told. */
export const Orders = Schema.Struct({
  store: Schema.String,
  ledger: Schema.String,
  order: Schema.String,
  cents: Schema.Natural,
  /** Starts a run with this goal, under this key. */
  goal: Schema.optionalKey(Schema.String),
  startKey: Schema.String,
  /** Stops dead after the payment, or after an event of this type. */
  killAt: Schema.optionalKey(Schema.String)
})

const OrdersFromJson = Schema.fromJsonString(Orders)

const main = Effect.gen(function*() {
  const { cents, goal, killAt, ledger, order, startKey, store } = yield* Schema
    .decodeUnknownEffect(OrdersFromJson)(process.argv[2])

  const Stores = KillSwitch.layer(killAt).pipe(Layer.provideMerge(Sqlite.layer({ file: store })))
  const Bank = Payments.layer(ledger, killAt === "payment" ? KillSwitch.pullTrigger : Effect.void)
  const isOnline = Option.isSome(yield* Config.option(Config.NonEmptyString("LLM_MODEL")))
  const Llm = isOnline ? OpenAi.layerConfig().pipe(Layer.provide(FetchHttpClient.layer)) : Script(order, cents)
  const App = Support.layer.pipe(
    Layer.provideMerge(Runtime.layer),
    Layer.provideMerge(Stores),
    Layer.provide([Llm, SupportToolsLayer.pipe(Layer.provide(Bank))])
  )

  if (goal !== undefined) {
    yield* Effect.flatMap(Runs, (runs) => runs.start(Support, goal, { startKey, requestedBy: "sam@example.com" }))
      .pipe(Effect.provide(App))
  }
  return yield* Layer.launch(Worker.layer({ poll: "200 millis" }).pipe(Layer.provide(App)))
}).pipe(Effect.provideService(RuntimeSettings, { ...RuntimeSettings.defaultValue(), suspendAfter: "20 millis" }))

/** What a person can mend is said in a line by the process that watches; a bug is shown here, with all that is known of it. */
const say = (failure: unknown) =>
  Effect.callback<void>((resume) => {
    const why = failure instanceof Error ? failure.message : String(failure)
    process.exitCode = 1
    process.send?.(why.replace(/^(?:\w+\()+(.*?)\)+$/s, "$1"), () => resume(Effect.void))
  })

Daemon.run(Effect.catch(main, say))
