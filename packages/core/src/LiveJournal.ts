/**
 * The live log of one run in this process: replays what is recorded, stores what is new, knows when the run is at rest.
 *
 * What the program is given goes through one gate, `pump`, one thing at a time and only when the fibers of the run have nothing
 * left to do, so that it goes on in the same order the first time and in every replay.
 */
import type { Clock, Context, Fiber, LogLevel } from "effect"
import { Duration, Effect, Exit, HashMap, Result } from "effect"
import * as AppendLine from "./AppendLine.ts"
import type { Ask } from "./Ask.ts"
import * as Asks from "./Ask.ts"
import * as CountingScheduler from "./CountingScheduler.ts"
import type { EventStore, StoreError } from "./EventStore.ts"
import type { Journal } from "./Journal.ts"
import * as JournalService from "./JournalService.ts"
import * as Metrics from "./Metrics.ts"
import * as Quiet from "./Quiet.ts"
import * as RunClock from "./RunClock.ts"
import * as RunDecision from "./RunDecision.ts"
import type { KeyMismatch } from "./RunError.ts"
import type { Recorded, RunEventOf } from "./RunEvent.ts"
import type { Owner } from "./RunQueue.ts"
import type { FailedEvent, Position, RunState } from "./RunState.ts"
import { nextAwait, wakeAt } from "./RunState.ts"

/**
 * Why this process stops executing a run.
 *
 * **Details**
 *
 * `Suspended`: it waits, and `seq` is how much of the log its program had seen. `Restart`: an outcome that the program was
 * given is not the one in the log, so it must be replayed. `PutBack`: this process cannot go on with it, another one may.
 * `Lost`: another worker has it. `Broken`: a bug in the engine, or in what it was given to build events with.
 *
 * @category models
 * @since 0.1.0
 */
export type Rest =
  | { readonly _tag: "Ended"; readonly released: boolean }
  | { readonly _tag: "Paused" | "Drained" | "Stuck" | "Lost" | "Restart" }
  | { readonly _tag: "Suspended"; readonly seq: number; readonly wakeAt: number | undefined }
  | { readonly _tag: "PutBack"; readonly detail: string }
  | { readonly _tag: "Unavailable"; readonly error: StoreError }
  | { readonly _tag: "Broken"; readonly error: unknown }

/**
 * @category models
 * @since 0.1.0
 */
export interface Settings {
  /** How long nothing must happen before a waiting run is put to rest. */
  readonly suspendAfterMillis: number
  /** A run that is due again within this time stays in memory. */
  readonly keepMillis: number
  /** How long a run may be blocked on nothing that the engine knows. */
  readonly blockedAfterMillis: number
  /** How long operations in flight may go on when a run is cancelled or shut down. */
  readonly graceMillis: number
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly store: EventStore["Service"]
  readonly owner: Owner
  readonly epoch: number
  /** The fold of the whole log. */
  readonly state: RunState
  readonly started: RunEventOf<"RunStarted">
  /** The version of the program in this process. */
  readonly version: string
  /** The clock of this process; what the log knows is the store's. */
  readonly clock: Clock.Clock
  /** The store's time minus this process's, as last seen. */
  readonly offset: { current: number }
  /** A clock that really passes, for quiet and grace. */
  readonly realClock: Clock.Clock
  readonly context: Context.Context<never>
  readonly settings: Settings
  readonly appendBytes: number
  /** The span of this execution; undefined if nobody sees it. */
  readonly traceparent: string | undefined
  /** The level at which failed attempts are logged. */
  readonly failures: LogLevel.Severity
  /** Whether the lease was confirmed less than half its length ago, and how to confirm it. */
  readonly lease: { readonly isFresh: () => boolean; readonly confirm: Effect.Effect<boolean> }
}

/**
 * @category models
 * @since 0.1.0
 */
