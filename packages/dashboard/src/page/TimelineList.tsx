/**
 * The timeline on the page.
 */
import { useMemo, useState } from "preact/hooks"
import type { Entry } from "./Entry.ts"
import { doubtOf, quote, textAt } from "./Evidence.ts"
import { Doubts } from "./Findings.tsx"
import { Facts, Foreign, Labelled, Time, Value } from "./parts.tsx"
import { counted } from "./Text.ts"
import { find, type Timeline } from "./Timeline.ts"
import { chosen, type Group, groups, isGroup } from "./TimelineFilter.ts"

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
export const TimelineList = ({ timeline }: { readonly timeline: Timeline }) => {
  const [group, setGroup] = useState<Group>("all")
  const [text, setText] = useState("")
  const [isNewestFirst, setNewestFirst] = useState(false)
  const [count, setCount] = useState(window)
  const entries = useMemo(() => chosen(timeline.entries, group, text), [timeline, group, text])
  const hiddenCount = Math.max(0, entries.length - count)
  const visible = entries.slice(hiddenCount)
  const earlier = hiddenCount > 0 && (
    <div class="buttons">
      <button type="button" onClick={() => setCount(count + window)}>
        Show {Math.min(window, hiddenCount)} earlier entries of {hiddenCount}
      </button>
      {hiddenCount > window && (
        <button type="button" onClick={() => setCount(Infinity)}>Show all, from the start</button>
      )}
    </div>
  )
  return (
    <>
      <div class="filters" role="search" aria-label="Look for entries">
        <Labelled label="Show">
          {(ids) => (
            <select
              {...ids}
              value={group}
              onChange={({ currentTarget: { value } }) => {
                setCount(window)
                if (isGroup(value)) setGroup(value)
              }}
            >
              {Object.entries(groups).map(([name, words]) => <option key={name} value={name}>{words}</option>)}
            </select>
          )}
        </Labelled>
        <Labelled label="With the words">
          {(ids) => (
            <input
              {...ids}
              type="search"
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          )}
        </Labelled>
        <label class="check">
          <input
            type="checkbox"
            checked={isNewestFirst}
            onChange={({ currentTarget }) => setNewestFirst(currentTarget.checked)}
          />{" "}
          Newest first
        </label>
      </div>
      {(group !== "all" || text.trim() !== "") && (
        <p role="status">
          {counted(entries.length, "entry").replace("entrys", "entries")} of {timeline.entries.length}
        </p>
      )}
      {!isNewestFirst && earlier}
      <ol class={`timeline${visible.length > window ? " many" : ""}`} reversed={isNewestFirst}>
        {(isNewestFirst ? visible.toReversed() : visible).map((entry) => (
          <EntryItem key={entry.id} entry={entry} timeline={timeline} />
        ))}
      </ol>
      {isNewestFirst && earlier}
    </>
  )
}

const EntryItem = ({ entry, timeline }: { readonly entry: Entry; readonly timeline: Timeline }) => {
  const { at, facts, from, input, kind, lines, state, title, to, tone, verdict } = entry
  // What a verdict is about may come after it; of all others nothing but the entry itself is shown.
  const about = verdict === undefined ? undefined : timeline
  return useMemo(() => (
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
        <span class="seq">{from === to ? ` · event ${from + 1}` : ` · events ${from + 1} to ${to + 1}`}</span>
      </p>
      <Facts facts={facts} />
      {input !== undefined && <Value value={input} />}
      {about !== undefined && verdict !== undefined && <VerdictDetails verdict={verdict} timeline={about} />}
      {lines.map((line, index) => (
        <div key={index} class={`line ${line.tone}`}>
          <p class="text">
            <Foreign text={line.text} />
          </p>
          {line.value !== undefined && (line.folded === true
            ? (
              <details>
                <summary>With these arguments</summary>
                <Value value={line.value} />
              </details>
            )
            : <Value value={line.value} />)}
        </div>
      ))}
    </li>
  ), [entry, about])
}

/** What a guardrail said, with the passages that it means, as they stand in the log and as the model is shown them. */
const VerdictDetails = ({ timeline, verdict }: {
  readonly verdict: NonNullable<Entry["verdict"]>
  readonly timeline: Timeline
}) => {
  const looked = verdict.key === undefined ? undefined : find(timeline, verdict.key)
  const source = verdict.layer === "L1_input" ? timeline.entries[0]?.input : looked?.output
  const doubt = doubtOf(timeline, verdict, looked?.input)
  return (
    <>
      <p class="text">
        <Foreign text={doubt.message} />
      </p>
      {doubt.findings.length > 0 && <Doubts doubts={[doubt]} />}
      {source !== undefined && (verdict.spans ?? []).slice(0, 20).map((span, index) => {
        const text = textAt(source, span.path ?? "")
        const shown = text === undefined ? undefined : quote(text, span.start, span.end)
        return shown === undefined ? null : (
          <div key={index} class="line care">
            <p>
              In the log{span.path === undefined || span.path === "" ? "" : (
                <>
                  , at <Foreign text={span.path} />
                </>
              )}:
            </p>
            <blockquote>
              <Foreign text={shown.before} />
              <mark>
                <Foreign text={shown.passage} />
              </mark>
              <Foreign text={shown.after} />
            </blockquote>
            {span.replacement !== undefined && (
              <p>
                The model is shown instead:{" "}
                <q>
                  <Foreign text={span.replacement} />
                </q>
              </p>
            )}
          </div>
        )
      })}
      <details>
        <summary>As it stands in the log</summary>
        <Value value={{ rule: verdict.rule, layer: verdict.layer, action: verdict.action, detail: verdict.detail }} />
      </details>
    </>
  )
}
