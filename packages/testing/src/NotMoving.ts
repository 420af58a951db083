/**
 * A run that waits for something that will not come.
 */
import type { RunView } from "@durable-agents/core"
import { Explain } from "@durable-agents/core"
import { Schema } from "effect"
import * as LogText from "./LogText.ts"

/**
 * Nothing in the script moves the run any more, and it has not ended.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotMoving extends Schema.TaggedError<NotMoving>("@durable-agents/testing/NotMoving")("NotMoving", {
  runId: Schema.String,
  status: Schema.String,
  /** Why that is so, in one sentence. */
  problem: Schema.String,
  /** What the run waits for, one line each. */
  waitsFor: Schema.Array(Schema.String),
  log: Schema.Array(Schema.String)
}) {
  override get message() {
    return [this.problem, ...this.waitsFor.map((wait) => `  ${wait}`), "Its log:", ...LogText.end(this.log)].join("\n")
  }
}

/**
 * Says it of a run; without a problem, that the script moves it no further.
 *
 * @category constructors
 * @since 0.1.0
 */
export const notMoving = (view: RunView, log: ReadonlyArray<string>, problem?: string): NotMoving => {
  const { headline, next, waitsFor } = Explain.explain(view)
  const help = view.status === "Stuck" || view.status === "Paused" ? [next] : waitsFor.map(({ wait }) => advice(wait))
  return new NotMoving({
    runId: view.runId,
    status: view.status,
    problem: `${headline} ${problem ?? "Nothing in the script moves it."}`,
    waitsFor: [
      ...waitsFor.map(({ text, wait }) => `\`${wait.key}\` ${text}`),
      ...new Set(help.filter((text) => text !== ""))
    ],
    log
  })
}

const advice = ({ key, kind, subject, tool }: RunView["waits"][number]): string => {
  switch (kind) {
    case "approval":
      return `Nobody in \`outside\` has an answer to it; People.approve has one to everything, People.${
        tool === undefined ? `byKey({ "${key}": … })` : `byTool({ ${tool}: … })`
      } to this.`
    case "signal":
      return `Signals.send("${subject}", payload) in \`outside\` sends it once, Signals.answer whenever it is waited for.`
    case "operation":
      return "An operation that waits for something that the test does not bring never ends."
    case "timer":
    case "retry":
      return ""
  }
}
