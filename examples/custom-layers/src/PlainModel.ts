/**
 * A language model that is one plain function: it is shown the conversation and the tools, and resolves to a text, to tool calls,
 * or both. Wrap the client that you have.
 */
import { Context, Effect, Layer, Stream } from "effect"
import { AiError, LanguageModel, Model, type Prompt, type Response, Tool } from "effect/ai"

/** A tool call, with its arguments as JSON. */
export interface Call {
  readonly name: string
  readonly arguments: unknown
}

/** What the model is shown, oldest first. The instructions come as the first message, from `system`. */
export type Message =
  | { readonly from: "system" | "user"; readonly text: string }
  | { readonly from: "assistant"; readonly text: string; readonly calls: ReadonlyArray<Call> }
  | { readonly from: "tool"; readonly name: string; readonly result: unknown }

/** One request. `signal` is aborted when nobody waits for the answer any more. */
export interface Request {
  readonly messages: ReadonlyArray<Message>
  /** `parameters` is a JSON schema. */
  readonly tools: ReadonlyArray<{ readonly name: string; readonly description: string; readonly parameters: unknown }>
  readonly signal: AbortSignal
}

/** What the function resolves to. An answer without calls is the agent's last word. */
export interface Answer {
  readonly text?: string
  readonly calls?: ReadonlyArray<Call>
}

/**
 * The model, under a name for the log. A rejection is an attempt that failed; the agent tries again, so the function must not.
 */
export const layer = (
  name: string,
  ask: (request: Request) => Promise<Answer>
): Layer.Layer<LanguageModel.LanguageModel | Model.ModelName> =>
  Layer.effectContext(Effect.map(
    LanguageModel.make({
      generateText: ({ prompt, tools }) =>
        Effect.map(
          Effect.tryPromise({
            try: (signal) => ask({ messages: prompt.content.flatMap(messagesOf), tools: tools.map(toolOf), signal }),
            // Worth another attempt. Say `AuthenticationError` or `InvalidRequestError` of what cannot get better.
            catch: (error) => failed(new AiError.InternalProviderError({ description: String(error) }))
          }),
          partsOf
        ),
      // Agents do not stream.
      streamText: () => Stream.fail(failed(new AiError.InvalidRequestError({ description: "it does not stream" })))
    }),
    (model) => Context.make(LanguageModel.LanguageModel, model).pipe(Context.add(Model.ModelName, name))
  ))

const failed = (reason: AiError.AiErrorReason) => AiError.make({ module: "PlainModel", method: "generateText", reason })

const messagesOf = (message: Prompt.Message): ReadonlyArray<Message> => {
  switch (message.role) {
    case "system":
      return [{ from: "system", text: message.content }]
    case "user":
      return [{ from: "user", text: textOf(message.content) }]
    case "assistant":
      return [{
        from: "assistant",
        text: textOf(message.content),
        calls: message.content.flatMap((part) =>
          part.type === "tool-call" ? [{ name: part.name, arguments: part.params }] : []
        )
      }]
    case "tool":
      return message.content.flatMap((part) =>
        part.type === "tool-result" ? [{ from: "tool" as const, name: part.name, result: part.result }] : []
      )
  }
}

const textOf = (parts: ReadonlyArray<Prompt.Part>): string =>
  parts.flatMap((part) => part.type === "text" ? [part.text] : []).join("")

const toolOf = (tool: Tool.Any): Request["tools"][number] => ({
  name: tool.name,
  description: Tool.getDescription(tool) ?? "",
  parameters: Tool.getJsonSchema(tool)
})

const partsOf = ({ calls = [], text = "" }: Answer): Array<Response.PartEncoded> => [
  ...(text === "" ? [] : [{ type: "text" as const, text }]),
  // The agent names calls without an id itself.
  ...calls.map((call) => ({ type: "tool-call" as const, id: "", name: call.name, params: call.arguments })),
  {
    type: "finish",
    reason: calls.length === 0 ? "stop" : "tool-calls",
    // What is not known is not zero: the log says that it was not reported.
    usage: { inputTokens: { total: undefined }, outputTokens: { total: undefined } }
  }
]
