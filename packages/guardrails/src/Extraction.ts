/**
 * Quarantined extraction: a model without tools reads a result and fills in the fields of a schema; the model of the agent is shown
 * these, and nothing else of the result.
 */
import { Guardrails } from "@durable-agents/agent"
import { Digest } from "@durable-agents/core"
import { Context, type Duration, Effect, Result } from "effect"
import type { Layer, Schema } from "effect"
import type { LanguageModel, Tool } from "effect/ai"
import * as MaskedModel from "./MaskedModel.ts"
import * as Quotation from "./Quotation.ts"

const Fields = Context.Reference<Schema.Constraint | undefined>("@durable-agents/guardrails/Extraction/Fields", {
  defaultValue: () => undefined
})

/**
 * Which fields of a tool's results the agent is shown.
 *
 * **Gotchas**
 *
 * A field that is a free text can hold what the result said. Numbers, dates, choices, and texts with a short pattern cannot.
 *
 * **Example**
 *
 * ```ts
 * import { Extraction } from "@durable-agents/guardrails"
 * import { pipe, Schema } from "effect"
 * import { Tool } from "effect/ai"
 *
 * const ReadInvoice = pipe(
 *   Tool.make("read_invoice", { parameters: Schema.Struct({ file: Schema.String }), success: Schema.String })
 *     .annotate(Tool.Readonly, true),
 *   Extraction.fields(Schema.Struct({
 *     amount: Schema.Finite,
 *     currency: Schema.Literals(["EUR", "USD"]),
 *     due: Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/))
 *   }))
 * )
 * ```
 *
 * @category annotations
 * @since 0.1.0
 */
export const fields = (schema: Schema.Constraint) => <T extends Tool.Any>(tool: T): T =>
  tool.annotate(Fields, schema) as T

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /**
   * Without fields that fit: `allow` shows the result as it is, `ask` does so and has a person asked about the next call with an
   * effect (default), `refuse` withholds it.
   */
  readonly onFailure?: Quotation.OnFailureBy
  /** How long one attempt may take. Default 30 seconds. */
  readonly timeout?: Duration.Input
  /** Default 4096. */
  readonly maxOutputTokens?: number
  /** How personal data is masked, where agents have no `MaskedModel` themselves. The fields have the values again. */
  readonly masked?: MaskedModel.Options
}

/**
 * Extracts with the model over which it is built, beside the guardrails below. Tools without `fields`, and failures that a tool
 * declares, are shown as they are.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  options: Options = {}
): Layer.Layer<never, Guardrails.UnusableGuardrails, LanguageModel.LanguageModel> =>
  Guardrails.layerAdd(Effect.map(Quotation.modelHere, (model) => ({ guardrails: [make(model, options)] })))

/**
 * The guardrail by itself.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (model: Guardrails.Screen["model"], options: Options = {}): Guardrails.Guardrail => ({
  name: "extraction",
  version,
  screen: {
    model,
    maxOutputTokens: options.maxOutputTokens ?? 4096,
    ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
    boundary: MaskedModel.boundary(options.masked ?? {}),
    result: ({ annotations, isFailure, profile, result, tool }) => {
      const answer = Context.get(annotations ?? Context.empty(), Fields)
      return answer === undefined || isFailure ? undefined : {
        instructions,
        text: Quotation.quote(result),
        answer,
        verdicts: Result.match({
          onFailure: () => [Quotation.unanswered(
            Quotation.onFailure(options.onFailure, profile),
            "not_extracted",
            `no fields could be read from what \`${tool}\` returned`
          )],
          onSuccess: () => [{
            rule: "extracted",
            action: "REDACT" as const,
            showsAnswer: true,
            message: `fields of what \`${tool}\` returned are shown in its place`
          }]
        })
      }
    }
  }
})

const instructions = [
  "You read a text and report the fields that are asked for, as they stand in it. Leave out what it does not say.",
  Quotation.explained
].join("\n")

const version = `extraction ${Digest.digest(instructions).slice(-12)}`
