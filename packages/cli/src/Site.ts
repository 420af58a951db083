/**
 * Where the runs are that a command is about: in a store that it opens, or behind a server that it asks.
 */
import type { Explain, RunId, RunNotFound, RunView, StoreError } from "@durable-agents/core"
import { Context, type Effect, type Option } from "effect"
import type * as CliError from "effect/cli/CliError"

/**
 * Why a run does not move; from a server, the actions are words that this build need not know.
 *
 * @category models
 * @since 0.1.0
 */
export interface Explanation extends Omit<Explain.Explanation, "actions"> {
  readonly actions: ReadonlyArray<string>
}

/**
 * What commands need to know of the site beyond what runs have logged.
 *
 * @category services
 * @since 0.1.0
 */
export class Site extends Context.Service<Site, {
  /** The store's time, in milliseconds since 1970, asked for in the name of a run that there is. */
  readonly now: (runId: RunId) => Effect.Effect<number, RunNotFound | StoreError>
  readonly explain: (run: RunView) => Effect.Effect<Explanation, RunNotFound | StoreError>
  /** As whom decisions are recorded; `given` is what the command line says. */
  readonly actor: (given: Option.Option<string>) => Effect.Effect<string, CliError.CliError | StoreError>
  /** Whether decisions need no `--actor`. */
  readonly isNamed: Effect.Effect<boolean>
  /** A command to be copied, on this site. */
  readonly command: (command: string) => string
  /** Whether runs can be executed from here. */
  readonly executes: boolean
}>()("@durable-agents/cli/Site") {}
