/**
 * One run: why it does not move and what can be done about it, what waits for a decision, and all that happened, as it happens.
 */
import type { Explanation, Run } from "@durable-agents/server/Api"
import { Effect } from "effect"
import { useEffect, useRef, useState } from "preact/hooks"
import { About } from "./About.tsx"
import { Actions } from "./Actions.tsx"
import { Decision } from "./Decision.tsx"
import type { Connection } from "./feed.ts"
import { useLoaded } from "./hooks.ts"
import { Foreign, Heading, LoadProblem, Time, Value } from "./parts.tsx"
import { href } from "./Route.ts"
import { may, type Role, type Session, useSession } from "./Session.ts"
import { duration, localised, spaced } from "./Text.ts"
import type { Timeline } from "./Timeline.ts"
import { TimelineList } from "./TimelineList.tsx"
import { useFeed } from "./useFeed.ts"

export const RunView = ({ runId }: { readonly runId: Run["runId"] }) => {
  const { announce, client } = useSession()
  const { connection, failure: feedFailure, timeline } = useFeed(runId)
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
  useReloads(timeline.next, reload)
  const status = value?.run.status
  const before = useRef(status)
  useEffect(() => {
    if (status !== undefined && before.current !== undefined && before.current !== status) {
      announce(`The run is ${spaced(status)}`)
    }
    before.current = status
  }, [status])
  const isUnknown = value === undefined && failure?._tag === "RunNotFoundProblem"

  return (
    <>
      <Heading>
        {value === undefined ? "Run" : <Foreign text={value.run.program} />} <code>{runId.slice(-8)}</code>
      </Heading>
      {isUnknown ?
        (
          <p class="notice bad" role="alert">
            There is no run with this id here. <a href={href({ _tag: "Runs", filters: {} })}>See all runs</a>
          </p>
        ) :
        <LoadProblem failure={failure ?? feedFailure} retry={reload} value={value} />}
      {value === undefined && failure === undefined && <p>Loading…</p>}
      {value !== undefined && (
        <>
          <Why run={value.run} explanation={value.explanation} />
          <Decisions run={value.run} timeline={timeline} />
          <Actions run={value.run} explanation={value.explanation} timeline={timeline} onDone={reload} />
          <About run={value.run} />
        </>
      )}
      {!isUnknown && (
        <section aria-labelledby="happened">
          <h2 id="happened">What happened</h2>
          <p class={`connection ${connection}`} role="status">{connections[connection]}</p>
          <TimelineList timeline={timeline} />
        </section>
      )}
    </>
  )
}

const connections: { readonly [State in Connection]: string } = {
  connecting: "Connecting…",
  live: "Live: new events appear by themselves.",
  reconnecting: "The connection is lost. Trying again…",
  ended: "The run has ended. This is all.",
  failed: "New events do not appear: see above."
}

/** Asks again soon after an event; events come in flocks, and are not waited for until they stop. */
const useReloads = (next: number, reload: () => void) => {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (next === 0 || timer.current !== undefined) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      reload()
    }, 250)
  }, [next])
  useEffect(() => () => clearTimeout(timer.current), [])
}

/** Approvals that wait, and those that waited while the page was open: what became of them is to be read. */
const Decisions = ({ run, timeline }: { readonly run: Run; readonly timeline: Timeline }) => {
  const [seen, setSeen] = useState<ReadonlyArray<Run["pendingApprovals"][number]>>([])
  const fresh = run.pendingApprovals.filter(({ key }) => !seen.some((one) => one.key === key))
  useEffect(() => {
    if (fresh.length > 0) setSeen([...seen, ...fresh])
  }, [fresh.length])
  const open = [...seen, ...fresh]
  return open.length === 0 ? null : (
    <section aria-label="Decisions">
      {open.map((approval) => (
        <Decision
          key={approval.key}
          run={run}
          approval={approval}
          timeline={timeline}
          isPending={run.pendingApprovals.some(({ key }) => key === approval.key)}
          within
        />
      ))}
    </section>
  )
}

const Why = ({ explanation, run }: { readonly run: Run; readonly explanation: Explanation }) => {
  const session = useSession()
  const { actions, headline, mover, next, since, waitsFor } = explanation
  const local = (text: string) =>
    localised(text, [
      run.wakeAt,
      ...waitsFor.flatMap(({ wait: { expiresAt, since, until } }) => [since, until, expiresAt])
    ])
  // What is asked stands below, as a whole.
  const others = waitsFor.filter(({ wait }) => wait.kind !== "approval")
  return (
    <section class="card why" aria-label="How it stands">
      <p class="headline">
        <span class={`status ${run.status}`}>{spaced(run.status)}</span> <Foreign text={local(headline)} />
      </p>
      <p>
        since <Time at={since} /> <span class="whole">({duration(run.now - since)})</span>
      </p>
      {others.length > 0 && (
        <ul>
          {others.map(({ text, wait }) => (
            <li key={`${wait.kind} ${wait.key}`}>
              <span class="clamp">
                <Foreign text={local(text)} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {actions.length > 0 && mover !== "nobody" && (
        <p>
          <strong>Who can move it:</strong> {movers[mover](session)}
        </p>
      )}
      <p>
        <strong>Next:</strong> <Foreign text={local(next)} />
      </p>
      {run.status === "Completed" && run.output !== undefined && (
        <>
          <h2>Output</h2>
          <Value value={run.output} />
        </>
      )}
      {run.failure !== undefined && (
        <>
          <h2>Failure</h2>
          <Value value={run.failure} />
        </>
      )}
    </section>
  )
}

const isYou = (session: Session, ...roles: ReadonlyArray<Role>) =>
  may(session, ...roles) ? "you may" : "you may not, with your token"

const movers: {
  readonly [Mover in Exclude<Explanation["mover"], "nobody">]: (session: Session) => string
} = {
  worker: () => "a worker; nobody has to do anything",
  approver: (session) => `an approver (${isYou(session, "approver")})`,
  sender: (session) =>
    `whoever sends the signal: a system of yours, a starter or an operator (${isYou(session, "starter", "operator")})`,
  clock: () => "the clock; nobody has to do anything",
  operator: (session) => `an operator (${isYou(session, "operator")})`
}
