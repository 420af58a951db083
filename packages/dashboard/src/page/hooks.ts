/**
 * Calls of the API as state of components; what nobody looks at any more is interrupted.
 */
import { Effect, Exit, Fiber, Schedule } from "effect"
import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import type { Failure } from "./Client.ts"

export interface Loaded<A> {
  readonly value: A | undefined
  readonly failure: Failure | undefined
  /** Asks again. */
  readonly reload: () => void
}

/**
 * What a call answers, asked anew whenever `key` changes, when told to, and every so often. An answer stays until the next one of
 * the same key is there; nothing is asked while the page is hidden.
 */
export const useLoaded = <A>(key: string, call: () => Effect.Effect<A, Failure>, everySeconds?: number): Loaded<A> => {
  const [state, setState] = useState<{ readonly key: string; readonly value?: A; readonly failure?: Failure }>({ key })
  const [round, setRound] = useState(0)
  useEffect(() => {
    const ask = Effect.match(Effect.suspend(call), {
      onSuccess: (value) => setState({ key, value }),
      onFailure: (failure) => setState((before) => before.key === key ? { ...before, failure } : { key, failure })
    })
    const again = Effect.suspend(() => document.hidden ? Effect.void : ask)
    return start(everySeconds === undefined
      ? ask
      : Effect.andThen(ask, Effect.repeat(Effect.delay(again, everySeconds * 1000), Schedule.forever)))
  }, [key, round])
  const reload = useCallback(() => setRound((before) => before + 1), [])
  return state.key === key
    ? { value: state.value, failure: state.failure, reload }
    : { value: undefined, failure: undefined, reload }
}

/** Sends one thing at a time, and tells how it went. */
export const useSend = () => {
  const [busy, setBusy] = useState(false)
  const stop = useRef<() => void>(undefined)
  useEffect(() => () => stop.current?.(), [])
  const send = <A>(call: Effect.Effect<A, Failure>, then: {
    readonly done: (value: A) => void
    readonly failed: (failure: Failure) => void
  }) => {
    if (busy) return
    setBusy(true)
    stop.current = start(Effect.match(call, {
      onSuccess: (value) => {
        setBusy(false)
        then.done(value)
      },
      onFailure: (failure) => {
        setBusy(false)
        then.failed(failure)
      }
    }))
  }
  return { busy, send }
}

/** Runs something until it is told to stop. */
export const start = (effect: Effect.Effect<unknown>): () => void => {
  const fiber = Effect.runFork(effect)
  fiber.addObserver((exit) => {
    if (Exit.isFailure(exit) && !Exit.hasInterrupts(exit)) reportError(exit.cause)
  })
  return () => void Effect.runFork(Fiber.interrupt(fiber))
}
