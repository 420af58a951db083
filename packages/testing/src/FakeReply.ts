/**
 * What a model says, in the dialects of OpenAI's chat completions and of Anthropic's messages, at once or as events.
 */

/**
 * What a model says, whatever the provider.
 *
 * @category models
 * @since 0.1.0
 */
export interface Reply {
  /** An answer of a declared shape is its JSON. */
  readonly text?: string
  /** Arguments that are no text are written as JSON; a text is sent as it is, also if it is not JSON. */
  readonly toolCalls?: ReadonlyArray<{ readonly id?: string; readonly name: string; readonly arguments: unknown }>
  /** Comes before everything else: `reasoning_content`, or a block of thinking. */
  readonly reasoning?: string
  /** Why the answer ended; the default follows from whether there are calls. */
  readonly finish?: "stop" | "length" | "tool-calls" | "content-filter"
  /** `null`: the provider reports none. */
  readonly usage?: Usage | null
  /** Default `fake-model`. */
  readonly model?: string
  readonly id?: string
}

/**
 * Tokens; the total of the input includes those read from and written to a cache, that of the output the reasoning.
 *
 * @category models
 * @since 0.1.0
 */
export interface Usage {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
}

/**
 * @category models
 * @since 0.1.0
 */
export type Dialect = "openai" | "anthropic"

/**
 * The answer in one piece.
 *
 * @category constructors
 * @since 0.1.0
 */
export const whole = (dialect: Dialect, reply: Reply): string =>
  JSON.stringify(dialect === "openai" ? completion(reply) : message(reply))

/**
 * The events of a stream, and one of them that can come any number of times. `cut` divides texts.
 *
 * @category constructors
 * @since 0.1.0
 */
export const events = (
  dialect: Dialect,
  reply: Reply,
  cut: (text: string) => ReadonlyArray<string>,
  withUsage: boolean
): { readonly all: ReadonlyArray<string>; readonly again: string } =>
  dialect === "openai"
    ? { all: chunks(reply, cut, withUsage), again: chunk(reply, { content: "…" }) }
    : { all: blocks(reply, cut), again: named({ type: "ping" }) }

const usageOf = ({ usage = { input: 9, output: 4 } }: Reply): Usage | undefined => usage ?? undefined

const callsOf = ({ toolCalls = [] }: Reply) =>
  toolCalls.map(({ arguments: given, id, name }, index) => ({
    id: id ?? `call_${index + 1}`,
    name,
    given,
    text: textOf(given)
  }))

const textOf = (given: unknown): string => typeof given === "string" ? given : JSON.stringify(given) ?? ""

const finishOf = ({ finish, toolCalls = [] }: Reply) => finish ?? (toolCalls.length > 0 ? "tool-calls" : "stop")

// OpenAI

const finishReasons = { stop: "stop", length: "length", "tool-calls": "tool_calls", "content-filter": "content_filter" }

const completion = (reply: Reply) => {
  const calls = callsOf(reply)
  const tool_calls = calls.map(({ id, name, text }) => ({ id, type: "function", function: { name, arguments: text } }))
  return {
    id: reply.id ?? "chatcmpl-fake",
    object: "chat.completion",
    created: 1_700_000_000,
    model: reply.model ?? "fake-model",
    choices: [{
      index: 0,
      message: {
        role: "assistant",
        content: reply.text ?? null,
        refusal: null,
        ...(reply.reasoning === undefined ? {} : { reasoning_content: reply.reasoning }),
        ...(calls.length === 0 ? {} : { tool_calls })
      },
      logprobs: null,
      finish_reason: finishReasons[finishOf(reply)]
    }],
    ...openAiUsage(reply)
  }
}

const openAiUsage = (reply: Reply) => {
  const usage = usageOf(reply)
  return usage === undefined ? {} : {
    usage: {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
      completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 }
    }
  }
}

const data = (json: object): string => `data: ${JSON.stringify(json)}\n\n`

const base = (reply: Reply) => ({
  id: reply.id ?? "chatcmpl-fake",
  object: "chat.completion.chunk",
  created: 1_700_000_000,
  model: reply.model ?? "fake-model"
})

