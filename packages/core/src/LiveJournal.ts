/**
 * The live log of one run in this process: replays what is recorded, stores what is new, knows when the run is at rest.
 *
 * Everything a program asks for ends up in one of three places: `recorded` (in the log, to be given in its turn), `held` (new,
 * not yet allowed) or `queue` (decisions on their way into the log). What the program is given goes through one gate, `pump`,
 * one thing at a time and only when the fibers of the run have nothing left to do, so that it goes on in the same order the
 * first time and in every replay.
 */
import type { Clock, Context, Fiber } from "effect"
import { Duration, Effect, Exit, HashMap, Option, Result, Schema, Stream } from "effect"
import * as CountingScheduler from "./CountingScheduler.ts"
import type { Append, EventStore, StoreError } from "./EventStore.ts"
import type { RunId } from "./Ids.ts"
import type { Answer, Journal } from "./Journal.ts"
import type { AlreadySettled, Decision, KeyMismatch, Request, RunClosed, WaitClosed } from "./RunDecision.ts"
import * as RunDecision from "./RunDecision.ts"
import type { Recorded, RunEvent, RunEventOf } from "./RunEvent.ts"
import { encode } from "./RunEvent.ts"
import { summarize } from "./RunIndex.ts"
import * as Payload from "./Payload.ts"
import type { Owner } from "./RunQueue.ts"
import type { CompletedEvent, FailedEvent, Place, RunState } from "./RunState.ts"
import { comparePositions, evolve, isEnded, placeAt, wakeAt } from "./RunState.ts"

/**
 * Why this process stops executing a run.
 *
 * **Details**
 *
 * `Suspended`: it waits, and `seq` is how much of the log its program had seen. `Restart`: an outcome that the program was
 * given is not the one in the log, so it must be replayed. `Lost`: another worker has it.
 *
 * @category models
 * @since 0.1.0
 */
export type Rest =
  | { readonly _tag: "Ended"; readonly released: boolean }
  | { readonly _tag: "Paused" | "Drained" | "Stuck" | "Lost" | "Restart" }
  | { readonly _tag: "Suspended"; readonly seq: number; readonly wakeAt: number | undefined }
  | { readonly _tag: "Unreadable"; readonly detail: string }
  | { readonly _tag: "Unavailable"; readonly error: StoreError }

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
  /** The clock of this process; what the log knows is the store's. */
  readonly clock: Clock.Clock
  /** The store's time minus this process's, as last seen. */
  readonly offset: { current: number }
  /** A clock that really passes, for quiet and grace. */
  readonly realClock: Clock.Clock
  readonly context: Context.Context<never>
  readonly settings: Settings
  readonly appendBytes: number
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
  /** The lease is gone: leaves without an append. */
  readonly lose: () => void
  /** Leaves at once: what is in flight has no outcome, and nothing is appended. */
  readonly leave: () => void
  readonly rest: Effect.Effect<Rest>
  readonly state: () => RunState
}

type Mode =
  | "replaying"
  | "live"
  /** Nothing new begins; ends when nothing is in flight. */
  | "draining"
  /** The same, because a cancel was requested. */
  | "cancelling"
  /** The root was interrupted by a cancel; what finalizers ask for goes on. */
  | "unwinding"
  /** Everything is interrupted; nothing is appended any more. */
  | "leaving"
  | "done"

interface Ask {
  readonly key: string
  readonly request: Request | undefined
  phase: "new" | "recorded" | "held" | "queued" | "stored" | "doubtful" | "waiting" | "due" | "idle"
  /** Resumes the fiber that blocks on this key. */
  resume: ((effect: Effect.Effect<never>) => void) | undefined
  /** What the fiber is given in its turn. */
  give: (() => void) | undefined
  /** What makes a held ask go on. */
  go: (() => void) | undefined
  /** The fiber left while its request was on its way into the log. */
  dropped: boolean
}

interface Queued {
  readonly decide: Decision<RunClosed | KeyMismatch | AlreadySettled | WaitClosed>
  readonly stored?: (() => void) | undefined
  readonly refused?: ((error: AlreadySettled) => void) | undefined
  readonly ask?: Ask | undefined
  readonly bytes: number
  readonly ends?: boolean
}

const shortRead = 256

const ended = (released: boolean): Rest => ({ _tag: "Ended", released })

