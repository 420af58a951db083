/**
 * Says how an operation ended that nobody knows the end of.
 */
import { useState } from "preact/hooks"
import { type ActionProps, JsonInput, jsonOf } from "./ActionForm.tsx"
import { Confirmed, FormDialog } from "./FormDialog.tsx"
import { Foreign, Labelled, Time, Value } from "./parts.tsx"
import { useSession } from "./Session.ts"
import { visible } from "./Text.ts"
import { find } from "./Timeline.ts"

export const ResolveForm = ({ explanation, onClose, onDone, run, timeline }: ActionProps) => {
  const { client } = useSession()
  const [open] = useState(() =>
    explanation.waitsFor.flatMap(({ wait }) => wait.kind === "operation" ? [wait] : [])
      // What the run is stuck at comes first.
      .toSorted((left, right) =>
        Number(find(timeline, right.key)?.tone === "bad") - Number(find(timeline, left.key)?.tone === "bad")
      )
  )
  const [key, setKey] = useState(open[0]?.key ?? "")
  const [outcome, setOutcome] = useState<"happened" | "didNotHappen">()
  const [output, setOutput] = useState("")
  const [error, setError] = useState("")
  const entry = find(timeline, key)
  const isModel = entry?.kind === "model"
  const isGone = !explanation.waitsFor.some(({ wait }) => wait.kind === "operation" && wait.key === key)
  return (
    <FormDialog
      title="Say how it ended"
      submit="Record it"
      tone="bad"
      call={() =>
        outcome === undefined ? undefined : client.runs.resolve({
          params: { runId: run.runId },
          payload: outcome === "happened" && !isModel
            ? { key, outcome: "happened", output: jsonOf(output) ?? null }
            : { key, outcome: "didNotHappen", error }
        })}
      onDone={() => onDone(run.status === "Stuck" ? "Recorded. Now release the run, so that it goes on." : "Recorded.")}
      onClose={onClose}
    >
      <p>
        Look it up where it would have happened. What is recorded here stands: it cannot be changed, and the run goes on
        from it.
      </p>
      {run.status !== "Stuck" && (
        <p class="notice care">A worker may still be at it. What you record counts, however it ends there.</p>
      )}
      {isGone && <p class="notice care">Meanwhile this has its outcome, or is not waited for any more.</p>}
      <Labelled label="Of what">
        {(ids) => (
          <select {...ids} value={key} onChange={({ currentTarget }) => setKey(currentTarget.value)}>
            {open.map((wait) => (
              <option key={wait.key} value={wait.key}>{visible(`${wait.subject} (${wait.key})`)}</option>
            ))}
          </select>
        )}
      </Labelled>
      {entry?.input !== undefined && <Value value={entry.input} />}
      {entry?.idempotencyKey !== undefined && (
        <p>
          It was asked for under the idempotency key{" "}
          <code>
            <Foreign text={entry.idempotencyKey} />
          </code>
          , first at <Time at={entry.at} />.
        </p>
      )}
      <fieldset>
        <legend>How did it end?</legend>
        {!isModel && (
          <label class="check">
            <input
              type="radio"
              name="outcome"
              required
              checked={outcome === "happened"}
              onChange={() => setOutcome("happened")}
            />{" "}
            It happened
          </label>
        )}
        <label class="check">
          <input
            type="radio"
            name="outcome"
            required
            checked={outcome === "didNotHappen"}
            onChange={() => setOutcome("didNotHappen")}
          />{" "}
          It did not happen
        </label>
      </fieldset>
      {outcome === "happened" && !isModel && (
        <JsonInput
          label="What came of it (JSON)"
          about="What the run gets as its result, in the form that it would have had. A text stands in quotation marks."
          text={output}
          onChange={setOutput}
        />
      )}
      {outcome === "didNotHappen" && (
        <Labelled label="Why not" about="The run is told, and the model too.">
          {(ids) => (
            <textarea
              {...ids}
              rows={2}
              required
              value={error}
              onInput={({ currentTarget }) => setError(currentTarget.value)}
            />
          )}
        </Labelled>
      )}
      <Confirmed>I have found out how it ended.</Confirmed>
    </FormDialog>
  )
}
