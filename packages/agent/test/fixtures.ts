import { Agent, ScriptedModel, ToolCall } from "@durable-agents/agent"
import type { Program, RunEvent, RunEventOf, RunId } from "@durable-agents/core"
import { MemoryStore, Runs, Runtime, RuntimeSettings } from "@durable-agents/core"
import { Deferred, Effect, Fiber, Layer, Schema, Stream } from "effect"
import type { Prompt } from "effect/ai"
import { Tool, Toolkit } from "effect/ai"

/** Settings under which a waiting run rests at once, in real time, however short it waits. */
export const quick = Layer.succeed(RuntimeSettings, {
  ...RuntimeSettings.defaultValue(),
  suspendAfter: "5 millis",
  keep: 0,
  blockedAfter: "50 millis",
  grace: "100 millis"
})

/** One process that can run a program, over a memory that outlives it. */
export const processOf = <R, Out, RR>(
  program: Layer.Layer<never, never, R>,
  around: Layer.Layer<Out, never, RR>,
  memory: MemoryStore.Memory = MemoryStore.memory()
) =>
  program.pipe(
    Layer.provideMerge(Runtime.layer),
    Layer.provideMerge(MemoryStore.layerOf(memory)),
    Layer.provideMerge(around),
    Layer.provide(quick)
  )

export const start = <Input, Output, Error>(
  program: Program.Program<Input, Output, Error>,
  input: Input,
  options: Parameters<Runs["Service"]["start"]>[2] = {}
) => Effect.flatMap(Runs, (runs) => runs.start(program, input, options))

export const execute = (runId: RunId) => Effect.flatMap(Runtime, (runtime) => runtime.execute(runId))

export const stateOf = (runId: RunId) => Effect.flatMap(Runs, (runs) => runs.state(runId))

export const eventsOf = (runId: RunId) =>
  Effect.flatMap(
    Runs,
    (runs) => Effect.map(Stream.runCollect(runs.events(runId)), (all) => all.map(({ event }) => event))
  )

export const tagsOf = (runId: RunId) => Effect.map(eventsOf(runId), (events) => events.map(({ _tag }) => _tag))

/** The events of one kind. */
export const only = <Tag extends RunEvent.RunEvent["_tag"]>(
  events: ReadonlyArray<RunEvent.RunEvent>,
  tag: Tag
): ReadonlyArray<RunEventOf<Tag>> => events.filter((event): event is RunEventOf<Tag> => event._tag === tag)

export const approve = (runId: RunId, approval: string, args?: Schema.Json) =>
  Effect.flatMap(
    Runs,
    (runs) =>
      runs.approve(runId, { approval, actor: "dana@example.com", ...(args === undefined ? {} : { arguments: args }) })
  )

export const deny = (runId: RunId, approval: string, reason?: string) =>
  Effect.flatMap(
    Runs,
    (runs) => runs.deny(runId, { approval, actor: "dana@example.com", ...(reason === undefined ? {} : { reason }) })
  )

/** A tool that only reads. */
export const Read = Tool.make("read", {
  description: "Reads a page.",
  parameters: Schema.Struct({ page: Schema.String }),
  success: Schema.Struct({ text: Schema.String }),
  failure: Schema.Struct({ missing: Schema.String }),
  dependencies: [ToolCall]
}).annotate(Tool.Readonly, true)

/** A tool whose effect must not happen twice. */
export const Send = Tool.make("send", {
  description: "Sends a letter.",
  parameters: Schema.Struct({ to: Schema.String }),
  success: Schema.Struct({ sent: Schema.Boolean }),
  failure: Schema.Struct({ bounced: Schema.String }),
  dependencies: [ToolCall]
})

/** A tool that honours its key, and asks for approval above 5,000. */
export const Pay = Tool.make("pay", {
  description: "Pays back. Amounts are in cents.",
  parameters: Schema.Struct({ order: Schema.String, cents: Schema.Natural }),
  success: Schema.Struct({ receipt: Schema.String }),
  failure: Schema.Struct({ declined: Schema.String }),
  dependencies: [ToolCall],
  needsApproval: ({ cents }) => cents > 5000
}).annotate(Tool.Idempotent, true)

