/**
 * Calls with an effect that go round in a circle: one, two or three of them, again and again with the same arguments.
 */
import { Guardrails } from "@durable-agents/agent"
import { Digest } from "@durable-agents/core"
import { Effect } from "effect"
import type { Layer, Schema } from "effect"
import * as CanonicalText from "./CanonicalText.ts"

/**
 * A guardrail that stops a circle before its round with this number is complete: the model is told, and under `strict` the run ends.
 *
 * **Details**
 *
 * Arguments are compared in canonical form, so another case, width or white space is no other call. Calls that only read do not
 * count and do not break a circle; refused, denied and failed ones do not count either.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = ({ rounds = 3, tools }: Options = {}): Guardrails.Guardrail => ({
  name: "cycles",
  call: (call) =>
    Effect.sync(() => {
      if (call.effect === "readonly" || (tools !== undefined && !tools.includes(call.tool))) return []
      const before = call.past.filter(({ effect, state }) =>
        effect !== "readonly" && state !== "failed" && state !== "refused"
      )
      const names = [...before, call].slice(-3 * rounds).map(({ arguments: args, tool }) => nameOf(tool, args))
      const length = [1, 2, 3].find((length) => goesRound(names, length, rounds))
      return length === undefined ? [] : [{
        rule: "cycle_detected",
        action: "BLOCK",
        message: length === 1
          ? `the same call would be made ${rounds} times in a row`
          : `the same ${length} calls would be made in turn, round after round, for ${rounds} rounds`,
        detail: { tool: call.tool, length, rounds },
        ...(call.profile === "strict" ? { ends: true } : {})
      }]
    })
})

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Default 3; at least 2. */
  readonly rounds?: number
  /** The tools that are watched; absent: all with an effect. */
  readonly tools?: ReadonlyArray<string>
}

/**
 * Circles are stopped beside what the guardrails below do.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<never, Guardrails.UnusableGuardrails> =>
  Guardrails.layerAdd(Effect.suspend(() => {
    const { rounds = 3 } = options
    return Number.isSafeInteger(rounds) && rounds >= 2
      ? Effect.succeed({ guardrails: [make(options)] })
      : Effect
        .fail(new Guardrails.UnusableGuardrails({ setting: "cycles.rounds", detail: "wants a whole number from 2 on" }))
  }))

const goesRound = (names: ReadonlyArray<string>, length: number, rounds: number): boolean => {
  const last = names.slice(-length * rounds)
  return last.length === length * rounds && last.every((name, index) => name === last[index % length]) &&
    (length === 1 || new Set(last).size > 1)
}

const nameOf = (tool: string, args: Schema.Json): string =>
  `${tool}:${Digest.canonicalJson(JSON.stringify(canonical(args)))}`

const canonical = (json: Schema.Json): Schema.Json =>
  typeof json === "string"
    ? CanonicalText.value(json)
    : typeof json !== "object" || json === null
    ? json
    : Array.isArray(json)
    ? json.map(canonical)
    : Object.fromEntries(Object.entries(json).map(([key, value]) => [key, canonical(value)]))