/**
 * Starts to execute a run: nothing of it is given to the program before the caller attaches the root fiber.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: Options): LiveJournal => {
  const { clock, context, epoch, lease, offset, realClock, settings, started, store } = options
  const runId: RunId = options.state.runId
  const run = Effect.runCallbackWith(context)

  let state = options.state
  let mode: Mode = "replaying"
  let root: Fiber.Fiber<unknown, unknown> | undefined
  let rootEnded = false
  const asks = new Map<string, Ask>()
  const recordedAsks: Array<Ask> = []
  const deliveries: Array<Ask> = []
  const held: Array<Ask> = []
  let queue: Array<Queued> = []
  let storing = false
  let poked = false
  const actingKeys = new Set<string>()
  /** Recorded places that the program has not asked for again. */
  let unasked = HashMap.size(state.places)
  let cancelSeen = false
  let pumping = false
  let pumpPlanned = false
  let turnPlanned = false
  let activity = 0

  let rest: Rest | undefined
  let afterwards: Rest | undefined
  let lastWord: Queued | undefined
  let restWaiters: Array<(rest: Rest) => void> = []

  const now = (): number => clock.currentTimeMillisUnsafe() + offset.current

  const later = (sleeper: Clock.Clock, millis: number, f: () => void): () => void =>
    run(sleeper.sleep(Duration.millis(Math.max(0, Math.min(millis, 3_600_000)))), {
      onExit: (exit) => {
        if (Exit.isSuccess(exit)) f()
      }
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
    while (mode !== "done" && scheduler.isIdle() && step()) activity += 1
    pumping = false
    if (mode === "done") return
    if (!scheduler.isIdle()) return planTurn()
    flush()
    watchQuiet()
  }

  /** One thing that can happen while the fibers of the run have nothing to do; false if there is none. */
  const step = (): boolean => {
    if (mode === "leaving") {
      if (rootEnded && !storing) finish()
      return false
    }
    const next = recordedAsks.shift() ?? deliveries.shift()
    if (next !== undefined) {
      next.phase = "idle"
      next.give?.()
      return true
    }
    switch (mode) {
      case "replaying":
        if (rootEnded) return unasked > 0 ? neverAsked() : goOn()
        if (state.cancel !== undefined && !cancelSeen) return beginCancel()
        return unasked === 0 && root !== undefined ? goLive() : false
      case "cancelling":
        return actingKeys.size === 0 && !storing && queue.length === 0 ? unwind() : false
      case "unwinding":
        return releaseHeld()
      case "draining":
        return actingKeys.size === 0 && !storing && queue.length === 0 ? drained() : false
      default:
        return false
    }
  }

  /** The program ended before it asked for everything that its log holds. */
  const neverAsked = (): boolean => {
    stuckInReplay()
    return false
  }

  const goOn = (): boolean => {
    mode = "live"
    return true
  }

  const goLive = (): boolean => {
    mode = "live"
    const doubtful = Array.from(asks.values()).filter((ask) => ask.phase === "doubtful")
    for (const ask of doubtful) {
      ask.phase = "idle"
      ask.give?.()
    }
    setAlarm()
    if (poked) read()
    return releaseHeld() || doubtful.length > 0
  }

  const releaseHeld = (): boolean => {
    const ready = held.splice(0)
    for (const ask of ready) ask.go?.()
    return ready.length > 0
  }

  /** An outcome must not wait for the store longer than one turn of the event loop, even if fibers stay busy. */
  const planTurn = (): void => {
    if (turnPlanned || queue.length === 0 || storing) return
    turnPlanned = true
    scheduler.afterTurn(() => {
      turnPlanned = false
      flush()
    })
  }

  // ---- storing -------------------------------------------------------------------------------------------------------

  const enqueue = (queued: Queued): void => {
    if (mode === "done" || mode === "leaving") return
    queue.push(queued)
    plan()
  }

  const flush = (): void => {
    if (storing || queue.length === 0 || mode === "replaying" || mode === "done") return
    let bytes = 0
    let count = 0
    for (const queued of queue) {
      bytes += queued.bytes
      if (count > 0 && bytes > options.appendBytes) break
      count += 1
    }
    const batch = queue.splice(0, count)
    storing = true
    for (const queued of batch) if (queued.ask?.phase === "queued") queued.ask.phase = "stored"
    store_(batch, 0)
  }

  const store_ = (batch: ReadonlyArray<Queued>, failures: number): void => {
    const answers: Array<() => void> = []
    const events: Array<RunEvent> = []
    let next = state
    for (const queued of batch) {
      const decided = queued.decide(next)
      if (Result.isSuccess(decided)) {
        for (const event of decided.success) {
          next = evolve(next, { runId, seq: next.seq, at: now(), epoch, event })
          events.push(event)
        }
        if (queued.stored !== undefined) answers.push(queued.stored)
      } else {
        answers.push(() => refused(queued, decided.failure))
      }
    }
    if (events.length === 0) return answered(answers)
    const ends = batch.some((queued) => queued.ends === true)
    const append: Append = {
      expected: state.seq,
      epoch,
      events,
      ...(ends
        ? { next: { wakeAt: null, release: options.owner, ...withSummary(next) } }
        : events.some(concernsIndex)
        ? { next: withSummary(next) }
        : {})
    }
    run(store.append(runId, append), {
      onExit: (exit) => {
        if (Exit.isSuccess(exit)) {
          seen(exit.value.at)
          for (const event of events) apply({ runId, seq: state.seq, at: exit.value.at, epoch, event })
          return answered(answers)
        }
        const error = Exit.findErrorOption(exit)
        if (Option.isSome(error) && error.value._tag === "SequenceConflict") return catchUp(batch, append)
        if (Option.isSome(error) && failures < 8 && lease.isFresh()) {
          return void later(realClock, Math.min(1000, 25 * 2 ** failures), () => store_(batch, failures + 1))
        }
        storing = false
        queue = []
        if (Option.isSome(error) && error.value._tag === "StoreError") {
          leave({ _tag: "Unavailable", error: error.value })
        } else leave({ _tag: "Lost" })
      }
    })
  }

  const withSummary = (next: RunState) => {
    const summary = summarize(next)
    return summary === undefined ? {} : { summary }
  }

  /** Someone else was first: folds what is new, and decides the same things again. */
  const catchUp = (batch: ReadonlyArray<Queued>, append: Append): void => {
    run(Stream.runCollect(store.read(runId, state.seq)), {
      onExit: (exit) => {
        if (!Exit.isSuccess(exit)) {
          storing = false
          return leave({ _tag: "Lost" })
        }
        const tail = exit.value
        if (isOurs(tail, append)) {
          for (const recorded of tail) apply(recorded)
          return answered(batch.flatMap(({ stored }) => stored === undefined ? [] : [stored]))
        }
        for (const recorded of tail) apply(recorded)
        if (state.epoch > epoch || isEnded(state)) {
          storing = false
          return leave(isEnded(state) ? ended(false) : { _tag: "Lost" })
        }
        store_(batch, 0)
      }
    })
  }

  /** The first answer of the store was lost, and the append it speaks of is our own. */
  const isOurs = (tail: ReadonlyArray<Recorded>, append: Append): boolean =>
    tail.length >= append.events.length && append.events.every((event, index) => {
      const recorded = tail[index]
      return recorded?.epoch === epoch && encode(recorded.event).payload === encode(event).payload
    })

  const answered = (answers: ReadonlyArray<() => void>): void => {
    storing = false
    activity += 1
    for (const answer of answers) answer()
    if (mode !== "done" && isEnded(state)) leave(ended(true))
    if (poked && mode !== "replaying") read()
    plan()
  }

  const refused = (queued: Queued, error: RunClosed | KeyMismatch | AlreadySettled | WaitClosed): void => {
    switch (error._tag) {
      case "AlreadySettled":
        return queued.refused?.(error)
      case "KeyMismatch":
        return mismatch(error)
      case "RunClosed":
        return isEnded(state) ? leave(ended(false)) : undefined
      case "WaitClosed":
        return
    }
  }

  const seen = (at: number): void => {
    const difference = at - clock.currentTimeMillisUnsafe()
    offset.current = Math.abs(difference - offset.current) < 1000
      ? Math.max(difference, offset.current)
      : difference
  }

  const read = (): void => {
    poked = true
    if (storing || mode === "replaying" || mode === "leaving" || mode === "done") return
    poked = false
    storing = true
    run(Stream.runCollect(Stream.take(store.read(runId, state.seq), shortRead)), {
      onExit: (exit) => {
        storing = false
        if (Exit.isSuccess(exit)) {
          for (const recorded of exit.value) apply(recorded)
          if (exit.value.length === shortRead) poked = true
        }
        if (state.epoch > epoch) return leave({ _tag: "Lost" })
        if (isEnded(state)) return leave(ended(false))
        if (poked) read()
        plan()
      }
    })
  }

  // ---- events --------------------------------------------------------------------------------------------------------

  const apply = (recorded: Recorded): void => {
    const { event } = recorded
    const answeredKey = event._tag === "SignalReceived"
      ? firstAwaiting(event.name)
      : "key" in event
      ? event.key
      : undefined
    state = evolve(state, recorded)
    if (answeredKey !== undefined) {
      const ask = asks.get(answeredKey)
      if (ask?.phase === "waiting" && isAnswered(placeAt(state, answeredKey))) due(ask)
    }
    switch (event._tag) {
      case "RunCancelRequested":
        if (mode === "live" || mode === "draining") beginCancel()
        return
      case "RunPaused":
        return drainTo({ _tag: "Paused" }, Infinity)
      case "UnknownEvent":
        return drainTo({ _tag: "Unreadable", detail: event.problem }, settings.graceMillis)
      case "TimerStarted":
      case "ApprovalRequested":
      case "TimerFired":
        return setAlarm()
    }
  }

  const firstAwaiting = (name: string): string | undefined =>
    Option.getOrUndefined(HashMap.get(state.signals, name))?.awaiting[0]

  const due = (ask: Ask): void => {
    ask.phase = "due"
    deliveries.push(ask)
    plan()
  }

  // ---- time ----------------------------------------------------------------------------------------------------------

  const sleepers = new Map<Ask, number>()
  let alarm: { readonly at: number; readonly stop: () => void } | undefined

  const setAlarm = (): void => {
    if (mode === "replaying" || mode === "leaving" || mode === "done") return
    let earliest = state.cancel === undefined ? wakeAt(state) : undefined
    for (const at of sleepers.values()) if (earliest === undefined || at < earliest) earliest = at
    if (earliest === alarm?.at) return
    alarm?.stop()
    alarm = earliest === undefined ? undefined : { at: earliest, stop: later(clock, earliest - now(), ring) }
  }

  const ring = (): void => {
    alarm = undefined
    const time = now()
    for (const [ask, at] of sleepers) {
      if (at > time) continue
      sleepers.delete(ask)
      ask.phase = "idle"
      ask.give?.()
    }
    const timely = wakeAt(state)
    if (timely !== undefined && timely <= time && state.cancel === undefined) {
      enqueue({ decide: RunDecision.fireDue(time), bytes: 256, stored: setAlarm })
    } else {
      setAlarm()
    }
    plan()
  }

  // ---- coming to rest ------------------------------------------------------------------------------------------------

  let quiet: { readonly since: number; readonly activity: number; readonly ran: number } | undefined
  let quietTimer: (() => void) | undefined
  const real = (): number => Number(realClock.monotonicTimeNanosUnsafe() / 1_000_000n)

  const isQuiet = (): boolean =>
    scheduler.isIdle() && !storing && queue.length === 0 && deliveries.length === 0 && recordedAsks.length === 0 &&
    actingKeys.size === 0 && !rootEnded && root !== undefined && (mode === "replaying" || mode === "live")

  const watchQuiet = (): void => {
    if (!isQuiet()) {
      quiet = undefined
      return
    }
    if (quiet?.activity !== activity || quiet.ran !== scheduler.ran()) {
      quiet = { since: real(), activity, ran: scheduler.ran() }
    }
    quietTimer ??= later(realClock, settings.suspendAfterMillis, checkQuiet)
  }

  const checkQuiet = (): void => {
    quietTimer = undefined
    const before = quiet
    if (mode === "done" || mode === "leaving") return
    watchQuiet()
    if (quiet === undefined || quiet !== before) return
    const passed = real() - quiet.since
    if (passed < settings.suspendAfterMillis) return wait_(settings.suspendAfterMillis - passed)
    if (mode === "replaying") return stuckInReplay()
    const waits = Array.from(asks.values()).some(({ phase }) => phase === "waiting")
    if (!waits) {
      return passed < settings.blockedAfterMillis
        ? wait_(settings.blockedAfterMillis - passed)
        : stick({
          reason: "blocked",
          detail: "the program waits for something that the log does not know; such work belongs inside a step"
        })
    }
    const dueAt = wakeAt(state)
    if (dueAt !== undefined && dueAt - now() <= settings.keepMillis) return wait_(settings.suspendAfterMillis)
    leave({ _tag: "Suspended", seq: state.seq, wakeAt: dueAt })
  }

  const wait_ = (millis: number): void => {
    quietTimer?.()
    quietTimer = later(realClock, millis, checkQuiet)
  }

  /** Nothing recorded is left to give, and the program has not asked for all of it: code and log do not fit. */
  const stuckInReplay = (): void => {
    const missing = Array.from(HashMap.values(state.places))
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
  }

  const stick = (stuck: Omit<RunEventOf<"RunStuck">, "_tag">): void => {
    for (const ask of held) ask.phase = "idle"
    held.length = 0
    if (mode === "replaying") queue = []
    drainTo({ _tag: "Stuck" }, settings.graceMillis, { decide: RunDecision.stick(stuck), bytes: 1024 })
  }

  const mismatch = (error: KeyMismatch | AlreadySettled): void =>
    error._tag === "AlreadySettled"
      ? leave({ _tag: "Restart" })
      : stick({ reason: "keyMismatch", key: error.key, detail: error.message })

  let graceTimer: (() => void) | undefined

  const drainTo = (to: Rest, graceMillis: number, last?: Queued): void => {
    if (mode === "leaving" || mode === "done" || mode === "draining") return
    mode = "draining"
    afterwards = to
    lastWord = last
    if (Number.isFinite(graceMillis)) {
      graceTimer?.()
      graceTimer = later(realClock, graceMillis, () => {
        if (mode === "draining") {
          actingKeys.clear()
          plan()
        }
      })
    }
    plan()
  }

  const drained = (): boolean => {
    const last = lastWord
    lastWord = undefined
    if (last !== undefined) {
      queue.push(last)
      flush()
      return false
    }
    leave(afterwards ?? { _tag: "Drained" })
    return false
  }

  const beginCancel = (): boolean => {
    cancelSeen = true
    mode = "cancelling"
    alarm?.stop()
    alarm = undefined
    graceTimer?.()
    graceTimer = later(realClock, settings.graceMillis, () => {
      if (mode === "cancelling") unwind()
    })
    plan()
    return true
  }

  const unwind = (): boolean => {
    mode = "unwinding"
    graceTimer?.()
    graceTimer = later(realClock, settings.graceMillis, () => {
      if (mode === "unwinding" && !rootEnded) end({ _tag: "RunCancelled" })
    })
    root?.interruptUnsafe()
    for (const ask of asks.values()) {
      if (ask.phase === "waiting" || ask.phase === "doubtful") interruptAsk(ask)
    }
    plan()
    return true
  }

  const interruptAsk = (ask: Ask): void => {
    const resume = ask.resume
    ask.resume = undefined
    ask.phase = "idle"
    sleepers.delete(ask)
    resume?.(Effect.interrupt)
  }

  const end = (event: RunDecision.End): void => {
    enqueue({ decide: RunDecision.end(event), bytes: 1024, ends: true })
  }

  /** Interrupts the root first, then everything that blocks: an uninterruptible region would never see the first. */
  const leave = (to: Rest): void => {
    if (mode === "leaving" || mode === "done") return
    mode = "leaving"
    rest = to
    queue = []
    held.length = 0
    alarm?.stop()
    graceTimer?.()
    quietTimer?.()
    root?.interruptUnsafe()
    for (const ask of asks.values()) interruptAsk(ask)
    if (root === undefined) rootEnded = true
    graceTimer = later(realClock, 5_000, () => {
      if (mode !== "leaving") return
      run(Effect.logWarning(`Run ${runId} did not end within 5 s after its interruption and was abandoned`))
      rootEnded = true
      storing = false
      finish()
    })
    plan()
  }

  const finish = (): void => {
    if (mode === "done" || rest === undefined) return
    mode = "done"
    graceTimer?.()
    const waiters = restWaiters
    restWaiters = []
    for (const waiter of waiters) waiter(rest)
  }

  // ---- what programs ask for -----------------------------------------------------------------------------------------

  const block = <A>(
    key: string,
    begin: (ask: Ask, resume: (effect: Effect.Effect<A>) => void) => void,
    known?: Ask
  ): Effect.Effect<A> =>
    Effect.callback<A>((resume) => {
      if (mode === "leaving" || mode === "done") return resume(Effect.interrupt)
      const ask = known ?? asks.get(key)
      if (ask === undefined) return resume(Effect.die(new KeyReused({ key })))
      ask.resume = resume
      begin(ask, (effect) => {
        ask.resume = undefined
        resume(effect)
      })
      plan()
      return Effect.sync(() => drop(ask))
    })

  const register = (key: string, request: Request | undefined): Ask | undefined => {
    if (asks.has(key)) return undefined
    const ask: Ask = { key, request, phase: "new", resume: undefined, give: undefined, go: undefined, dropped: false }
    asks.set(key, ask)
    return ask
  }

  const first = <A>(
    key: string,
    request: Request | undefined,
    begin: (ask: Ask, resume: (effect: Effect.Effect<A>) => void) => void
  ): Effect.Effect<A> =>
    Effect.suspend(() => {
      if (mode === "leaving" || mode === "done") return Effect.interrupt
      const ask = register(key, request)
      return ask === undefined
        ? Effect.die(new KeyReused({ key }))
        : block(key, begin, ask)
    })

  /** The fiber that asked has been interrupted. */
  const drop = (ask: Ask): void => {
    ask.resume = undefined
    if (mode === "leaving" || mode === "done") return
    const phase = ask.phase
    ask.phase = "idle"
    remove(recordedAsks, ask)
    remove(deliveries, ask)
    remove(held, ask)
    sleepers.delete(ask)
    if (phase === "queued") queue = queue.filter((queued) => queued.ask !== ask)
    if (phase === "stored") ask.dropped = true
    if (phase === "doubtful" || phase === "waiting") abandon(ask)
  }

  const abandon = (ask: Ask): void => {
    const request = ask.request
    if (request === undefined) return enqueue({ decide: RunDecision.abandon(ask.key), bytes: 128 })
    const operation = placeAt(state, ask.key)
    if (operation?._tag !== "Operation") return
    interrupted(request.failed({
      key: ask.key,
      attempt: operation.attempt,
      reason: "Interrupted",
      error: "the program stopped waiting for it",
      final: true,
      ...(operation.inFlight && ask.phase !== "stored" ? { outcome: "unknown" } : {})
    }))
  }

  const interrupted = (event: FailedEvent): void =>
    enqueue({ decide: RunDecision.settle(event, { shown: state.seq - 1 }), bytes: 512 })

  /** New work waits while a log is replayed, and while a run is being stopped. */
  const whenAllowed = (ask: Ask, go: () => void): void => {
    if (mode === "live" || mode === "unwinding") return go()
    ask.phase = "held"
    ask.go = go
    held.push(ask)
  }

  const recordedFirst = (ask: Ask, place: Place, give: () => void): void => {
    ask.give = give
    unasked -= 1
    const cancelledBefore = state.cancel !== undefined && place.seq > state.cancel.seq && mode !== "unwinding"
    if (cancelledBefore) {
      ask.phase = "held"
      ask.go = () => insert(ask, place)
      held.push(ask)
    } else {
      insert(ask, place)
    }
  }

  const insert = (ask: Ask, place: Place): void => {
    ask.phase = "recorded"
    const position = positionOf(place)
    const at = recordedAsks.findIndex((other) => {
      const otherPlace = placeAt(state, other.key)
      const otherPosition = otherPlace === undefined ? undefined : positionOf(otherPlace)
      return otherPosition !== undefined && position !== undefined && comparePositions(position, otherPosition) < 0
    })
    if (at === -1) recordedAsks.push(ask)
    else recordedAsks.splice(at, 0, ask)
    plan()
  }

  const sendRequest = (
    ask: Ask,
    asked: Request,
    resume: (effect: Effect.Effect<Answer>) => void,
    failure?: FailedEvent
  ): void => {
    if (failure !== undefined) note(failure)
    ask.phase = "queued"
    enqueue({
      ask,
      bytes: 4096,
      decide: (state) => RunDecision.request(asked, now())(state),
      stored: () => {
        const operation = placeAt(state, ask.key)
        if (operation?._tag !== "Operation") return
        if (ask.dropped) return abandon({ ...ask, phase: "stored" })
        const outcome = operation.outcome
        if (outcome !== undefined) {
          ask.give = () => resume(Effect.succeed({ _tag: "Outcome", event: outcome.event }))
          return due(ask)
        }
        ask.phase = "idle"
        resume(Effect.succeed({ _tag: "Attempt", operation }))
      },
      refused: () => {
        ask.give = () => resume(outcomeInLog(ask.key))
        due(ask)
      }
    })
  }

  const outcomeInLog = (key: string): Effect.Effect<Answer> =>
    Effect.suspend(() => {
      const operation = placeAt(state, key)
      return operation?._tag === "Operation" && operation.outcome !== undefined
        ? Effect.succeed<Answer>({ _tag: "Outcome", event: operation.outcome.event })
        : Effect.never
    })

  const note = (failure: FailedEvent): void =>
    enqueue({
      bytes: 1024,
      decide: RunDecision.settle(failure, { shown: state.seq - 1 }),
      refused: () => leave({ _tag: "Restart" })
    })

  const service: Journal["Service"] = {
    runId,
    started,
    now,
    recorded: (key) => placeAt(state, key),
    ask: (asked) =>
      first<Answer>(asked.key, asked, (ask, resume) => {
        const place = placeAt(state, asked.key)
        if (place === undefined) return whenAllowed(ask, () => sendRequest(ask, asked, resume))
        const fits = RunDecision.matches(state, asked)
        if (Result.isFailure(fits)) return mismatch(fits.failure)
        if (place._tag !== "Operation") return
        const outcome = place.outcome
        if (outcome === undefined) {
          unasked -= 1
          ask.phase = "doubtful"
          ask.give = () => resume(Effect.succeed({ _tag: place.inFlight ? "InDoubt" : "Waiting", operation: place }))
          return
        }
        if (isInterrupted(outcome.event)) {
          unasked -= 1
          return
        }
        recordedFirst(ask, place, () => resume(Effect.succeed({ _tag: "Outcome", event: outcome.event })))
      }),
    again: (asked, failure) =>
      block<Answer>(asked.key, (ask, resume) => {
        if (mode === "live" || mode === "unwinding") return sendRequest(ask, asked, resume, failure)
        if (failure !== undefined) note(failure)
        whenAllowed(ask, () => sendRequest(ask, asked, resume))
      }),
    untilDue: (key, wakeAt, failure) =>
      block<void>(key, (ask, resume) => {
        if (failure !== undefined) note(failure)
        ask.phase = "waiting"
        ask.give = () => resume(Effect.void)
        sleepers.set(ask, wakeAt)
        setAlarm()
      }),
    beforeActing: Effect.suspend(() =>
      lease.isFresh() ? Effect.void : Effect.flatMap(lease.confirm, (ours) => {
        if (ours) return Effect.void
        lose()
        return Effect.interrupt
      })
    ),
    acting: (key) => {
      actingKeys.add(key)
      return () => {
        actingKeys.delete(key)
        plan()
      }
    },
    settle: (event, before) =>
      block<CompletedEvent | FailedEvent>(event.key, (ask, resume) => {
        let given = false
        let answer: CompletedEvent | FailedEvent = event
        ask.phase = "due"
        ask.give = () => {
          given = true
          resume(Effect.succeed(answer))
        }
        deliveries.push(ask)
        enqueue({
          bytes: sizeOf(event),
          decide: RunDecision.settle(event, { shown: state.seq - 1, ...(before === undefined ? {} : { before }) }),
          refused: () => {
            const operation = placeAt(state, event.key)
            if (given || operation?._tag !== "Operation" || operation.outcome === undefined) {
              return leave({ _tag: "Restart" })
            }
            answer = operation.outcome.event
          }
        })
      }),
    settleStored: (key, build) =>
      block<CompletedEvent | FailedEvent>(key, (ask, resume) => {
        const give = () => {
          ask.give = () => {
            const operation = placeAt(state, key)
            if (operation?._tag === "Operation" && operation.outcome !== undefined) {
              resume(Effect.succeed(operation.outcome.event))
            }
          }
          due(ask)
        }
        enqueue({ bytes: 4096, decide: RunDecision.settleStored(build, key), stored: give, refused: give })
      }),
    interrupted,
    wait: (event) =>
      first(event.key, undefined, (ask, resume) => {
        const give = () => {
          const place = placeAt(state, event.key)
          if (place !== undefined && place._tag !== "Operation" && place._tag !== "Branch") {
            resume(Effect.succeed(place))
          }
        }
        const place = placeAt(state, event.key)
        if (place !== undefined) {
          const fits = RunDecision.matches(state, { key: event.key, ...RunDecision.waitKind(event) })
          if (Result.isFailure(fits)) return mismatch(fits.failure)
          if (isAnswered(place)) return recordedFirst(ask, place, give)
          unasked -= 1
          ask.give = give
          ask.phase = "waiting"
          return
        }
        ask.give = give
        if (mode === "unwinding") return interruptAsk(ask)
        whenAllowed(ask, () => {
          if (mode === "unwinding") return interruptAsk(ask)
          ask.phase = "queued"
          enqueue({
            ask,
            bytes: sizeOf(event),
            decide: RunDecision.open(event),
            stored: () => {
              if (ask.dropped) return enqueue({ decide: RunDecision.abandon(event.key), bytes: 128 })
              if (ask.phase !== "stored") return
              ask.phase = "waiting"
              if (isAnswered(placeAt(state, event.key))) due(ask)
              setAlarm()
            }
          })
        })
      }),
    chosen: (key) =>
      first(key, undefined, (ask, resume) => {
        const give = () => {
          const place = placeAt(state, key)
          if (place?._tag === "Branch") resume(Effect.succeed(place.winner))
        }
        const place = placeAt(state, key)
        if (place === undefined) {
          ask.phase = "waiting"
          ask.give = give
          return
        }
        const fits = RunDecision.matches(state, { key, kind: "Branch", name: "" })
        if (Result.isFailure(fits)) return mismatch(fits.failure)
        recordedFirst(ask, place, give)
      }),
    choose: (key, winner) => {
      if (placeAt(state, key) === undefined) {
        enqueue({ bytes: 256, decide: RunDecision.open({ _tag: "BranchDecided", key, winner }) })
      }
    },
    stick: (stuck) =>
      Effect.suspend(() => {
        if (state.cancel !== undefined) return Effect.void
        stick(stuck)
        return Effect.never
      }),
    mismatch: (error) =>
      Effect.suspend(() => {
        mismatch(error)
        return Effect.never
      })
  }

  const lose = (): void => leave({ _tag: "Lost" })

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
    ended: (event) => {
      if (mode === "leaving" || mode === "done") return
      end(event)
    },
    poke: read,
    drain: () => drainTo({ _tag: "Drained" }, settings.graceMillis),
    lose,
    leave: () => leave({ _tag: "Drained" }),
    rest: Effect.callback<Rest>((resume) => {
      if (mode === "done" && rest !== undefined) return resume(Effect.succeed(rest))
      restWaiters.push((to) => resume(Effect.succeed(to)))
    }),
    state: () => state
  }
}

