/**
 * Views of a log for people, as pure functions: the whole story, and one line an event. What comes from the log is made
 * harmless for a terminal; nothing but line breaks and the colours of the style controls it.
 */
import { type Recorded, RunState } from "@durable-agents/core"
import type { Field } from "./EventFields.ts"
import * as EventFields from "./EventFields.ts"
import * as EventLine from "./EventLine.ts"
import * as EventText from "./EventText.ts"
import * as Links from "./Links.ts"
import * as Printable from "./Printable.ts"
import * as Style from "./Style.ts"
import * as Units from "./Units.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Columns, at least 60; default 78. */
  readonly width?: number
  /** Default `Style.plain`. */
  readonly style?: Style.Style
  /** Shows also the requests to the model that were answered. */
  readonly thinking?: boolean
  /** The machine whose workers are named without it. */
  readonly here?: string
}

/**
 * The whole story of a run: what it is and has used, every event with all its fields, how it ended or what it waits for.
 *
 * **Details**
 *
 * Every line fits into the width and has no line break. Nothing is shortened: long lines go on below, where `:` stands in
 * place of the `|` at which a new line begins. Only requests to the model that were answered are left out, unless `thinking`.
 * Times are UTC. `w1`, `w2` … is the lease under which a worker wrote an event; no such mark means that it came from outside.
 * A log that breaks off anywhere is shown as far as it goes.
 *
 * @category views
 * @since 0.1.0
 */
export const lines = (events: ReadonlyArray<Recorded>, options: Options = {}): ReadonlyArray<string> => {
  const first = events[0]
  if (first === undefined) return []
  const state = RunState.fold(RunState.initial(first.runId), events)
  const page: Page = {
    width: Math.max(60, options.width ?? 78),
    style: options.style ?? Style.plain,
    here: options.here,
    seqWidth: events.reduce((widest, { seq }) => Math.max(widest, `${seq}`.length), 3),
    leaseWidth: events.reduce((widest, recorded) => Math.max(widest, lease(recorded).length), 0)
  }
  const hidden = options.thinking === true ? new Set<Recorded>() : answeredRequests(events)
  return [
    ...header(page, state, events),
    rule(page, "="),
    ...body(page, state, events, hidden),
    rule(page, "="),
    ...footer(page, state, events, hidden)
  ]
}

/**
 * One event on one line, with values beyond 160 characters shortened.
 *
 * @category views
 * @since 0.1.0
 */
export const line = (
  recorded: Recorded,
  options: { readonly note?: string } & Pick<Options, "here"> = {}
): string =>
  options.note === undefined
    ? EventLine.make(recorded, options.here)
    : `${EventLine.make(recorded, options.here)}     <- ${Printable.inline(options.note)}`

interface Page {
  readonly width: number
  readonly style: Style.Style
  readonly here: string | undefined
  readonly seqWidth: number
  readonly leaseWidth: number
}

const lease = ({ epoch }: Recorded): string => epoch === undefined ? "" : `w${epoch}`

const rule = ({ width }: Page, character: string): string => character.repeat(width)

/** Hangs the rest of a long line below its start, deeper lines included. */
const hang = (page: Page, first: string, rest: string, line: string): ReadonlyArray<string> => {
  const deep = " ".repeat(Math.min(20, line.length - line.trimStart().length))
  const room = page.width - Printable.widthOf(first) - deep.length
  return Printable
    .wrap(line.slice(deep.length), room)
    .map((piece, index) => `${index === 0 ? first : rest}${deep}${piece}`)
}

const row = (page: Page, label: string, text: string): ReadonlyArray<string> =>
  hang(page, label.padEnd(10), " ".repeat(10), text)

