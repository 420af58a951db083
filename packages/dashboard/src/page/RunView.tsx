/**
 * One run: why it does not move and what can be done about it, what waits for a decision, and all that happened, as it happens.
 */
import type { Explanation, Run } from "@durable-agents/server/Api"
import { Effect } from "effect"
import { useEffect, useRef, useState } from "preact/hooks"
import { Actions } from "./Actions.tsx"
import type { Failure } from "./Client.ts"
import { Decision } from "./Decision.tsx"
import { type Connection, follow } from "./feed.ts"
import { start, useLoaded } from "./hooks.ts"
import { Facts, Foreign, Heading, Problem, Time, Value } from "./parts.tsx"
import { href } from "./Route.ts"
import { useSession } from "./Session.ts"
import { duration, spaced } from "./Text.ts"
import * as Timeline from "./Timeline.ts"
import { TimelineList } from "./TimelineList.tsx"

type RunId = Run["runId"]

export const RunView = ({ runId }: { readonly runId: RunId }) => {
  const { announce, client } = useSession()
  const feed = useFeed(runId)
  // Until the next event nothing changes but what the clock and the workers do.
  const { failure, reload, value } = useLoaded(
    `run ${runId}`,
    () =>
      Effect.all({
        run: client.runs.get({ params: { runId } }),
        explanation: client.runs.explain({ params: { runId } })
      }, { concurrency: 2 }),
    10
  )
  useEffect(() => {
    if (feed.timeline.next === 0) return
    // Events come in flocks; an answer is not to be overtaken by the question after it.
    const timer = setTimeout(reload, 250)
    return () => clearTimeout(timer)
  }, [feed.timeline.next])
  const status = value?.run.status
  const before = useRef(status)
  useEffect(() => {
    if (status !== undefined && before.current !== undefined && before.current !== status) {
      announce(`The run is ${spaced(status)}`)
    }
    before.current = status
  }, [status])

  return (
    <>
      <Heading>
        Run <code>{runId.slice(-8)}</code>
      </Heading>
      <Problem failure={failure ?? feed.failure} retry={reload} />
      {value !== undefined && (
        <>
          <Why run={value.run} explanation={value.explanation} />
          <Decisions run={value.run} />
          <Actions run={value.run} actions={value.explanation.actions} onDone={reload} />
          <About run={value.run} />
        </>
      )}
      <section aria-labelledby="happened">
        <h2 id="happened">What happened</h2>
        <p class={`connection ${feed.connection}`} role="status">{connections[feed.connection]}</p>
        <TimelineList timeline={feed.timeline} />
      </section>
    </>
  )
}

const connections: { readonly [State in Connection]: string } = {
  connecting: "Connecting…",
  live: "Live: new events appear by themselves.",
  reconnecting: "The connection is lost. Trying again…",
  ended: "The run has ended. This is all."
}

/** The timeline of a run as it grows. */
const useFeed = (runId: RunId) => {
  const { client } = useSession()
  const [timeline, setTimeline] = useState(Timeline.empty)
  const [connection, setConnection] = useState<Connection>("connecting")
  const [failure, setFailure] = useState<Failure>()
  useEffect(() => {
    setTimeline(Timeline.empty)
    return start(Effect.catch(
      follow(client, runId, {
        events: (events) => setTimeline((before) => Timeline.add(before, events)),
        connection: setConnection
      }),
      (error) => Effect.sync(() => setFailure(error))
    ))
  }, [client, runId])
  return { timeline, connection, failure }
}

/** Approvals that wait, and those that waited when they were decided here: what became of them is to be read. */
const Decisions = ({ run }: { readonly run: Run }) => {
  const [seen, setSeen] = useState<ReadonlyArray<Run["pendingApprovals"][number]>>([])
  const fresh = run.pendingApprovals.filter(({ key }) => !seen.some((one) => one.key === key))
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    if (fresh.length > 0) setSeen([...seen, ...fresh])
  }, [fresh.length])
  const open = [...seen, ...fresh].filter(({ key }) =>
    decided.has(key) || run.pendingApprovals.some((one) => one.key === key)
  )
  return open.length === 0 ? null : (
    <section aria-label="Decisions">
      {open.map((approval) => (
        <Decision
          key={approval.key}
          run={run}
          approval={approval}
          onDecided={() => setDecided((before) => new Set([...before, approval.key]))}
        />
      ))}
    </section>
  )
}

const Why = ({ explanation, run }: { readonly run: Run; readonly explanation: Explanation }) => (
  <section class="card why" aria-label="How it stands">
    <p class="headline">
      <span class={`status ${run.status}`}>{spaced(run.status)}</span> <Foreign text={explanation.headline} />
    </p>
    <p>
      since <Time at={explanation.since} /> ({duration(run.now - explanation.since)})
    </p>
    {explanation.waitsFor.length > 0 && (
      <ul>
        {explanation.waitsFor.map(({ text, wait }) => (
          <li key={`${wait.kind} ${wait.key}`}>
            <Foreign text={text} />
          </li>
        ))}
      </ul>
    )}
    <p>
      <strong>Next:</strong> <Foreign text={explanation.next} />
    </p>
    {run.status === "Completed" && run.output !== undefined && (
      <>
        <h2>Output</h2>
        <Value value={run.output} />
      </>
    )}
  </section>
)

const About = ({ run }: { readonly run: Run }) => (
  <details class="card">
    <summary>
      {run.usage.turns} turns, {run.usage.toolCalls} tool calls, {run.usage.inputTokens + run.usage.outputTokens}{" "}
      tokens, {run.usage.unpricedCalls > 0 || run.usage.unreportedCalls > 0 ? "at least " : ""}${run.usage.costUsd}
    </summary>
    <Facts
      facts={[
        ["Run", run.runId],
        ["Program", `${run.program} ${run.programVersion}`],
        ["Started by", run.requestedBy.id],
        ["Started", <Time key="at" at={run.startedAt} />],
        ...(run.model === undefined ? [] : [["Model", run.model] as const]),
        ...(run.guardrailProfile === undefined ? [] : [["Guardrails", run.guardrailProfile] as const]),
        ...(run.forkedFrom === undefined
          ? []
          : [
            [
              "Forked from",
              <a key="from" href={href({ _tag: "Run", runId: run.forkedFrom.runId })}>{run.forkedFrom.runId}</a>
            ] as const
          ]),
        ...Object.entries(run.budget).map(([name, cap]) => [`Budget: ${spaced(name)}`, String(cap)] as const),
        ...Object.entries(run.labels).map(([name, value]) => [`Label: ${name}`, value] as const)
      ]}
    />
    <h3>Input</h3>
    <Value value={run.input} />
  </details>
)
