import { Anthropic } from "@durable-agents/anthropic"
import { answerContract } from "@durable-agents/testing/answerContract"
import { Predicate } from "effect"
import { adds, begins, events, message, stops, text, toolUse } from "./server.ts"

const thinking = { type: "thinking", thinking: "Hm.", signature: "s" }
const items = ["bolt", "nut"]

const whole = message(
  [
    thinking,
    { type: "redacted_thinking", data: "x" },
    text("Let me see."),
    ...items.map((item, index) => toolUse(`toolu_${index}`, "stock", { item }))
  ],
  { stop_reason: "tool_use" }
)

const streamed = events(
  [
    begins(0, { ...thinking, thinking: "", signature: "" }),
    adds(0, { type: "thinking_delta", thinking: "Hm." }),
    adds(0, { type: "signature_delta", signature: "s" }),
    stops(0),
    begins(1, { type: "redacted_thinking", data: "x" }),
    stops(1),
    begins(2, text("")),
    adds(2, { type: "text_delta", text: "Let me " }),
    adds(2, { type: "text_delta", text: "see." }),
    stops(2),
    ...items.flatMap((item, nth) => [
      begins(3 + nth, toolUse(`toolu_${nth}`, "stock", {})),
      adds(3 + nth, { type: "input_json_delta", partial_json: "{\"item\":" }),
      adds(3 + nth, { type: "input_json_delta", partial_json: `"${item}"}` }),
      stops(3 + nth)
    ])
  ],
  { delta: { stop_reason: "tool_use" } }
)

const typeOf = (event: unknown): string =>
  Predicate.hasProperty(event, "type") && typeof event.type === "string" ? event.type : "message"

answerContract("Anthropic's interface", {
  model: Anthropic.layer({ model: "m", baseUrl: "http://models.example" }),
  whole,
  events: streamed,
  textOf: (events) => events.map((event) => `event: ${typeOf(event)}\ndata: ${JSON.stringify(event)}\n\n`).join("")
})
