/**
 * An app over a store: everything that executes its runs. Loads models, so only commands that execute may load this module.
 */
import {
  type EventStore,
  Programs,
  type RunIndex,
  type RunQueue,
  type Runs,
  Runtime,
  type StoreError
} from "@durable-agents/core"
import { Effect, type FileSystem, Layer, Option, type Scope } from "effect"
import * as AppModule from "./AppModule.ts"
import * as EnvironmentModel from "./EnvironmentModel.ts"
import { UnusableApp } from "./Failure.ts"
import * as Store from "./Store.ts"

/**
 * Store, runtime and the app's programs. Fails if the app's layer cannot be built, does not register what the app lists, or has
 * an agent without a model.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  loaded: AppModule.Loaded,
  store: Store.Store
): Layer.Layer<
  EventStore | RunQueue | RunIndex | Runs | Runtime | Programs,
  UnusableApp | StoreError,
  FileSystem.FileSystem
> =>
  Layer.effectDiscard(register(loaded)).pipe(
    Layer.provideMerge(Runtime.layer),
    Layer.provideMerge(Store.layer(store, "execute")),
    Layer.provide(AppModule.settings(loaded))
  )

/** Builds the app's layer. What it provides stays inside: an app with a store of its own must not replace ours. */
const register = Effect.fnUntraced(function*(
  loaded: AppModule.Loaded
): Effect.fn.Return<void, UnusableApp, Scope.Scope | EventStore | RunQueue | RunIndex | Runs | Runtime | Programs> {
  const { app, module } = loaded
  const programs = yield* Programs
  const withoutModel = new Map<string, string>()
  const watching = Layer.succeed(Programs, {
    ...programs,
    register: (program) =>
      Effect.gen(function*() {
        const problem = yield* EnvironmentModel.problem
        if (Option.isSome(problem)) withoutModel.set(program.name, problem.value)
        yield* programs.register(program)
      })
  })
  yield* Layer.build(AppModule.explained(loaded, app.layer).pipe(Layer.provide([watching, EnvironmentModel.layer])))
  for (const { description, name } of app.programs) {
    if (programs.get(name) === undefined) {
      return yield* new UnusableApp({
        module,
        detail: `its layer does not register the program \`${name}\`, which it lists`
      })
    }
    const problem = withoutModel.get(name)
    // Only agents are described by a system prompt; a program that asks no model needs none.
    if (problem !== undefined && description.systemPrompt !== undefined) {
      return yield* new UnusableApp({ module, detail: `the agent \`${name}\` has no model: ${problem}` })
    }
  }
  if (programs.names().length === 0) return yield* new UnusableApp({ module, detail: "its layer registers no program" })
})
