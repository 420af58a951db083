/**
 * Starts a run that begins with the first events of this one.
 */
import { useState } from "preact/hooks"
import { type ActionProps, given, Reason } from "./ActionForm.tsx"
import { BudgetFields, useBudget } from "./BudgetFields.tsx"
import { FormDialog } from "./FormDialog.tsx"
import { useKey } from "./hooks.ts"
import { Foreign, Labelled, More } from "./parts.tsx"
import { href } from "./Route.ts"
import { useSession } from "./Session.ts"
import { useValidity } from "./useValidity.ts"

export const ForkForm = ({ onClose, run, timeline }: ActionProps) => {
  const { client } = useSession()
  const [at, setAt] = useState(`${timeline.open}`)
  const [reason, setReason] = useState("")
  const budget = useBudget(run.budget)
  const count = /^\d+$/.test(at) ? Number(at) : 0
  const ref = useValidity<
    HTMLInputElement
  >(count >= 1 && count <= timeline.open ? "" : `A whole number from 1 to ${timeline.open}`)
  const keyed = useKey()
  return (
    <FormDialog
      title="Fork this run"
      submit="Start the new run"
      tone="good"
      call={() =>
        keyed((key) =>
          client.runs.fork({
            params: { runId: run.runId },
            query: { at: count },
            headers: { "idempotency-key": key },
            payload: {
              reason: given(reason),
              ...(Object.keys(budget.changed).length === 0 ? {} : { budget: budget.changed })
            }
          })
        )}
      onDone={({ runId }) => void (location.hash = href({ _tag: "Run", runId }))}
      onClose={onClose}
    >
      <p>
        A new run begins with the first events of this one and goes on by itself; this one is left as it is. What has
        its outcome by then is not done again; all that comes after is, in the world too.
      </p>
      <Labelled label="How many events it begins with" about={`1 to ${timeline.open}. The timeline numbers them.`}>
        {(ids) => (
          <input
            {...ids}
            ref={ref}
            inputMode="numeric"
            autoComplete="off"
            value={at}
            onInput={({ currentTarget }) => setAt(currentTarget.value)}
          />
        )}
      </Labelled>
      <ul aria-live="polite">
        <li>
          The last one: <Foreign text={timeline.points[count - 1] ?? "none"} />
        </li>
        <li>
          Left out first: <Foreign text={timeline.points[count] ?? "none"} />
        </li>
      </ul>
      <More label="Other limits">
        <BudgetFields budget={budget} now={run.budget} />
      </More>
      <Reason value={reason} onChange={setReason} />
    </FormDialog>
  )
}