export interface LiveJournal {
  readonly service: Journal["Service"]
  readonly scheduler: CountingScheduler.CountingScheduler
  /** The program's root fiber, once it has begun. */
  readonly attach: (root: Fiber.Fiber<unknown, unknown>) => void
  /** The program has ended by itself, in this way. */
  readonly ended: (event: RunDecision.End) => void
  /** There may be events from outside: reads on. */
  readonly poke: () => void
  /** Takes no new work, lets operations in flight end within the grace time, then leaves. */
  readonly drain: () => void
  /** The lease is gone: leaves without an append, unless the one that ends the run is on its way. */
  readonly lose: () => void
  /** Leaves at once: what is in flight has no outcome, and nothing is appended. */
  readonly leave: () => void
  readonly rest: Effect.Effect<Rest>
  readonly state: () => RunState
}

/**
 * What the journal of a run is doing.
 *
 * **Details**
 *
 * `draining`: nothing new begins, and it ends when nothing is in flight. `cancelling`: the same, because a cancel was requested.
 * `unwinding`: the root was interrupted by a cancel, and what finalizers ask for goes on. `leaving`: everything is interrupted,
 * and nothing is appended any more.
 *
 * @category models
 * @since 0.1.0
 */
export type Mode = "replaying" | "live" | "draining" | "cancelling" | "unwinding" | "leaving" | "done"

/** A program that has not ended so long after its interruption is abandoned. */
const abandonedAfterMillis = 5_000

/** How many times the quiet that suspends a run must pass before a replay counts as stuck. */
const replayPatience = 10

