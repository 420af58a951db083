/**
 * `durable-agents resume`: executes one run in this process.
 */
import { Programs, type RunId, Runs, RunState, Runtime } from "@durable-agents/core"
import { Effect, Layer } from "effect"
import * as Command from "effect/cli/Command"
import * as AppModule from "../AppModule.ts"
import * as Daemon from "../Daemon.ts"
import * as Exporting from "../Exporting.ts"
import { keys, UnusableApp } from "../Failure.ts"
import * as Output from "../Output.ts"
import { run } from "../RunArgument.ts"
import * as RunReport from "../RunReport.ts"
import * as Store from "../Store.ts"
import * as StoreSite from "../StoreSite.ts"

/**
 * @category commands
 * @since 0.1.0
 */
export const resume = Command
  .make(
    "resume",
    { run, app: AppModule.flag, store: Store.flag, json: Output.json, ...Output.flags },
    ({ app, json, run, store, ...flags }) =>
      Effect.gen(function*() {
        yield* Daemon.endAtSecondSignal
        const reading = StoreSite.layer(store, "read")
        const { state } = yield* Effect.provide(Effect.flatMap(Runs, (runs) => runs.state(run)), reading)
        const settings = yield* Output.settings(flags)
        const print = Effect.gen(function*() {
          const report = yield* RunReport.load(run)
          yield* Output.print(json ? [RunReport.json(report)] : yield* RunReport.lines(report, settings))
        })
        yield* RunState.isEnded(state)
          ? Effect.provide(print, reading)
          : Effect.provide(
            Effect.andThen(execute(app, run), print),
            yield* executing(app, store)
          )
      }).pipe(Effect.scoped, Effect.provide(Exporting.layer))
  )
  .pipe(
    Command
      .withDescription("Executes a run in this process until it ends or waits, and prints how it stands. A run that has ended is printed as it is; " +
        "one that another worker holds is waited for; one that is paused stays so. The model that the app leaves open comes from " +
        "LLM_MODEL, LLM_API_KEY and LLM_BASE_URL, or with LLM_PROVIDER=anthropic from ANTHROPIC_MODEL, ANTHROPIC_API_KEY and " +
        "ANTHROPIC_BASE_URL."),
    Command.withShortDescription("Execute a run here until it rests"),
    Command.withExamples([{
      command: "durable-agents resume 0198c0de-7a3b-7c4d-8e5f-0123456789ab --app ./app.ts --store sqlite:runs.db"
    }])
  )

const executing = Effect.fnUntraced(function*(app: string, store: Store.Store) {
  const loaded = yield* AppModule.load(app)
  const AppLayer = yield* Effect.promise(() => import("../AppLayer.ts"))
  return Layer.provideMerge(StoreSite.layerOf(store), AppLayer.layer(loaded, store))
})

const execute = Effect.fnUntraced(function*(app: string, run: RunId) {
  const { program } = yield* (yield* Runs).state(run)
  const programs = yield* Programs
  if (programs.get(program) === undefined) {
    const detail = `it has no program \`${program}\`, of which this is a run; it has ${keys(programs.names())}`
    return yield* new UnusableApp({ module: app, detail })
  }
  yield* (yield* Runtime).execute(run)
})
