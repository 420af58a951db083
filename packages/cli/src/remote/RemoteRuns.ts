/**
 * `Runs` behind a server. Whoever the token is of counts as the one who acts, whatever the calls say.
 */
import {
  AlreadySettled,
  ApprovalNotPending,
  ForkRefused,
  InvalidRequest,
  Payload,
  RunClosed,
  RunId,
  RunNotFound,
  Runs,
  RunState,
  SignalConflict,
  StartConflict,
  view,
  WaitClosed
} from "@durable-agents/core"
import { DateTime, Effect, Schema, Stream } from "effect"
import * as RemoteLog from "./RemoteLog.ts"
import { ofInvalid, type ServerClient } from "./ServerClient.ts"

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = (server: ServerClient): Runs["Service"] => {
  const { client, ofAny } = server
  const { changes, events } = RemoteLog.make(server)

  const stateOf = Effect.fnUntraced(function*(runId: RunId) {
    const state = RunState.fold(RunState.initial(runId), yield* Stream.runCollect(events(runId)))
    return state.started === undefined ? yield* new RunNotFound({ runId }) : state
  })
  const state = (runId: RunId) => Effect.map(stateOf(runId), view)

  /** For `Effect.catchTags`: what a decision may be answered with, of those that every run knows. */
  const ofRun = (operation: string, runId: RunId) => ({
    ...ofAny(operation),
    InvalidRequestProblem: ofInvalid,
    RunNotFoundProblem: () => Effect.fail(new RunNotFound({ runId }))
  })
  const ofOpen = (operation: string, runId: RunId) => ({
    ...ofRun(operation, runId),
    RunClosedProblem: ({ runStatus }: { readonly runStatus: string }) =>
      Effect.fail(new RunClosed({ runId, status: runStatus }))
  })
  const WaitClosedProblem = (runId: RunId) => ({ key }: { readonly key: string }) =>
    Effect.fail(new WaitClosed({ runId, key }))
  const ofDecision = (operation: string, runId: RunId, approval: string) => ({
    ...ofRun(operation, runId),
    WaitClosedProblem: WaitClosedProblem(runId),
    RunClosedProblem: ({ runStatus }: { readonly runStatus: string }) =>
      Effect.fail(new ApprovalNotPending({ runId, approval, status: runStatus })),
    ApprovalNotPendingProblem: (
      { approval, decision, runStatus }: Pick<ApprovalNotPending, "approval" | "decision"> & {
        readonly runStatus: string
      }
    ) =>
      Effect.fail(new ApprovalNotPending({
        runId,
        approval,
        status: runStatus,
        ...(decision === undefined ? {} : { decision })
      }))
  })
  const why = (reason: string | undefined) => reason === undefined ? {} : { reason }
  // In bodies: a key is any text, and headers take no other letters than those of Latin-1.
  const keyed = (startKey: string | undefined) => startKey === undefined ? {} : { startKey }
  const conflict = (startKey: string | undefined) => (problem: { readonly runId: string }) =>
    Effect.flatMap(
      Effect.orDie(decodeRunId(problem.runId)),
      (runId) => Effect.fail(new StartConflict({ runId, startKey: startKey ?? "" }))
    )

  return Runs.of({
    start: Effect.fn("RemoteRuns.start")(function*(program, input, options = {}) {
      const { budget, guardrailProfile, labels, priority, startAt, startKey, systemPrompt } = options
      const json = yield* Payload.encodeJson(program.input)(input).pipe(
        Effect.flatMap(decodeJson),
        Effect.mapError(misfit("input", `\`${program.name}\``))
      )
      const { runId } = yield* client.runs.start({
        headers: {},
        payload: {
          program: program.name,
          input: json,
          ...keyed(startKey),
          ...(budget === undefined ? {} : { budget }),
          ...(guardrailProfile === undefined ? {} : { guardrailProfile }),
          ...(labels === undefined ? {} : { labels }),
          ...(priority === undefined ? {} : { priority }),
          ...(startAt === undefined ? {} : { startAt: DateTime.toUtc(startAt) }),
          ...(systemPrompt === undefined ? {} : { systemPrompt })
        }
      }).pipe(Effect.catchTags({
        ...ofAny("start"),
        InvalidRequestProblem: ofInvalid,
        StartConflictProblem: conflict(startKey)
      }))
      return runId
    }),
    approve: Effect.fn("RemoteRuns.approve")(function*(runId, { approval, arguments: args, comment }) {
      yield* client.runs.approve({
        params: { runId },
        payload: {
          approval,
          ...(args === undefined ? {} : { arguments: args }),
          ...(comment === undefined ? {} : { comment })
        }
      }).pipe(Effect.catchTags(ofDecision("approve", runId, approval)))
      return yield* state(runId)
    }),
    deny: Effect.fn("RemoteRuns.deny")(function*(runId, { approval, reason }) {
      yield* client.runs.deny({ params: { runId }, payload: { approval, ...why(reason) } })
        .pipe(Effect.catchTags(ofDecision("deny", runId, approval)))
      return yield* state(runId)
    }),
    signal: Effect.fn("RemoteRuns.signal")(function*(runId, signal, payload, options) {
      const name = typeof signal === "string" ? signal : signal.name
      const encoded = typeof signal === "string"
        ? Effect.succeed(payload)
        : Payload.encodeJson(signal.payload)(payload)
      const json = yield* encoded.pipe(
        Effect.flatMap(decodeJson),
        Effect.mapError(misfit("payload", `signal \`${name}\``))
      )
      yield* client.runs.signal({
        params: { runId, name },
        headers: {},
        payload: { payload: json, ...(options?.id === undefined ? {} : { id: options.id }) }
      }).pipe(Effect.catchTags({
        ...ofOpen("signal", runId),
        SignalConflictProblem: ({ seq }) => Effect.fail(new SignalConflict({ runId, id: options?.id ?? "", seq }))
      }))
      return yield* state(runId)
    }),
    cancel: Effect.fn("RemoteRuns.cancel")(function*(runId, { reason }) {
      yield* client.runs.cancel({ params: { runId }, payload: why(reason) })
        .pipe(Effect.catchTags(ofOpen("cancel", runId)))
      return yield* state(runId)
    }),
    pause: Effect.fn("RemoteRuns.pause")(function*(runId, { reason }) {
      yield* client.runs.pause({ params: { runId }, payload: why(reason) })
        .pipe(Effect.catchTags(ofOpen("pause", runId)))
      return yield* state(runId)
    }),
    resume: Effect.fn("RemoteRuns.resume")(function*(runId, { reason }) {
      yield* client.runs.resume({ params: { runId }, payload: why(reason) })
        .pipe(Effect.catchTags(ofOpen("resume", runId)))
      return yield* state(runId)
    }),
    release: Effect.fn("RemoteRuns.release")(function*(runId, { reason }) {
      yield* client.runs.release({ params: { runId }, payload: why(reason) })
        .pipe(Effect.catchTags(ofOpen("release", runId)))
      return yield* state(runId)
    }),
    changeBudget: Effect.fn("RemoteRuns.changeBudget")(function*(runId, budget, { reason }) {
      yield* client.runs.budget({ params: { runId }, payload: { budget, ...why(reason) } })
        .pipe(Effect.catchTags(ofOpen("changeBudget", runId)))
      return yield* state(runId)
    }),
    resolve: Effect.fn("RemoteRuns.resolve")(function*(runId, { key, ...resolution }) {
      yield* client.runs.resolve({
        params: { runId },
        payload: resolution._tag === "Happened"
          ? { key, outcome: "happened", output: resolution.output }
          : { key, outcome: "didNotHappen", error: resolution.error }
      }).pipe(Effect.catchTags({
        ...ofOpen("resolve", runId),
        WaitClosedProblem: WaitClosedProblem(runId),
        AlreadySettledProblem: ({ key }) => Effect.fail(new AlreadySettled({ runId, key }))
      }))
      return yield* state(runId)
    }),
    fork: Effect.fn("RemoteRuns.fork")(function*(from, { at, budget, labels, reason, startKey }) {
      const { runId } = yield* client.runs.fork({
        params: { runId: from },
        query: { at },
        headers: {},
        payload: {
          ...keyed(startKey),
          ...why(reason),
          ...(budget === undefined ? {} : { budget }),
          ...(labels === undefined ? {} : { labels })
        }
      }).pipe(Effect.catchTags({
        ...ofRun("fork", from),
        StartConflictProblem: conflict(startKey),
        ForkRefusedProblem: ({ detail = "" }) => {
          // The server sends the whole sentence, of which the error says the beginning itself.
          const { message } = new ForkRefused({ runId: from, at, detail: "" })
          return Effect.fail(new ForkRefused({
            runId: from,
            at,
            detail: detail.startsWith(message) ? detail.slice(message.length) : detail
          }))
        }
      }))
      return runId
    }),
    state,
    events,
    changes,
    await: Effect.fn("RemoteRuns.await")(function*(runId, until = () => false) {
      let known = yield* stateOf(runId)
      const isDone = () => RunState.isEnded(known) || until(view(known))
      if (isDone()) return view(known)
      yield* changes(runId, known.seq).pipe(
        Stream.takeUntil((recorded) => {
          known = RunState.fold(known, [recorded])
          return isDone()
        }),
        Stream.runDrain
      )
      return view(known)
    })
  })
}

const misfit = (field: string, target: string) => ({ message }: { readonly message: string }) =>
  new InvalidRequest({ field, detail: `does not fit ${target}: ${message}` })

const decodeRunId = Schema.decodeUnknownEffect(RunId)

/** What is sent as it is must be JSON. */
const decodeJson = Schema.decodeUnknownEffect(Schema.Json)