/**
 * Starts to execute a run: nothing of it is given to the program before the caller attaches the root fiber.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: Options): LiveJournal => {
  const { clock, context, epoch, lease, offset, realClock, settings } = options
  const runId = options.state.runId
  const run = Effect.runCallbackWith(context)

  let mode: Mode = "replaying"
  let root: Fiber.Fiber<unknown, unknown> | undefined
  let rootEnded = false
  const asks = new Map<string, Ask>()
  /** What can be given to the program, in the order of the log. */
  const deliveries: Array<Ask> = []
  const held: Array<Ask> = []
  const acting = new Set<string>()
  const sleepers = new Map<Ask, number>()
  /** Recorded places that the program has not asked for again. */
  let unasked = HashMap.size(options.state.places)
  let cancelSeen = false
  let poked = false
  let pumping = false
  let pumpPlanned = false
  let turnPlanned = false
  let activity = 0

  let rest: Rest | undefined
  let afterDraining: Rest = { _tag: "Drained" }
  let lastWord: AppendLine.Entry | undefined
  let graceTimer: (() => void) | undefined
  let graceEnd = Infinity
  /** Code and log do not fit: of what the program says nothing is recorded. */
  let sealed = false
  let alarm: { readonly at: number; readonly stop: () => void } | undefined
  let isAlarmStale = false
  const restWaiters: Array<(rest: Rest) => void> = []

  const now = (): number => clock.currentTimeMillisUnsafe() + offset.current
  const monotonic = (): number => RunClock.monotonic(realClock)
  const isOver = (): boolean => mode === "leaving" || mode === "done"

  /** A bug must end the execution visibly, never leave it hanging. */
  const guarded = (f: () => void): void => {
    const done = Result.try(f)
    if (Result.isFailure(done)) leave({ _tag: "Broken", error: done.failure })
  }

  const later = (sleeper: Clock.Clock, millis: number, f: () => void): () => void =>
    run(sleeper.sleep(Duration.millis(Math.max(0, Math.min(millis, 3_600_000)))), {
      onExit: (exit) => Exit.isSuccess(exit) ? guarded(f) : undefined
    })

  // ---- the gate ------------------------------------------------------------------------------------------------------

  const plan = (): void => {
    activity += 1
    if (pumpPlanned || mode === "done") return
    pumpPlanned = true
    queueMicrotask(pump)
  }

  const scheduler = CountingScheduler.make(plan)

  const pump = (): void => {
    pumpPlanned = false
    if (pumping) return
    pumping = true
    guarded(() => {
      while (mode !== "done" && scheduler.isIdle() && step()) activity += 1
    })
    pumping = false
    if (mode === "done") return
    if (isAlarmStale) placeAlarm()
    if (!scheduler.isIdle()) return planTurn()
    if (mode !== "replaying") line.flush()
    quiet.watch()
  }

  /** One thing that can happen while the fibers of the run have nothing to do; false if there is none. */
  const step = (): boolean => {
    if (mode === "leaving") {
      if (rootEnded && !line.isBusy()) finish()
      return false
    }
    const next = isLeavingFor("Restart") ? undefined : deliveries.shift()
    if (next !== undefined) {
      next.phase = "idle"
      give(next)
      return true
    }
    const isSettled = acting.size === 0 && !line.isBusy() && line.isEmpty()
    switch (mode) {
      case "replaying":
        return stepReplay()
      case "cancelling":
        return isSettled && unwind()
      case "unwinding":
        return releaseHeld()
      case "draining":
        return isSettled && drained()
      default:
        return false
    }
  }

  /** Nothing recorded is left to give. */
  const stepReplay = (): boolean => {
    if (rootEnded) {
      if (unasked > 0) return stuckInReplay()
      mode = "live"
      return true
    }
    if (line.state().cancel !== undefined && !cancelSeen) return beginCancel()
    return unasked === 0 && root !== undefined && goLive()
  }

  const give = (ask: Ask): void => {
    const own = ask.give
    ask.give = undefined
    own?.()
  }

  const goLive = (): boolean => {
    mode = "live"
    for (const ask of asks.values()) {
      if (ask.phase !== "doubtful") continue
      ask.phase = "idle"
      give(ask)
    }
    setAlarm()
    if (poked) poke()
    releaseHeld()
    return true
  }

  const releaseHeld = (): boolean => {
    const ready = held.splice(0)
    for (const ask of ready) {
      ask.phase = "idle"
      const go = ask.go
      ask.go = undefined
      go?.()
    }
    return ready.length > 0
  }

  /** An outcome must not wait for the store longer than one turn of the event loop, even if fibers stay busy. */
  const planTurn = (): void => {
    if (turnPlanned || line.isEmpty() || line.isBusy() || mode === "replaying") return
    turnPlanned = true
    scheduler.afterTurn(() => {
      turnPlanned = false
      if (mode !== "replaying") line.flush()
    })
  }

  const enqueue = (entry: AppendLine.Entry): void => {
    if (isOver() || sealed) return
    line.add(entry)
    plan()
  }

  // ---- events --------------------------------------------------------------------------------------------------------

  const onEvent = (recorded: Recorded, before: RunState): void => {
    const { epoch, event } = recorded
    if (epoch === options.epoch) Metrics.recorded(context, options.started.program, recorded, before)
    const key = event._tag === "SignalReceived"
      ? nextAwait(before, event.name)
      : "key" in event
      ? event.key
      : undefined
    const ask = key === undefined ? undefined : asks.get(key)
    const position = ask === undefined ? undefined : Asks.positionAt(line.state(), ask.key)
    if (ask !== undefined && position !== undefined) {
      if (ask.phase === "waiting") due(ask, position)
      // Somebody else said how an operation ended that is under way here.
      else if (epoch === undefined && ask.request !== undefined) restart()
    }
    switch (event._tag) {
      case "RunCancelRequested":
        if (mode === "live" || mode === "draining") beginCancel()
        return
      case "RunPaused":
        return line.state().cancel === undefined ? drainTo({ _tag: "Paused" }, Infinity) : undefined
      case "UnknownEvent":
        return putBack(event.problem)
      case "TimerStarted":
      case "TimerFired":
      case "ApprovalRequested":
        return setAlarm()
    }
  }

  const due = (ask: Ask, position: Position | undefined): void => {
    ask.phase = "due"
    ask.position = position
    sleepers.delete(ask)
    Asks.insert(deliveries, ask)
    plan()
  }

  const onTime = (at: number): void => {
    const difference = at - clock.currentTimeMillisUnsafe()
    offset.current = Math.abs(difference - offset.current) < 1000
      ? Math.max(difference, offset.current)
      : difference
  }

  const line = AppendLine.make({
    store: options.store,
    owner: options.owner,
    epoch,
    state: options.state,
    appendBytes: options.appendBytes,
    context,
    realClock,
    now,
    isFresh: lease.isFresh,
    traceparent: options.traceparent,
    onEvent,
    onTime,
    onRefused: (error) => mismatch(error),
    onAnswer: plan,
    onClosed: (why) => {
      if (isOver()) return plan()
      leave(why._tag === "Ended" ? { _tag: "Ended", released: why.here } : why)
    }
  })

  // ---- time ----------------------------------------------------------------------------------------------------------

  /** What is due first is looked for once, however much has changed: that takes as long as much is waited for. */
  const setAlarm = (): void => {
    isAlarmStale = true
    plan()
  }

  const placeAlarm = (): void => {
    isAlarmStale = false
    if (mode === "replaying" || isOver()) return
    const isCancelled = line.state().cancel !== undefined
    let earliest = isCancelled ? undefined : wakeAt(line.state())
    for (const at of sleepers.values()) {
      if ((mode === "unwinding" || !isCancelled) && (earliest === undefined || at < earliest)) earliest = at
    }
    if (earliest === alarm?.at) return
    alarm?.stop()
    alarm = undefined
    if (earliest === undefined) return
    // A clock may ring at once, before `later` returns.
    const own = { at: earliest, stop: () => {} }
    alarm = own
    own.stop = later(clock, earliest - now(), ring)
  }

  const ring = (): void => {
    alarm = undefined
    const time = now()
    for (const [ask, at] of sleepers) {
      if (at > time) continue
      sleepers.delete(ask)
      ask.phase = "idle"
      give(ask)
    }
    const first = wakeAt(line.state())
    if (first !== undefined && first <= time && line.state().cancel === undefined) {
      enqueue({ decide: RunDecision.fireDue(time), bytes: 256, stored: setAlarm })
    } else {
      setAlarm()
    }
    plan()
  }

  // ---- coming to rest ------------------------------------------------------------------------------------------------

  const quiet = Quiet.make({
    afterMillis: settings.suspendAfterMillis,
    now: monotonic,
    later: (millis, f) => later(realClock, millis, f),
    isQuiet: () =>
      scheduler.isIdle() && !line.isBusy() && line.isEmpty() && deliveries.length === 0 &&
      acting.size === 0 && !rootEnded && root !== undefined && (mode === "replaying" || mode === "live"),
    activity: () => activity + scheduler.ran(),
    onQuiet: (passed) => mode === "replaying" ? onQuietReplay(passed) : onQuietRun(passed)
  })

  const onQuietReplay = (passed: number): number | undefined => {
    const patience = replayPatience * settings.suspendAfterMillis
    if (passed < patience) return patience - passed
    stuckInReplay()
    return undefined
  }

  const onQuietRun = (passed: number): number | undefined => {
    // A choice between branches is no wait, nor is what the log has closed: nothing from outside could end them.
    const isWaiting = Array.from(line.state().open).some((key) => asks.get(key)?.phase === "waiting")
    if (!isWaiting) {
      if (passed < settings.blockedAfterMillis) return settings.blockedAfterMillis - passed
      stick({
        reason: "blocked",
        detail: "the program waits for something that the log does not know; such work belongs inside a step"
      })
      return undefined
    }
    const dueAt = wakeAt(line.state())
    // The store's clock may have been set forward after the alarm was.
    if (dueAt !== undefined && dueAt <= now()) {
      alarm?.stop()
      ring()
    }
    if (dueAt !== undefined && dueAt - now() <= settings.keepMillis) return settings.suspendAfterMillis
    leave({ _tag: "Suspended", seq: line.state().seq, wakeAt: dueAt })
    return undefined
  }

  /** Nothing recorded is left to give, and the program has not asked for all of it: code and log do not fit. */
  const stuckInReplay = (): boolean => {
    const missing = Array.from(HashMap.values(line.state().places))
      .filter((place) => !asks.has(place.key))
      .sort((left, right) => left.seq - right.seq)[0]
    const holder = held[0]
    stick({
      reason: "replay",
      detail: missing === undefined
        ? "the program does not come to where its log ends"
        : `the log holds \`${missing.key}\`, and the program does not ask for it`,
      ...(missing === undefined ? {} : { key: missing.key }),
      ...(holder === undefined ? {} : { heldBy: holder.key })
    })
    return false
  }

  /** Where code and log do not fit, whether it may be the wrong code. */
  const withVersions = (
    stuck: Omit<RunEventOf<"RunStuck">, "_tag">
  ): Omit<RunEventOf<"RunStuck">, "_tag"> => {
    const { started: { programVersion }, version } = options
    const isMisfit = stuck.reason === "replay" || stuck.reason === "keyMismatch"
    if (!isMisfit || version === programVersion) return stuck
    const detail =
      `${stuck.detail}; the run was started with version \`${programVersion}\` of its program, and this process has \`${version}\``
    return { ...stuck, detail }
  }

  const stick = (reason: Omit<RunEventOf<"RunStuck">, "_tag">): void => {
    const stuck = withVersions(reason)
    for (const ask of held.splice(0)) ask.phase = "idle"
    if (mode === "replaying") {
      line.clear()
      sealed = true
    }
    drainTo({ _tag: "Stuck" }, settings.graceMillis, { decide: RunDecision.stick(stuck), bytes: 1024 })
  }

  const isLeavingFor = (tag: Rest["_tag"]): boolean => mode === "draining" && afterDraining._tag === tag

  /** Gives the program nothing more, and records what is in flight, so that its replay finds it. */
  const restart = (): void => drainTo({ _tag: "Restart" }, settings.graceMillis)

  /** While a log is replayed nothing is in flight that could need time to end. */
  const putBack = (detail: string): void => {
    const to: Rest = { _tag: "PutBack", detail }
    return mode === "replaying" ? leave(to) : drainTo(to, settings.graceMillis)
  }

  const mismatch = (error: KeyMismatch): void => stick({ reason: "keyMismatch", key: error.key, detail: error.message })

  /** The first reason stands; the time that it leaves to operations in flight can only become shorter. */
  const drainTo = (to: Rest, graceMillis: number, last?: AppendLine.Entry): void => {
    if (isOver()) return
    if (mode !== "draining") {
      mode = "draining"
      afterDraining = to
      lastWord = last
      graceEnd = Infinity
    }
    const end = monotonic() + graceMillis
    if (end < graceEnd) {
      graceEnd = end
      grace(graceMillis, "draining", () => acting.clear())
    }
    plan()
  }

  const grace = (millis: number, during: Mode, f: () => void): void => {
    graceTimer?.()
    graceTimer = later(realClock, millis, () => {
      if (mode !== during) return
      f()
      plan()
    })
  }

  const drained = (): boolean => {
    if (lastWord === undefined) leave(afterDraining)
    else line.add(lastWord)
    lastWord = undefined
    return false
  }

  const beginCancel = (): boolean => {
    cancelSeen = true
    mode = "cancelling"
    setAlarm()
    grace(settings.graceMillis, "cancelling", unwind)
    plan()
    return true
  }

  const unwind = (): boolean => {
    mode = "unwinding"
    grace(settings.graceMillis, "unwinding", () => end({ _tag: "RunCancelled" }))
    root?.interruptUnsafe()
    for (const ask of asks.values()) {
      if (ask.phase === "waiting" || ask.phase === "doubtful") interruptAsk(ask)
    }
    plan()
    return true
  }

  const end = (event: RunDecision.End): void => enqueue({ decide: RunDecision.end(event), bytes: 1024, ends: true })

  /** Interrupts the root first, then everything that blocks: an uninterruptible region would never see the first. */
  const leave = (to: Rest): void => {
    if (isOver()) return
    mode = "leaving"
    rest = to
    line.clear()
    held.length = 0
    alarm?.stop()
    graceTimer?.()
    quiet.stop()
    root?.interruptUnsafe()
    for (const ask of asks.values()) interruptAsk(ask)
    if (root === undefined) rootEnded = true
    grace(abandonedAfterMillis, "leaving", () => {
      run(Effect.logWarning(`Run ${runId} did not end within 5 s after its interruption and was abandoned`))
      finish()
    })
    plan()
  }

  /** The queue knows nothing any more of a run whose end it has stored; the answer to that is given time to come. */
  const lose = (): void => {
    const gone = () => leave({ _tag: "Lost" })
    if (!line.isEnding()) return gone()
    later(realClock, settings.graceMillis, gone)
  }

  const interruptAsk = (ask: Ask): void => {
    const resume = ask.resume
    ask.resume = undefined
    ask.phase = "idle"
    sleepers.delete(ask)
    resume?.(Effect.interrupt)
  }

  const finish = (): void => {
    if (mode === "done" || rest === undefined) return
    mode = "done"
    line.close()
    graceTimer?.()
    for (const waiter of restWaiters.splice(0)) waiter(rest)
  }

  /** The fiber that asked was interrupted by its program. */
  const drop = (ask: Ask): void => {
    ask.resume = undefined
    if (isOver()) return
    const phase = ask.phase
    ask.phase = "idle"
    if (phase === "due") Asks.remove(deliveries, ask)
    if (phase === "held") Asks.remove(held, ask)
    if (phase === "queued") ask.withdraw?.()
    if (phase === "stored") ask.dropped = true
    sleepers.delete(ask)
    if (phase === "doubtful" || (phase === "waiting" && ask.request === undefined)) abandon(ask, true)
  }

  /** Closes, in the log, what the program does not wait for any more. */
  const abandon = (ask: Ask, hasActed: boolean): void => {
    const request = ask.request
    enqueue(request === undefined
      ? { decide: RunDecision.abandon(ask.key), bytes: 128 }
      : { decide: RunDecision.interrupt(request, hasActed), bytes: 512 })
  }

  const failed = ({ attempt, error, final, key, outcome, reason, wakeAtMillis }: FailedEvent): void => {
    if (reason === "Interrupted") return
    const unknown = outcome === "unknown" ? ", its outcome is not known" : ""
    const again = wakeAtMillis === undefined
      ? ""
      : `; again in ${Duration.format(Duration.millis(Math.max(0, Math.round(wakeAtMillis - now()))))}`
    run(Effect
      .logWithLevel(options
        .failures)(
          `Run ${runId}: \`${key}\` attempt ${attempt} failed (${reason}${unknown})${
            final ? "; not tried again" : again
          }`,
          error
        ).pipe(Effect.annotateLogs({ key })))
  }

  const service = JournalService.make({
    options,
    failed,
    asks,
    sleepers,
    line,
    now,
    mode: () => mode,
    isOver,
    enqueue,
    due,
    drop,
    abandon,
    interruptAsk,
    setAlarm,
    mismatch,
    stick,
    putBack,
    restart,
    lose: () => leave({ _tag: "Lost" }),
    plan,
    asked: () => {
      unasked -= 1
    },
    hold: (ask, go) => {
      ask.phase = "held"
      ask.go = go
      held.push(ask)
    },
    acting: (key) => {
      acting.add(key)
      return () => {
        acting.delete(key)
        plan()
      }
    }
  })

  const poke = (): void => {
    poked = mode === "replaying"
    if (!poked && !isOver()) line.read()
  }

  return {
    service,
    scheduler,
    attach: (fiber) => {
      root = fiber
      fiber.addObserver(() => {
        rootEnded = true
        plan()
      })
      plan()
    },
    ended: (event) => isLeavingFor("Stuck") ? undefined : end(event),
    poke,
    // While a log is replayed nothing is in flight, and nothing that the program then says has been checked against it.
    drain: () => mode === "replaying" ? leave({ _tag: "Drained" }) : drainTo({ _tag: "Drained" }, settings.graceMillis),
    lose,
    leave: () => leave({ _tag: "Drained" }),
    rest: Effect.callback<Rest>((resume) => {
      if (mode === "done" && rest !== undefined) return resume(Effect.succeed(rest))
      restWaiters.push((to) => resume(Effect.succeed(to)))
    }),
    state: line.state
  }
}