/**
 * A program used one key twice in one scope. Loops and branches name their iteration: `Step.scope`, `Step.forEach`.
 *
 * @category errors
 * @since 0.1.0
 */
export class KeyReused extends Schema.TaggedError<KeyReused>("@durable-agents/core/KeyReused")("KeyReused", {
  key: Schema.String
}) {
  override get message() {
    return `The key \`${this.key}\` is used twice; name each iteration with Step.scope or Step.forEach`
  }
}

const isInterrupted = (event: CompletedEvent | FailedEvent): boolean =>
  "reason" in event && event.reason === "Interrupted"

const isAnswered = (place: Place | undefined): boolean => place !== undefined && positionOf(place) !== undefined

const positionOf = (place: Place) => place._tag === "Operation" ? place.outcome?.position : place.position

const concernsIndex = (event: RunEvent): boolean =>
  event._tag === "ApprovalRequested" || event._tag === "ApprovalGranted" || event._tag === "ApprovalDenied" ||
  event._tag === "SignalAwaited" || event._tag === "RunStuck" || event._tag === "WaitAbandoned" ||
  event._tag === "BranchDecided"

const remove = <A>(list: Array<A>, item: A): void => {
  const at = list.indexOf(item)
  if (at !== -1) list.splice(at, 1)
}

/** A little more than the event takes in the store. */
const sizeOf = (event: RunEvent): number => {
  switch (event._tag) {
    case "StepCompleted":
      return 512 + Payload.sizeOf(event.output)
    case "ToolCallCompleted":
      return 512 + Payload.sizeOf(event.result)
    case "LLMCallCompleted":
      return event.parts.reduce<number>((size, part) => size + Payload.sizeOf(part), 512)
    default:
      return 4096
  }
}
