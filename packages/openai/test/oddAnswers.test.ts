import { OpenAi } from "@durable-agents/openai"
import { answerContract } from "@durable-agents/testing/answerContract"
import { chunk, done, sse } from "./bytes.ts"
import { completion } from "./server.ts"

const call = (index: number, name: string, args: string) => ({
  index,
  id: `call_${index}`,
  type: "function",
  function: { name, arguments: args },
  extra_content: { google: { thought_signature: "s" } }
})

const calls = [call(0, "stock", "{\"item\":\"bolt\"}"), call(1, "stock", "{\"item\":\"nut\"}")]

const usage = {
  prompt_tokens: 20,
  completion_tokens: 8,
  cost: 0.1,
  prompt_tokens_details: { cached_tokens: 5 },
  completion_tokens_details: { reasoning_tokens: 6 }
}

const thinking = { type: "thinking", thinking: "Hm.", signature: "s" }
const detail = { type: "reasoning.text", text: "Hm.", index: 0 }

const whole = completion(
  {
    role: "assistant",
    content: "Let me see.",
    refusal: null,
    reasoning_content: "Hm.",
    reasoning_details: [detail],
    thinking_blocks: [thinking],
    tool_calls: calls
  },
  { usage },
  { finish_reason: "tool_calls" }
)

const events = [
  chunk({ role: "assistant", content: "" }),
  chunk({ reasoning_content: "Hm.", reasoning_details: [detail], thinking_blocks: [thinking] }),
  chunk({ content: [{ type: "text", text: "Let me " }] }),
  chunk({ content: "see." }),
  ...calls.map((one) => chunk({ tool_calls: [{ ...one, function: { ...one.function, arguments: "" } }] })),
  ...calls.map(({ function: { arguments: args }, index }) =>
    chunk({ tool_calls: [{ index, function: { arguments: args } }] })
  ),
  chunk({}, {}, { finish_reason: "tool_calls" }),
  chunk({}, { choices: [], usage }),
  done
]

answerContract("an OpenAI-compatible endpoint", {
  model: OpenAi.layer({ model: "m", baseUrl: "http://models.example/v1" }),
  whole,
  events,
  textOf: sse
})
