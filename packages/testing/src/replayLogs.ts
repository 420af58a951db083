/**
 * Replays stored logs with the code of today: what was recorded once must still lead to where it led.
 */
import type { Programs, Recorded, RunEvent, RunId, RunView } from "@durable-agents/core"
import { MemoryStore, RunEvent as RunEvents, RunState, Runtime } from "@durable-agents/core"
import type { Scope } from "effect"
import { Cause, Clock, Context, Duration, Effect, Exit, Layer, Result, Schema } from "effect"
import * as Difference from "./Difference.ts"
import * as LogText from "./LogText.ts"
import { settings } from "./Processes.ts"
import * as StoreCalls from "./StoreCalls.ts"
import * as VirtualTime from "./VirtualTime.ts"

/**
 * A log as `durable-agents export` and `RunEvent.toLine` write it: one JSON line an event.
 *
 * @category models
 * @since 0.1.0
 */
export interface StoredLog {
  /** What it is called in the report, such as the name of its file. */
  readonly name: string
  readonly text: string
}

/**
 * What came of one log.
 *
 * **Details**
 *
 * `ends`: the run ended, and today's code ends it in the same way. `rests`: it waits where the log ends. `goesOn`: all that is
 * recorded was replayed, and the run would go on now. `parked`: it is stuck or paused, so nothing executes it. `diverges`: the
 * log and the code do not fit.
 *
 * @category models
 * @since 0.1.0
 */
export const Replayed = Schema.Struct({
  name: Schema.String,
  events: Schema.Int,
  verdict: Schema.Literals(["ends", "rests", "goesOn", "parked", "diverges"]),
  /** In a few words. */
  detail: Schema.String
})

/**
 * @category models
 * @since 0.1.0
 */
export type Replayed = typeof Replayed.Type

/**
 * Some logs do not fit the code.
 *
 * @category errors
 * @since 0.1.0
 */
export class LogsDiverge extends Schema.TaggedError<LogsDiverge>("@durable-agents/testing/LogsDiverge")("LogsDiverge", {
  logs: Schema.Array(Replayed)
}) {
  override get message() {
    const diverging = this.logs.filter(({ verdict }) => verdict === "diverges").length
    return [`Of ${this.logs.length} logs, ${diverging} do not fit the code:`, replayReport(this.logs)].join("\n")
  }
}

/**
 * What came of logs, as a table for people.
 *
 * @category conversions
 * @since 0.1.0
 */
export const replayReport = (logs: ReadonlyArray<Replayed>): string => {
  const width = Math.max(...logs.map(({ name }) => name.length))
  return logs.map(({ detail, events, name, verdict }) =>
    `  ${name.padEnd(width)}  ${`${events}`.padStart(4)} events  ${verdict === "diverges" ? "DIVERGES: " : ""}${detail}`
  ).join("\n")
}

type Verdict = Pick<Replayed, "verdict" | "detail">

const diverges = (detail: string): Verdict => ({ verdict: "diverges", detail: detail.split("\n")[0] ?? "" })

/**
 * Replays each log over a copy of it, until the program wants to write something that is not there or comes to rest. Fails with
 * `LogsDiverge`, which has a line for each log, if one does not fit.
 *
 * **Details**
 *
 * Nothing is carried out: what would be requested is looked at and not stored. An ended run is replayed up to its end, and what
 * today's code would write there is compared with it: status, output, failure. The time is that of the last event.
 *
 * **Gotchas**
 *
 * A tool or step with a lookup of its own is looked up if the log does not know how it ended.
 *
 * @category checks
 * @since 0.1.0
 */
export const replayLogs = (options: {
  readonly logs: ReadonlyArray<StoredLog>
  /** Today's programs, with their tools and a model that is not asked anything. */
  readonly layer: Layer.Layer<never, never, Programs>
  /** How long, really, one replay may take. Default 5 seconds. */
  readonly patience?: Duration.Input
}): Effect.Effect<ReadonlyArray<Replayed>, LogsDiverge> =>
  Effect.gen(function*() {
    const logs = yield* Effect.forEach(options.logs, ({ name, text }) =>
      Effect.gen(function*() {
        const read = parse(text)
        if (Result.isFailure(read)) return { name, events: 0, ...diverges(read.failure) }
        const verdict = yield* replay(read.success, options.layer, options.patience ?? "5 seconds")
        return { name, events: read.success.length, ...verdict }
      }))
    return logs.some(({ verdict }) => verdict === "diverges") ? yield* new LogsDiverge({ logs }) : logs
  })

const parse = (text: string): Result.Result<ReadonlyArray<Recorded>, string> => {
  const events: Array<Recorded> = []
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue
    const read = RunEvents.fromLine(line)
    if (Result.isFailure(read)) return Result.fail(`line ${index + 1} is no event: ${read.failure}`)
    const runId = events[0]?.runId ?? read.success.runId
    if (read.success.runId !== runId) return Result.fail(`line ${index + 1} is of another run than the first`)
    events.push(read.success)
  }
  return Result.succeed(events)
}

/** What a replay came to: what it wanted to write first, or where it came to rest. */
type Reached =
  | { readonly _tag: "Writes"; readonly events: ReadonlyArray<RunEvent.RunEvent> }
  | { readonly _tag: "Rests"; readonly view: RunView }
  | { readonly _tag: "Fails"; readonly detail: string }

