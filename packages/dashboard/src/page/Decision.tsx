/**
 * One approval: what is asked, why, with which arguments; and the decision.
 */
import type { PendingApproval, Run } from "@durable-agents/server/Api"
import type { Schema } from "effect"
import type { ComponentChildren } from "preact"
import { useMemo, useRef, useState } from "preact/hooks"
import { Arguments } from "./Arguments.tsx"
import { type Failure, words } from "./Client.ts"
import { doubts } from "./Evidence.ts"
import { Doubts } from "./Findings.tsx"
import { useSend } from "./hooks.ts"
import { JsonForm } from "./JsonForm.tsx"
import { fieldOf, same } from "./JsonSchema.ts"
import { Facts, Foreign, Labelled, Outcome, Problem, Time, Value } from "./parts.tsx"
import { href } from "./Route.ts"
import { may, type Session, useSession } from "./Session.ts"
import { duration, visible } from "./Text.ts"
import { find, type Timeline } from "./Timeline.ts"

interface Props {
  readonly run: Run
  readonly approval: PendingApproval
  /** What has happened so far, as it goes on. */
  readonly timeline: Timeline
  /** The approval waits no more. */
  readonly onDecided?: () => void
  /** What to do after it. */
  readonly after?: ComponentChildren
  /** Not any more, by what the server says now; default: it does. */
  readonly isPending?: boolean
  /** The page is about this run anyway. */
  readonly within?: boolean
}

type Outcomes = { readonly decision: "Approved" | "Denied" } | { readonly lost: Failure }

/** Closed with these failures: nothing can be decided here any more. */
const isLost = ({ _tag }: Failure): boolean =>
  _tag === "ApprovalNotPendingProblem" || _tag === "RunClosedProblem" || _tag === "WaitClosedProblem"

export const Decision = ({ after, approval, isPending = true, onDecided, run, timeline, within = false }: Props) => {
  const session = useSession()
  const [outcome, setOutcome] = useState<Outcomes>()
  const close = (outcome: Outcomes) => {
    setOutcome(outcome)
    onDecided?.()
  }
  const tool = run.tools.find(({ name }) => name === approval.tool)
  const elsewhere = decidedState(timeline, approval.key) ?? (isPending ? undefined : "closed")
  return (
    <article class="card" aria-label={visible(`Approval: ${approval.subject}`)}>
      <h2>
        <Foreign text={approval.subject} />
      </h2>
      {outcome === undefined ? null : "lost" in outcome ?
        (
          <Outcome tone="care">
            <p>
              <Foreign text={lostWords(outcome.lost, session.identity.name)} />
            </p>
            {after}
          </Outcome>
        ) :
        (
          <Outcome tone="good">
            <p>{outcome.decision}. {nextOf(run.status)}</p>
            {after}
          </Outcome>
        )}
      <Facts
        facts={[
          ...(within ? [] : [["Run", <RunLink key="run" run={run} />] as const]),
          ["Started by", run.requestedBy.id],
          [
            "Asked",
            <span key="at">
              <Time at={approval.requestedAt} />{" "}
              <span class="whole">({duration(run.now - approval.requestedAt)} ago)</span>
            </span>
          ],
          ...(approval.tool === undefined ? [] : [["Tool", approval.tool] as const]),
          ...(tool?.description === undefined ? [] : [["What it does", tool.description] as const]),
          ...(approval.expiresAt === undefined ? [] : [["Wanted by", expiry(approval, approval.expiresAt)] as const]),
          ...(approval.approvers === undefined
            ? []
            : [["May decide", approval.approvers.join(", ") || "nobody"] as const])
        ]}
      />
      {!within && (
        <section>
          <h3>What the run was asked to do</h3>
          <Value value={run.input} />
        </section>
      )}
      {approval.reason !== "" && (
        <section>
          <h3>Why it asks</h3>
          <p class="text">
            <Foreign text={approval.reason} />
          </p>
        </section>
      )}
      {outcome === undefined
        ? (
          <DecisionForm
            key={approval.key}
            run={run}
            approval={approval}
            close={close}
            timeline={timeline}
            elsewhere={elsewhere}
            hindrance={hindrance(session, run, approval)}
          />
        )
        : approval.arguments !== undefined && approval.arguments !== null && <Value value={approval.arguments} />}
    </article>
  )
}

