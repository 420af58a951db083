/**
 * Starting runs, deciding about them, looking at them. Nothing here executes a run.
 */
import { Context, DateTime, Effect, HashMap, Layer, Option, Result, Schema, Stream } from "effect"
import * as ArgumentsSchema from "./ArgumentsSchema.ts"
import type { By } from "./Border.ts"
import * as Border from "./Border.ts"
import type { Budget } from "./Budget.ts"
import { defaultBudget, stated } from "./Budget.ts"
import { canonicalJson, digest } from "./Digest.ts"
import type { Append, StoreError } from "./EventStore.ts"
import type { EventStore } from "./EventStore.ts"
import * as Fork from "./Fork.ts"
import type { Actor, ActorInput, RunId, Seq } from "./Ids.ts"
import { isRunId, Namespace, NextRunId } from "./Ids.ts"
import { Limits } from "./Limits.ts"
import * as Metrics from "./Metrics.ts"
import * as Payload from "./Payload.ts"
import * as PayloadCodec from "./PayloadCodec.ts"
import type { Description, Program } from "./Program.ts"
import type { Decision, Resolution } from "./RunDecision.ts"
import * as RunDecision from "./RunDecision.ts"
import type {
  AlreadySettled,
  ApprovalNotPending,
  ForkRefused,
  NotAnApprover,
  OwnRequest,
  RunClosed,
  WaitClosed
} from "./RunError.ts"
import { InvalidRequest, RunNotFound, SignalConflict, StartConflict } from "./RunError.ts"
import type { Recorded, RunEventOf } from "./RunEvent.ts"
import { summarize } from "./RunIndex.ts"
import type { RunState } from "./RunState.ts"
import { fold, initial, isEnded, pendingApprovals } from "./RunState.ts"
import type { RunView } from "./RunView.ts"
import { view } from "./RunView.ts"
import type { Signal } from "./Signal.ts"
import * as StartKey from "./StartKey.ts"
import * as Telemetry from "./Telemetry.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface StartOptions {
  /**
   * Starting again with the same key and the same content gives the same run; any other input, labels, budget, priority, prompt or
   * profile is refused.
   */
  readonly startKey?: string
  /** Default `program`: each program has its own keys. `namespace`: one key, one run, whatever the program. */
  readonly startKeyScope?: StartKey.Scope
  /** Compared in place of the content: a digest of everything that whoever starts has asked for. */
  readonly contentDigest?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly requestedBy?: ActorInput
  /** Named limits replace those of the program. */
  readonly budget?: Budget
  readonly startAt?: DateTime.DateTime
  /** Higher first. Recorded; claims are oldest first for now. */
  readonly priority?: number
  readonly systemPrompt?: string
  /** One of the program's guardrail profiles; any other name is refused. */
  readonly guardrailProfile?: string
  /** The span that asks for it, as the header of that name says it. Default: the one around the call, if somebody sees it. */
  readonly traceparent?: string
}

/**
 * @category models
 * @since 0.1.0
 */
export interface ForkOptions
  extends By, Pick<StartOptions, "startKey" | "startKeyScope" | "labels" | "budget" | "traceparent">
{
  /** How many events the new run begins with: those before this position. */
  readonly at: number
}

type Refused<E> = Effect.Effect<RunView, E | RunNotFound | InvalidRequest | StoreError>

/**
 * Records what people and programs outside want of runs. Every call appends its events or says why not; none executes.
 *
 * @category services
 * @since 0.1.0
 */
