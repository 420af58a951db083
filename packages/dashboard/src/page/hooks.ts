/**
 * Calls of the API as state of components; what nobody looks at any more is interrupted.
 */
import { Effect, Exit, Fiber, Schedule } from "effect"
import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { type Failure, mayBeRecorded, newKey } from "./Client.ts"
import { useSession } from "./Session.ts"

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
  const { client } = useSession()
  useEffect(() => {
    const ask = Effect.match(Effect.suspend(call), {
      onSuccess: (value) => setState({ key, value }),
      onFailure: (failure) => setState((before) => before.key === key ? { ...before, failure } : { key, failure })
    })
    const again = Effect.suspend(() => document.hidden ? Effect.void : ask)
    return start(everySeconds === undefined
      ? ask
      : Effect.andThen(ask, Effect.repeat(Effect.delay(again, everySeconds * 1000), Schedule.forever)))
  }, [key, round, client])
  const reload = useCallback(() => setRound((before) => before + 1), [])
  return state.key === key
    ? { value: state.value, failure: state.failure, reload }
    : { value: undefined, failure: undefined, reload }
}

/** Sends one thing at a time, and tells how it went. */
export const useSend = () => {
  const [busy, setBusy] = useState(false)
  // A second click may come before the page is drawn again.
  const sending = useRef(false)
  const stop = useRef<() => void>(undefined)
  useEffect(() => () => stop.current?.(), [])
  const send = <A>(call: Effect.Effect<A, Failure>, then: {
    readonly done: (value: A) => void
    readonly failed: (failure: Failure) => void
  }) => {
    if (sending.current) return
    const settle = (isSending: boolean) => {
      sending.current = isSending
      setBusy(isSending)
    }
    settle(true)
    stop.current = start(Effect.match(call, {
      onSuccess: (value) => {
        settle(false)
        then.done(value)
      },
      onFailure: (failure) => {
        settle(false)
        then.failed(failure)
      }
    }))
  }
  return { busy, send }
}

/**
 * Sends something under a key of its own: pressing twice, or again after the connection broke, changes nothing. What was refused
 * for what it says is sent as another one.
 */
export const useKey = () => {
  const key = useRef(newKey())
  return <A, E extends Failure>(call: (key: string) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.tapError(Effect.suspend(() => call(key.current)), (failure) =>
      Effect.sync(() => {
        if (!mayBeRecorded(failure)) key.current = newKey()
      }))
}

/** Runs something until it is told to stop. */
export const start = (effect: Effect.Effect<unknown>): () => void => {
  const fiber = Effect.runFork(effect)
  fiber.addObserver((exit) => {
    if (Exit.isFailure(exit) && !Exit.hasInterrupts(exit)) reportError(exit.cause)
  })
  return () => void Effect.runFork(Fiber.interrupt(fiber))
}
