import { Agent, type Guardrails, ScriptedModel, ToolPolicy } from "@durable-agents/agent"
import type { RunEvent, RunEventOf, RunId } from "@durable-agents/core"
import { MemoryStore, Runs, Runtime, RuntimeSettings } from "@durable-agents/core"
import { Effect, Layer, pipe, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"

export const ReadInbox = pipe(
  Tool.make("read_inbox", { success: Schema.String }).annotate(Tool.Readonly, true),
  ToolPolicy.labels({ result: "third_party", private: true })
)

export const FetchPage = pipe(
  Tool.make("fetch_page", { parameters: Schema.Struct({ url: Schema.String }), success: Schema.String })
    .annotate(Tool.Readonly, true),
  ToolPolicy.labels({ result: "open_world", effect: "fetch", sinks: { url: "url" } })
)

export const SendMoney = pipe(
  Tool.make("send_money", {
    parameters: Schema.Struct({ iban: Schema.String, amount: Schema.Finite, note: Schema.optionalKey(Schema.String) }),
    success: Schema.String
  }),
  ToolPolicy.labels({ effect: "send", sinks: { iban: "recipient", amount: "amount" } })
)

export const SendMail = pipe(
  Tool.make("send_mail", {
    parameters: Schema.Struct({ to: Schema.String, body: Schema.String }),
    success: Schema.String
  }),
  ToolPolicy.labels({ effect: "send" })
)

export const Kit = Toolkit.make(ReadInbox, FetchPage, SendMoney, SendMail)

export const Clerk = Agent.make("clerk", { instructions: "You are a clerk.", toolkit: Kit })

/** An agent, its world, and what reached it. */
export const clerk = <E>(
  script: ScriptedModel.Script,
  guardrails: Layer.Layer<never, E>,
  world: { readonly inbox?: string; readonly page?: string } = {}
) => {
  const effects: Array<string> = []
  const did = (what: string) => Effect.sync(() => (effects.push(what), "done"))
  const tools = Kit.toLayer({
    read_inbox: () => Effect.succeed(world.inbox ?? "Nothing new."),
    fetch_page: ({ url }) => Effect.as(did(`fetch ${url}`), world.page ?? "A page."),
    send_money: ({ amount, iban }) => did(`pay ${iban} ${amount}`),
    send_mail: ({ to }) => did(`mail ${to}`)
  })
  const layer = Clerk.layer.pipe(
    Layer.provide(Layer.orDie(guardrails)),
    Layer.provideMerge(Runtime.layer),
    Layer.provideMerge(MemoryStore.layer),
    Layer.provideMerge(Layer.merge(ScriptedModel.layer(script), tools)),
    Layer.provide(quick)
  )
  return { effects, layer }
}

const quick = Layer.succeed(RuntimeSettings, {
  ...RuntimeSettings.defaultValue(),
  suspendAfter: "5 millis",
  keep: 0,
  blockedAfter: "50 millis",
  grace: "100 millis"
})

/** Starts a run and executes it until it rests. */
export const play = (goal: string, profile?: Guardrails.Profile) =>
  Effect.gen(function*() {
    const runs = yield* Runs
    const runtime = yield* Runtime
    const runId = yield* runs.start(Clerk, goal, profile === undefined ? {} : { guardrailProfile: profile })
    return { runId, view: yield* runtime.execute(runId) }
  })

export const goOn = (runId: RunId, approval: string) =>
  Effect.gen(function*() {
    const runs = yield* Runs
    const runtime = yield* Runtime
    yield* runs.approve(runId, { approval, actor: "dana@example.com" })
    return yield* runtime.execute(runId)
  })

export const eventsOf = (runId: RunId) =>
  Effect.flatMap(
    Runs,
    (runs) => Effect.map(Stream.runCollect(runs.events(runId)), (all) => all.map(({ event }) => event))
  )

/** The events of one kind. */
export const only = <Tag extends RunEvent.RunEvent["_tag"]>(
  events: ReadonlyArray<RunEvent.RunEvent>,
  tag: Tag
): ReadonlyArray<RunEventOf<Tag>> => events.filter((event): event is RunEventOf<Tag> => event._tag === tag)

export const verdictsOf = (runId: RunId) => Effect.map(eventsOf(runId), (events) => only(events, "GuardrailTriggered"))

export const inbox = { name: "read_inbox", params: {} }
export const page = (url: string) => ({ name: "fetch_page", params: { url } })
export const money = (iban: string, amount: number) => ({ name: "send_money", params: { iban, amount } })
export const mail = (to: string, body = "Hello.") => ({ name: "send_mail", params: { to, body } })
export const turn = (...calls: ReadonlyArray<{ readonly name: string; readonly params: unknown }>) =>
  ScriptedModel.toolCalls(calls)
