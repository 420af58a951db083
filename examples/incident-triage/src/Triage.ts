/**
 * An agent on call: it may look at everything at once, and change nothing unless a person agrees.
 */
import { Agent, ToolCall, ToolPolicy } from "@durable-agents/agent"
import { Effect, pipe, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Change, Production, Status, UnknownChange, UnknownService } from "./Production.ts"

const Service = Schema.Struct({ service: Schema.String })

// `Tool.Readonly` says that looking changes nothing. So all reads of one answer run at the same time, and one that was cut off by
// a crash is simply made again.
const ServiceStatus = Tool.make("service_status", {
  description: "How a service does right now, and which services it depends on.",
  parameters: Service,
  success: Status,
  failure: UnknownService
}).annotate(Tool.Readonly, true)

const RecentDeploys = Tool.make("recent_deploys", {
  description: "What was deployed of a service today.",
  parameters: Service,
  success: Schema.Array(Change),
  failure: UnknownService
}).annotate(Tool.Readonly, true)

const ConfigChanges = Tool.make("config_changes", {
  description: "What was changed in the configuration of a service today.",
  parameters: Service,
  success: Schema.Array(Change),
  failure: UnknownService
}).annotate(Tool.Readonly, true)

const SearchLogs = Tool.make("search_logs", {
  description: "The log lines of a service that contain a text; all of them if the text is empty.",
  parameters: Schema.Struct({ service: Schema.String, text: Schema.String }),
  success: Schema.Array(Schema.String),
  failure: UnknownService
}).annotate(Tool.Readonly, true)

/** Whoever decides should not have to know what a tool is: the reason says what is about to happen, in plain words. */
export const Rollback = pipe(
  Tool.make("rollback", {
    description: "Undo a deploy or a change of the configuration in production.",
    parameters: Schema.Struct({
      change: Schema.String.annotate({ description: "The id of the change, such as deploy-123." }),
      because: Schema.String.annotate({ description: "Why this change is the cause, in one sentence." })
    }),
    success: Schema.Struct({ undone: Schema.String }),
    failure: UnknownChange,
    dependencies: [ToolCall],
    needsApproval: true
  }).annotate(Tool.Idempotent, true),
  ToolPolicy.reason(({ because, change }) => `This undoes ${change} in production. The agent says: ${because}`)
)

const Tools = Toolkit.make(ServiceStatus, RecentDeploys, ConfigChanges, SearchLogs, Rollback)

/** What the tools do, on production. */
export const ToolsLayer = Tools.toLayer(Effect.gen(function*() {
  const production = yield* Production
  return Tools.of({
    service_status: ({ service }) => production.status(service),
    recent_deploys: ({ service }) => production.deploys(service),
    config_changes: ({ service }) => production.configChanges(service),
    search_logs: ({ service, text }) => production.logs(service, text),
    rollback: Effect.fn("rollback")(function*({ change }) {
      const { idempotencyKey } = yield* ToolCall
      yield* production.undo(change, idempotencyKey)
      return { undone: change }
    })
  })
}))

/** The agent. */
export const Triage = Agent.make("triage", {
  instructions:
    "You are on call. An alert names the service that suffers, which need not be the one at fault: look at " +
    "what it depends on, and at when the errors began. Ask for everything you want to see in one answer, since you can " +
    "look at many things at once. Propose to roll back what explains the errors, and nothing else. If a person says " +
    "no, their reason tells you where to look. At the end, say in a few sentences what happened and what was done.",
  toolkit: Tools
})
