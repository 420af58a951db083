/**
 * Carries a plan out: workers come and go, stand still and wake, the server restarts, and runs are started and decided about.
 */
import type { Recorded, RunId, RunView } from "@durable-agents/core"
import { Runs } from "@durable-agents/core"
import type { Scope } from "effect"
import { Clock, Effect, Fiber, Schedule, Stream } from "effect"
import * as LogText from "../LogText.ts"
import type { Account } from "./Books.ts"
import { conduct } from "./Conductor.ts"
import { History } from "./History.ts"
import * as Orders from "./Orders.ts"
import type { Place } from "./Place.ts"
import type { Deed, Plan, PlannedRun } from "./Plan.ts"

/**
 * A server that can be stopped and started.
 *
 * @category models
 * @since 0.1.0
 */
export interface Server {
  readonly stop: (how: "fast" | "crash") => Effect.Effect<void>
  readonly start: Effect.Effect<void, unknown>
}

/** How long all runs may take to end when nothing disturbs them any more. */
const patience = "90 seconds"

/** Of a worker that is told to end. */
const drainPatience = "30 seconds"

interface Position {
  process: Orders.WorkerProcess | undefined
  generation: number
  isFrozen: boolean
}

/**
 * Everything that happened, once all runs have ended.
 *
 * @category combinators
 * @since 0.1.0
 */
