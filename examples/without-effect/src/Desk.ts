/**
 * A refund desk for code without Effect: plain arguments, promises, errors that are thrown. This is the only file of the
 * example in which Effect is used; copy it and put your tools in.
 */
import { Agent, ScriptedModel, ToolCall, ToolPolicy } from "@durable-agents/agent"
import { InvalidRequest, RunId, Runs, type RunStatus, Runtime, type RunView, Worker } from "@durable-agents/core"
import { Sqlite } from "@durable-agents/sqlite"
import { Cause, Effect, Exit, Layer, ManagedRuntime, pipe, Result, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { PaymentRefused, type Payments } from "./Payments.ts"

/** A refund as its users see it. */
export interface Refund {
  readonly id: string
  readonly status: RunStatus
  /** What the agent said at the end. */
  readonly answer: string | undefined
  /** What waits for a person. */
  readonly questions: ReadonlyArray<{
    /** Names the question when it is answered. */
    readonly key: string
    readonly text: string
    readonly reason: string
    readonly arguments: unknown
  }>
}

/** What can be done. Every promise that rejects does so with an error that has a `_tag` and a `message`. */
export interface Desk {
  /** Records what a customer wants, and returns the id of the refund. The same order gives the same refund. */
  readonly startRefund: (orderId: string, wish: string) => Promise<string>
  readonly status: (id: string) => Promise<Refund>
  /** Resolves when the refund has ended, or waits for a person. */
  readonly settled: (id: string) => Promise<Refund>
  /** Answers a question, once. */
  readonly decide: (id: string, decision: {
    readonly question: string
    readonly by: string
    readonly allow: boolean
    readonly reason?: string
  }) => Promise<Refund>
  /** Takes no new work, lets payments under way end, and writes them down. Refunds go on when a desk is opened again. */
  readonly close: () => Promise<void>
}

/** The desk was closed before there was an answer; whether a decision under way was recorded, its status says. */
export class DeskClosed extends Schema.TaggedError<DeskClosed>()("DeskClosed", {}) {
  override get message() {
    return "the desk is closed"
  }
}

/** Opens the desk on a file. Rejects if the file cannot be used. */
export const openDesk = async (options: { readonly file: string; readonly payments: Payments }): Promise<Desk> => {
  const runtime = ManagedRuntime.make(Worker.layer({ poll: "200 millis" }).pipe(
    Layer.provide(Support.layer),
    Layer.provideMerge(Runtime.layer),
    Layer.provide(Sqlite.layer({ file: options.file })),
    Layer.provide([Script, toolsOf(options.payments)])
  ))
  // A managed runtime builds its layers when it is first used. The worker is to begin now.
  await runtime.context()

  let isClosed = false

  /** One call of `Runs` as a promise; typed failures become its rejection. */
  const call = async <A, E>(f: (runs: Runs["Service"]) => Effect.Effect<A, E>): Promise<A> => {
    if (isClosed) throw new DeskClosed()
    const exit = await runtime.runPromiseExit(Effect.flatMap(Runs, f))
    if (Exit.isSuccess(exit)) return exit.value
    // Closing interrupts whatever is still waited for.
    throw Cause.hasInterruptsOnly(exit.cause) ? new DeskClosed() : Cause.squash(exit.cause)
  }

  return {
    startRefund: (orderId, wish) =>
      call((runs) => runs.start(Support, `Order ${orderId}: ${wish}`, { startKey: orderId })),
    status: (id) => call((runs) => Effect.map(Effect.flatMap(runId(id), runs.state), refundOf)),
    settled: (id) =>
      call((runs) =>
        Effect.map(
          Effect.flatMap(runId(id), (id) => runs.await(id, (run) => run.pendingApprovals.length > 0)),
          refundOf
        )
      ),
    decide: (id, { allow, by, question, reason = "" }) =>
      call((runs) =>
        Effect.map(
          Effect.flatMap(runId(id), (id) =>
            allow
              ? runs.approve(id, { approval: question, actor: by, comment: reason })
              : runs.deny(id, { approval: question, actor: by, reason })),
          refundOf
        )
      ),
    close: () => {
      isClosed = true
      return runtime.dispose()
    }
  }
}

/** Ids come from outside, so they are checked. */
const runId = (id: string): Effect.Effect<RunId, InvalidRequest> =>
  Effect.mapError(
    Schema.decodeEffect(RunId)(id),
    () => new InvalidRequest({ field: "id", detail: "is not the id of a refund" })
  )

const refundOf = ({ output, pendingApprovals, runId, status }: RunView): Refund => ({
  id: runId,
  status,
  answer: typeof output === "string" ? output : undefined,
  questions: pendingApprovals.map(({ arguments: args, key, reason, subject }) => ({
    key,
    text: subject,
    reason,
    arguments: args
  }))
})

/** A plain handler: its arguments, and what it may know about the call. */
type Plain<Args, Value> = (
  args: Args,
  call: { readonly idempotencyKey: string; readonly attempt: number; readonly signal: AbortSignal }
) => Promise<Value>

/**
 * Wraps a plain handler. A rejection that `refusal` recognises is a result: the model is told. Any other one leaves open what
 * has happened, as a broken connection does; the call is made again with the same key, if its tool says that it may be.
 */
const fromAsync =
  <Args, Value, E>(handler: Plain<Args, Value>, refusal: (error: unknown) => E | undefined) =>
  (args: Args): Effect.Effect<Value, E, ToolCall> =>
    Effect.gen(function*() {
      const { attempt, idempotencyKey } = yield* ToolCall
      const answer = yield* Effect.promise((signal) =>
        handler(args, { attempt, idempotencyKey, signal }).then(
          (value): Result.Result<Value, E> => Result.succeed(value),
          (error: unknown) => {
            const refused = refusal(error)
            if (refused === undefined) throw error
            return Result.fail(refused)
          }
        )
      )
      return yield* Effect.fromResult(answer)
    })

class Refused extends Schema.TaggedError<Refused>()("Refused", { reason: Schema.String }) {}

const IssueRefund = pipe(
  Tool.make("issue_refund", {
    description: "Refund an order. Amounts are in cents.",
    parameters: Schema.Struct({ orderId: Schema.String, cents: Schema.Natural }),
    success: Schema.Struct({ receipt: Schema.String }),
    failure: Refused,
    dependencies: [ToolCall],
    needsApproval: ({ cents }) => cents > 5000
  }).annotate(Tool.Idempotent, true),
  ToolPolicy.reason("refunds above 50.00 need a second pair of eyes")
)

const Tools = Toolkit.make(IssueRefund)

/** The tools, made of plain functions. */
export const toolsOf = (payments: Payments) =>
  Tools.toLayer({
    issue_refund: fromAsync(
      async ({ cents, orderId }, { idempotencyKey, signal }) => ({
        receipt: await payments.refund(orderId, cents, { idempotencyKey, signal })
      }),
      (error) => error instanceof PaymentRefused ? new Refused({ reason: error.message }) : undefined
    )
  })

/** The agent. */
export const Support = Agent.make("support", { instructions: "You handle refunds.", toolkit: Tools })

/** Stands for a real model, so that this runs offline. */
export const Script = ScriptedModel.layer([
  ScriptedModel.toolCall("issue_refund", { orderId: "A-8891", cents: 6400 }),
  "Your 64.00 are on their way."
])
