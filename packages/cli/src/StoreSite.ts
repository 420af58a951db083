/**
 * A store as the site of runs.
 */
import { EventStore, Explain, RunIndex, RunQueue, Runs } from "@durable-agents/core"
import { Config, Effect, Layer, Option } from "effect"
import * as CliError from "effect/cli/CliError"
import { Site } from "./Site.ts"
import * as Store from "./Store.ts"

/**
 * Whom the environment names as the one who acts.
 *
 * @category settings
 * @since 0.1.0
 */
export const actorInEnvironment: Effect.Effect<Option.Option<string>> = Effect
  .orDie(Config.option(Config.String("DURABLE_AGENTS_ACTOR")))

/**
 * Over a store that is open.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerOf = (store: Store.Store): Layer.Layer<Site, never, EventStore | RunIndex | RunQueue> =>
  Layer.effect(
    Site,
    Effect.gen(function*() {
      const events = yield* EventStore
      const index = yield* RunIndex
      const queue = yield* RunQueue
      return Site.of({
        now: () => events.now,
        explain: Effect.fnUntraced(function*(run) {
          const summary = yield* index.get(run.runId)
          const holder = yield* queue.holder(run.runId)
          return Explain.explain(run, { ...Option.getOrUndefined(summary), holder })
        }),
        actor: (given) =>
          Effect.flatMap(
            Option.isSome(given) ? Effect.succeed(given) : actorInEnvironment,
            Option.match({
              onNone: () => Effect.fail(new CliError.MissingOption({ option: "actor" })),
              onSome: Effect.succeed
            })
          ),
        isNamed: Effect.map(actorInEnvironment, Option.exists((name) => name !== "")),
        command: (command) => Store.withArgument(command, store),
        executes: true
      })
    })
  )

/**
 * Opens the store.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (store: Store.Store, access: Store.Access) =>
  Layer.mergeAll(Runs.layer, layerOf(store)).pipe(Layer.provideMerge(Store.layer(store, access)))
