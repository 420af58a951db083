/**
 * The tools of one agent: its toolkit as a table, described for the log and for the model, with their codecs.
 */
import type { ToolDescription, ToolLabels } from "@durable-agents/core"
import { Payload, Program } from "@durable-agents/core"
import { Context, Effect, identity, Option, Result, Schema } from "effect"
import type { Toolkit } from "effect/ai"
import { Tool } from "effect/ai"
import type { Caps } from "./Caps.ts"
import type { FinalAnswer } from "./FinalAnswer.ts"
import * as Parameters from "./Parameters.ts"
import * as ToolPolicy from "./ToolPolicy.ts"
import type { Encoded } from "./ToolResult.ts"
import { isObject, toJson } from "./ToolResult.ts"
import { inWords } from "./Words.ts"

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
 * A tool cannot be offered to a model: its name, a parameter without a type, a policy that cannot be meant.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnusableTool
  extends Schema.TaggedError<UnusableTool>("@durable-agents/agent/UnusableTool")("UnusableTool", {
    tool: Schema.String,
    /** The parameter at fault, if it is one. */
    parameter: Schema.optionalKey(Schema.String),
    detail: Schema.String
  })
{
  override get message() {
    const of = this.parameter === undefined ? "" : `, parameter \`${this.parameter}\``
    return `The tool \`${this.tool}\`${of} cannot be used: ${this.detail}`
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
  readonly labels: ToolLabels
  /** A path of these caps that the parameters do not have. */
  readonly uncapped: (caps: Caps) => string | undefined
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
  /** The first tool that could not be carried out in this context, since nobody provided its handler. */
  readonly unhandled: (context: Context.Context<never>) => UnusableTool | undefined
}

/** A tool as a model is told about it; calls are not carried out through it, so it needs nothing. */
type Offered = Tool.Tool<string, {
  readonly parameters: Schema.Codec<unknown>
  readonly success: Schema.Codec<unknown>
  readonly failure: Schema.Codec<unknown>
  readonly failureMode: Tool.FailureMode
}>

/**
 * Reads an agent's tools; fails with an error that names the tools at fault. With a final answer, the model is offered that too.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  agent: string,
  input: Input,
  finalAnswer?: FinalAnswer
): Result.Result<Tools, DuplicateTool | UnusableTool> =>
  Result.gen(function*() {
    const list = flatten(input)
    const names = list.map(({ name }) => name)
    const twice = names.filter((name, index) => names.indexOf(name) !== index)
    if (twice.length > 0) return yield* Result.fail(new DuplicateTool({ agent, names: Array.from(new Set(twice)) }))
    if (finalAnswer !== undefined && names.includes(finalAnswer.name)) {
      const detail = "an agent whose answer has a declared shape gives it by a tool of this name"
      return yield* Result.fail(new UnusableTool({ tool: finalAnswer.name, detail }))
    }
    const descriptions: Array<ToolDescription> = []
    const offered: Array<Tool.Any> = []
    for (const tool of list) {
      const description = yield* describe(tool)
      descriptions.push(description)
      offered.push(Tool.isProviderDefined(tool) ? tool : offer(tool, description))
    }
    if (finalAnswer !== undefined) {
      const description: ToolDescription = {
        name: finalAnswer.name,
        description: "Gives the final answer and ends the conversation. Call it alone, when everything else is done.",
        parameters: finalAnswer.parameters,
        effect: "readonly",
        approval: false
      }
      descriptions.push(description)
      offered.push(offer(undefined, description))
    }
    return {
      byName: new Map(list.flatMap((tool, index) =>
        isOurs(tool) ? [[tool.name, agentTool(tool, descriptions[index]?.parameters)] as const] : []
      )),
      descriptions,
      toolkit: {
        tools: Object.fromEntries(offered.map((tool) => [tool.name, tool as Offered])),
        handle: () => Effect.die("an agent calls its tools itself")
      },
      unhandled: (context) => {
        const tool = list.filter(isOurs).find((tool) => Option.isNone(handlerIn(context, tool)))
        return tool === undefined ? undefined : new UnusableTool({
          tool: tool.name,
          detail: `the agent \`${agent}\` has no handler for it; provide the layer of its toolkit`
        })
      }
    }
  })

const handlerIn = (context: Context.Context<never>, tool: Tool.Any): Option.Option<Handler> =>
  Context.getOption(context, handlerOf(tool))

const handlerOf = ({ id }: Tool.Any) => Context.Service<Handler, Handler>(id)

/** What the model is told is what is recorded. Its calls are read by the agent, so nothing of the tool's schemas is needed. */
const offer = (tool: Tool.Any | undefined, { description, name, parameters }: ToolDescription): Tool.Any =>
  Tool.dynamic(name, {
    ...(description === undefined ? {} : { description }),
    parameters: isObject(parameters) ? parameters : {}
  }).annotateMerge(tool?.annotations ?? Context.empty())

const flatten = (input: Input): ReadonlyArray<Tool.Any> =>
  isItems(input)
    ? input.flatMap((item) => isToolkit(item) ? Object.values(item.tools) : [item])
    : Object.values(input.tools)

const isItems = (input: Input): input is ReadonlyArray<Tool.Any | Toolkit.Any> => Array.isArray(input)
const isToolkit = (item: Tool.Any | Toolkit.Any): item is Toolkit.Any => "tools" in item
const isName = Schema.is(Program.Name)

/** Tools that the provider runs by itself have no handler here. */
const isOurs = (tool: Tool.Any): boolean => !Tool.isProviderDefined(tool) || tool.requiresHandler

const describe = (tool: Tool.Any): Result.Result<ToolDescription, UnusableTool> =>
  Result.gen(function*() {
    const name: string = tool.name
    if (!isName(name)) {
      return yield* Result
        .fail(new UnusableTool({ tool: name, detail: "a name is 1 to 64 letters, digits, `_` or `-`" }))
    }
    const parameters = yield* Result.mapError(
      Result.try(() => Parameters.ofTool(tool)),
      (error) => new UnusableTool({ tool: name, detail: `its parameters have no JSON schema: ${String(error)}` })
    )
    if (isOurs(tool)) yield* usable(tool, parameters)
    const description = Tool.getDescription(tool)
    const { labels } = ToolPolicy.of(tool)
    return {
      name,
      ...(description === undefined ? {} : { description }),
      parameters,
      effect: ToolPolicy.effect(tool),
      approval: tool.needsApproval !== undefined && tool.needsApproval !== false,
      ...(labels === undefined ? {} : { labels })
    }
  })

/** Refuses what would be offered to a model in vain, or guarded in vain. */
const usable = (tool: Tool.Any, parameters: Schema.Json): Result.Result<void, UnusableTool> => {
  const unusable = (detail: string, parameter?: string) =>
    Result.fail(new UnusableTool({ tool: tool.name, detail, ...(parameter === undefined ? {} : { parameter }) }))
  if (tool.toModelOutput !== undefined) {
    return unusable("`toModelOutput` is not supported: the model is shown the result as it is recorded")
  }
  if (!isObject(parameters) || (parameters["type"] !== "object" && parameters["properties"] === undefined)) {
    return unusable("its parameters must be an object, such as a Schema.Struct")
  }
  const untyped = Parameters.untyped(tool, parameters)
  if (untyped !== undefined) return unusable("it has no type that the model could be told", untyped)
  const policy = ToolPolicy.of(tool)
  const problem = ToolPolicy.problem(policy)
  if (problem !== undefined) return unusable(problem)
  const path = uncapped(parameters, policy.caps ?? {})
  if (path !== undefined) return unusable("a cap names it, and there is none", path)
  const sink = uncapped(parameters, policy.labels?.sinks ?? {})
  return sink === undefined ? Result.void : unusable("a label names it, and there is none", sink)
}

const uncapped = (parameters: Schema.Json, paths: object): string | undefined =>
  Object.keys(paths).find((path) => !Parameters.hasPath(parameters, path))

const agentTool = (tool: Tool.Any, described: Schema.Json = {}): AgentTool => {
  const parameters = codec(Parameters.schemaOf(tool))
  const decode = Schema.decodeUnknownEffect(parameters)
  const encode = Schema.encodeUnknownEffect(parameters)
  const failure = codec(tool.failureSchema)
  const encodeFailure = Schema.encodeUnknownResult(failure)
  const decodeFailure = Payload.decoder(failure)
  return {
    tool,
    policy: ToolPolicy.of(tool),
    effect: ToolPolicy.effect(tool),
    labels: ToolPolicy.of(tool).labels ?? {},
    uncapped: (caps) => uncapped(described, caps),
    decode: (args) =>
      Effect.matchCauseEffectEager(decode(args, { onExcessProperty: "error", errors: "all" }), {
        onSuccess: Effect.succeed,
        onFailure: (cause) => Effect.fail(inWords(cause))
      }),
    encode: (args, given) => Effect.matchCauseEager(encode(args), { onSuccess: identity, onFailure: () => given }),
    encodeResult: Schema.encodeUnknownEffect(codec(tool.successSchema)),
    encodeFailure: (error) => {
      const encoded = Result.flatMap(Result.try(() => encodeFailure(error)), (result) => result)
      return Result.isSuccess(encoded)
        ? toJson(encoded.success)
        : { ...toJson(error), mismatch: "the failure does not fit the tool's schema" }
    },
    decodeFailure: (json) => json === undefined ? Option.none() : Result.getSuccess(decodeFailure(json)),
    handler: Effect.flatMap(
      Effect.serviceOption(handlerOf(tool)),
      Option.match({
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

/** What a tool's schemas need is a requirement of the agent's layer, so it is in the context in which they are used. */
const codec = (schema: Schema.Constraint): Schema.Codec<unknown, Schema.Json> =>
  Schema.toCodecJson(schema) as unknown as Schema.Codec<unknown, Schema.Json>