const header = (page: Page, state: RunState.RunState, events: ReadonlyArray<Recorded>): ReadonlyArray<string> => {
  const { started, startedAt, updatedAt, usage } = state
  const least = usage.unreportedCalls > 0 ? "at least " : ""
  const tokens = usage.inputTokens + usage.outputTokens
  const possible = usage.possible
  const leases = new Set(events.map(lease).filter((mark) => mark !== ""))
  return [
    ...row(page, "run", state.runId),
    ...row(
      page,
      "program",
      started === undefined ?
        "unknown" :
        Printable.inline(`${started.program}, version ${started.programVersion}, namespace ${started.namespace}`)
    ),
    ...row(page, "status", RunState.status(state)),
    ...row(
      page,
      "time",
      `${Units.instant(events[0]?.at ?? startedAt)} to ${Units.instant(updatedAt)}, ${
        Units.duration(updatedAt - (events[0]?.at ?? startedAt))
      }`
    ),
    ...row(
      page,
      "used",
      `${Units.counted(usage.turns, "turn")}, ${Units.counted(usage.toolCalls, "tool call")}, ${least}${
        Units.counted(tokens, "token")
      } (${Units.count(usage.inputTokens)} in, ${Units.count(usage.cachedInputTokens)} of them cached, ${
        Units.count(usage.outputTokens)
      } out), ${Units.cost(usage)}`
    ),
    ...(possible.tokens === 0 && possible.costUsd === "0" ? [] : row(
      page,
      "",
      `possibly ${
        Units.counted(possible.tokens, "token")
      } and ${possible.costUsd} USD more, in calls without a known outcome or report`
    )),
    ...row(
      page,
      "events",
      leases.size === 0
        ? `${events.length}`
        : `${events.length}, written under ${Units.counted(leases.size, "lease")} of workers (${
          Array.from(leases).join(", ")
        }) and from outside (no mark)`
    ),
    ...(state.problem === undefined ? [] : row(
      page,
      "problem",
      `from event ${state.problem.seq} on, this build cannot continue the run: ${
        Printable.inline(state.problem.detail)
      }`
    ))
  ]
}

const body = (
  page: Page,
  state: RunState.RunState,
  events: ReadonlyArray<Recorded>,
  hidden: ReadonlySet<Recorded>
): ReadonlyArray<string> => {
  const links = Links.of(events)
  let last = { date: "", lease: "", turn: "" }
  return events.flatMap((recorded, index) => {
    if (hidden.has(recorded)) return []
    const { at, event } = recorded
    const here = {
      date: `${Units.date(at)} UTC`,
      lease: recorded.epoch === undefined ? last.lease : `lease ${recorded.epoch}`,
      turn: "turn" in event ? `turn ${event.turn}` : last.turn
    }
    const changed = [
      here.date === last.date ? [] : here.date,
      here.lease === last.lease ? [] : here.lease,
      here.turn === last.turn ? [] : here.turn
    ].flat()
    last = here
    return [
      ...(changed.length === 0 ? [] : [divider(page, changed.join(" -- "))]),
      ...entry(
        page,
        recorded,
        EventText.make(event, {
          links: links[index] ?? [],
          here: page.here,
          without: event === state.end ? ["turn", ...endFields] : ["turn"]
        })
      )
    ]
  })
}

const divider = ({ style, width }: Page, text: string): string => style.strong(`-- ${text} `.padEnd(width, "-"))

const entry = (
  page: Page,
  recorded: Recorded,
  { details, facts, headline, ids, mark, tone }: EventText.EventText
): ReadonlyArray<string> => {
  const place = [
    `${recorded.seq}`.padStart(page.seqWidth),
    Units.time(recorded.at),
    ...(page.leaseWidth === 0 ? [] : [lease(recorded).padEnd(page.leaseWidth)])
  ].join("  ")
  const paint = tone === "plain" ? (text: string) => text : page.style[tone]
  const below = " ".repeat(place.length + 5)
  const margin = " ".repeat(page.seqWidth + 2)
  const room = page.width - margin.length - 3
  const said = Printable.wrap(headline, page.width - below.length)
  return [
    ...said.map((piece, index) =>
      index === 0 ? `${place}  ${paint(`${mark.padEnd(2)} ${piece}`)}` : `${below}${paint(piece)}`
    ),
    ...[...pack(facts, room), ...details, ...pack(ids, room)]
      .flatMap((line) => hang(page, `${margin}|  `, `${margin}:  `, line))
  ]
}

