/**
 * The inbox: everything that waits for a decision, the oldest first, and one of it opened.
 */
import type { ApprovalEntry, Run } from "@durable-agents/server/Api"
import type { ComponentChildren, TargetedKeyboardEvent } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { Decision } from "./Decision.tsx"
import { useLoaded } from "./hooks.ts"
import { Foreign, Heading, LoadProblem, Time } from "./parts.tsx"
import { href } from "./Route.ts"
import { useSession } from "./Session.ts"
import { find } from "./Timeline.ts"
import { useFeed } from "./useFeed.ts"

type Entry = typeof ApprovalEntry.Type

export const Approvals = (
  { approval, runId }: { readonly runId?: Run["runId"] | undefined; readonly approval?: string | undefined }
) => {
  const { announce, client } = useSession()
  const [cursor, setCursor] = useState<string>()
  const { failure, reload, value: page } = useLoaded(
    `approvals ${cursor ?? ""}`,
    () => client.desk.approvals({ query: { limit: 50, ...(cursor === undefined ? {} : { cursor }) } }),
    4
  )
  const count = page?.items.length
  const next = page?.items.find((entry) => entry.runId !== runId || entry.approval.key !== approval)
  const before = useRef(count)
  useEffect(() => {
    if (count !== undefined && before.current !== undefined && count > before.current) announce("A new approval waits")
    before.current = count
  }, [count])

  return (
    <>
      <Heading>Approvals</Heading>
      <LoadProblem failure={failure} retry={reload} value={page} />
      <div class="split">
        <nav aria-label="Waiting approvals">
          {page === undefined
            ? failure === undefined && <p>Loading…</p>
            : page.items.length === 0
            ? <p>Nothing waits for a decision. What comes up appears here by itself.</p>
            : (
              <>
                <p class="about">
                  {page.next === undefined && cursor === undefined
                    ? `${page.items.length} to decide, the oldest first.`
                    : "The oldest first."}
                </p>
                <ul class="list" onKeyDown={walk}>
                  {page.items.map((entry) => (
                    <Item
                      key={`${entry.runId} ${entry.approval.key}`}
                      entry={entry}
                      open={entry.runId === runId && entry.approval.key === approval}
                    />
                  ))}
                </ul>
              </>
            )}
          <div class="buttons">
            {cursor !== undefined && (
              <button type="button" onClick={() => setCursor(undefined)}>Back to the oldest</button>
            )}
            {page?.next !== undefined && <button type="button" onClick={() => setCursor(page.next)}>Later ones</button>}
          </div>
        </nav>
        {runId !== undefined && approval !== undefined && (
          <Opened
            key={`${runId} ${approval}`}
            runId={runId}
            approval={approval}
            onDecided={reload}
            after={next !== undefined && (
              <p>
                <a href={href({ _tag: "Approvals", runId: next.runId, key: next.approval.key })}>Open the next one</a>
              </p>
            )}
          />
        )}
        {(runId === undefined || approval === undefined) && (page?.items.length ?? 0) > 0 && (
          <p class="hint">Open one to see what is asked, why, and to decide. The arrow keys go through the list.</p>
        )}
      </div>
    </>
  )
}

const Item = (
  { entry: { approval, program, requestedBy, runId }, open }: { readonly entry: Entry; readonly open: boolean }
) => (
  <li>
    <a href={href({ _tag: "Approvals", runId, key: approval.key })} aria-current={open ? "true" : undefined}>
      <strong class="clamp">
        <Foreign text={approval.subject} />
      </strong>
      <span class="clamp">
        <Foreign text={`${approval.tool ?? approval.key} · ${program} · started by ${requestedBy.id}`} />
      </span>
      <span>
        asked <Time at={approval.since} />
        {approval.expiresAt !== undefined && (
          <>
            , wanted by <Time at={approval.expiresAt} />
          </>
        )}
      </span>
    </a>
  </li>
)

/** Arrow keys go through a list of links, as the tabulator does. */
const walk = (event: TargetedKeyboardEvent<HTMLUListElement>) => {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
  if (step === 0) return
  const links = [...event.currentTarget.querySelectorAll("a")]
  const at = links.findIndex((link) => link === document.activeElement)
  links[Math.min(links.length - 1, Math.max(0, at + step))]?.focus()
  event.preventDefault()
}

/** One approval with its run, as it was when it was opened: it does not change under the hands of who decides. */
const Opened = ({ after, approval, onDecided, runId }: {
  readonly after: ComponentChildren
  readonly runId: Run["runId"]
  readonly approval: string
  readonly onDecided: () => void
}) => {
  const { client } = useSession()
  const { timeline } = useFeed(runId)
  const { failure, reload, value } = useLoaded(
    `approval ${runId} ${approval}`,
    () => client.runs.get({ params: { runId } })
  )
  const decided = find(timeline, approval)?.state
  const pending = value?.pendingApprovals.find(({ key }) => key === approval)
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (value !== undefined) ref.current?.focus()
  }, [value])
  return (
    <div ref={ref} tabIndex={-1} class="opened">
      <LoadProblem failure={failure} retry={reload} value={value} />
      {value === undefined && failure === undefined && <p>Loading…</p>}
      {value !== undefined &&
        (pending === undefined
          ? (
            <p class="notice care">
              This does not wait for a decision any more{decided === undefined || decided === "" ? "" : (
                <>
                  : it was <Foreign text={decided} />
                </>
              )}. <a href={href({ _tag: "Run", runId })}>See its run</a>
            </p>
          )
          : <Decision run={value} approval={pending} timeline={timeline} onDecided={onDecided} after={after} />)}
    </div>
  )
}
