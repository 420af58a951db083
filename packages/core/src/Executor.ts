/**
 * Executes leased runs in this process: keeps the leases alive, replays and drives programs, gives runs back.
 */
import { Cause, Clock, Context, Deferred, Duration, Effect, Exit, Option, Result, Schema, Stream, Tracer } from "effect"
import type { LogLevel, Scope } from "effect"
import { BudgetExceeded, recordOf } from "./Budget.ts"
import type { StoreError } from "./EventStore.ts"
import type { EventStore } from "./EventStore.ts"
import { RunId, type Seq } from "./Ids.ts"
import { Journal, LeaseLost } from "./Journal.ts"
import { Limits } from "./Limits.ts"
import type { LiveJournal, Rest, Settings } from "./LiveJournal.ts"
import * as LiveJournal_ from "./LiveJournal.ts"
import * as Metrics from "./Metrics.ts"
import * as Payload from "./Payload.ts"
import * as PayloadCodec from "./PayloadCodec.ts"
import type { Registered } from "./Program.ts"
import { Programs } from "./Program.ts"
import * as Quarantine from "./Quarantine.ts"
import * as RunClock from "./RunClock.ts"
import type { Decision } from "./RunDecision.ts"
import * as RunDecision from "./RunDecision.ts"
import { GuardrailBlocked } from "./RunError.ts"
import type { RunEventOf } from "./RunEvent.ts"
import { summarize } from "./RunIndex.ts"
import type { Claim, Owner } from "./RunQueue.ts"
import { NextOwner, RunQueue } from "./RunQueue.ts"
import * as RunSpan from "./RunSpan.ts"
import type { RunState } from "./RunState.ts"
import { evolve, fold, initial, isEnded, recoveriesWith } from "./RunState.ts"
import type { RunView } from "./RunView.ts"
import { view } from "./RunView.ts"
import * as Telemetry from "./Telemetry.ts"

/**
 * This process cannot execute the run, though another may: its program, a tool or an event type is unknown here.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotExecutable
  extends Schema.TaggedError<NotExecutable>("@durable-agents/core/NotExecutable")("NotExecutable", {
    runId: RunId,
    detail: Schema.String
  })
{
  override get message() {
    return `Run \`${this.runId}\` cannot be executed here: ${this.detail}`
  }
}

/**
 * How runs are executed here.
 *
 * @category references
 * @since 0.1.0
 */
export interface RuntimeSettings {
  /** How long a silent worker keeps its runs; its heartbeat is a third of it. */
  readonly lease: Duration.Input
  /** How many takeovers without a new outcome between them make a run stuck. */
  readonly maxRecoveries: number
  /** How long nothing must happen before a waiting run is put to rest. */
  readonly suspendAfter: Duration.Input
  /** A run that is due again within this time stays in memory. */
  readonly keep: Duration.Input
  /** How long a run may be blocked on nothing that the engine knows before it is stuck. */
  readonly blockedAfter: Duration.Input
  /** How long operations in flight may go on when a run is cancelled or the process is shut down. */
  readonly grace: Duration.Input
}

/**
 * Lease 30 s, 5 recoveries, suspended after 100 ms of quiet, kept for 5 s, stuck after a minute, grace 10 s.
 *
 * @category references
 * @since 0.1.0
 */
export const RuntimeSettings = Context.Reference<RuntimeSettings>("@durable-agents/core/RuntimeSettings", {
  defaultValue: () => ({
    lease: "30 seconds",
    maxRecoveries: 5,
    suspendAfter: "100 millis",
    keep: "5 seconds",
    blockedAfter: "1 minute",
    grace: "10 seconds"
  })
})

/**
 * A run that is being executed.
 *
 * @category models
 * @since 0.1.0
 */
export interface Executing {
  readonly runId: RunId
  readonly program: string
  /** How long its log is, as far as this process knows. */
  readonly seq: Seq
}

/**
 * One owner of leases, with its heartbeat.
 *
 * @category models
 * @since 0.1.0
 */