/** Puts as many facts on a line as there is room for. */
const pack = (facts: ReadonlyArray<string>, room: number): ReadonlyArray<string> => {
  const packed: Array<string> = []
  for (const fact of facts) {
    const longer = packed.length === 0 ? fact : `${packed.at(-1)}; ${fact}`
    if (packed.length > 0 && Printable.widthOf(longer) <= room) packed[packed.length - 1] = longer
    else packed.push(fact)
  }
  return packed
}

/** What the footer says of the end. */
const endFields: ReadonlyArray<Field> = ["output", "error", "failure", "reason"]

const footer = (
  page: Page,
  state: RunState.RunState,
  events: ReadonlyArray<Recorded>,
  hidden: ReadonlySet<Recorded>
): ReadonlyArray<string> => {
  const verdicts = events.flatMap(({ event }) => event._tag === "GuardrailTriggered" ? [event.action] : [])
  const blocking = verdicts.filter((action) => action === "BLOCK").length
  return [
    ...end(state),
    ...(verdicts.length === 0 ? [] : [`${Units.counted(verdicts.length, "guardrail verdict")}, ${blocking} blocking`]),
    ...(hidden.size === 0 ? [] : [`${Units.counted(hidden.size, "answered request")} to the model not shown`])
  ].flatMap((line) => hang(page, "", "", line))
}

const end = (state: RunState.RunState): ReadonlyArray<string> => {
  const { end } = state
  if (end?._tag === "RunCompleted") return EventFields.labelledValue("answer", end.output)
  if (end?._tag === "RunCancelled") return EventFields.labelledValue("cancelled", end.reason)
  if (end?._tag === "RunFailed") {
    return [
      ...EventFields.labelledValue(EventFields.isNamed(end.error) ? "failed" : `failed (${end.reason})`, end.error),
      ...(end.failure === undefined ? [] : EventFields.labelledValue("failure", end.failure))
    ]
  }
  const open = RunState.openPlaces(state)
  return open.length === 0
    ? [`the run is ${RunState.status(state)} and waits for nothing`]
    : ["waits for:", ...open.map((place) => `  ${waiting(place)}`)]
}

const waiting = (place: RunState.Operation | RunState.Wait): string => {
  const from = `event ${place.seq}, since ${Units.instant(place.since)}`
  switch (place._tag) {
    case "Approval":
      return `a decision on ${Printable.inline(`${place.request.subject} (${place.key})`)}, ${from}`
    case "Signal":
      return `signal ${Printable.inline(`${place.name} (${place.key})`)}, ${from}`
    case "Timer":
      return `the time ${Units.instant(place.until)} (${Printable.inline(place.key)}), ${from}`
    case "Operation": {
      const name = Printable.inline(`${place.kind} ${place.name} (${place.key})`.replace("  ", " "))
      return place.inFlight || place.wakeAt === undefined
        ? `the outcome of ${name}, attempt ${place.attempt}, ${from}`
        : `the next attempt of ${name}, due ${Units.instant(place.wakeAt)}, ${from}`
    }
  }
}

const answeredRequests = (events: ReadonlyArray<Recorded>): ReadonlySet<Recorded> => {
  const answered =
    new Set(events.flatMap(({ event }) =>
      event._tag === "LLMCallCompleted" || event._tag === "LLMCallFailed" ? [`${event.attempt} ${event.key}`] : []
    ))
  return new Set(events.filter(({ event }) =>
    event._tag === "LLMCallRequested" && answered.has(`${event.attempt} ${event.key}`)
  ))
}
