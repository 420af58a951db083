/**
 * `durable-agents start`: records a new run.
 */
import { type Budget, type Program, Runs } from "@durable-agents/core"
import { Config, type DateTime, Effect, Layer, Option } from "effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as AppModule from "../AppModule.ts"
import { wrong } from "../Failure.ts"
import * as FlagValue from "../FlagValue.ts"
import * as Output from "../Output.ts"
import * as Printable from "../Printable.ts"
import * as ProgramInput from "../ProgramInput.ts"
import * as Store from "../Store.ts"

/**
 * @category commands
 * @since 0.1.0
 */
export const start = Command
  .make("start", {
    program: Argument.String("program").pipe(Argument.withDescription("The name of a program of the app")),
    input: Argument.String("input").pipe(
      Argument
        .withDescription("What the program is given: a text if it takes one, otherwise JSON; - for standard input"),
      Argument.optional
    ),
    app: AppModule.flag,
    store: Store.flag,
    inputFile: Flag.String("input-file").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("Take the input from this file; - for standard input"),
      Flag.optional
    ),
    startKey: Flag.String("start-key").pipe(
      Flag.withMetavar("KEY"),
      Flag.withDescription("A name for the run: starting again with the same key and input gives the same run"),
      Flag.optional
    ),
    labels: Flag.KeyValuePair("label").pipe(
      Flag.withDescription("A label to find the run by; may be given more than once"),
      Flag.optional
    ),
    requestedBy: Flag.String("requested-by").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription("Who wants the run; the default is in DURABLE_AGENTS_ACTOR"),
      Flag.withFallbackConfig(Config.String("DURABLE_AGENTS_ACTOR")),
      Flag.optional
    ),
    budget: FlagValue.flag("budget", FlagValue.budget).pipe(
      Flag.withMetavar("turns=10,costUsd=0.50"),
      Flag.withDescription("Limits that replace those of the program: turns, toolCalls, tokens, costUsd, wallMillis"),
      Flag.optional
    ),
    systemPrompt: Flag.String("system-prompt").pipe(
      Flag.withMetavar("TEXT"),
      Flag.withDescription("What the agent is told instead of its own instructions"),
      Flag.optional
    ),
    guardrailProfile: Flag.String("guardrail-profile").pipe(
      Flag.withMetavar("NAME"),
      Flag
        .withDescription("The guardrails of the run, instead of those of the agent: off, validation, lenient, standard or strict"),
      Flag.optional
    ),
    at: FlagValue.flag("at", FlagValue.instant).pipe(
      Flag.withMetavar("TIME"),
      Flag.withDescription("Not before this time, in ISO 8601 with its offset"),
      Flag.optional
    ),
    json: Output.json
  }, ({ app, json, program: name, store, ...given }) =>
    Effect.gen(function*() {
      const text = yield* inputOf(given)
      const loaded = yield* AppModule.load(app)
      const program = yield* Effect.mapError(
        Effect.fromResult(AppModule.programOf(loaded, name)),
        ({ message }) => wrong(message)
      )
      const input = yield* Effect.mapError(Effect.fromResult(ProgramInput.read(program, text)), wrong)
      const record = Effect.gen(function*() {
        const runs = yield* Runs
        // Starting needs of a program what the app was checked for.
        const runId = yield* runs.start(program as Program.Program<unknown, unknown, unknown>, input, options(given))
        const { seq, status } = yield* runs.state(runId)
        yield* Output.print([json ? Printable.jsonText(JSON.stringify({ runId, program: name, status, seq })) : runId])
      })
      const stores = Layer.provideMerge(Runs.layer, Store.layer(store, "write"))
      yield* Effect.provide(record, Layer.provide(stores, AppModule.settings(loaded)))
    }))
  .pipe(
    Command
      .withDescription("Records a run and prints its id. Nothing is executed: `worker` and `resume` do that. The app is loaded for its definitions " +
        "only, so this needs no model."),
    Command.withShortDescription("Record a new run"),
    Command.withExamples([
      { command: "durable-agents start support 'Refund order A-8891' --app ./app.ts --store sqlite:runs.db" },
      {
        command:
          "durable-agents start offboarding '{\"employee\":\"sam\"}' --app ./app.ts --start-key sam --label team=it"
      },
      { command: "durable-agents start support - --app ./app.ts --budget turns=10,costUsd=0.50 < goal.txt" }
    ])
  )

interface Given {
  readonly input: Option.Option<string>
  readonly inputFile: Option.Option<string>
  readonly startKey: Option.Option<string>
  readonly labels: Option.Option<Record<string, string>>
  readonly requestedBy: Option.Option<string>
  readonly budget: Option.Option<Budget.Budget>
  readonly systemPrompt: Option.Option<string>
  readonly guardrailProfile: Option.Option<string>
  readonly at: Option.Option<DateTime.Utc>
}

const options = ({ at, budget, guardrailProfile, labels, requestedBy, startKey, systemPrompt }: Given) => ({
  ...FlagValue.given(guardrailProfile, (guardrailProfile) => ({ guardrailProfile })),
  ...FlagValue.given(startKey, (startKey) => ({ startKey })),
  ...FlagValue.given(labels, (labels) => ({ labels })),
  ...FlagValue.given(requestedBy, (requestedBy) => ({ requestedBy })),
  ...FlagValue.given(budget, (budget) => ({ budget })),
  ...FlagValue.given(systemPrompt, (systemPrompt) => ({ systemPrompt })),
  ...FlagValue.given(at, (startAt) => ({ startAt }))
})

const inputOf = Effect.fnUntraced(function*({ input, inputFile }: Given) {
  if (Option.isSome(input) && Option.isSome(inputFile)) {
    return yield* wrong("Give the input as an argument or by --input-file, not both")
  }
  const file = Option.orElse(inputFile, () => Option.filter(input, (text) => text === "-"))
  return Option.isSome(file) ? Option.some(yield* ProgramInput.textOf(file.value)) : input
})
