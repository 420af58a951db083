/**
 * Scripted signals: values that something outside sends to a run when it waits for them, or earlier.
 */
import type { ActorInput, RunView, Signal, WaitSummary } from "@durable-agents/core"
import { Runs } from "@durable-agents/core"
import { Clock, Duration, Effect, HashMap } from "effect"
import type { Outsider } from "./Outside.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly actor?: ActorInput
  /** The id under which it is sent; default: its name and its place in the script. */
  readonly id?: string
  /** How long the run has waited for it when it comes. Default 0. */
  readonly after?: Duration.Input
  /** Sent without being waited for: so long after the start of the run (0: at once), or at the first rest where this holds. */
  readonly early?: Duration.Input | ((view: RunView) => boolean)
}

/**
 * Something that sends signals: a script of its own, or a part of one.
 *
 * @category models
 * @since 0.1.0
 */
export interface Sender extends Outsider {
  /** Sends what is due by the clock. `place` is what tells the signals of one script apart. */
  readonly act: (view: RunView, world?: unknown, place?: number) => Effect.Effect<void, Refusal, Runs>
  readonly dueAt: (view: RunView, place?: number) => number | undefined
}

type Refusal = Effect.Error<ReturnType<Runs["Service"]["signal"]>>

type Named<A> = Signal.Signal<A> | string

/**
 * Sends a signal once: when the run waits for it, unless `early` says otherwise.
 *
 * **Details**
 *
 * Several of one name are sent in the order of the script, one for each wait.
 *
 * @category signals
 * @since 0.1.0
 */
export const send = <A>(signal: Named<A>, payload: A, options: Options = {}): Sender => {
  const { actor, after = 0, early, id } = options
  const name = nameOf(signal)
  const own = (place: number): string => id ?? `${name}-${place + 1}`
  const moment = (view: RunView): number | undefined => {
    if (typeof early === "function") return early(view) ? view.state.updatedAt : undefined
    if (early !== undefined) return view.state.startedAt + millisOf(early)
    const wait = waitsFor(view, name)[0]
    return wait === undefined ? undefined : wait.since + millisOf(after)
  }
  return timed(
    (view, place) => HashMap.has(view.state.signalIds, own(place)) ? undefined : moment(view),
    (runs, view, place) =>
      runs.signal(view.runId, signal, payload, { id: own(place), ...(actor === undefined ? {} : { actor }) })
  )
}

/**
 * Answers every wait for a signal, with one payload or with what a function makes of the wait.
 *
 * @category signals
 * @since 0.1.0
 */
export const answer = <A>(
  signal: Named<A>,
  payload: A | ((wait: WaitSummary) => A),
  options: Pick<Options, "actor" | "after"> = {}
): Sender => {
  const { actor, after = 0 } = options
  const name = nameOf(signal)
  const dueAt = (wait: WaitSummary): number => wait.since + millisOf(after)
  return timed(
    (view) => waitsFor(view, name).map(dueAt)[0],
    (runs, view, _place, now) =>
      Effect.forEach(
        waitsFor(view, name).filter((wait) => dueAt(wait) <= now),
        (wait) =>
          runs.signal(view.runId, signal, isFunction(payload) ? payload(wait) : payload, {
            id: `${name}@${wait.key}`,
            ...(actor === undefined ? {} : { actor })
          })
      )
  )
}

/** Does something once its time has come. */
const timed = (
  dueAt: (view: RunView, place: number) => number | undefined,
  send: (runs: Runs["Service"], view: RunView, place: number, now: number) => Effect.Effect<unknown, Refusal>
): Sender => ({
  act: Effect.fn("Signals.act")(function*(view, _world, place = 0) {
    const runs = yield* Runs
    const now = yield* Clock.currentTimeMillis
    if ((dueAt(view, place) ?? Infinity) <= now) yield* send(runs, view, place, now)
  }),
  dueAt: (view, place = 0) => dueAt(view, place)
})

const nameOf = <A>(signal: Named<A>): string => typeof signal === "string" ? signal : signal.name

const waitsFor = (view: RunView, name: string): ReadonlyArray<WaitSummary> =>
  view.waits.filter(({ kind, subject }) => kind === "signal" && subject === name)

const millisOf = (duration: Duration.Input): number => Duration.toMillis(Duration.fromInputUnsafe(duration))

const isFunction = <A>(payload: A | ((wait: WaitSummary) => A)): payload is (wait: WaitSummary) => A =>
  typeof payload === "function"
