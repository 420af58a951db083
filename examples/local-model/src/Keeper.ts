/**
 * An agent that looks things up in a shop, and says what it finds as it writes it.
 */
import { Agent, ModelDeltas } from "@durable-agents/agent"
import { type RunId, Runs } from "@durable-agents/core"
import { Effect, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"

const Stock = Tool.make("stock", {
  description: "How many of an item are in stock.",
  parameters: Schema.Struct({ item: Schema.String }),
  success: Schema.Struct({ left: Schema.Int })
}).annotate(Tool.Readonly, true)

const Tools = Toolkit.make(Stock)

export const ToolsLayer = Tools.toLayer({
  stock: ({ item }) => Effect.succeed({ left: item === "bolt" ? 12 : 0 })
})

export const Keeper = Agent.make("keeper", {
  instructions: "You keep a hardware shop. Look things up with your tools, and answer in one sentence.",
  toolkit: Tools,
  stream: true,
  // A local model may have to be loaded first.
  timeout: "15 minutes"
})

/** Passes on what the model says in a run, as it says it; what a failed attempt said is taken back. */
export const listen = (runId: RunId, write: (text: string) => void) =>
  Effect.flatMap(Runs, (runs) =>
    ModelDeltas.of(runId).pipe(
      Stream.interruptWhen(runs.await(runId)),
      Stream.runForEach((delta) =>
        Effect.sync(() => {
          if (delta._tag === "Text") write(delta.text)
          if (delta._tag === "Arguments") write(delta.text === "" ? `${delta.tool} ` : delta.text)
          if (delta._tag === "Voided") write("\n(that does not count)")
          if (delta._tag === "Ended") write("\n")
        })
      )
    ))
