/**
 * The tools of one agent: its toolkit as a table, described for the log and for the model, with their codecs.
 */
import type { ToolDescription } from "@durable-agents/core"
import { Payload, Program } from "@durable-agents/core"
import { Cause, Context, Effect, Option, Result, Schema } from "effect"
import type { Toolkit } from "effect/ai"
import { Tool } from "effect/ai"
import * as ToolPolicy from "./ToolPolicy.ts"
import type { Encoded } from "./ToolResult.ts"
import { toJson } from "./ToolResult.ts"

/**
 * What an agent's tools can be given as.
 *
 * @category models
 * @since 0.1.0
 */
export type Input = Toolkit.Any | ReadonlyArray<Tool.Any | Toolkit.Any>

/**
 * The tools in such an input, as a union.
 *
 * @category models
 * @since 0.1.0
 */
export type Of<I> = I extends ReadonlyArray<infer Item> ? In<Item> : In<I>

type In<Item> = Item extends Toolkit.Any ? Item["tools"][keyof Item["tools"]] : Item extends Tool.Any ? Item : never

/**
 * Two tools of one agent have the same name.
 *
 * @category errors
 * @since 0.1.0
 */
export class DuplicateTool
  extends Schema.TaggedError<DuplicateTool>("@durable-agents/agent/DuplicateTool")("DuplicateTool", {
    agent: Schema.String,
    names: Schema.Array(Schema.String)
  })
{
  override get message() {
    return `The agent \`${this.agent}\` has more than one tool named ${
      this.names.map((name) => `\`${name}\``).join(", ")
    }`
  }
}

/**
 * A tool cannot be offered to a model: its name, or a parameter that has no JSON schema.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnusableTool
  extends Schema.TaggedError<UnusableTool>("@durable-agents/agent/UnusableTool")("UnusableTool", {
    tool: Schema.String,
    detail: Schema.String
  })
{
  override get message() {
    return `The tool \`${this.tool}\` cannot be used: ${this.detail}`
  }
}

/**
 * One tool that this process runs.
 *
 * @category models
 * @since 0.1.0
 */
