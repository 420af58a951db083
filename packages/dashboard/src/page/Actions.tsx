/**
 * What an operator can do with a run now.
 */
import type { Run } from "@durable-agents/server/Api"
import { useRef, useState } from "preact/hooks"
import type { Failure } from "./Client.ts"
import { useSend } from "./hooks.ts"
import { Labelled, Problem } from "./parts.tsx"
import { may, useSession } from "./Session.ts"

const words = { cancel: "Cancel", pause: "Pause", resume: "Resume", release: "Release" } as const

type Action = keyof typeof words

const isAction = (name: string): name is Action => Object.hasOwn(words, name)

export const Actions = ({ actions, onDone, run }: {
  readonly run: Run
  readonly actions: ReadonlyArray<string>
  readonly onDone: () => void
}) => {
  const session = useSession()
  const { announce, client, identity } = session
  const [reason, setReason] = useState("")
  const [failure, setFailure] = useState<Failure>()
  const { busy, send } = useSend()
  const dialog = useRef<HTMLDialogElement>(null)
  const isOwn = run.requestedBy.id === identity.name
  const open = actions.filter(isAction).filter((action) =>
    may(session, "operator") || (action === "cancel" && isOwn && may(session, "starter"))
  )
  const act = (action: Action) => {
    setFailure(undefined)
    const payload = reason.trim() === "" ? null : { reason }
    send(client.runs[action]({ params: { runId: run.runId }, payload }), {
      done: () => {
        announce(`${words[action]}: recorded`)
        setReason("")
        onDone()
      },
      failed: setFailure
    })
  }
  return open.length === 0 ?
    null :
    (
      <form class="card actions" aria-label="Actions" onSubmit={(event) => event.preventDefault()}>
        <Labelled label="Reason for what you do" about="Kept in the log, with your name.">
          {(ids) => <input {...ids} value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)} />}
        </Labelled>
        <div class="buttons">
          {open.map((action) => (
            <button
              key={action}
              type="button"
              disabled={busy}
              onClick={() => action === "cancel" ? dialog.current?.showModal() : act(action)}
            >
              {words[action]}
            </button>
          ))}
        </div>
        <Problem failure={failure} />
        <dialog ref={dialog} aria-labelledby="cancel-title">
          <h2 id="cancel-title">Cancel this run?</h2>
          <p>It cannot be taken back. What has happened in the world stays.</p>
          <div class="buttons">
            <button
              type="button"
              class="bad"
              onClick={() => {
                dialog.current?.close()
                act("cancel")
              }}
            >
              Cancel the run
            </button>
            <button type="button" onClick={() => dialog.current?.close()}>Keep it</button>
          </div>
        </dialog>
      </form>
    )
}
