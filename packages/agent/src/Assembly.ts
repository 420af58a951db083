/**
 * A streamed answer, put together: the parts that the same answer has in one piece, however it was cut.
 */
import { Effect, Stream } from "effect"
import { AiError, Response } from "effect/ai"
import type { Said } from "./ModelDeltas.ts"
import { isObject } from "./ToolResult.ts"

/**
 * Reads a stream to its end and passes on what it says as it comes.
 *
 * **Details**
 *
 * A stream without a finish part was torn, and fails as something that can pass. So does one with an error part.
 *
 * @category readers
 * @since 0.1.0
 */
export const collect = <E, R>(
  stream: Stream.Stream<Response.AnyPart, E, R>,
  say: (said: Said) => void
): Effect.Effect<ReadonlyArray<Response.AnyPart>, E | AiError.AiError, R> =>
  Effect.suspend(() => {
    const assembly = make(say)
    return stream.pipe(
      Stream.runForEachArray((parts) => {
        for (const part of parts) {
          if (part.type === "error") return Effect.fail(errorOf(part.error))
          assembly.add(part)
        }
        return Effect.void
      }),
      Effect.flatMap(() => {
        const parts = assembly.parts()
        return parts.some(({ type }) => type === "finish") ? Effect.succeed(parts) : Effect.fail(torn)
      })
    )
  })

interface Open {
  /** Where its part stands: in the order in which texts begin. */
  readonly at: number
  readonly type: "text" | "reasoning"
  text: string
  metadata: Response.ProviderMetadata
}

const make = (say: (said: Said) => void) => {
  const parts: Array<Response.AnyPart> = []
  const open = new Map<string, Open>()
  const tools = new Map<string, string>()

  const whole = ({ metadata, text, type }: Open): Response.AnyPart =>
    type === "text" ? Response.makePart("text", { text, metadata }) : Response.makePart("reasoning", { text, metadata })

  const opened = (type: Open["type"], id: string): Open => {
    const known = open.get(`${type} ${id}`)
    if (known !== undefined) return known
    const begun: Open = { at: parts.length, type, text: "", metadata: {} }
    parts.push(whole(begun))
    open.set(`${type} ${id}`, begun)
    return begun
  }

  const add = (part: Response.AnyPart): void => {
    switch (part.type) {
      case "text-start":
      case "text-delta":
      case "text-end":
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end": {
        const type = part.type.startsWith("text") ? "text" : "reasoning"
        const text = opened(type, part.id)
        text.metadata = merge(text.metadata, part.metadata)
        if ("delta" in part && part.delta !== "") {
          text.text += part.delta
          say({ _tag: type === "text" ? "Text" : "Reasoning", text: part.delta })
        }
        if (part.type.endsWith("-end")) {
          parts[text.at] = whole(text)
          open.delete(`${type} ${part.id}`)
        }
        break
      }
      case "tool-params-start":
        tools.set(part.id, part.name)
        say({ _tag: "Arguments", callId: part.id, tool: part.name, text: "" })
        break
      case "tool-params-delta":
        say({ _tag: "Arguments", callId: part.id, tool: tools.get(part.id) ?? "", text: part.delta })
        break
      case "tool-params-end":
        break
      case "text":
      case "reasoning":
        parts.push(part)
        say({ _tag: part.type === "text" ? "Text" : "Reasoning", text: part.text })
        break
      default:
        parts.push(part)
    }
  }

  return {
    add,
    parts: (): ReadonlyArray<Response.AnyPart> => {
      for (const text of open.values()) parts[text.at] = whole(text)
      return parts
    }
  }
}

/** What a provider says about a text may come with its beginning, its end, or anything between. */
const merge = (
  before: Response.ProviderMetadata,
  after: Response.ProviderMetadata | undefined
): Response.ProviderMetadata => {
  const merged = { ...before }
  for (const [provider, said] of Object.entries(after ?? {})) {
    const known = merged[provider]
    merged[provider] = isObject(known) && isObject(said) ? { ...known, ...said } : said
  }
  return merged
}

const failed = (description: string): AiError.AiError =>
  AiError.make({
    module: "ModelCall",
    method: "streamText",
    reason: new AiError.InternalProviderError({ description })
  })

const torn = failed("the stream ended before its answer did")

const errorOf = (error: unknown): AiError.AiError =>
  AiError.isAiError(error)
    ? error
    : failed(`the provider ended its answer with an error${typeof error === "string" ? `: ${error}` : ""}`)
