/**
 * The flags `--store` and `--url`: which site a command is about.
 */
import type { RunIndex, Runs, StoreError } from "@durable-agents/core"
import { Effect, type FileSystem, Layer, Option } from "effect"
import * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"
import { wrong } from "./Failure.ts"
import * as ServerAddress from "./ServerAddress.ts"
import type { Site } from "./Site.ts"
import * as Store from "./Store.ts"
import * as StoreSite from "./StoreSite.ts"

/**
 * What the command line says of the site; the environment may say the rest.
 *
 * @category models
 * @since 0.1.0
 */
export interface Given {
  readonly store: Option.Option<Store.Store>
  readonly url: Option.Option<ServerAddress.ServerAddress>
}

/**
 * @category flags
 * @since 0.1.0
 */
export const flags = { store: Flag.optional(Store.named), url: Flag.optional(ServerAddress.flag) }

/**
 * Which site is meant: what the command line says comes first, then a server that the environment names, then its store.
 *
 * @category constructors
 * @since 0.1.0
 */
export const choose = Effect.fnUntraced(function*({ store, url }: Given) {
  if (Option.isSome(store) && Option.isSome(url)) return yield* wrong("Give either --store or --url")
  const found = Option.orElse(url, () => store)
  if (Option.isSome(found)) return found.value
  const server = yield* ServerAddress.fromEnvironment
  if (Option.isSome(server)) return server.value
  const inEnvironment = yield* Store.fromEnvironment
  return Option.isSome(inEnvironment)
    ? inEnvironment.value
    : yield* new CliError.MissingOption({ option: "store" })
})

/**
 * The runs of the site that is meant. What talks to a server is loaded only when there is one.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  given: Given,
  access: "read" | "write"
): Layer.Layer<Runs | RunIndex | Site, CliError.CliError | StoreError, FileSystem.FileSystem> =>
  Layer.unwrap(Effect.gen(function*() {
    const site = yield* choose(given)
    if (site._tag !== "Server") return StoreSite.layer(site, access)
    const Remote = yield* Effect.promise(() => import("./remote/Remote.ts"))
    return Remote.layer(site, yield* ServerAddress.token)
  }))
