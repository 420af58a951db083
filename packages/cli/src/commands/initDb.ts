/**
 * `durable-agents init-db`: creates a store.
 */
import { Effect, Layer } from "effect"
import * as Command from "effect/cli/Command"
import * as Output from "../Output.ts"
import * as Printable from "../Printable.ts"
import * as Store from "../Store.ts"

/**
 * @category commands
 * @since 0.1.0
 */
export const initDb = Command
  .make("init-db", { store: Store.flag, json: Output.json }, ({ json, store }) =>
    Effect.gen(function*() {
      const existed = yield* Store.exists(store)
      yield* Effect.scoped(Layer.build(Store.layer(store, "create")))
      yield* Output.print([
        json
          ? Printable.jsonText(JSON.stringify({ store: Store.show(store), created: !existed }))
          : `${Store.show(store)} ${existed ? "was there, and is ready" : "was created"}`
      ])
    }))
  .pipe(
    Command
      .withDescription("Creates a store where there is none, and brings an older one to the tables of this build. Doing it again changes nothing."),
    Command.withShortDescription("Create a store"),
    Command.withExamples([{ command: "durable-agents init-db --store sqlite:runs.db" }])
  )
