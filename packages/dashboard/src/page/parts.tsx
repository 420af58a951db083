/**
 * Small things that all views are made of.
 */
import type { Schema } from "effect"
import type { ComponentChildren } from "preact"
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks"
import { type Failure, isUnreachable, words } from "./Client.ts"
import { instant, shown, time, visible } from "./Text.ts"

/** The heading of a view, which has the focus when the view comes up, so that reading goes on there. */
export const Heading = ({ children }: { readonly children: ComponentChildren }) => {
  const ref = useRef<HTMLHeadingElement>(null)
  useEffect(() => ref.current?.focus(), [])
  return <h1 ref={ref} tabIndex={-1}>{children}</h1>
}

/** A time where the reader is; the time of the log is told when it is pointed at. */
export const Time = ({ at }: { readonly at: number }) => (
  <time dateTime={instant(at)} title={instant(at)}>{time(at)}</time>
)

/** Text of somebody else: isolated in its direction, with nothing hidden. */
export const Foreign = ({ text }: { readonly text: string }) => <bdi>{visible(text)}</bdi>

/** So much of a value is shown at first, and so much more each time: a browser lays out a megabyte for seconds. */
const long = 4000
const more = 100_000

/** A value of somebody else, as text; a long one is opened bit by bit, unless somebody has to know all of it. */
export const Value = ({ value, whole = false }: { readonly value: Schema.Json; readonly whole?: boolean }) => {
  const text = useMemo(() => shown(value), [value])
  const [limit, setLimit] = useState(long)
  const isCut = !whole && text.length > limit
  return (
    <div class="value">
      <pre dir="auto">{isCut ? `${text.slice(0, limit).toWellFormed()}…` : text}</pre>
      {!whole && text.length > long && (
        <div class="buttons">
          {isCut && (
            <button type="button" onClick={() => setLimit(limit === long ? more : limit + more)}>
              {text.length <= more
                ? `Show all ${text.length} characters`
                : `Show more (${limit} of ${text.length} characters)`}
            </button>
          )}
          {limit > long && <button type="button" onClick={() => setLimit(long)}>Show less</button>}
        </div>
      )}
    </div>
  )
}

export const Facts = (
  { facts }: { readonly facts: ReadonlyArray<readonly [name: string, value: ComponentChildren]> }
) =>
  facts.length === 0 ? null : (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>
            <Foreign text={name} />
          </dt>
          <dd>{typeof value === "string" ? <Foreign text={value} /> : value}</dd>
        </div>
      ))}
    </dl>
  )

/** What went wrong, where it went wrong, said aloud. */
export const Problem = ({ failure, retry }: { readonly failure: Failure | undefined; readonly retry?: () => void }) =>
  failure === undefined ? null : (
    <div class="notice bad" role="alert">
      <p>
        <Foreign text={words(failure, retry === undefined)} />
      </p>
      {retry !== undefined && <button type="button" onClick={retry}>Try again</button>}
    </div>
  )

/** Why what is shown is not there, or is old. That nobody answers is said at the top of the page. */
export const LoadProblem = ({ failure, retry, value }: {
  readonly failure: Failure | undefined
  readonly retry: () => void
  readonly value: unknown
}) =>
  failure === undefined || (value !== undefined && isUnreachable(failure))
    ? null
    : <Problem failure={failure} retry={retry} />

/** A message that takes the focus, since what had it is gone. */
export const Outcome = (
  { children, tone }: { readonly children: ComponentChildren; readonly tone: "good" | "bad" | "care" }
) => {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => ref.current?.focus(), [])
  return (
    <div ref={ref} tabIndex={-1} class={`notice ${tone}`} role={tone === "bad" ? "alert" : "status"}>{children}</div>
  )
}

/** What not everybody needs; it opens when something in it keeps its form from being sent. */
export const More = ({ children, label }: { readonly label: string; readonly children: ComponentChildren }) => (
  <details onInvalidCapture={({ currentTarget }) => void (currentTarget.open = true)}>
    <summary>{label}</summary>
    {children}
  </details>
)

/** A control with its label above, and what is to be known about it below. */
export const Labelled = ({ about, children, label }: {
  readonly label: string
  readonly about?: string | undefined
  readonly children: (ids: { readonly id: string; readonly "aria-describedby"?: string }) => ComponentChildren
}) => {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>
        <Foreign text={label} />
      </label>
      {about !== undefined && (
        <p class="about" id={`${id}-about`}>
          <Foreign text={about} />
        </p>
      )}
      {children(about === undefined ? { id } : { id, "aria-describedby": `${id}-about` })}
    </div>
  )
}
