/**
 * Personal data and secrets stay in the house: a model is sent placeholders in every direction, and what it answers is restored.
 */
import { ModelBoundary } from "@durable-agents/agent"
import { Layer, Redacted } from "effect"
import { Prompt, type Response } from "effect/ai"
import type { Kind } from "./PersonalData.ts"
import * as PersonalData from "./PersonalData.ts"
import * as Placeholders from "./Placeholders.ts"

/**
 * What is masked, and which tools get the values again.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /**
   * A secret of this installation, from which placeholders are drawn together with the run. Without one whoever learns the id of
   * a run can find out by trying which phone number a placeholder stands for.
   */
  readonly key?: Redacted.Redacted<string> | undefined
  /** Default: all of `PersonalData.kinds`. */
  readonly kinds?: ReadonlyArray<Kind> | undefined
  /**
   * Whether a tool gets the values of a kind in its arguments; otherwise it gets the placeholder. `undefined` in the place of a tool
   * is the text of an answer. Default: everything but secrets is restored in arguments, and everything in texts.
   */
  readonly restore?: ((kind: string, tool: string | undefined) => boolean) | undefined
  /**
   * What listeners of a streamed answer are told: placeholders (default), or the values that `restore` gives back to texts. A
   * placeholder that comes in pieces is held back until it is whole. Arguments are told with placeholders.
   */
  readonly deltas?: "placeholders" | "restored" | undefined
}

const restoreByDefault = (kind: string, tool: string | undefined): boolean => tool === undefined || kind !== "secret"

/**
 * Masks what models of agents are sent: system prompt, goal, results, answers, arguments of calls and summaries.
 *
 * **Details**
 *
 * A value has the same placeholder throughout a run, in every process, so the model can tell people apart without knowing them.
 * The log holds what was said inside; to keep it encrypted there is `EncryptedPayloads`.
 *
 * **Gotchas**
 *
 * What is not recognised is sent. A model that writes a placeholder differently gets no value for it.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<never> =>
  Layer.succeed(ModelBoundary.ModelBoundary, boundary(options))

/**
 * The same as a value, for one's own composition.
 *
 * @category constructors
 * @since 0.1.0
 */
export const boundary = (
  { deltas = "placeholders", key, kinds = PersonalData.kinds, restore = restoreByDefault }: Options
): ModelBoundary.Boundary =>
({ messages, runId }) => {
  const placeholders = Placeholders.make(`${key === undefined ? "" : Redacted.value(key)}\n${runId}`, kinds)
  for (const message of messages) learn(placeholders, message)
  return {
    messages: messages.map((message) => masked(placeholders, message)),
    incoming: (part) => restored(placeholders, part, restore),
    ...(deltas === "restored" ? { streamed: () => streamed(placeholders, (kind) => restore(kind, undefined)) } : {})
  }
}

/** Texts and reasoning with their values; what else is said, as it is. */
const streamed = (
  placeholders: Placeholders.Placeholders,
  allowed: (kind: string) => boolean
): ModelBoundary.Streamed => {
  const texts = {
    Text: Placeholders.pieces(placeholders, allowed),
    Reasoning: Placeholders.pieces(placeholders, allowed)
  }
  const tell = (_tag: keyof typeof texts, text: string) => text === "" ? [] : [{ _tag, text }]
  return {
    pass: (said) =>
      said._tag === "Text" || said._tag === "Reasoning" ? tell(said._tag, texts[said._tag].add(said.text)) : [said],
    end: () => [...tell("Reasoning", texts.Reasoning.end()), ...tell("Text", texts.Text.end())]
  }
}

const learn = (placeholders: Placeholders.Placeholders, message: Prompt.Message): void => {
  if (message.role === "system") return placeholders.learn(message.content)
  for (const part of message.content) {
    if (part.type === "text" || part.type === "reasoning") placeholders.learn(part.text)
    if (part.type === "tool-call") Placeholders.learnJson(placeholders, part.params)
    if (part.type === "tool-result") Placeholders.learnJson(placeholders, part.result)
  }
}

const masked = (placeholders: Placeholders.Placeholders, message: Prompt.Message): Prompt.Message => {
  switch (message.role) {
    case "system":
      return Prompt.makeMessage("system", { content: placeholders.mask(message.content), options: message.options })
    case "user":
      return Prompt.makeMessage("user", {
        content: message.content.map((part) => part.type === "text" ? maskText(placeholders, part) : part),
        options: message.options
      })
    case "assistant":
      return Prompt.makeMessage("assistant", {
        content: message.content.map((part) => {
          if (part.type === "text") return maskText(placeholders, part)
          if (part.type === "reasoning") return { ...part, text: placeholders.mask(part.text) }
          if (part.type === "tool-call") return { ...part, params: Placeholders.maskJson(placeholders, part.params) }
          if (part.type === "tool-result") return maskResult(placeholders, part)
          return part
        }),
        options: message.options
      })
    case "tool":
      return Prompt.makeMessage("tool", {
        content: message.content.map((part) => part.type === "tool-result" ? maskResult(placeholders, part) : part),
        options: message.options
      })
  }
}

const maskText = (placeholders: Placeholders.Placeholders, part: Prompt.TextPart): Prompt.TextPart => ({
  ...part,
  text: placeholders.mask(part.text)
})

const maskResult = (placeholders: Placeholders.Placeholders, part: Prompt.ToolResultPart): Prompt.ToolResultPart => ({
  ...part,
  result: Placeholders.maskJson(placeholders, part.result),
  ...(part.modelOutput === undefined ? {} : {
    modelOutput: part.modelOutput.map((output) => output.type === "text" ? maskText(placeholders, output) : output)
  })
})

const restored = (
  placeholders: Placeholders.Placeholders,
  part: Response.AnyPart,
  restore: (kind: string, tool: string | undefined) => boolean
): Response.AnyPart => {
  if (part.type === "text" || part.type === "reasoning") {
    return { ...part, text: placeholders.restore(part.text, (kind) => restore(kind, undefined)) }
  }
  return part.type === "tool-call"
    ? { ...part, params: Placeholders.restoreJson(placeholders, part.params, (kind) => restore(kind, part.name)) }
    : part
}
