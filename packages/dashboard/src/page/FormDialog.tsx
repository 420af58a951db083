/**
 * A form over the page for one thing that is done to a run: what it means, what it needs, and what came of it.
 */
import type { Effect } from "effect"
import type { ComponentChildren } from "preact"
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { Failure } from "./Client.ts"
import { useSend } from "./hooks.ts"
import { Problem } from "./parts.tsx"

export interface FormDialogProps<A> {
  readonly title: string
  readonly submit: string
  readonly tone?: "good" | "bad"
  /** What is sent; undefined as long as the form does not say enough. */
  readonly call: () => Effect.Effect<A, Failure> | undefined
  readonly onDone: (value: A) => void
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** What can be sent again has not been refused for what it says. */
const isFinal = ({ _tag }: Failure): boolean =>
  _tag === "RunClosedProblem" || _tag === "WaitClosedProblem" || _tag === "AlreadySettledProblem"

export function FormDialog<A>({ call, children, onClose, onDone, submit, title, tone }: FormDialogProps<A>) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const { busy, send } = useSend()
  const [failure, setFailure] = useState<Failure>()
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const isOver = failure !== undefined && isFinal(failure)
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!isOver) {
            const effect = call()
            if (effect === undefined) return
            setFailure(undefined)
            send(effect, {
              done: (value) => {
                dialog.current?.close()
                onDone(value)
              },
              failed: setFailure
            })
          }
        }}
      >
        <h2 id={id}>{title}</h2>
        {children}
        <Problem failure={failure} />
        <div class="buttons">
          {!isOver && <button type="submit" class={tone} disabled={busy}>{submit}</button>}
          <button type="button" onClick={() => dialog.current?.close()}>{isOver ? "Close" : "Do nothing"}</button>
        </div>
      </form>
    </dialog>
  )
}

/** One thing that has to be said before something is done that stays. */
export const Confirmed = ({ children }: { readonly children: ComponentChildren }) => (
  <label class="check field">
    <input type="checkbox" required /> {children}
  </label>
)