export class Runs extends Context.Service<Runs, {
  /** Records a new run; a worker or `Runtime.execute` takes it from there. */
  readonly start: <Input, Output, Error>(
    program: Program<Input, Output, Error>,
    input: Input,
    options?: StartOptions
  ) => Effect.Effect<RunId, StartConflict | InvalidRequest | StoreError>
  /**
   * Allows exactly the request with this key, once; `arguments` replaces those that were shown, if any were, and has to fit the
   * schema of the request, or of its tool as it was when the run began. Whether time is up is judged by the store's clock.
   */
  readonly approve: (runId: RunId, decision: {
    readonly approval: string
    readonly actor: ActorInput
    readonly comment?: string
    readonly arguments?: Schema.Json
  }) => Refused<ApprovalNotPending | WaitClosed | NotAnApprover | OwnRequest>
  readonly deny: (runId: RunId, decision: {
    readonly approval: string
    readonly actor: ActorInput
    readonly reason?: string
  }) => Refused<ApprovalNotPending | WaitClosed | NotAnApprover | OwnRequest>
  /** Sends a signal; the same again under the same `id` changes nothing, and another one under that `id` is refused. */
  readonly signal: <A>(
    runId: RunId,
    signal: Signal<A> | string,
    payload: A,
    options?: { readonly actor?: ActorInput; readonly id?: string }
  ) => Refused<RunClosed | SignalConflict>
  /** Asks the run to stop; a worker lets it. A second request changes nothing. */
  readonly cancel: (runId: RunId, by: By) => Refused<RunClosed>
  /** Lets operations in flight end and takes the run out of work until `resume`. */
  readonly pause: (runId: RunId, by: By) => Refused<RunClosed>
  readonly resume: (runId: RunId, by: By) => Refused<RunClosed>
  /** Replaces the named limits of an open run. */
  readonly changeBudget: (runId: RunId, budget: Budget, by: By) => Refused<RunClosed>
  /** Lets a stuck run go on. */
  readonly release: (runId: RunId, by: By) => Refused<RunClosed>
  /** Says how an operation in flight ended, when the log does not know. */
  readonly resolve: (
    runId: RunId,
    resolution: Resolution & { readonly key: string; readonly actor: ActorInput }
  ) => Refused<RunClosed | AlreadySettled | WaitClosed>
  /**
   * Records a new run that begins with the first events of this one and goes on by itself; this one is left as it is. With a
   * `startKey`, the same fork again gives the same run, and any other one is refused. What `Fork.make` says of operations and approvals without an
   * outcome holds here. The actor counts as who started the new run.
   */
  readonly fork: (
    runId: RunId,
    options: ForkOptions
  ) => Effect.Effect<RunId, ForkRefused | StartConflict | RunNotFound | InvalidRequest | StoreError>
  readonly state: (runId: RunId) => Effect.Effect<RunView, RunNotFound | StoreError>
  /** The run's log so far, from position `from` (default 0) on. */
  readonly events: (runId: RunId, from?: Seq) => Stream.Stream<Recorded, StoreError>
  /** The run's log from position `from` (default 0) on, and every further event as it comes; ends with the end of the run. */
  readonly changes: (runId: RunId, from?: Seq) => Stream.Stream<Recorded, StoreError>
  /** Waits until the run has ended, or `until` holds. */
  readonly await: (
    runId: RunId,
    until?: (view: RunView) => boolean
  ) => Effect.Effect<RunView, RunNotFound | StoreError>
}>()("@durable-agents/core/Runs") {
  /**
   * Over any store.
   */
  static readonly layer: Layer.Layer<Runs, never, EventStore> = Layer.effect(
    Runs,
    Effect.gen(function*() {
      const store = yield* PayloadCodec.store
      const limits = yield* Limits
      const border = Border.make(limits)
      const namespace = yield* Namespace
      const context = yield* Effect.context<never>()

      const load = Effect.fnUntraced(function*(runId: RunId) {
        if (!isRunId(runId)) return yield* RunNotFound.of(runId)
        const state = fold(initial(runId), yield* Stream.runCollect(store.read(runId)))
        return state.started === undefined ? yield* new RunNotFound({ runId }) : state
      })

      /** Decides on what is known, and again on what is new, until it is stored or refused. */
      const transact = Effect.fnUntraced(function*<E>(runId: RunId, decision: (now: number) => Decision<E>) {
        // Asked for first: between a look at the log and the append that is decided on it there is nothing else to wait for.
        let at = yield* store.now
        let state = yield* load(runId)
        while (true) {
          const decided = decision(at)(state)
          if (Result.isFailure(decided)) return yield* Effect.fail(decided.failure)
          const events = decided.success
          if (events.length === 0) return view(state)
          const next = fold(
            state,
            events.map((event, index) => ({ runId, seq: state.seq + index, at, event }))
          )
          const append: Append = { expected: state.seq, events, next: outside(next) }
          const stored = yield* Effect.result(store.append(runId, append))
          if (Result.isSuccess(stored)) return view(next)
          if (stored.failure._tag === "StoreError") return yield* stored.failure
          at = yield* store.now
          state = fold(state, yield* Stream.runCollect(store.read(runId, state.seq)))
        }
      })

      /** How the log of this run begins, if it does. */
      const begun = Effect.fnUntraced(function*(runId: RunId) {
        return fold(initial(runId), yield* Stream.runCollect(Stream.take(store.read(runId), 1)))
      })

      const startUntraced = Effect.fnUntraced(function*<Input, Output, Error>(
        program: Program<Input, Output, Error>,
        input: Input,
        options: StartOptions = {}
      ) {
        const { labels = {}, priority = 0, requestedBy, startKey, startKeyScope = "program" } = options
        if (typeof input === "string") yield* border.text("input", input, limits.goalLength)
        const who = requestedBy === undefined
          ? { kind: "system" as const, id: "unknown" }
          : yield* border.actor({ actor: requestedBy })
        yield* border.labels(labels)
        yield* border.name("startKey", startKey)
        yield* border.scope(startKeyScope)
        yield* border.text("contentDigest", options.contentDigest)
        yield* border.text("traceparent", options.traceparent)
        yield* border.budget(options.budget)
        if (!Number.isSafeInteger(priority)) {
          return yield* new InvalidRequest({ field: "priority", detail: "wants a whole number" })
        }
        yield* border.text("systemPrompt", options.systemPrompt, limits.goalLength)
        const guardrailProfile = yield* profileOf(program.description, options.guardrailProfile)
        const encoded = yield* Effect.mapError(
          Payload.encodeJson(program.input)(input),
          (error) =>
            new InvalidRequest({ field: "input", detail: `does not fit \`${program.name}\`: ${error.message}` })
        )
        const json = yield* border.clean("input", encoded)
        const systemPrompt = options.systemPrompt ?? program.description.systemPrompt
        const startAtMillis = options.startAt === undefined ? undefined : DateTime.toEpochMillis(options.startAt)
        const runId = startKey === undefined
          ? yield* yield* NextRunId
          : StartKey.runIdOf(namespace, program.name, startKey, startKeyScope)
        const inputDigest = digest(canonicalJson(JSON.stringify(json)))
        const traceparent = options.traceparent ?? (yield* Telemetry.currentTraceparent)
        const started: RunEventOf<"RunStarted"> = {
          _tag: "RunStarted",
          schemaVersion: 1,
          namespace,
          program: program.name,
          programVersion: program.version,
          input: json,
          inputDigest,
          tools: program.description.tools ?? [],
          budget: { ...defaultBudget, ...stated({ ...program.budget, ...options.budget }) },
          labels,
          requestedBy: who,
          priority,
          ...(startAtMillis === undefined ? {} : { startAtMillis }),
          ...(startKey === undefined ? {} : {
            startKey,
            startKeyScope,
            contentDigest: options.contentDigest ?? StartKey.contentOfStart({
              inputDigest,
              labels,
              priority,
              budget: options.budget,
              systemPrompt: options.systemPrompt,
              guardrailProfile: options.guardrailProfile
            })
          }),
          ...(traceparent === undefined ? {} : { traceparent }),
          ...(typeof json === "string" ? { goal: json } : {}),
          ...(program.description.model === undefined ? {} : { model: program.description.model }),
          ...(systemPrompt === undefined ? {} : { systemPrompt, systemPromptHash: digest(systemPrompt) }),
          ...(guardrailProfile === undefined ? {} : { guardrailProfile })
        }
        const first = fold(initial(runId), [{ runId, seq: 0, at: yield* store.now, event: started }])
        const summary = summarize(first)
        const stored = yield* Effect.result(store.append(runId, {
          expected: 0,
          events: [started],
          next: {
            ...(startAtMillis === undefined ? {} : { wakeAt: startAtMillis }),
            ...(summary === undefined ? {} : { summary })
          }
        }))
        if (Result.isSuccess(stored)) {
          Metrics.runStarted(context, program.name)
          return runId
        }
        if (stored.failure._tag === "StoreError") return yield* stored.failure
        yield* Effect.fromResult(RunDecision.start(started)(yield* begun(runId)))
        return runId
      })

      /** Without the stack of its caller, which would cost a tenth of a start. */
      const start: Runs["Service"]["start"] = (program, input, options) =>
        Effect.withSpan(startUntraced(program, input, options), "Runs.start", { captureStackTrace: false })

      const decide = <E>(runId: RunId, who: By, decision: (actor: Actor, now: number) => Decision<E>) =>
        Effect.flatMap(border.actor(who), (actor) => transact(runId, (now) => decision(actor, now)))

      /** The arguments that are to replace those that were shown; undefined if they are the same. */
      const editedOf = Effect.fnUntraced(function*(runId: RunId, approval: string, args: Schema.Json) {
        const edited = yield* border.clean("arguments", args)
        const state = yield* load(runId)
        const asked = pendingApprovals(state).find(({ key }) => key === approval)
        // What does not wait is for the decision to refuse.
        if (asked === undefined) return edited
        if (asked.arguments === undefined) {
          return yield* new InvalidRequest({ field: "arguments", detail: "cannot be changed: none were shown" })
        }
        if (canonicalJson(JSON.stringify(asked.arguments)) === canonicalJson(JSON.stringify(edited))) return undefined
        const problem = ArgumentsSchema.mismatch(ArgumentsSchema.of(state, approval) ?? {}, edited)
        if (problem === undefined) return edited
        const what = asked.tool === undefined ? "what may be put there" : `\`${asked.tool}\``
        return yield* new InvalidRequest({ field: "arguments", detail: `do not fit ${what}: ${problem}` })
      })

      /** Fails unless the signal at this position is the same as this one. */
      const sameSignal = Effect.fnUntraced(function*(
        runId: RunId,
        id: string,
        seq: Seq,
        sent: { readonly name: string; readonly payload: Schema.Json }
      ) {
        const [first] = yield* Stream.runCollect(Stream.take(store.read(runId, seq), 1))
        const known = first?.event._tag === "SignalReceived" ? first.event : undefined
        const isSame = known?.name === sent.name &&
          canonicalJson(JSON.stringify(known.payload)) === canonicalJson(JSON.stringify(sent.payload))
        if (!isSame) return yield* new SignalConflict({ runId, id, seq })
      })

      return Runs.of({
        start,
        approve: Effect.fn("Runs.approve")(function*(runId, { actor: who, approval, arguments: args, comment }) {
          yield* Effect.all([border.required("approval", approval), border.text("comment", comment)])
          const edited = args === undefined ? undefined : yield* editedOf(runId, approval, args)
          return yield* decide(runId, { actor: who }, (actor, now) =>
            RunDecision.approve(approval, actor, now, {
              ...(comment === undefined ? {} : { comment }),
              ...(edited === undefined ? {} : { arguments: edited })
            }))
        }),
        deny: Effect.fn("Runs.deny")((runId, { actor: who, approval, reason = "" }) =>
          Effect.andThen(
            border.required("approval", approval),
            decide(runId, { actor: who, reason }, (actor, now) => RunDecision.deny(approval, actor, now, reason))
          )
        ),
        signal: Effect.fn("Runs.signal")(function*(runId, signal, payload, options = {}) {
          const called = typeof signal === "string" ? signal : signal.name
          yield* Effect.all([border.text("name", called, 256), border.name("id", options.id)])
          const encoded = typeof signal === "string" ? payload : yield* Effect.mapError(
            Schema.encodeUnknownEffect(Schema.toCodecJson(signal.payload))(payload),
            (error) =>
              new InvalidRequest({ field: "payload", detail: `does not fit signal \`${called}\`: ${error.message}` })
          )
          const json = yield* border.clean("payload", encoded)
          const who = options.actor === undefined ? undefined : yield* border.actor({ actor: options.actor })
          const receive = RunDecision.receive({
            _tag: "SignalReceived",
            name: called,
            payload: json,
            ...(who === undefined ? {} : { actor: who }),
            ...(options.id === undefined ? {} : { signalId: options.id })
          })
          const { id } = options
          if (id === undefined) return yield* transact(runId, () => receive)
          let first: Seq | undefined
          const decided = yield* transact(runId, () => (state) => {
            first = Option.getOrUndefined(HashMap.get(state.signalIds, id))
            return receive(state)
          })
          if (first !== undefined) yield* sameSignal(runId, id, first, { name: called, payload: json })
          return decided
        }),
        cancel: Effect.fn("Runs.cancel")((runId, who) =>
          decide(runId, who, (actor) => RunDecision.cancel(actor, who.reason ?? ""))
        ),
        pause: Effect.fn("Runs.pause")((runId, who) =>
          decide(runId, who, (actor) => RunDecision.pause(actor, who.reason))
        ),
        resume: Effect.fn("Runs.resume")((runId, who) =>
          decide(runId, who, (actor) => RunDecision.resume(actor, who.reason))
        ),
        changeBudget: Effect.fn("Runs.changeBudget")((runId, budget, who) =>
          Effect.andThen(
            border.budget(budget),
            decide(runId, who, (actor) => RunDecision.changeBudget(budget, actor, who.reason))
          )
        ),
        release: Effect.fn("Runs.release")((runId, who) =>
          decide(runId, who, (actor) => RunDecision.release(actor, who.reason))
        ),
        resolve: Effect.fn("Runs.resolve")(function*(runId, resolution) {
          yield* border.required("key", resolution.key)
          if (resolution._tag === "DidNotHappen") yield* border.required("error", resolution.error)
          const settled = resolution._tag === "Happened"
            ? { ...resolution, output: yield* border.clean("output", resolution.output) }
            : resolution
          return yield* decide(
            runId,
            { actor: resolution.actor },
            (actor) => RunDecision.resolve(resolution.key, settled, actor)
          )
        }),
        fork: Effect.fn("Runs.fork")(function*(from, options) {
          const { at, budget, labels, reason, startKey, startKeyScope = "program" } = options
          const traceparent = options.traceparent ?? (yield* Telemetry.currentTraceparent)
          yield* border.text("traceparent", options.traceparent)
          const who = yield* border.actor(options)
          yield* border.labels(labels ?? {})
          yield* border.name("startKey", startKey)
          yield* border.scope(startKeyScope)
          yield* border.budget(budget)
          if (!isRunId(from)) return yield* RunNotFound.of(from)
          const log = yield* Stream.runCollect(store.read(from))
          const started = log[0]?.event
          if (started?._tag !== "RunStarted") return yield* new RunNotFound({ runId: from })
          const runId = startKey === undefined
            ? yield* yield* NextRunId
            : StartKey.runIdOf(started.namespace, started.program, startKey, startKeyScope)
          const content = StartKey.contentOfFork({ forkOf: from, at, labels, budget, reason })
          const now = yield* store.now
          const events = yield* Effect.fromResult(Fork.make(log, {
            runId,
            at,
            actor: who,
            now,
            started: {
              ...(labels === undefined ? {} : { labels: { ...started.labels, ...labels } }),
              ...(startKey === undefined ? {} : { startKey, startKeyScope, contentDigest: content }),
              ...(traceparent === undefined ? {} : { traceparent })
            },
            ...(reason === undefined ? {} : { reason }),
            ...(budget === undefined ? {} : { budget: stated(budget) })
          }))
          const epoch = Fork.copiedEpoch
          const state = fold(initial(runId), events.map((event, seq) => ({ runId, seq, at: now, epoch, event })))
          const stored = yield* Effect.result(store.append(runId, { expected: 0, epoch, events, next: outside(state) }))
          if (Result.isSuccess(stored)) return runId
          if (stored.failure._tag === "StoreError") return yield* stored.failure
          const known = yield* begun(runId)
          return known.started?.contentDigest === content
            ? runId
            : yield* new StartConflict({ runId, startKey: startKey ?? "" })
        }),
        state: Effect.fn("Runs.state")((runId) => Effect.map(load(runId), view)),
        events: (runId, from) => isRunId(runId) ? store.read(runId, from) : Stream.empty,
        changes: (runId, from) => isRunId(runId) ? store.changes(runId, from) : Stream.empty,
        await: Effect.fn("Runs.await")(function*(runId, until = () => false) {
          let state = yield* load(runId)
          if (isEnded(state) || until(view(state))) return view(state)
          yield* store.changes(runId, state.seq).pipe(
            Stream.takeUntil((recorded) => {
              state = fold(state, [recorded])
              return isEnded(state) || until(view(state))
            }),
            Stream.runDrain
          )
          return view(state)
        })
      })
    })
  )
}

const profileOf = (
  { guardrailProfile, guardrailProfiles = [] }: Description,
  asked: string | undefined
): Effect.Effect<string | undefined, InvalidRequest> =>
  asked === undefined || guardrailProfiles.includes(asked)
    ? Effect.succeed(asked ?? guardrailProfile)
    : Effect.fail(new InvalidRequest({
      field: "guardrailProfile",
      detail: guardrailProfiles.length === 0
        ? "is not known to this program, which has no guardrails"
        : `must be one of ${guardrailProfiles.join(", ")}`
    }))

/** What the queue learns of a decision from outside: the run is due, unless it has ended or is not to begin yet. */
const outside = (state: RunState) => {
  const summary = summarize(state)
  const startAt = state.started?.startAtMillis ?? 0
  const isEarly = state.epoch === 0 && state.cancel === undefined && startAt > state.updatedAt
  return {
    ...(isEnded(state) ? { wakeAt: null } : isEarly ? { wakeAt: startAt } : {}),
    ...(summary === undefined ? {} : { summary })
  }
}
