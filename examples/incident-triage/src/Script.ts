/**
 * What the model does when no real one is named. It falls for the obvious cause first.
 */
import { ScriptedModel } from "@durable-agents/agent"

const { toolCalls } = ScriptedModel

/** One reply for each turn. */
export const reply = ({ prompt, turn }: ScriptedModel.Request): ScriptedModel.Reply | string => {
  switch (turn) {
    case 1:
      return toolCalls([
        { name: "service_status", params: { service: "checkout" } },
        { name: "recent_deploys", params: { service: "checkout" } },
        { name: "config_changes", params: { service: "checkout" } },
        { name: "search_logs", params: { service: "checkout", text: "ERROR" } }
      ])
    case 2:
      return toolCalls([
        {
          name: "rollback",
          params: { change: "deploy-812", because: "checkout was deployed three minutes before the alert." }
        },
        { name: "service_status", params: { service: "inventory" } }
      ])
    case 3:
      return toolCalls([
        { name: "recent_deploys", params: { service: "inventory" } },
        { name: "config_changes", params: { service: "inventory" } },
        { name: "search_logs", params: { service: "inventory", text: "" } }
      ])
    case 4:
      return toolCalls([
        {
          name: "rollback",
          params: {
            change: "config-1187",
            because: "inventory in eu has 20 connections, and 143 requests wait for one."
          }
        },
        {
          name: "rollback",
          params: { change: "config-1188", because: "inventory in us was cut down to 20 connections in the same way." }
        }
      ])
    case 5:
      return toolCalls([
        { name: "service_status", params: { service: "checkout" } },
        { name: "service_status", params: { service: "inventory" } }
      ])
    default:
      return JSON.stringify(prompt.content.at(-1)).includes("\"errorPercent\":0.2")
        ? "checkout is healthy again. inventory ran out of database connections after it was cut down from 200 to 20 at " +
          "14:02; both changes are undone. deploy-812 had nothing to do with it."
        : "checkout still fails. I have nothing else to propose, so somebody has to take over."
  }
}

/** The model. */
export const Script = ScriptedModel.layer(reply)
