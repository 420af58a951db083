/**
 * What the page shows, as it stands behind the `#` of its address. No secret ever stands there.
 */
import { Run } from "@durable-agents/server/Api"
import { Schema } from "effect"

type RunId = Run["runId"]

export type Route =
  | { readonly _tag: "Approvals"; readonly runId?: RunId; readonly key?: string }
  | { readonly _tag: "Runs"; readonly filters: Readonly<Record<string, string>> }
  | { readonly _tag: "Run"; readonly runId: RunId }
  | { readonly _tag: "Start" }

/** What is not understood leads to the approvals. */
export const parse = (hash: string): Route => {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2)
  const [name, first, second] = path.split("/").map(decoded)
  switch (name) {
    case "runs":
      return isRunId(first)
        ? { _tag: "Run", runId: first }
        : { _tag: "Runs", filters: Object.fromEntries(new URLSearchParams(query)) }
    case "start":
      return { _tag: "Start" }
    default:
      return isRunId(first) && second !== undefined
        ? { _tag: "Approvals", runId: first, key: second }
        : { _tag: "Approvals" }
  }
}

/** The address of a route within this page. */
export const href = (route: Route): string => {
  switch (route._tag) {
    case "Approvals":
      return route.runId === undefined || route.key === undefined
        ? "#/approvals"
        : `#/approvals/${encodeURIComponent(route.runId)}/${encodeURIComponent(route.key)}`
    case "Runs": {
      const query = new URLSearchParams(Object.entries(route.filters).filter(([, value]) => value !== "")).toString()
      return query === "" ? "#/runs" : `#/runs?${query}`
    }
    case "Run":
      return `#/runs/${encodeURIComponent(route.runId)}`
    case "Start":
      return "#/start"
  }
}

const isRunId = Schema.is(Run.fields.runId)

/** Never fails, whatever somebody typed. */
const decoded = (text: string): string =>
  new URLSearchParams(`text=${text.replace(/[+&]/g, encodeURIComponent)}`).get("text") ?? text
