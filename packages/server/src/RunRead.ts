/**
 * A run as it is read for the API: from its log, with what the store knows beyond it.
 */
import {
  ArgumentsSchema,
  EventStore,
  Namespace,
  type RunId,
  RunNotFound,
  type RunView,
  view
} from "@durable-agents/core"
import { Effect } from "effect"
import { Folds } from "./Folds.ts"
import type { Run, Status } from "./RunModel.ts"

/**
 * The run with this id, if it is in the namespace that is in place; and when it came into its status.
 *
 * @category constructors
 * @since 0.1.0
 */
export const load = Effect.fnUntraced(function*(runId: RunId) {
  const namespace = yield* Namespace
  const { since, state } = yield* (yield* Folds).of(runId)
  return state.started?.namespace === namespace ? { run: view(state), since } : yield* new RunNotFound({ runId })
})

/**
 * The status of a run that has begun its log.
 *
 * @category conversions
 * @since 0.1.0
 */
export const statusOf = ({ status }: Pick<RunView, "status">): typeof Status.Type =>
  // A log without a start belongs to no namespace, so it is not found.
  status === "NotStarted" ? "Pending" : status

/**
 * @category conversions
 * @since 0.1.0
 */
export const modelOf = Effect.fnUntraced(function*({ run, since }: { readonly run: RunView; readonly since: number }) {
  const { startedAt, started, updatedAt } = run.state
  const { budget, failure, output, pendingApprovals, program, reason, runId, seq, usage, waits, wakeAt } = run
  return present({
    runId,
    program,
    programVersion: started?.programVersion ?? "",
    status: statusOf(run),
    seq,
    startedAt,
    since,
    updatedAt,
    now: yield* (yield* EventStore).now,
    requestedBy: started?.requestedBy ?? { kind: "system", id: "unknown" },
    labels: started?.labels ?? {},
    startKey: started?.startKey,
    parent: started?.parent,
    forkedFrom: started?.forkedFrom,
    input: started?.input ?? null,
    output,
    reason,
    failure,
    waits,
    pendingApprovals: pendingApprovals.map((approval) =>
      present({ ...approval, argumentsSchema: ArgumentsSchema.of(run.state, approval.key) })
    ),
    wakeAt,
    budget,
    usage,
    model: started?.model,
    systemPrompt: started?.systemPrompt,
    guardrailProfile: started?.guardrailProfile,
    tools: started?.tools ?? []
  }) satisfies Run
})

/**
 * Without what is undefined, which JSON would say as null: absent is absent, and null is what a program returned.
 *
 * @category conversions
 * @since 0.1.0
 */
export const present = <A extends object>(value: A): Present<A> =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Present<A>

type Present<A> =
  & { readonly [K in keyof A as undefined extends A[K] ? never : K]: A[K] }
  & { readonly [K in keyof A as undefined extends A[K] ? K : never]?: Exclude<A[K], undefined> }
