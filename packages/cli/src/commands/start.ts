/**
 * `durable-agents start`: records a new run.
 */
import { type Budget, type Program, Runs } from "@durable-agents/core"
import { type DateTime, Effect, Layer, Option } from "effect"
import * as Argument from "effect/cli/Argument"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as AppModule from "../AppModule.ts"
import * as Decision from "../Decision.ts"
import { wrong } from "../Failure.ts"
import * as FlagValue from "../FlagValue.ts"
import * as Output from "../Output.ts"
import * as Printable from "../Printable.ts"
import * as ProgramInput from "../ProgramInput.ts"
import * as ServerAddress from "../ServerAddress.ts"
import * as SiteFlags from "../SiteFlags.ts"
import type * as Store from "../Store.ts"
import * as StoreSite from "../StoreSite.ts"

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
    app: AppModule.flag.pipe(Flag.optional),
    site: SiteFlags.flags,
    inputFile: Flag.String("input-file").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("Take the input from this file; - for standard input"),
      Flag.optional
    ),
    startKey: Flag.String("start-key").pipe(
      Flag.withMetavar("KEY"),
      Flag.withDescription("A name for the run: starting again with the same key, input and flags gives the same run"),
      Flag.optional
    ),
    labels: Flag.KeyValuePair("label").pipe(
      Flag.withDescription("A label to find the run by; may be given more than once"),
      Flag.optional
    ),
    requestedBy: Flag.String("requested-by").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription("Who wants the run; the default is in DURABLE_AGENTS_ACTOR. A server knows it by the token"),
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
  }, ({ app, json, site: flags, program: name, ...given }) =>
    Effect.gen(function*() {
      const text = yield* inputOf(given)
      const site = yield* SiteFlags.choose(flags)
      const { layer, program } = yield* site._tag === "Server"
        ? atServer(site, name, app, given.requestedBy)
        : atStore(site, name, app)
      const requestedBy = site._tag === "Server" || Option.isSome(given.requestedBy)
        ? given.requestedBy
        : yield* StoreSite.actorInEnvironment
      const input = yield* Effect.mapError(Effect.fromResult(ProgramInput.read(program, text)), wrong)
      const record = Effect.gen(function*() {
        const runs = yield* Runs
        // Starting needs of a program what the app was checked for.
        const runId = yield* runs.start(
          program as Program.Program<unknown, unknown, unknown>,
          input,
          options({ ...given, requestedBy })
        )
        const { seq, status } = yield* runs.state(runId)
        yield* Output.print([json ? Printable.jsonText(JSON.stringify({ runId, program: name, status, seq })) : runId])
      })
      yield* Effect.provide(record, layer)
    }))
  .pipe(
    Command
      .withDescription("Records a run and prints its id. Nothing is executed: `worker` and `resume` do that. The app is loaded for its definitions " +
        "only, so this needs no model. With --url the server knows the programs, and who starts is whose token it is."),
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

/** The definition is the app's. */
const atStore = Effect.fnUntraced(function*(store: Store.Store, name: string, app: Option.Option<string>) {
  if (Option.isNone(app)) return yield* new CliError.MissingOption({ option: "app" })
  const loaded = yield* AppModule.load(app.value)
  const program = yield* Effect.mapError(
    Effect.fromResult(AppModule.programOf(loaded, name)),
    ({ message }) => wrong(message)
  )
  return { program, layer: Layer.provide(StoreSite.layer(store, "write"), AppModule.settings(loaded)) }
})

/** The definition is the server's, and nobody else can be the requester than whose token it is. */
const atServer = Effect.fnUntraced(function*(
  server: ServerAddress.ServerAddress,
  name: string,
  app: Option.Option<string>,
  requestedBy: Option.Option<string>
) {
  if (Option.isSome(app)) return yield* wrong("Give either --app or --url: the server has programs of its own")
  const token = yield* ServerAddress.token
  const Remote = yield* Effect.promise(() => import("../remote/Remote.ts"))
  const layer = Remote.layer(server, token)
  if (Option.isSome(requestedBy)) yield* Effect.provide(Decision.actorOf(requestedBy), layer)
  const { find } = yield* Effect.promise(() => import("../remote/RemotePrograms.ts"))
  return { program: yield* find(server, token, name), layer }
})

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