export interface AgentTool {
  readonly tool: Tool.Any
  readonly policy: ToolPolicy.Policy
  readonly effect: ToolDescription["effect"]
  /** Reads arguments; fails with what is wrong with them, in words for the model. */
  readonly decode: (args: Schema.Json) => Effect.Effect<unknown, string>
  /** Arguments as they are recorded: the decoded value encoded again, or `given` where the schema cannot encode. */
  readonly encode: (args: unknown, given: Schema.Json) => Effect.Effect<Schema.Json>
  readonly encodeResult: (result: unknown) => Effect.Effect<unknown, Schema.SchemaError>
  readonly encodeFailure: (error: unknown) => Encoded
  readonly decodeFailure: (json: Schema.Json | undefined) => Option.Option<unknown>
  /** The user's handler, from the context of the fiber. */
  readonly handler: Effect.Effect<Handler>
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Tools {
  readonly byName: ReadonlyMap<string, AgentTool>
  readonly descriptions: ReadonlyArray<ToolDescription>
  /** For the model: definitions only, nothing can be called through it. */
  readonly toolkit: Toolkit.WithHandler<Record<string, Offered>>
}

/** A tool as a model is told about it; calls are not carried out through it, so it needs nothing. */
type Offered = Tool.Tool<string, {
  readonly parameters: Schema.Codec<unknown>
  readonly success: Schema.Codec<unknown>
  readonly failure: Schema.Codec<unknown>
  readonly failureMode: Tool.FailureMode
}>

/**
 * Reads an agent's tools; fails with an error that names the tools at fault.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (agent: string, input: Input): Result.Result<Tools, DuplicateTool | UnusableTool> =>
  Result.gen(function*() {
    const list = flatten(input)
    const names = list.map(({ name }) => name)
    const twice = names.filter((name, index) => names.indexOf(name) !== index)
    if (twice.length > 0) return yield* Result.fail(new DuplicateTool({ agent, names: Array.from(new Set(twice)) }))
    const descriptions: Array<ToolDescription> = []
    for (const tool of list) descriptions.push(yield* describe(tool))
    return {
      byName: new Map(list.filter(isOurs).map((tool) => [tool.name, agentTool(tool)])),
      descriptions,
      toolkit: {
        tools: Object.fromEntries(list.map((tool) => [tool.name, tool as Offered])),
        handle: () => Effect.die("an agent calls its tools itself")
      }
    }
  })

const flatten = (input: Input): ReadonlyArray<Tool.Any> =>
  isList(input)
    ? input.flatMap((item) => isToolkit(item) ? Object.values(item.tools) : [item])
    : Object.values(input.tools)

const isList = (input: Input): input is ReadonlyArray<Tool.Any | Toolkit.Any> => Array.isArray(input)
const isToolkit = (item: Tool.Any | Toolkit.Any): item is Toolkit.Any => "tools" in item
const isName = Schema.is(Program.Name)

/** Tools that the provider runs by itself have no handler here. */
const isOurs = (tool: Tool.Any): boolean => !Tool.isProviderDefined(tool) || tool.requiresHandler

const describe = (tool: Tool.Any): Result.Result<ToolDescription, UnusableTool> => {
  const name: string = tool.name
  if (!isName(name)) {
    const detail = "a name is 1 to 64 letters, digits, `_` or `-`"
    return Result.fail(new UnusableTool({ tool: name, detail }))
  }
  const description = Tool.getDescription(tool)
  return Result.try({
    try: () => ({
      name,
      ...(description === undefined ? {} : { description }),
      parameters: toJson(Tool.getJsonSchema(tool)).json,
      effect: ToolPolicy.effect(tool),
      approval: tool.needsApproval !== undefined && tool.needsApproval !== false
    }),
    catch: (error) => new UnusableTool({ tool: name, detail: `its parameters have no JSON schema: ${String(error)}` })
  })
}

const agentTool = (tool: Tool.Any): AgentTool => {
  const parameters = codec(Schema.isSchema(tool.parametersSchema) ? tool.parametersSchema : AnyObject)
  const decode = Schema.decodeUnknownEffect(parameters)
  const encode = Schema.encodeUnknownEffect(parameters)
  const failure = codec(tool.failureSchema)
  const encodeFailure = Schema.encodeUnknownResult(failure)
  const decodeFailure = Payload.decoder(failure)
  return {
    tool,
    policy: ToolPolicy.of(tool),
    effect: ToolPolicy.effect(tool),
    decode: (args) => Effect.catchCause(decode(args, { onExcessProperty: "error", errors: "all" }), inWords),
    encode: (args, given) =>
      Effect.catchCause(
        Effect.map(encode(args), (json) => toJson(json).json),
        (cause) => Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.succeed(given)
      ),
    encodeResult: Schema.encodeUnknownEffect(codec(tool.successSchema)),
    encodeFailure: (error) => {
      const encoded = Result.flatMap(Result.try(() => encodeFailure(error)), (result) => result)
      return Result.isSuccess(encoded)
        ? toJson(encoded.success)
        : { ...toJson(error), mismatch: "the failure does not fit the tool's schema" }
    },
    decodeFailure: (json) => json === undefined ? Option.none() : Result.getSuccess(decodeFailure(json)),
    handler: Effect.flatMap(
      Effect.context<never>(),
      (context) =>
        Option.match(Context.getOption(context, Context.Service<Handler, Handler>(tool.id)), {
          onNone: () => Effect.die(`the tool \`${tool.name}\` has no handler here`),
          onSome: Effect.succeed
        })
    )
  }
}

type Handler = Tool.Handler<string>

/**
 * Stands for a tool that a log names and this process does not have: it never acts.
 *
 * @category constructors
 * @since 0.1.0
 */
export const absent = (name: string): AgentTool => ({
  ...agentTool(Tool.dynamic(name, { parameters: {} })),
  handler: Effect.die(`the tool \`${name}\` is not available here`)
})

/** Arguments of a tool whose parameters are described by a JSON schema only. */
const AnyObject = Schema.Record(Schema.String, Schema.Json)

/** What a tool's schemas need is a requirement of the agent's layer, so it is in the context in which they are used. */
const codec = (schema: Schema.Constraint): Schema.Codec<unknown, Schema.Json> =>
  Schema.toCodecJson(schema) as unknown as Schema.Codec<unknown, Schema.Json>

const inWords = (cause: Cause.Cause<Schema.SchemaError>): Effect.Effect<never, string> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
  const found = Cause.squash(cause)
  const words = found instanceof Error ? found.message : String(found)
  return Effect.fail(words.replace(/\n\s+/g, " ").replaceAll("\n", "; "))
}