const replay = Effect.fnUntraced(function*(
  events: ReadonlyArray<Recorded>,
  layer: Layer.Layer<never, never, Programs>,
  patience: Duration.Input
) {
  const first = events[0]
  if (first === undefined) return diverges("the log is empty")
  const state = RunState.fold(RunState.initial(first.runId), events)
  if (state.problem !== undefined) return diverges(`event ${state.problem.seq}: ${state.problem.detail}`)
  if (state.started === undefined) return diverges("the log does not begin with RunStarted")
  if (state.stuck !== undefined) return { verdict: "parked", detail: `is stuck: ${state.stuck.detail}` } as const
  if (state.paused && state.end === undefined) return { verdict: "parked", detail: "is paused" } as const
  const reached = yield* reach(first.runId, state.end === undefined ? events : events.slice(0, -1), layer, patience)
  return state.end === undefined ? ofOpen(reached) : ofEnded(reached, state.end)
})

const ofOpen = (reached: Reached): Verdict => {
  switch (reached._tag) {
    case "Fails":
      return diverges(reached.detail)
    case "Rests":
      return { verdict: "rests", detail: `rests where its log ends (${reached.view.status})` }
    case "Writes":
      return { verdict: "goesOn", detail: `would go on with ${named(reached.events)}` }
  }
}

type End = NonNullable<RunState.RunState["end"]>

const ofEnded = (reached: Reached, end: End): Verdict => {
  switch (reached._tag) {
    case "Fails":
      return diverges(reached.detail)
    case "Rests":
      return diverges(`does not end (${reached.view.status}), and its log does with ${end._tag}`)
    case "Writes": {
      const [written, ...more] = reached.events
      if (written?._tag !== "RunCompleted" && written?._tag !== "RunFailed" && written?._tag !== "RunCancelled") {
        return diverges(`wants ${named(reached.events)} before its end, and its log has nothing there`)
      }
      if (more.length > 0) return diverges(`wants ${named(more)} after its end`)
      const difference = Difference.first(essence(end), essence(written))
      return difference === undefined
        ? { verdict: "ends", detail: `ends as it did (${end._tag})` }
        : diverges(`ends otherwise: ${difference.path} was ${difference.expected} and is ${difference.actual}`)
    }
  }
}

/** Usage and the wording of errors may be told better one day. */
const essence = (end: End): unknown => {
  switch (end._tag) {
    case "RunCompleted":
      return { event: end._tag, output: end.output }
    case "RunFailed":
      return { event: end._tag, reason: end.reason, failure: end.failure }
    case "RunCancelled":
      return { event: end._tag, reason: end.reason }
  }
}

const named = (events: ReadonlyArray<RunEvent.RunEvent>): string =>
  events.map((event) => "key" in event ? `${event._tag} \`${event.key}\`` : event._tag).join(", ")

const reach = (
  runId: RunId,
  events: ReadonlyArray<Recorded>,
  layer: Layer.Layer<never, never, Programs>,
  patience: Duration.Input
): Effect.Effect<Reached> =>
  Effect.gen(function*(): Effect.fn.Return<Reached, never, Scope.Scope> {
    const realClock = Clock.Clock.defaultValue()
    const time = yield* VirtualTime.make
    yield* time.clock.setTime(events.at(-1)?.at ?? 0)
    let written: ReadonlyArray<RunEvent.RunEvent> | undefined
    const reading: StoreCalls.Around = ({ append }, effect) =>
      append === undefined
        ? effect
        : Effect.suspend(() => {
          written ??= append.events
          return Effect.die("nothing is written to a copy")
        })
    const context = yield* Layer.provideMerge(layer, Runtime.layer).pipe(
      Layer.provide(StoreCalls.layer(reading)),
      Layer.provide(MemoryStore.layerOf(copy(runId, events))),
      Layer.provide(settings),
      Layer.fresh,
      Layer.build,
      Effect.provideService(Clock.Clock, time.clock)
    )
    const exit = yield* Effect.exit(Context.get(context, Runtime).execute(runId))
      .pipe(Effect.raceFirst(Effect.as(realClock.sleep(Duration.fromInputUnsafe(patience)), undefined)))
    if (written !== undefined) return ofAppend(written)
    return exit === undefined ? { _tag: "Fails", detail: "the replay comes to no end" } : ofExit(exit)
  }).pipe(Effect.scoped)

const ofExit = (exit: Exit.Exit<RunView, Error>): Reached => {
  if (Exit.isSuccess(exit)) return { _tag: "Rests", view: exit.value }
  const error = Cause.squash(exit.cause)
  return { _tag: "Fails", detail: error instanceof Error ? error.message : LogText.short(error) }
}

const ofAppend = (events: ReadonlyArray<RunEvent.RunEvent>): Reached => {
  const stuck = events.find((event) => event._tag === "RunStuck")
  return stuck === undefined ? { _tag: "Writes", events } : { _tag: "Fails", detail: stuck.detail }
}

/** A store that holds this log, given back by its last worker and due. */
const copy = (runId: RunId, events: ReadonlyArray<Recorded>): MemoryStore.Memory => {
  const memory = MemoryStore.memory()
  const { started } = RunState.fold(RunState.initial(runId), events)
  const row = {
    runId,
    namespace: started?.namespace ?? "",
    program: started?.program ?? "",
    events: events.map(({ at, epoch, event }) => ({ ...RunEvents.encode(event), at, epoch })),
    wakeAt: 0,
    owner: null,
    epoch: Math.max(0, ...events.map(({ epoch }) => epoch ?? 0)),
    outsideSeq: 0,
    summary: undefined
  }
  memory.runs.set(runId, row)
  memory.timed.add(row)
  return memory
}
