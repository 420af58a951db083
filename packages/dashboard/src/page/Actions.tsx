/**
 * What can be done with a run now, as far as the role permits it: what there is comes from the server's explanation.
 */
import type { ComponentType } from "preact"
import { useState } from "preact/hooks"
import type { ActionProps } from "./ActionForm.tsx"
import { BudgetForm, CancelForm, PauseForm, ReleaseForm, ResumeForm, SignalForm } from "./ActionForms.tsx"
import { ForkForm } from "./ForkForm.tsx"
import { Outcome } from "./parts.tsx"
import { ResolveForm } from "./ResolveForm.tsx"
import { may, type Session, useSession } from "./Session.ts"

interface Action {
  readonly label: string
  readonly Form: ComponentType<ActionProps>
  readonly isPermitted: (session: Session, isOwn: boolean) => boolean
}

const operator = (session: Session): boolean => may(session, "operator")

/** Decisions about approvals stand at the approvals. */
const all: { readonly [Name: string]: Action } = {
  release: { label: "Release", Form: ReleaseForm, isPermitted: operator },
  resolve: { label: "Say how it ended", Form: ResolveForm, isPermitted: operator },
  resume: { label: "Resume", Form: ResumeForm, isPermitted: operator },
  signal: { label: "Send a signal", Form: SignalForm, isPermitted: (session) => may(session, "operator", "starter") },
  cancel: {
    label: "Cancel",
    Form: CancelForm,
    isPermitted: (session, isOwn) => operator(session) || (isOwn && may(session, "starter"))
  },
  pause: { label: "Pause", Form: PauseForm, isPermitted: operator },
  changeBudget: { label: "Change the budget", Form: BudgetForm, isPermitted: operator },
  fork: { label: "Fork", Form: ForkForm, isPermitted: operator }
}

export const Actions = (props: Omit<ActionProps, "onClose">) => {
  const session = useSession()
  const [opened, setOpened] = useState<string>()
  const [said, setSaid] = useState<{ readonly text: string }>()
  const isOwn = props.run.requestedBy.id === session.identity.name
  const open = props.explanation.actions.flatMap((name) => {
    const action = Object.hasOwn(all, name) ? all[name] : undefined
    return action?.isPermitted(session, isOwn) === true ? [{ name, ...action }] : []
  })
  const Form = opened === undefined ? undefined : all[opened]?.Form
  return open.length === 0 && said === undefined && Form === undefined ?
    null :
    (
      <section class="card actions" aria-labelledby="actions">
        <h2 id="actions">What you can do</h2>
        {said !== undefined && (
          <Outcome key={said} tone="good">
            <p>{said.text}</p>
          </Outcome>
        )}
        <div class="buttons">
          {open.map(({ label, name }) => (
            <button key={name} type="button" onClick={() => setOpened(name)}>{label}</button>
          ))}
        </div>
        {Form !== undefined && (
          <Form
            {...props}
            onClose={() => setOpened(undefined)}
            onDone={(text) => {
              setSaid({ text })
              props.onDone(text)
            }}
          />
        )}
      </section>
    )
}
