/**
 * `durable-agents rescore`: what guardrails would have done with a run.
 */
import type { Guardrails, Rescore } from "@durable-agents/agent"
import { type Recorded, RunNotFound, Runs } from "@durable-agents/core"
import { Effect, Layer, Option, Stream } from "effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as AppModule from "../AppModule.ts"
import * as Output from "../Output.ts"
import * as Printable from "../Printable.ts"
import { run } from "../RunArgument.ts"
import * as SiteFlags from "../SiteFlags.ts"

/** Those of `Guardrails.Profile`, which would load models. */
const profiles: typeof Guardrails.Profile.literals = ["off", "validation", "lenient", "standard", "strict"]

/**
 * @category commands
 * @since 0.1.0
 */
export const rescore = Command
  .make("rescore", {
    runs: Argument.variadic(run, { min: 1 }),
    site: SiteFlags.flags,
    profile: Flag.Literals("profile", profiles).pipe(
      Flag.withDescription("Under this profile; the default is the one that each run has"),
      Flag.optional
    ),
    guardrails: Flag.String("guardrails").pipe(
      Flag.withMetavar("MODULE"),
      Flag.withDescription("A module that exports `guardrails`, a layer; the default is Profiles.layer()"),
      Flag.optional
    ),
    json: Output.json
  }, ({ guardrails, json, profile, runs, site }) =>
    Effect.gen(function*() {
      const { Rescore } = yield* Effect.promise(() => import("@durable-agents/agent"))
      const layer = yield* Option.match(guardrails, {
        onNone: () =>
          Effect.map(Effect.promise(() => import("@durable-agents/guardrails")), ({ Profiles }) => Profiles.layer()),
        onSome: AppModule.loadGuardrails
      })
      const { events } = yield* Runs
      const options = Option.match(profile, { onNone: () => ({}), onSome: (profile) => ({ profile }) })
      for (const run of runs) {
        const log: ReadonlyArray<Recorded> = yield* Stream.runCollect(events(run))
        if (log.length === 0) return yield* new RunNotFound({ runId: run })
        const found = yield* Effect.provide(Rescore.log(log, options), Layer.orDie(layer))
        yield* Output.print(json ? [Printable.jsonText(JSON.stringify({ runId: run, ...found }))] : lines(run, found))
      }
    }).pipe(Effect.provide(SiteFlags.layer(site, "read"))))
  .pipe(
    Command
      .withDescription("Asks the guardrails of now about the goals, calls and results of runs, and prints what they would have done " +
        "otherwise. Nothing is executed, and no log is changed. What models were asked is not asked again."),
    Command.withShortDescription("Say what guardrails would have done with runs"),
    Command.withExamples([
      {
        command: "durable-agents rescore 0198c0de-7a3b-7c4d-8e5f-0123456789ab --profile strict --store sqlite:runs.db"
      },
      { command: "durable-agents rescore 0198c0de-7a3b-7c4d-8e5f-0123456789ab --guardrails ./guardrails.ts --json" }
    ])
  )

const lines = (run: string, { differences, judged }: Rescore.Rescored): ReadonlyArray<string> => [
  `${run}: ${judged} judged, ${differences.length} different`,
  ...differences.map(({ after, before, key, rulesAfter, rulesBefore, seq, tool, what }) =>
    Printable
      .inline(`  ${seq} ${what} ${key}${tool === undefined ? "" : ` ${tool}`}: ${said(before, rulesBefore)} -> ${
        said(after, rulesAfter)
      }`)
  )
]

const said = (consequence: string, rules: ReadonlyArray<string>): string =>
  rules.length === 0 ? consequence : `${consequence} (${rules.join(", ")})`
