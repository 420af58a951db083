/**
 * The border of `Runs`: what comes from outside is checked and cleaned here, or refused.
 */
import { Effect, Schema } from "effect"
import { Budget } from "./Budget.ts"
import type { ActorInput } from "./Ids.ts"
import { Actor, actor } from "./Ids.ts"
import type { Limits } from "./Limits.ts"
import * as Payload from "./Payload.ts"
import { InvalidRequest } from "./RunError.ts"
import type { Scope } from "./StartKey.ts"

/**
 * Who wants something, and why.
 *
 * @category models
 * @since 0.1.0
 */
export interface By {
  readonly actor: ActorInput
  readonly reason?: string
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Border {
  /** Refuses what is no text, or longer than `max`, by default than the limit for texts. */
  readonly text: (field: string, value: string | undefined, max?: number) => Effect.Effect<void, InvalidRequest>
  /** The same for a text that has to be there. */
  readonly required: (field: string, value: string) => Effect.Effect<void, InvalidRequest>
  /** What something is found again by: an empty one would be the same for everybody who has forgotten theirs. */
  readonly name: (field: string, value: string | undefined) => Effect.Effect<void, InvalidRequest>
  readonly labels: (labels: Readonly<Record<string, string>>) => Effect.Effect<void, InvalidRequest>
  readonly scope: (scope: Scope) => Effect.Effect<void, InvalidRequest>
  readonly budget: (budget: Budget | undefined) => Effect.Effect<void, InvalidRequest>
  /** A value as the log holds it. */
  readonly clean: (field: string, value: unknown) => Effect.Effect<Schema.Json, InvalidRequest>
  /** Whoever asks, who must be somebody. */
  readonly actor: (by: By) => Effect.Effect<Actor, InvalidRequest>
}

const isBudget = Schema.is(Budget)
const isActor = Schema.is(Actor)
/** Callers are not always checked by a compiler, and what is stored in another type could never be read again. */
const isText = (value: unknown): value is string => typeof value === "string"

const refuse = (field: string, detail: string) => Effect.fail(new InvalidRequest({ field, detail }))

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = (limits: Limits): Border => {
  const required = (field: string, value: string, max = limits.textLength) =>
    !isText(value)
      ? refuse(field, "is no text")
      : value.length <= max
      ? Effect.void
      : refuse(field, `has ${value.length} characters; ${max} are allowed`)

  const text: Border["text"] = (field, value, max) => value === undefined ? Effect.void : required(field, value, max)

  return {
    text,
    required: (field, value) => required(field, value),
    name: (field, value) => value === "" ? refuse(field, "is empty") : text(field, value),
    labels: (labels) =>
      Effect.forEach(
        Object.entries(labels),
        ([name, value]) => Effect.andThen(text("labels", name), text("labels", value)),
        { discard: true }
      ),
    scope: (scope) =>
      scope === "program" || scope === "namespace"
        ? Effect.void
        : refuse("startKeyScope", "wants `program` or `namespace`"),
    budget: (budget) =>
      budget === undefined || isBudget(budget)
        ? Effect.void
        : refuse(
          "budget",
          "wants whole numbers from 0 on, a decimal in a string for `costUsd`, and known words for `unpriced` and `atLimit`"
        ),
    clean: (field, value) =>
      Effect.suspend(() => {
        const number = Payload.notFinite(value)
        return number === undefined
          ? Effect.mapError(
            Payload.clean(value, limits.outputBytes),
            ({ error }) => new InvalidRequest({ field, detail: error.replace(/^the result /, "") })
          )
          : refuse(field, `holds ${number}, which JSON cannot say`)
      }),
    actor: ({ actor: who, reason }) => {
      const checked = actor(who)
      if (!isActor(checked)) {
        return refuse(
          "actor",
          "wants the id of a person, or a `kind` (person, program, policy or system) with its `id`"
        )
      }
      return Effect.all([text("actor", checked.id), text("reason", reason)])
        .pipe(Effect.andThen(checked.id.trim() === "" ? refuse("actor", "is empty") : Effect.succeed(checked)))
    }
  }
}