export const unleash = Effect.fnUntraced(function*(
  place: Place,
  plan: Plan,
  options: { readonly workers: number; readonly slowMillis: number; readonly server?: Server | undefined }
): Effect.fn.Return<{ readonly accounts: ReadonlyArray<Account>; readonly history: History }, unknown, Scope.Scope> {
  const { ledger, orders, runs } = place
  const { server, slowMillis, workers } = options
  const history = new History()
  const told = new Set<string>()
  const positions = Array.from({ length: workers }, (): Position => ({
    process: undefined,
    generation: 0,
    isFrozen: false
  }))
  let isAway = false

  const note = (text: string) => Effect.map(Clock.currentTimeMillis, (at) => history.note(at, text))

  const employ = (index: number) =>
    Effect.gen(function*() {
      const position = positions[index]
      if (position === undefined) return
      position.generation += 1
      const worker = `${"ABCDEFGH"[index]}${position.generation}`
      const process = yield* Orders.start({ ...orders, worker, concurrency: 20, slowMillis })
      position.process = process
      yield* Effect.forkScoped(Effect.flatMap(process.gone, (how) =>
        Effect.sync(() => {
          if (!told.has(worker)) history.problems.push(`Worker ${worker} ended by itself: ${how}`)
        })))
      yield* note(`${worker} begins`)
    })

  const kill = Effect
    .fnUntraced(function*(index: number, position: Position, process: Orders.WorkerProcess, awayMillis: number) {
      position.process = undefined
      position.isFrozen = false
      told.add(process.name)
      history.trouble(process.name, { from: yield* Clock.currentTimeMillis, to: Infinity })
      history.counts.kills += 1
      yield* note(`${process.name} is killed`)
      yield* process.signal("SIGKILL")
      yield* Effect.forkScoped(Effect.andThen(Effect.sleep(awayMillis), employ(index)))
    })

  const freeze = Effect.fnUntraced(function*(position: Position, process: Orders.WorkerProcess, millis: number) {
    const isOver = history.trouble(process.name, { from: yield* Clock.currentTimeMillis, to: Infinity })
    position.isFrozen = true
    history.counts.freezes += 1
    yield* note(`${process.name} stands still for ${millis} ms`)
    yield* process.signal("SIGSTOP")
    yield* Effect.forkScoped(Effect.gen(function*() {
      yield* Effect.sleep(millis)
      yield* process.signal("SIGCONT")
      if (position.process === process) position.isFrozen = false
      isOver(yield* Clock.currentTimeMillis)
      yield* note(`${process.name} goes on`)
    }))
  })

  const drain = Effect.fnUntraced(function*(index: number, position: Position, process: Orders.WorkerProcess) {
    position.process = undefined
    told.add(process.name)
    history.counts.drains += 1
    yield* note(`${process.name} is told to end`)
    yield* process.signal("SIGTERM")
    yield* Effect.forkScoped(Effect.gen(function*() {
      const how = yield* Effect.timeoutOrElse(process.gone, {
        duration: drainPatience,
        orElse: () => Effect.succeed("still there")
      })
      yield* note(`${process.name} has ended: ${how}`)
      if (how !== 0) history.problems.push(`Worker ${process.name} was told to end: ${how}`)
      yield* employ(index)
    }))
  })

  const restart = Effect.fnUntraced(function*(server: Server, how: "fast" | "crash", awayMillis: number) {
    isAway = true
    history.counts.restarts += 1
    const isOver = history.outage({ from: yield* Clock.currentTimeMillis, to: Infinity })
    yield* note(`The server is stopped: ${how}`)
    yield* server.stop(how)
    yield* Effect.forkScoped(Effect.gen(function*() {
      yield* Effect.sleep(awayMillis)
      yield* server.start
      // Connections come back after a pause; what was sent in between counts from then on.
      isOver((yield* Clock.currentTimeMillis) + orders.leaseMillis)
      yield* note("The server is there again")
      isAway = false
    }))
  })

  const carryOut = (deed: Deed) =>
    Effect.suspend(() => {
      if (deed._tag === "Restart") {
        return server === undefined || isAway ? Effect.void : restart(server, deed.how, deed.awayMillis)
      }
      const position = positions[deed.place]
      const process = position?.process
      if (position === undefined || process === undefined || (position.isFrozen && deed._tag !== "Kill")) {
        return Effect
          .void
      }
      return Effect.andThen(
        position.isFrozen ? Effect.void : process.ready,
        deed._tag === "Kill"
          ? kill(deed.place, position, process, deed.awayMillis)
          : deed._tag === "Drain"
          ? drain(deed.place, position, process)
          : freeze(position, process, deed.millis)
      )
    })

  const ids = new Map<PlannedRun, RunId>()

  /** Twice at the same moment, as by somebody who got no answer. */
  const begin = (planned: PlannedRun) =>
    Effect.gen(function*() {
      const service = yield* Runs
      const start = planned.canonical.start(service, planned.startKey)
      const [runId, again] = yield* Effect.all([start, start], { concurrency: 2 })
      if (runId !== again) history.problems.push(`One key gave two runs, ${runId} and ${again}`)
      ids.set(planned, runId)
      return yield* conduct(runId, planned.fate, planned.delayMillis)
    }).pipe(
      Effect.retry({ while: ({ _tag }) => _tag === "StoreError", schedule: Schedule.spaced("200 millis") }),
      Effect.map((view) => ({ planned, view })),
      Effect.provide(runs)
    )

  yield* Effect.forEach(positions, (_, index) => employ(index))
  yield* Effect.forEach(positions, ({ process }) => process?.ready ?? Effect.void)
  const fibers = new Array<Fiber.Fiber<{ readonly planned: PlannedRun; readonly view: RunView }, unknown>>()
  const calm = yield* Effect.forEach(plan.runs.filter(({ after }) => after === -1), begin, { concurrency: "unbounded" })
  const beginAfter = (moves: number) =>
    Effect.forEach(
      plan.runs.filter(({ after }) => after === moves),
      (planned) => Effect.map(Effect.forkScoped(begin(planned)), (fiber) => fibers.push(fiber))
    )
  yield* beginAfter(0)
  for (const [index, { afterMillis, deed }] of plan.moves.entries()) {
    yield* Effect.sleep(afterMillis)
    yield* carryOut(deed)
    yield* beginAfter(index + 1)
  }

  const service = yield* Effect.provide(Runs, runs)
  const logOf = (runId: RunId): Effect.Effect<ReadonlyArray<Recorded>, unknown> =>
    Stream.runCollect(service.events(runId))

  const ended = yield* Fiber.joinAll(fibers).pipe(
    Effect.map((disturbed) => [...calm, ...disturbed]),
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () =>
        Effect.gen(function*() {
          const logs = yield* Effect.forEach(plan.runs, (planned) => {
            const runId = ids.get(planned)
            return runId === undefined
              ? Effect.succeed([`A run of \`${planned.canonical.name}\` was not started.`])
              : Effect.map(logOf(runId), (events) =>
                events.some(({ event }) => ends.has(event._tag)) ? [] : events.map(LogText.line))
          })
          return yield* Effect.die(["Not all runs have ended.", ...logs.flat(), ...history.lines()].join("\n"))
        })
    })
  )
  const calls = Map.groupBy(ledger.calls(), ({ runId }) => runId)
  const effects = ledger.effects()
  for (const { worker, ...span } of ledger.pauses()) history.trouble(worker, span)
  const accounts = yield* Effect.forEach(ended, ({ planned, view }) =>
    Effect.map(logOf(view.runId), (events) => ({
      planned,
      view,
      events,
      calls: calls.get(view.runId) ?? [],
      effects: effects.get(view.runId) ?? []
    })), { concurrency: 8 })
  return { accounts, history }
})

const ends: ReadonlySet<string> = new Set(["RunCompleted", "RunFailed", "RunCancelled"])