const chunk = (reply: Reply, delta: object, finish_reason: string | null = null): string =>
  data({ ...base(reply), choices: [{ index: 0, delta, logprobs: null, finish_reason }] })

const chunks = (
  reply: Reply,
  cut: (text: string) => ReadonlyArray<string>,
  withUsage: boolean
): ReadonlyArray<string> => [
  chunk(reply, { role: "assistant", content: "" }),
  ...cut(reply.reasoning ?? "").map((piece) => chunk(reply, { reasoning_content: piece })),
  ...cut(reply.text ?? "").map((piece) => chunk(reply, { content: piece })),
  ...callsOf(reply).flatMap(({ id, name, text }, index) => [
    chunk(reply, { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
    ...cut(text).map((piece) => chunk(reply, { tool_calls: [{ index, function: { arguments: piece } }] }))
  ]),
  chunk(reply, {}, finishReasons[finishOf(reply)]),
  ...(withUsage ? [data({ ...base(reply), choices: [], ...openAiUsage(reply) })] : []),
  "data: [DONE]\n\n"
]

// Anthropic

const stopReasons = { stop: "end_turn", length: "max_tokens", "tool-calls": "tool_use", "content-filter": "refusal" }

const anthropicUsage = (reply: Reply) => {
  const usage = usageOf(reply)
  return usage === undefined ? {} : {
    usage: {
      input_tokens: usage.input - (usage.cacheRead ?? 0) - (usage.cacheWrite ?? 0),
      cache_read_input_tokens: usage.cacheRead ?? 0,
      cache_creation_input_tokens: usage.cacheWrite ?? 0,
      output_tokens: usage.output
    }
  }
}

const signature = "c2lnbmF0dXJl"

const message = (reply: Reply) => ({
  id: reply.id ?? "msg_fake",
  type: "message",
  role: "assistant",
  model: reply.model ?? "fake-model",
  content: [
    ...(reply.reasoning === undefined ? [] : [{ type: "thinking", thinking: reply.reasoning, signature }]),
    ...(reply.text === undefined ? [] : [{ type: "text", text: reply.text }]),
    ...callsOf(reply).map(({ given, id, name }) => ({ type: "tool_use", id, name, input: given ?? {} }))
  ],
  stop_reason: stopReasons[finishOf(reply)],
  stop_sequence: null,
  ...anthropicUsage(reply)
})

const named = (event: { readonly type: string; readonly [field: string]: unknown }): string =>
  `event: ${event.type}\n${data(event)}`

const blocks = (reply: Reply, cut: (text: string) => ReadonlyArray<string>): ReadonlyArray<string> => {
  const usage = usageOf(reply)
  const deltas = (type: string, field: string, text: string) => cut(text).map((piece) => ({ type, [field]: piece }))
  const contents: ReadonlyArray<{ readonly start: object; readonly deltas: ReadonlyArray<object> }> = [
    ...(reply.reasoning === undefined ? [] : [{
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: [...deltas("thinking_delta", "thinking", reply.reasoning), { type: "signature_delta", signature }]
    }]),
    ...(reply.text === undefined
      ? []
      : [{ start: { type: "text", text: "" }, deltas: deltas("text_delta", "text", reply.text) }]),
    ...callsOf(reply).map(({ id, name, text }) => ({
      start: { type: "tool_use", id, name, input: {} },
      deltas: deltas("input_json_delta", "partial_json", text)
    }))
  ]
  const start = message(reply)
  return [
    named({
      type: "message_start",
      message: {
        ...start,
        content: [],
        stop_reason: null,
        ...("usage" in start ? { usage: { ...start.usage, output_tokens: 1 } } : {})
      }
    }),
    named({ type: "ping" }),
    ...contents.flatMap((content, index) => [
      named({ type: "content_block_start", index, content_block: content.start }),
      ...content.deltas.map((delta) => named({ type: "content_block_delta", index, delta })),
      named({ type: "content_block_stop", index })
    ]),
    named({
      type: "message_delta",
      delta: { stop_reason: start.stop_reason, stop_sequence: null },
      ...(usage === undefined ? {} : { usage: { output_tokens: usage.output } })
    }),
    named({ type: "message_stop" })
  ]
}