const DecisionForm = ({ approval, close, elsewhere, hindrance, run, timeline }: Omit<Props, "onDecided"> & {
  readonly close: (outcome: Outcomes) => void
  /** What somebody else has decided while this was open. */
  readonly elsewhere: string | undefined
  readonly hindrance: string | undefined
}) => {
  const { announce, client, identity } = useSession()
  const form = useRef<HTMLFormElement>(null)
  const { busy, send } = useSend()
  // On the wire, an absent value and null are the same.
  const given = approval.arguments ?? undefined
  const [edited, setEdited] = useState<Schema.Json>()
  const [reason, setReason] = useState("")
  const [failure, setFailure] = useState<Failure>()
  const schema = approval.argumentsSchema ?? run.tools.find(({ name }) => name === approval.tool)?.parameters ?? {}
  const isChanged = edited !== undefined && !same(edited, given)
  const params = { runId: run.runId }
  const isOwn = approval.notByRequester && run.requestedBy.id === identity.name
  const text = reason.trim() === "" ? undefined : reason
  const field = useMemo(() => fieldOf(schema), [schema])
  const found = useMemo(() => doubts(timeline, approval), [timeline, approval])
  const doubted =
    new Set(found.flatMap(({ findings }) => findings.map(({ argument }) => argument.split(".", 1)[0] ?? "")))

  const sent = (decision: "Approved" | "Denied") => ({
    done: () => {
      announce(visible(`${decision}: ${approval.subject}`))
      close({ decision })
    },
    failed: (failure: Failure) => isLost(failure) ? close({ lost: failure }) : setFailure(failure)
  })
  const approve = () => {
    setFailure(undefined)
    if (form.current?.reportValidity() !== true) return
    send(
      client.runs.approve({
        params,
        payload: { approval: approval.key, comment: text, ...(isChanged ? { arguments: edited } : {}) }
      }),
      sent("Approved")
    )
  }
  const deny = () => {
    setFailure(undefined)
    send(client.runs.deny({ params, payload: { approval: approval.key, reason: text } }), sent("Denied"))
  }

  return (
    // Only the buttons decide: a line ended in a field must not.
    <form ref={form} onSubmit={(event) => event.preventDefault()}>
      {found.length > 0 && (
        <section>
          <h3>What guardrails found</h3>
          <Doubts doubts={found} />
        </section>
      )}
      {given !== undefined && (
        <section>
          <h3>Arguments</h3>
          {edited === undefined
            ? <Arguments value={given} field={field} doubted={doubted} />
            : <JsonForm label="arguments" field={field} value={edited} onChange={setEdited} />}
          {hindrance === undefined && (
            <button
              type="button"
              onClick={() => setEdited(edited === undefined ? given : undefined)}
            >
              {edited === undefined ? "Change the arguments" : "Take the arguments as they were"}
            </button>
          )}
          {isChanged && (
            <p class="notice care">You changed the arguments. If you approve, yours are used, and the model is told.</p>
          )}
        </section>
      )}
      {hindrance === undefined ?
        (
          <>
            <Labelled label="Reason" about="Kept in the log. If you deny, the model is told as well.">
              {(ids) => (
                <textarea
                  {...ids}
                  rows={2}
                  value={reason}
                  onInput={({ currentTarget }) => setReason(currentTarget.value)}
                />
              )}
            </Labelled>
            <Problem failure={failure} />
            <div role="status">
              {elsewhere !== undefined && !busy && (
                <p class="notice care">
                  {/^(approved|denied)/.test(elsewhere)
                    ? (
                      <>
                        Meanwhile this was{" "}
                        <Foreign text={elsewhere} />. That decision stands; yours would not be recorded.
                      </>
                    )
                    : "Meanwhile nobody waits for this any more. A decision would not be recorded."}
                </p>
              )}
            </div>
            {isOwn && <p class="notice">You started this run, so you may deny this, but not approve it.</p>}
            <div class="buttons">
              <button type="button" class="good" disabled={busy || isOwn} onClick={approve}>
                {isChanged ? "Approve with changes" : "Approve"}
              </button>
              <button type="button" class="bad" disabled={busy} onClick={deny}>Deny</button>
            </div>
          </>
        ) :
        <p class="notice">{hindrance}</p>}
    </form>
  )
}

/** What becomes of a decision. */
const nextOf = (status: Run["status"]): string =>
  status === "Paused"
    ? "The run acts on it when it is resumed."
    : status === "Stuck"
    ? "The run acts on it when it is released."
    : "A worker goes on with the run."

const RunLink = ({ run: { program, runId } }: { readonly run: Run }) => (
  <a href={href({ _tag: "Run", runId })}>
    <Foreign text={program} /> {runId.slice(-8)}
  </a>
)

/** How the log says that it was decided. */
const decidedState = (timeline: Timeline, key: string): string | undefined => {
  const entry = find(timeline, key)
  return entry === undefined || entry.tone === "wait" ? undefined : entry.state
}

/** Who sends a decision again, because the answer to it was lost, is told that it was their own. */
const lostWords = (failure: Failure, name: string): string => {
  if (failure._tag !== "ApprovalNotPendingProblem" || failure.decision?.actor.id !== name) return words(failure)
  return `You have already ${
    failure.decision.decision === "granted" ? "approved" : "denied"
  } this. That decision stands.`
}

/** Why the caller cannot decide this, as far as the page knows; the server has the last word. */
const hindrance = (session: Session, run: Run, approval: PendingApproval): string | undefined => {
  const { name } = session.identity
  if (!may(session, "approver")) return "You may look at this. Deciding needs the role approver."
  if (approval.approvers !== undefined && !approval.approvers.includes(name)) {
    return "You are not among those who may decide this."
  }
  return undefined
}

const expiry = ({ onExpiry }: PendingApproval, expiresAt: number) => (
  <>
    <Time at={expiresAt} /> {onExpiry === undefined
      ? "(it keeps waiting after that)"
      : onExpiry === "deny"
      ? "(then it counts as denied)"
      : "(then it counts as approved)"}
  </>
)
