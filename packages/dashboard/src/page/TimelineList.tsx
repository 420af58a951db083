/**
 * The timeline on the page.
 */
import { useState } from "preact/hooks"
import type { Entry } from "./Entry.ts"
import { Facts, Foreign, Time, Value } from "./parts.tsx"
import type { Timeline } from "./Timeline.ts"

const window = 200

const kinds: { readonly [Kind in Entry["kind"]]: string } = {
  run: "Run",
  model: "Model",
  tool: "Tool",
  step: "Step",
  approval: "Approval",
  guardrail: "Guardrail",
  wait: "Wait",
  person: "Person"
}

/** The last entries, and those before on demand: a log may be as long as it likes. */
export const TimelineList = ({ timeline: { entries } }: { readonly timeline: Timeline }) => {
  const [count, setCount] = useState(window)
  const hiddenCount = Math.max(0, entries.length - count)
  return (
    <>
      {hiddenCount > 0 && (
        <button type="button" onClick={() => setCount(count + window)}>
          Show {Math.min(window, hiddenCount)} earlier entries of {hiddenCount}
        </button>
      )}
      <ol class="timeline">
        {entries.slice(hiddenCount).map((entry) => <EntryItem key={entry.id} entry={entry} />)}
      </ol>
    </>
  )
}

const EntryItem = ({ entry: { at, facts, input, kind, lines, state, title, tone } }: { readonly entry: Entry }) => (
  <li class={`entry ${tone}`}>
    <h3>
      <span class="kind">{kinds[kind]}</span> <Foreign text={title} />
    </h3>
    <p class="when">
      <Time at={at} />
      {state === "" ? null : (
        <>
          {" · "}
          <strong>
            <Foreign text={state} />
          </strong>
        </>
      )}
    </p>
    <Facts facts={facts} />
    {input !== undefined && <Value value={input} />}
    {lines.map((line, index) => (
      <div key={index} class={`line ${line.tone}`}>
        <p>
          <Foreign text={line.text} />
        </p>
        {line.value !== undefined && <Value value={line.value} />}
      </div>
    ))}
  </li>
)
