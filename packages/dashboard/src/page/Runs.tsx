/**
 * All runs, newest first, by filters and a page at a time; both stand in the address, so that a way back leads back.
 */
import { type RunPage, Status } from "@durable-agents/server/Api"
import { useLoaded } from "./hooks.ts"
import { Foreign, Heading, Labelled, LoadProblem, Time } from "./parts.tsx"
import { href } from "./Route.ts"
import { useSession } from "./Session.ts"
import { counted, spaced, who } from "./Text.ts"

type Filters = Readonly<Record<string, string>>

const statusOf = (text: string | undefined) => Status.literals.find((status) => status === text)

/** A time of a day where the reader is; days are not all of one length. */
const dayTime = (day: string | undefined, time: "00:00" | "24:00"): number | undefined => {
  const millis = Date.parse(`${day}T${time}`)
  return Number.isNaN(millis) || millis < 0 ? undefined : millis
}

/** What the address asks for, as the API takes it. */
const queryOf = (filters: Filters) => {
  const { by, cursor, from, label, program, status, until } = filters
  const isLabel = label !== undefined && /^[^=]+=/.test(label)
  return {
    limit: 50,
    status: statusOf(status),
    program: program === "" ? undefined : program,
    requestedBy: by === "" ? undefined : by,
    label: isLabel ? [label] : undefined,
    startedFrom: dayTime(from, "00:00"),
    startedBefore: dayTime(until, "24:00"),
    cursor: cursor === "" ? undefined : cursor
  }
}

export const Runs = ({ filters }: { readonly filters: Filters }) => {
  const { client } = useSession()
  const { failure, reload, value: page } = useLoaded(
    `runs ${JSON.stringify(filters)}`,
    () => client.runs.list({ query: queryOf(filters) }),
    10
  )
  return (
    <>
      <Heading>Runs</Heading>
      <details class="filtering" open={isWide || Object.keys(filters).some((name) => name !== "cursor")}>
        <summary>Filter</summary>
        <FilterForm key={JSON.stringify({ ...filters, cursor: "" })} filters={filters} />
      </details>
      <LoadProblem failure={failure} retry={reload} value={page} />
      {page === undefined ?
        failure === undefined && <p>Loading…</p> :
        page.items.length === 0 ?
        <p>{Object.keys(filters).length === 0 ? "There is no run yet." : "No runs fit."}</p> :
        (
          <table class="stacks runs">
            <caption class="unseen">Runs, newest first</caption>
            <thead>
              <tr>
                <th scope="col">Run</th>
                <th scope="col">Status</th>
                <th scope="col">Started by</th>
                <th scope="col">Started</th>
                <th scope="col">Spent</th>
              </tr>
            </thead>
            <tbody>
              {page.items.map((run) => (
                <tr key={run.runId}>
                  <td>
                    <a href={href({ _tag: "Run", runId: run.runId })}>
                      <Foreign text={run.program} /> {run.runId.slice(-8)}
                    </a>
                    {Object.entries(run.labels).map(([name, value]) => (
                      <span key={name} class="label clamp">
                        <Foreign text={`${name}=${value}`} />
                      </span>
                    ))}
                  </td>
                  <td>
                    <span class={`status ${run.status}`}>{spaced(run.status)}</span>
                    <Because run={run} />
                  </td>
                  <td data-label="Started by">
                    <Foreign text={who(run.requestedBy)} />
                  </td>
                  <td data-label="Started">
                    <Time at={run.startedAt} />
                  </td>
                  <td data-label="Spent">
                    {run.usage.unpricedCalls > 0 || run.usage.unreportedCalls > 0 ? "at least " : ""}${run.usage
                      .costUsd}
                    <span class="label">{counted(run.usage.turns, "turn")}</span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      <nav class="buttons" aria-label="Pages of runs">
        {filters["cursor"] !== undefined && (
          <a href={href({ _tag: "Runs", filters: { ...filters, cursor: "" } })}>Newest</a>
        )}
        {page?.next !== undefined && (
          <a href={href({ _tag: "Runs", filters: { ...filters, cursor: page.next } })}>Older runs</a>
        )}
      </nav>
    </>
  )
}

/** What it waits for since when, or why it does not go on. */
const Because = ({ run: { reason, status, updatedAt, waits } }: { readonly run: Summary }) => {
  const [wait] = waits
  const isOver = status === "Completed" || status === "Failed" || status === "Cancelled" || status === "Stuck"
  const text = isOver || wait === undefined
    ? reason
    : wait.kind === "approval"
    ? wait.subject
    : `${verbs[wait.kind]} ${wait.subject}`
  return (
    <>
      {text !== undefined && text !== "" && (
        <span class="label clamp">
          <Foreign text={text} />
          {!isOver && waits.length > 1 && `, and ${waits.length - 1} more`}
        </span>
      )}
      {!isOver && (
        <span class="label">
          since <Time at={wait?.since ?? updatedAt} />
          {wait?.until !== undefined && (
            <>
              , until <Time at={wait.until} />
            </>
          )}
        </span>
      )}
    </>
  )
}

type Summary = typeof RunPage.Type["items"][number]

const verbs = { signal: "signal", timer: "", retry: "tries again:", operation: "works on" } as const

const isWide = matchMedia("(min-width: 45rem)").matches

const FilterForm = ({ filters }: { readonly filters: Filters }) => (
  <form
    class="filters"
    role="search"
    aria-label="Filter runs"
    onSubmit={(event) => {
      event.preventDefault()
      const entries = [...new FormData(event.currentTarget)].map(([name, value]) =>
        [name, String(value).trim()] as const
      )
      location.hash = href({ _tag: "Runs", filters: Object.fromEntries(entries) })
    }}
  >
    <Labelled label="Status">
      {(ids) => (
        <select {...ids} name="status" defaultValue={filters["status"] ?? ""}>
          <option value="">any</option>
          {Status.literals.map((status) => <option key={status} value={status}>{spaced(status)}</option>)}
        </select>
      )}
    </Labelled>
    {fields.map(({ label, name, pattern, placeholder, type }) => (
      <Labelled key={name} label={label}>
        {(ids) => {
          const shared = { ...ids, name, defaultValue: filters[name] ?? "" }
          return type === "date"
            ? <input {...shared} type="date" />
            : (
              <input
                {...shared}
                type="text"
                {...(pattern === undefined
                  ? {}
                  : { pattern, title: placeholder ?? "", placeholder: placeholder ?? "" })}
              />
            )
        }}
      </Labelled>
    ))}
    <button type="submit">Show</button>
  </form>
)

const fields: ReadonlyArray<{
  readonly name: string
  readonly label: string
  readonly type?: "date"
  readonly pattern?: string
  readonly placeholder?: string
}> = [
  { name: "program", label: "Program" },
  { name: "by", label: "Started by" },
  { name: "label", label: "Label", pattern: "[^=]+=.*", placeholder: "name=value" },
  { name: "from", label: "Started from", type: "date" },
  { name: "until", label: "Started until", type: "date" }
]