export const Kit = Toolkit.make(Read, Send, Pay)

/** What the tools were asked, one entry an attempt. */
export interface Attempt {
  readonly tool: string
  readonly args: unknown
  readonly key: string
  readonly attempt: number
}

export interface Behaviour {
  readonly read?: (
    page: string,
    attempt: Attempt
  ) => Effect.Effect<{ readonly text: string }, { readonly missing: string }>
  readonly send?: (
    to: string,
    attempt: Attempt
  ) => Effect.Effect<{ readonly sent: boolean }, { readonly bounced: string }>
  readonly pay?: (
    order: string,
    attempt: Attempt
  ) => Effect.Effect<{ readonly receipt: string }, { readonly declined: string }>
}

/** The tools' side: everything that was attempted, in order. */
export const world = (behaviour: Behaviour = {}) => {
  const attempts: Array<Attempt> = []
  const note = (tool: string, args: unknown) =>
    Effect.map(ToolCall, ({ attempt, idempotencyKey }) => {
      const entry = { tool, args, key: idempotencyKey, attempt }
      attempts.push(entry)
      return entry
    })
  const layer = Kit.toLayer({
    read: (args) =>
      Effect.flatMap(
        note("read", args),
        (entry) => behaviour.read?.(args.page, entry) ?? Effect.succeed({ text: `Page ${args.page}` })
      ),
    send: (args) =>
      Effect.flatMap(note("send", args), (entry) => behaviour.send?.(args.to, entry) ?? Effect.succeed({ sent: true })),
    pay: (args) =>
      Effect.flatMap(
        note("pay", args),
        (entry) => behaviour.pay?.(args.order, entry) ?? Effect.succeed({ receipt: `R-${args.order}` })
      )
  })
  return { attempts, layer, of: (tool: string) => attempts.filter((attempt) => attempt.tool === tool) }
}

export const Clerk = Agent.make("clerk", { instructions: "You are a clerk.", toolkit: Kit })

/** The agent of these tests in one process. */
export const clerk = (
  script: Parameters<typeof ScriptedModel.layer>[0],
  tools: ReturnType<typeof world> = world(),
  memory: MemoryStore.Memory = MemoryStore.memory()
) => processOf(Clerk.layer, Layer.merge(ScriptedModel.layer(script), tools.layer), memory)

/** Starts a run and executes it until it rests. */
export const play = (goal = "Do it.", options: Parameters<Runs["Service"]["start"]>[2] = {}) =>
  Effect.gen(function*() {
    const runId = yield* start(Clerk, goal, options)
    const view = yield* execute(runId)
    return { runId, view, events: yield* eventsOf(runId) }
  })

export const requests = Effect.flatMap(ScriptedModel.Requests, ({ all }) => all)

/** The prompt of the last request that the model got, one line a part. */
export const lastPrompt = Effect.map(requests, (all) => lines(all.at(-1)?.prompt))

export const lines = (prompt: Prompt.Prompt | undefined): ReadonlyArray<string> =>
  (prompt?.content ?? []).flatMap((message) =>
    typeof message.content === "string"
      ? [`${message.role}: ${message.content}`]
      : message.content.map((part) =>
        part.type === "text"
          ? `${message.role}: ${part.text}`
          : part.type === "tool-call"
          ? `call ${part.id} ${part.name} ${JSON.stringify(part.params)}`
          : part.type === "tool-result"
          ? `result ${part.id} ${part.isFailure ? "failure" : "success"} ${
            typeof part.result === "string" ? part.result : JSON.stringify(part.result)
          }`
          : `${message.role}: ${part.type}`
      )
  )

/** Executes a run and kills the process as soon as `at` is done: nothing more is recorded. */
export const executeUntil = (runId: RunId, at: Deferred.Deferred<void>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(execute(runId))
    yield* Deferred.await(at)
    yield* Fiber.interrupt(fiber)
  })