export interface Executor {
  readonly owner: Owner
  /** Leases up to `limit` due runs of these programs, and no more of each than its own limit. */
  readonly claim: (
    options: Omit<Parameters<RunQueue["Service"]["claim"]>[0], "owner" | "leaseMillis">
  ) => Effect.Effect<ReadonlyArray<Claim>, StoreError>
  /** Leases this run, if nobody has it and it has not ended. */
  readonly acquire: (runId: RunId) => Effect.Effect<Option.Option<Claim>, StoreError>
  /** Executes a leased run until it rests, and gives it back. Interrupting this gives it back at once. */
  readonly drive: (claim: Claim) => Effect.Effect<RunView, NotExecutable | LeaseLost | StoreError>
  /** Lets every run here come to rest, also those that are still being loaded: no new operations, a grace time for others. */
  readonly drain: Effect.Effect<void>
  /** The runs that are being executed, also those that are being loaded or given back. */
  readonly executing: () => ReadonlyArray<Executing>
  readonly leaseMillis: number
  /** When the store last confirmed the leases that it has, by the monotonic clock. */
  readonly confirmedAt: () => number
}

/** Runs that cannot be executed here come back after 30 s, then twice as long each time, at most 10 min. */
const putBackMillis = (times: number): number => Math.min(600_000, 30_000 * 2 ** times)

/** Runs that the store failed come back after 1 s, then twice as long each time, at most 10 min. */
const postponedMillis = (times: number): number => Math.min(600_000, 1_000 * 2 ** times)

type Release = Parameters<RunQueue["Service"]["release"]>[0]

/**
 * Starts an owner. It ends with the scope: its runs are drained, its leases given back.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: {
  readonly lease?: Duration.Input
  /** The level at which failed attempts are logged. Default `Debug`. */
  readonly failures?: LogLevel.Severity
  /** Executions begin traces of their own, whatever span is around. */
  readonly root?: boolean
} = {}): Effect.Effect<
  Executor,
  never,
  EventStore | RunQueue | Programs | Scope.Scope
