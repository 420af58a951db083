/**
 * Forms of what is done to a run: stop and go, signals, limits.
 */
import { useState } from "preact/hooks"
import { type ActionProps, given, JsonInput, jsonOf, Reason } from "./ActionForm.tsx"
import { BudgetFields, useBudget } from "./BudgetFields.tsx"
import { FormDialog } from "./FormDialog.tsx"
import { useKey } from "./hooks.ts"
import { Labelled } from "./parts.tsx"
import { useSession } from "./Session.ts"

const plain = {
  cancel: {
    title: "Cancel this run?",
    submit: "Cancel the run",
    tone: "bad",
    about: "It cannot be taken back. What has happened in the world stays.",
    said: "Recorded: the run is to stop. A worker ends it."
  },
  pause: {
    title: "Pause this run?",
    submit: "Pause the run",
    tone: undefined,
    about:
      "What it is doing now ends first. Then no worker takes it until it is resumed. Decisions and signals are kept.",
    said: "Recorded: the run rests."
  },
  resume: {
    title: "Resume this run?",
    submit: "Resume the run",
    tone: "good",
    about: "The next free worker takes it and goes on.",
    said: "Recorded: the run goes on."
  },
  release: {
    title: "Release this run?",
    submit: "Release the run",
    tone: "good",
    about: "The next free worker tries to go on. If what made it stuck is still so, it is stuck again.",
    said: "Recorded: a worker tries to go on."
  }
} as const

const PlainForm = (action: keyof typeof plain) => ({ onClose, onDone, run: { runId } }: ActionProps) => {
  const { client } = useSession()
  const [reason, setReason] = useState("")
  const { about, said, submit, title, tone } = plain[action]
  return (
    <FormDialog
      title={title}
      submit={submit}
      {...(tone === undefined ? {} : { tone })}
      call={() => client.runs[action]({ params: { runId }, payload: { reason: given(reason) } })}
      onDone={() => onDone(said)}
      onClose={onClose}
    >
      <p>{about}</p>
      <Reason value={reason} onChange={setReason} />
    </FormDialog>
  )
}

export const CancelForm = PlainForm("cancel")
export const PauseForm = PlainForm("pause")
export const ResumeForm = PlainForm("resume")
export const ReleaseForm = PlainForm("release")

export const SignalForm = ({ onClose, onDone, run: { runId, waits } }: ActionProps) => {
  const { client } = useSession()
  const awaited = [...new Set(waits.flatMap(({ kind, subject }) => kind === "signal" ? [subject] : []))]
  const [typed, setName] = useState<string>()
  // What the run waits for may be told after the form is there.
  const name = typed ?? awaited[0] ?? ""
  const [payload, setPayload] = useState("null")
  const keyed = useKey()
  return (
    <FormDialog
      title="Send a signal"
      submit="Send the signal"
      tone="good"
      call={() =>
        keyed((key) =>
          client.runs.signal({
            params: { runId, name },
            headers: { "idempotency-key": key },
            payload: { payload: jsonOf(payload) ?? null }
          })
        )}
      onDone={() => onDone(`Recorded: the signal ${name}.`)}
      onClose={onClose}
    >
      <p>
        It cannot be called back. {awaited.length === 0
          ? "The run waits for no signal now; one that it waits for later is kept until then."
          : "What the run waits for is offered as a name."}
      </p>
      <Labelled label="Name">
        {(ids) => (
          <>
            <input
              {...ids}
              list={`${ids.id}-names`}
              required
              autoComplete="off"
              spellcheck={false}
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
            <datalist id={`${ids.id}-names`}>{awaited.map((one) => <option key={one} value={one} />)}</datalist>
          </>
        )}
      </Labelled>
      <JsonInput
        label="What it carries (JSON)"
        about="A text stands in quotation marks; null: nothing."
        text={payload}
        onChange={setPayload}
      />
    </FormDialog>
  )
}

export const BudgetForm = ({ onClose, onDone, run }: ActionProps) => {
  const { client } = useSession()
  const [reason, setReason] = useState("")
  const budget = useBudget(run.budget)
  return (
    <FormDialog
      title="Change the budget"
      submit="Change the budget"
      tone="good"
      call={() =>
        client.runs.budget({
          params: { runId: run.runId },
          payload: { budget: budget.changed, reason: given(reason) }
        })}
      onDone={() =>
        onDone(run.status === "Stuck"
          ? "Recorded. Now release the run, so that it goes on."
          : "Recorded: the new limits.")}
      onClose={onClose}
    >
      <p>What you change holds from now on; the rest stays. A limit can be replaced, and not be taken away.</p>
      <BudgetFields budget={budget} now={run.budget} usage={run.usage} mustChange />
      <Reason value={reason} onChange={setReason} />
    </FormDialog>
  )
}
