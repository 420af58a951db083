/**
 * `durable-agents init-db`: creates a store.
 */
import { Effect } from "effect"
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
      const outcome = yield* Store.create(store)
      const name = Store.show(store)
      const facts = {
        store: name,
        created: outcome === "created",
        ...(outcome === "upgraded" ? { upgraded: true } : {})
      }
      yield* Output.print([
        json ? Printable.jsonText(JSON.stringify(facts)) : `${Printable.inline(name)} ${said[outcome]}`
      ])
    }))
  .pipe(
    Command
      .withDescription("Creates a store where there is none, and brings an older one to the tables of this build. Doing it again changes nothing."),
    Command.withShortDescription("Create a store"),
    Command.withExamples([
      { command: "durable-agents init-db --store sqlite:runs.db" },
      { command: "DATABASE_URL=postgres://user:password@host:5432/database durable-agents init-db" }
    ])
  )

const said: Readonly<Record<Store.Created, string>> = {
  created: "was created",
  upgraded: "was of an older build, and is ready",
  found: "was there, and is ready"
}
