/**
 * Signals: values that something outside sends to a run. They queue by name and meet their awaits in log order, early ones too.
 */
import type { Schema } from "effect"
import { Effect } from "effect"
import { below, Journal, Path } from "./Journal.ts"
import * as Payload from "./Payload.ts"
import { OperationFailed } from "./Step.ts"

/**
 * The name and the shape of a signal, shared by who sends it and who waits for it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Signal<A> {
  readonly name: string
  readonly payload: Payload.PureSchema<A>
  /** Waits for the next signal of this name that no other await has met. */
  readonly await: (key: string) => Effect.Effect<A, never, Journal>
}

/**
 * Declares a signal.
 *
 * **Gotchas**
 *
 * A payload that does not fit the schema is a defect of the run that awaits it; `Runs.signal` with this definition checks it
 * when it is sent.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <A>(name: string, payload: Payload.PureSchema<A>): Signal<A> => {
  const decode = Payload.decoder(payload)
  return {
    name,
    payload,
    await: (key) =>
      Effect.flatMap(
        receive(name, key),
        (json) =>
          Effect.orDie(Effect.mapError(Effect.fromResult(decode(json)), (error) =>
            new OperationFailed({
              key,
              reason: "Unreadable",
              detail: `signal \`${name}\` does not fit its schema: ${error.message}`,
              unknown: false
            })))
      )
  }
}

/**
 * Waits for the next signal of this name, whatever its payload.
 *
 * @category signals
 * @since 0.1.0
 */
export const receive = (name: string, key: string = name): Effect.Effect<Schema.Json, never, Journal> =>
  Effect.flatMap(Journal, (journal) =>
    Effect.flatMap(Path, (path) =>
      Effect.map(
        journal.wait({ _tag: "SignalAwaited", key: below(path, key), name }),
        (wait) => wait._tag === "Signal" ? wait.received?.payload ?? null : null
      )))