> =>
  Effect.gen(function*() {
    const store = yield* PayloadCodec.store
    const codec = yield* PayloadCodec.PayloadCodec
    const queue = yield* RunQueue
    const programs = yield* Programs
    const settings = yield* RuntimeSettings
    const limits = yield* Limits
    const owner = yield* yield* NextOwner
    const clock = yield* Clock.Clock
    const realClock = Clock.Clock.defaultValue()
    const context = yield* RunSpan.contextOf
    const isTraced = Telemetry.isTraced(context)
    const leaseMillis = Duration.toMillis(Duration.fromInputUnsafe(options.lease ?? settings.lease))
    const offset = { current: 0 }
    const live = new Map<RunId, { readonly journal: LiveJournal; readonly epoch: number }>()
    const executing = new Map<Deferred.Deferred<void>, Omit<Claim, "log">>()
    const refusals = new Map<RunId, number>()
    /** What the store did not take back: as long as its owner lives, nobody else could have it. */
    const unreleased = new Map<RunId, Release>()
    let confirmedAt = RunClock.monotonic(clock)
    let draining = false

    const journalSettings: Settings = {
      suspendAfterMillis: toMillis(settings.suspendAfter),
      keepMillis: toMillis(settings.keep),
      blockedAfterMillis: toMillis(settings.blockedAfter),
      graceMillis: toMillis(settings.grace)
    }

    /** Confirms every lease or ends its execution; what is still held. */
    const heartbeat = Effect.gen(function*() {
      const begun = RunClock.monotonic(clock)
      const known = new Map(live)
      const { held, now } = yield* queue.heartbeat({ owner, leaseMillis })
      confirmedAt = begun
      offset.current = now - clock.currentTimeMillisUnsafe()
      const mine = new Map(held.map((run) => [run.runId, run]))
      for (const [runId, { epoch, journal }] of known) {
        const run = mine.get(runId)
        if (run === undefined || run.epoch !== epoch) {
          if (live.get(runId)?.journal === journal) journal.lose()
        } else if (run.outsideSeq >= journal.state().seq) journal.poke()
      }
      return held
    })

    const release = (released: Release) =>
      Effect.onExit(queue.release(released), (exit) =>
        Effect.sync(() => {
          if (Exit.isFailure(exit)) unreleased.set(released.runId, released)
          else if (unreleased.get(released.runId)?.epoch === released.epoch) unreleased.delete(released.runId)
        }))

    const releaseAgain = Effect.suspend(() => Effect.forEach(unreleased.values(), release, { discard: true }))

    yield* Effect.andThen(Effect.when(heartbeat, Effect.sync(() => executing.size > 0)), releaseAgain).pipe(
      Effect.withTracerEnabled(false),
      Effect.catchCause((cause) => Effect.logWarning(`Heartbeat of ${owner} failed`, cause)),
      Effect.delay(Duration.millis(leaseMillis / 3)),
      Effect.forever,
      Effect.forkScoped
    )

    yield* Stream.runForEach(queue.wakeups, (runId) => Effect.sync(() => live.get(runId)?.journal.poke())).pipe(
      Effect.catch((error) => Effect.logWarning(`Notifications of ${owner} ended`, error.message)),
      Effect.forkScoped
    )

    const lease = (runId: RunId, epoch: number) => ({
      isFresh: () => RunClock.monotonic(clock) - confirmedAt < leaseMillis / 2,
      confirm: Effect.match(heartbeat, {
        onFailure: () => false,
        onSuccess: (held) => held.some((run) => run.runId === runId && run.epoch === epoch)
      })
    })

    /** A lease counts from before it was asked for: the answer may have been long on its way. */
    const taking = <A, E>(take: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.suspend(() => {
        const begun = RunClock.monotonic(clock)
        return Effect.tap(take, () =>
          Effect.sync(() => {
            if (executing.size === 0) confirmedAt = begun
          }))
      })

    /** Only at first what the claim brings is the whole log: later there is what was appended under it. */
    const load = ({ log, runId }: Claim, isFirst: boolean) =>
      Effect.map(
        log === undefined || !isFirst
          ? Stream.runCollect(store.read(runId))
          : PayloadCodec.decodeAll(log, codec),
        (events) => fold(initial(runId), events)
      )

    /** Appends what a decision says under this lease; `undefined` once another one has written. */
    const append = Effect.fnUntraced(function*<E>(claim: Claim, from: RunState, decision: Decision<E>) {
      let state = from
      while (state.epoch <= claim.epoch) {
        const decided = decision(state)
        if (Result.isFailure(decided) || decided.success.length === 0) return state
        const { epoch, runId } = claim
        const events = decided.success
        const stored = yield* Effect.result(store.append(runId, { expected: state.seq, epoch, events }))
        if (Result.isSuccess(stored)) {
          const { at } = stored.success
          for (const event of events) {
            const recorded = { runId, seq: state.seq, at, epoch, event }
            Metrics.recorded(context, claim.program, recorded, state)
            state = evolve(state, recorded)
          }
          return state
        }
        if (stored.failure._tag === "StoreError") return yield* stored.failure
        state = fold(state, yield* Stream.runCollect(store.read(runId, state.seq)))
      }
      return undefined
    })

    const giveBack = (claim: Claim, state: RunState, wakeAt: number | null, reason?: string, seq = state.seq) => {
      const summary = summarize(state, reason)
      return release({
        owner,
        runId: claim.runId,
        epoch: claim.epoch,
        seq,
        wakeAt,
        ...(summary === undefined ? {} : { summary })
      })
    }

    const refused = (runId: RunId): number => {
      const times = refusals.get(runId) ?? 0
      refusals.set(runId, times + 1)
      return times
    }

    /** Whatever went wrong, the lease does not stay here. Nothing happens if it has been given back. */
    const postpone = (claim: Claim) =>
      Effect.suspend(() => {
        const { epoch, now, runId, seq } = claim
        return Effect.ignore(release({ owner, runId, epoch, seq, wakeAt: now + postponedMillis(refused(runId)) }))
      })

    const refuse = Effect.fnUntraced(function*(claim: Claim, state: RunState, detail: string) {
      yield* giveBack(claim, state, claim.now + putBackMillis(refused(claim.runId)), detail)
      return yield* new NotExecutable({ runId: claim.runId, detail })
    })

    const quarantine = Quarantine.make({
      longestMillis: leaseMillis,
      now: () => RunClock.monotonic(clock),
      hasGotOn: ({ runId }) => live.get(runId)?.journal.state().recoveries === 0,
      isGivenUp: () => draining
    })

    /** Its workers have died twice in a row, and it is not known to be the one that did it. */
    const isSuspect = (claim: Claim, state: RunState): boolean => {
      const recoveries = recoveriesWith(state, claim.epoch)
      return state.stuck === undefined && recoveries <= settings.maxRecoveries &&
        recoveries >= Math.max(1, Math.min(2, settings.maxRecoveries))
    }

    const prepare = Effect
      .fnUntraced(function*(
        claim: Claim,
        span: Tracer.Span,
        isFirst: boolean,
        restore: <A>(effect: Effect.Effect<A>) => Effect.Effect<A>
      ) {
        const loaded = yield* load(claim, isFirst)
        const isTakeover = claim.expired && loaded.epoch < claim.epoch && !isEnded(loaded) &&
          loaded.problem === undefined
        if (isTakeover && isSuspect(claim, loaded)) {
          yield* restore(quarantine.enter(claim))
            .pipe(Effect.onInterrupt(() => Effect.ignore(giveBack(claim, loaded, claim.now))))
        }
        if (isFirst) span.addLinks(RunSpan.linksOf(loaded))
        const state = isTakeover
          ? yield* append(claim, loaded, RunDecision.recover(claim.epoch, owner, settings.maxRecoveries, traceOf(span)))
          : loaded
        return state === undefined || state.epoch > claim.epoch ? yield* new LeaseLost({ runId: claim.runId }) : state
      })

    const programClock = RunClock.make(clock, offset)
    const traceOf = (span: Tracer.Span): string | undefined => isTraced ? Telemetry.traceparentOf(span) : undefined

    const execute = Effect.fnUntraced(function*(
      claim: Claim,
      state: RunState,
      started: RunEventOf<"RunStarted">,
      program: Registered,
      input: unknown,
      span: Tracer.Span,
      onJournal: (journal: LiveJournal) => void
    ) {
      const own = RunSpan.within(context, claim, span)
      const journal = LiveJournal_.make({
        store,
        owner,
        epoch: claim.epoch,
        state,
        started,
        version: program.version,
        clock,
        offset,
        realClock,
        context: own,
        traceparent: traceOf(span),
        settings: journalSettings,
        appendBytes: limits.appendBytes,
        failures: options.failures ?? "Debug",
        lease: lease(claim.runId, claim.epoch)
      })
      onJournal(journal)
      const toEnd = endOf(program)
      const main = Effect.suspend(() => program.handler(input))
      const root = Effect.runForkWith(own.pipe(
        Context.add(Journal, journal.service),
        Context.add(Clock.Clock, programClock)
      ))(main, { scheduler: journal.scheduler })
      journal.attach(root)
      if (draining) journal.drain()
      root.addObserver((exit) => {
        Effect.runCallbackWith(own)(toEnd(exit), {
          onExit: (end) => {
            journal.ended(Exit.isSuccess(end)
              ? end.value
              : { _tag: "RunFailed", reason: "Unencodable", error: Payload.describeDefect(Cause.squash(end.cause)) })
          }
        })
      })
      const rest = yield* Effect.onInterrupt(journal.rest, () =>
        Effect.suspend(() => {
          journal.leave()
          return Effect.asVoid(journal.rest)
        }))
      return { rest, state: journal.state() }
    })

    const settle = Effect.fnUntraced(function*(claim: Claim, rest: Rest, state: RunState) {
      switch (rest._tag) {
        case "Ended":
          return rest.released ? undefined : yield* giveBack(claim, state, null)
        case "Suspended":
          // Whatever was decided has been acted on, also if that wrote nothing.
          return yield* giveBack(claim, { ...state, undigested: false }, rest.wakeAt ?? null, undefined, rest.seq)
        case "Paused":
        case "Stuck":
          return yield* giveBack(claim, state, null)
        case "Drained":
        case "Restart":
          return yield* giveBack(claim, state, claim.now)
        case "Broken":
          yield* giveBack(
            claim,
            state,
            claim.now + putBackMillis(refused(claim.runId)),
            `a bug: ${Payload.describeDefect(rest.error)}`
          )
          return yield* Effect.die(rest.error)
        case "PutBack":
          return yield* refuse(claim, state, rest.detail)
        case "Lost":
          // It may still be ours, if all that is known is that it could not be confirmed.
          yield* Effect.ignore(giveBack(claim, state, claim.now))
          return yield* new LeaseLost({ runId: claim.runId })
        case "Unavailable":
          return yield* rest.error
      }
    })

    const drive = (claim: Claim, span: Tracer.Span): Effect.Effect<RunView, NotExecutable | LeaseLost | StoreError> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function*() {
          for (let isFirst = true;; isFirst = false) {
            const state = yield* prepare(claim, span, isFirst, restore)
            const started = state.started
            if (started === undefined || isEnded(state) || state.stuck !== undefined) {
              yield* giveBack(claim, state, null)
              return view(state)
            }
            if (state.problem !== undefined) {
              return yield* refuse(claim, state, `event ${state.problem.seq}: ${state.problem.detail}`)
            }
            if (state.paused && state.cancel === undefined) {
              yield* giveBack(claim, state, null)
              return view(state)
            }
            const program = programs.get(started.program)
            if (program === undefined) {
              return yield* refuse(claim, state, `the program \`${started.program}\` is not registered`)
            }
            const missing = program.missing(state)
            if (missing !== undefined) return yield* refuse(claim, state, missing)
            const input = Payload.decoder(program.input)(started.input)
            if (Result.isFailure(input)) {
              const detail = `its input does not fit the program any more: ${input.failure.message}`
              const stuck = yield* append(claim, state, RunDecision.stick({ reason: "input", detail }))
              if (stuck === undefined) return yield* new LeaseLost({ runId: claim.runId })
              yield* giveBack(claim, stuck, null)
              return view(stuck)
            }
            const done = yield* restore(execute(
              claim,
              state,
              started,
              program,
              input.success,
              span,
              (journal) => live.set(claim.runId, { journal, epoch: claim.epoch })
            )).pipe(
              Effect.onInterrupt(() => Effect.ignore(giveBack(claim, state, claim.now, undefined, 0))),
              Effect.ensuring(Effect.sync(() => live.delete(claim.runId)))
            )
            if (done.rest._tag === "Restart") continue
            span.attribute("rest", done.rest._tag)
            yield* settle(claim, done.rest, done.state)
            refusals.delete(claim.runId)
            return view(done.state)
          }
        }).pipe(Effect.onError((cause) => {
          if (isLoss(cause)) Metrics.leaseLost(context, claim.program)
          return isStoreErrorOrBug(cause) ? postpone(claim) : Effect.void
        }))
      )

    const tracked = (claim: Claim, span: Tracer.Span) =>
      Effect.suspend(() => {
        const end = Deferred.makeUnsafe<void>()
        const { log: _, ...known } = claim
        executing.set(end, known)
        Metrics.executes(context, claim.program, 1)
        return Effect.ensuring(
          drive(claim, span),
          Effect.suspend(() => {
            executing.delete(end)
            Metrics.executes(context, claim.program, -1)
            quarantine.leave(claim)
            return Deferred.succeed(end, undefined)
          })
        )
      })

    /** A claim says what time it is; between two that differ little, time goes on as this process counts it. */
    const claimed = ({ expired, now, program }: Claim): void => {
      Metrics.claimed(context, program, expired)
      const difference = now - clock.currentTimeMillisUnsafe()
      if (live.size === 0 || Math.abs(difference - offset.current) >= 1000) offset.current = difference
    }

    const drain = Effect.suspend(() => {
      draining = true
      for (const { journal } of live.values()) journal.drain()
      return Effect.forEach(Array.from(executing.keys()), (end) => Deferred.await(end), { discard: true })
    })

    yield* Effect.addFinalizer(() =>
      Effect.andThen(drain, Effect.ignore(Effect.withTracerEnabled(queue.retire(owner), false)))
    )

    return {
      owner,
      claim: (options) =>
        Effect.tap(taking(queue.claim({ owner, leaseMillis, ...options })), (claims) =>
          Effect.sync(() => claims.forEach(claimed))),
      acquire: (runId) =>
        Effect.tap(taking(queue.acquire({ owner, leaseMillis, runId })), (claim) =>
          Effect.sync(() =>
            Option.map(claim, claimed)
          )),
      drive: (claim) => {
        const { epoch, program, runId } = claim
        const own = { attributes: { runId, program, epoch }, ...(options.root === true ? { root: true } : {}) }
        const driven = Effect.useSpan("Run", own, (span) =>
          Effect.withParentSpan(tracked(claim, span), span, { captureStackTrace: false }))
        return Effect.annotateLogs(
          isTraced ? Effect.provideService(driven, Tracer.Tracer, Context.get(context, Tracer.Tracer)) : driven,
          { runId, program }
        )
      },
      drain,
      leaseMillis,
      confirmedAt: () =>
        confirmedAt,
      executing: () =>
        Array.from(executing.values(), ({ epoch, program, runId, seq }) => {
          const own = live.get(runId)
          return { runId, program, seq: own?.epoch === epoch ? own.journal.state().seq : seq }
        })
    }
  })

const isLoss = (cause: Cause.Cause<{ readonly _tag: string }>): boolean =>
  Option.exists(Cause.findErrorOption(cause), ({ _tag }) => _tag === "LeaseLost")

const isStoreErrorOrBug = (cause: Cause.Cause<{ readonly _tag: string }>): boolean =>
  Option.match(Cause.findErrorOption(cause), {
    onNone: () => Cause.hasDies(cause),
    onSome: ({ _tag }) => _tag === "StoreError"
  })

const toMillis = (duration: Duration.Input): number => Duration.toMillis(Duration.fromInputUnsafe(duration))

/** What the log says about a program that ended by itself. */
const endOf = (program: Registered) => {
  const encodeOutput = Payload.encoder(program.output)
  const encodeError = Payload.encoder(program.error)
  return (exit: Exit.Exit<unknown, unknown>): Effect.Effect<RunDecision.End> => {
    if (Exit.isSuccess(exit)) {
      return Effect.match(encodeOutput(exit.value), {
        onFailure: ({ error }): RunDecision.End => ({ _tag: "RunFailed", reason: "Unencodable", error }),
        onSuccess: (output): RunDecision.End => ({ _tag: "RunCompleted", output })
      })
    }
    const error = Cause.findErrorOption(exit.cause)
    if (Option.isNone(error)) {
      const found = Cause.squash(exit.cause)
      return Effect.succeed({ _tag: "RunFailed", reason: "Defect", error: Payload.describeDefect(found) })
    }
    if (error.value instanceof BudgetExceeded) {
      return Effect.succeed({
        _tag: "RunFailed",
        reason: "BudgetExceeded",
        error: error.value.message,
        failure: recordOf(error.value)
      })
    }
    const reason = error.value instanceof GuardrailBlocked ? "GuardrailBlocked" : "Error"
    return Effect.match(encodeError(error.value), {
      onFailure: (): RunDecision.End => ({
        _tag: "RunFailed",
        reason,
        error: Payload.describeDefect(error.value)
      }),
      onSuccess: (failure): RunDecision.End => ({
        _tag: "RunFailed",
        reason,
        error: Payload.describeDefect(error.value),
        failure
      })
    })
  }
}
