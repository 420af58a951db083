/**
 * Agents: a language model and its tools as a durable program.
 */
import type { BudgetExceeded, Payload, Programs, ToolDescription } from "@durable-agents/core"
import { Budget, Journal, Limits, Path, Program, RunState, Step } from "@durable-agents/core"
import type { Exit, Schedule, Scope } from "effect"
import { Duration, Effect, Fiber, HashMap, Layer, Queue, Result, Schema } from "effect"
import type { LanguageModel, Tool } from "effect/ai"
import { AgentError } from "./AgentError.ts"
import type { Action, AgentState, Move, Outcome } from "./AgentState.ts"
import { evolve, initial, next } from "./AgentState.ts"
import * as Compacting from "./Compacting.ts"
import * as Compaction from "./Compaction.ts"
import * as FinalAnswer from "./FinalAnswer.ts"
import * as Framing from "./Framing.ts"
import * as GoalCheck from "./GoalCheck.ts"
import * as Guardrails from "./Guardrails.ts"
import * as ModelCall from "./ModelCall.ts"
import * as ModelError from "./ModelError.ts"
import type { Rules } from "./Rules.ts"
import { found } from "./Rules.ts"
import { startStep, Told } from "./Told.ts"
import * as ToolCall from "./ToolCall.ts"
import type { Turn } from "./ToolCheck.ts"
import { answerStep, callOf, prepare } from "./ToolCheck.ts"
import * as Tools from "./Tools.ts"
import * as Verdicts from "./Verdicts.ts"

/**
 * An agent: a program whose input is a goal and whose output is the model's final answer, a text unless its shape is declared.
 *
 * @category models
 * @since 0.1.0
 */
export interface Agent<out R, in out Output = string> extends Program.Program<string, Output, AgentError> {
  /** Registers the agent; the model, the handlers of its tools and what they need are taken from where the layer is built. */
  readonly layer: Layer.Layer<never, never, R | Programs>
  /** The agent inside another program, with its own keys below `key`. What it was told is recorded there. */
  readonly run: (key: string, goal: string) => Effect.Effect<Output, AgentError | BudgetExceeded, R | Journal>
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Options<I extends Tools.Input, Output = string> {
  /** The system prompt. A run keeps the one it was started with. */
  readonly instructions: string
  /** A toolkit, or a list of tools and toolkits. */
  readonly toolkit?: I
  /**
   * The shape of the answer. The model gives it by a tool named `final_answer`; one that does not fit goes back to it, as long as
   * the budget lasts.
   */
  readonly output?: Payload.PureSchema<Output>
  readonly version?: string
  /** The guardrails of a run that is not started under others. Default `validation`. */
  readonly guardrailProfile?: Guardrails.Profile
  /**
   * What a run may spend when its start does not say so. Inside another program (`run`): what the agent may spend there, within
   * what the run has left.
   */
  readonly budget?: Budget.Budget
  /**
   * The most tokens of one answer, reasoning included. Asked of the provider, and set aside before each call under a limit on
   * tokens or money. Default: 16,384 for models in the table of prices; others are asked for nothing.
   */
  readonly maxOutputTokens?: number
  /** The name under which the model is recorded when its layer does not give one. */
  readonly model?: string
  /** When a failed model call is tried again, if it can succeed at all. Default: from 1 s, at most a minute, jittered. */
  readonly retry?: Schedule.Schedule<unknown, ModelError.ModelError>
  /** Attempts of one model call in all. Default 100, which outlasts an hour. The 15th time-out or bug among them is final. */
  readonly attempts?: number
  /**
   * Before a prompt gets longer than this, the model is asked for a summary of older turns, which replaces them in later prompts
   * and not in the log. It costs a turn. Default: nothing is summarised.
   */
  readonly compaction?: Compaction.Settings
  /** How long one attempt of a model call may take. Default 10 minutes. */
  readonly timeout?: Duration.Input
  /**
   * Asks the model for a stream and tells `ModelDeltas` what comes. What is recorded is the same. The layer of the model must be
   * able to. Default false.
   */
  readonly stream?: boolean
}

/**
 * What an agent with these tools needs.
 *
 * @category models
 * @since 0.1.0
 */
export type Services<I> = LanguageModel.LanguageModel | ServicesOf<Tools.Of<I>>

type ServicesOf<T> = HandlersOf<T> | Exclude<Tool.HandlerServices<T>, ToolCall.ToolCall>

type HandlersOf<T> = T extends Tool.Any ? Tool.RequiresHandler<T> extends true ? Tool.Handler<T["name"]> : never : never

/** A goal that says something. */
const Goal = Schema.String.check(Schema.makeFilter((goal) => goal.trim() !== "" || "a goal must not be blank"))

/**
 * Defines an agent. Throws if its name, or the tools it is given, cannot be used.
 *
 * **Details**
 *
 * Each turn calls the model, then carries out the calls in its answer: those that only read together, those with an effect one
 * after the other, those that need approval when it is granted. The model is called again when all have an outcome; the text of
 * an answer without calls is the output.
 *
 * **Gotchas**
 *
 * A blank goal is refused by `Runs.start` and a defect in `run`.
 *
 * **Example**
 *
 * ```ts
 * import { Agent } from "@durable-agents/agent"
 * import { Schema } from "effect"
 * import { Tool } from "effect/ai"
 *
 * const Weather = Tool.make("weather", {
 *   description: "The weather in a city, today.",
 *   parameters: Schema.Struct({ city: Schema.String }),
 *   success: Schema.String
 * }).annotate(Tool.Readonly, true)
 *
 * const Traveller = Agent.make("traveller", { instructions: "You plan trips.", toolkit: [Weather] })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <I extends Tools.Input = readonly [], Output = string>(
  name: string,
  options: Options<I, Output>
): Agent<Services<I>, Output> => {
  const finalAnswer = options.output === undefined ? undefined : Result.getOrThrow(FinalAnswer.make(options.output))
  const output: Payload.PureSchema<Output> = options.output ?? Schema.String as never
  const tools = Result.getOrThrow(Tools.make(name, options.toolkit ?? [], finalAnswer))
  const profile = Result.getOrThrow(Guardrails.profile(options.guardrailProfile ?? "validation"))
  const compaction = options.compaction === undefined
    ? undefined
    : Result.getOrThrow(Compaction.settings(options.compaction))
  const definition: Definition = {
    agent: name,
    tools,
    finalAnswer,
    model: options.model,
    retry: options.retry ?? ModelError.patient,
    attempts: options.attempts ?? 100,
    maxOutputTokens: options.maxOutputTokens,
    timeout: Duration.fromInputUnsafe(options.timeout ?? "10 minutes"),
    stream: options.stream ?? false,
    compaction
  }
  const program = Program.make<string, Output, AgentError>(name, {
    input: Goal,
    output,
    error: AgentError,
    version: options.version ?? "1",
    ...(options.budget === undefined ? {} : { budget: options.budget }),
    description: {
      tools: tools.descriptions,
      systemPrompt: options.instructions,
      guardrailProfile: profile,
      guardrailProfiles: Guardrails.Profile.literals,
      ...(options.model === undefined ? {} : { model: options.model })
    },
    missing: missing(tools)
  })
  const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(output))
  /** An answer was read with this very schema. */
  const answer = (json: Schema.Json) => Effect.orDie(decode(json))
  return {
    ...program,
    layer: program.toLayer((goal) =>
      Effect.flatMap(Journal, ({ started }) =>
        Effect.flatMap(
          converse(definition, {
            goal,
            systemPrompt: started.systemPrompt ?? "",
            tools: started.tools,
            guardrailProfile: started.guardrailProfile
          }),
          answer
        ))
    ).pipe(Layer.merge(usable(name, tools, profile))),
    run: (key, goal) =>
      Step.scope(key, {
        budget: options.budget
      })(Effect.flatMap(told(definition, options.instructions, goal, profile), (start) =>
        Effect.flatMap(
          converse(definition, start),
          // Code after the agent relies on this answer, so a change of its shape must not change what it was.
          (json) => finalAnswer === undefined ? answer(json) : Step.run(answerStep, { output })(answer(json))
        )))
  }
}

/**
 * Refuses tools without a handler, which only the types would have said, and settings that guard nothing of these tools. Says so
 * where a profile adds nothing to `validation`.
 */
const usable = (agent: string, { byName, unhandled }: Tools.Tools, profile: Guardrails.Profile) =>
  Layer.effectDiscard(Effect.gen(function*() {
    const { caps, guardrails } = yield* Guardrails.Guardrails
    const unusable = unhandled(yield* Effect.context<never>())
    if (unusable !== undefined) return yield* Effect.die(unusable)
    for (const [tool, own] of Object.entries(caps)) {
      const path = byName.get(tool)?.uncapped(own)
      if (path !== undefined) {
        const detail = `names \`${path}\`, and \`${tool}\` has no such parameter`
        return yield* Effect.die(new Guardrails.UnusableGuardrails({ setting: `caps.${tool}`, detail }))
      }
    }
    // Detectors come as guardrails; without any, these profiles differ from `validation` in a threshold.
    if (profile === "off" || profile === "validation" || guardrails.length > 0) return
    yield* Effect
      .logWarning(`The agent \`${agent}\` is under the guardrail profile \`${profile}\`, and no guardrails are provided to it: what is checked is that of \`validation\``)
  }))

/** Logs of older builds name none, and were under none of ours. One of a later build is for a worker that knows it. */
const profileNamed = (name: string | undefined): Effect.Effect<Guardrails.Profile, never, Journal> =>
  name === undefined ? Effect.succeed("off") : Result.match(Guardrails.profile(name), {
    onSuccess: Effect.succeed,
    onFailure: (error) =>
      Effect.andThen(Effect.flatMap(Journal, (journal) => journal.putBack(unknownHere(name))), Effect.die(error))
  })

const unknownHere = (profile: string): string => `the guardrail profile \`${profile}\` is not known here`

interface Definition extends ModelCall.Options {
  readonly compaction: Compaction.Settings | undefined
  readonly finalAnswer: FinalAnswer.FinalAnswer | undefined
}

/** Which tool a log wants carried out that this process does not have. */
const missing = ({ byName }: Tools.Tools) => (state: RunState.RunState): string | undefined => {
  const profile = state.started?.guardrailProfile
  if (profile !== undefined && Result.isFailure(Guardrails.profile(profile))) {
    return unknownHere(profile)
  }
  for (const place of HashMap.values(state.places)) {
    const tool = wanted(state, place)
    if (tool !== undefined && !byName.has(tool)) return `the tool \`${tool}\` is not available here (\`${place.key}\`)`
  }
  return undefined
}

/** The tool of a call that was begun, or that was allowed and has not begun. */
const wanted = (state: RunState.RunState, place: RunState.Place): string | undefined => {
  switch (place._tag) {
    case "Operation":
      return place.kind === "tool" && place.outcome === undefined ? place.name : undefined
    case "Approval": {
      const call = RunState.placeAt(state, callOf(place.key))
      return place.decision?._tag === "ApprovalGranted" && call === undefined
        ? place.request.tool
        : undefined
    }
    default:
      return undefined
  }
}

const told = (
  { agent, tools }: Definition,
  systemPrompt: string,
  goal: string,
  guardrailProfile: Guardrails.Profile
) =>
  Effect.flatMap(
    Effect.orDie(Schema.decodeEffect(Goal)(goal)),
    () =>
      Effect.succeed({ agent, goal, systemPrompt, tools: tools.descriptions, guardrailProfile })
        .pipe(Step.run(startStep, { output: Told }))
  )

interface Beginning {
  readonly goal: string
  readonly systemPrompt: string
  readonly tools: ReadonlyArray<ToolDescription>
  readonly guardrailProfile?: string | undefined
}

/** One conversation: does what `next` says, and gives `evolve` what came of it. */
const converse = (
  definition: Definition,
  { goal, guardrailProfile, systemPrompt, tools }: Beginning
): Effect.Effect<Schema.Json, AgentError | BudgetExceeded, Journal | LanguageModel.LanguageModel> =>
  Effect.scoped(Effect.gen(function*() {
    const limits = yield* Limits
    const unusable = definition.tools.unhandled(yield* Effect.context<never>())
    if (unusable !== undefined) yield* Effect.flatMap(Journal, (journal) => journal.putBack(unusable.message))
    const journal = yield* Journal
    const path = yield* Path
    const rules: Rules = {
      profile: yield* profileNamed(guardrailProfile),
      settings: yield* Guardrails.Guardrails
    }
    const begun = yield* GoalCheck.check(definition.agent, rules, path, goal, limits.goalLength)
    const { drawn, framing } = yield* framingOf(journal, rules, path)
    const exchange: Exchange = {
      journal,
      definition,
      rules,
      first: drawn.length === 0
        ? begun.checked
        : { ...begun.checked, before: [...drawn, ...begun.checked.before ?? []] },
      began: new Set(tools.map(({ name }) => name)),
      path,
      goal: begun.goal,
      instructions: systemPrompt,
      limits,
      scope: yield* Effect.scope,
      outcomes: yield* Queue.unbounded<Exit.Exit<Outcome>>(),
      turn: 0,
      asked: new Set(),
      calls: new Map()
    }
    const answerTool = definition.finalAnswer?.name
    let state = initial({ goal: begun.goal, systemPrompt, shownBytes: limits.shownBytes, answerTool, framing })
    while (true) {
      const action = next(state)
      switch (action._tag) {
        case "Complete":
          return action.answer
        case "Fail":
          yield* Fiber.awaitAll(exchange.calls.values())
          return yield* action.error
        case "Exceed":
          yield* Fiber.awaitAll(exchange.calls.values())
          return yield* Effect.flatMap(Effect.orDie(Budget.decodeRefusal(action.refusal)), Effect.fail)
        default:
          state = evolve(state, yield* interpret(exchange, state, action))
      }
    }
  }))

/** How results are set apart: as the log says, or as the settings say where nothing was asked yet. */
const framingOf = Effect.fnUntraced(function*(
  journal: Journal["Service"],
  { profile, settings: { delimiters } }: Rules,
  path: string
) {
  const key = ModelCall.keyOf({ path, turn: 1 })
  const recorded = Framing.recorded(journal.verdicts(), key)
  if (recorded !== undefined || profile === "off" || delimiters === "none" || journal.recorded(key) !== undefined) {
    return { framing: recorded, drawn: [] }
  }
  const framing = yield* Framing.draw(delimiters === "marked")
  const message = "results stand between delimiters"
  const { event } = found(
    { key, turn: 1, when: "L4_run_level" },
    { rule: Framing.rule, action: "ALLOW", message, detail: framing }
  )
  return { framing, drawn: [event] }
})

interface Exchange {
  readonly journal: Journal["Service"]
  readonly definition: Definition
  readonly rules: Rules
  /** What is to be recorded with the first model call, and why it must not be made. */
  readonly first: ModelCall.Checked
  readonly began: ReadonlySet<string>
  readonly path: string
  readonly goal: string
  readonly instructions: string
  readonly limits: Limits
  readonly scope: Scope.Scope
  readonly outcomes: Queue.Queue<Exit.Exit<Outcome>>
  /** Of the current turn: the calls that a person was asked about, and the fibers of those that were begun, by their places. */
  turn: number
  readonly asked: Set<number>
  readonly calls: Map<number, Fiber.Fiber<unknown>>
}

const interpret = (
  exchange: Exchange,
  state: AgentState,
  action: Extract<Action, { readonly _tag: "CallModel" | "Prepare" | "Work" }>
): Effect.Effect<Outcome, never, Journal | LanguageModel.LanguageModel> => {
  switch (action._tag) {
    case "CallModel":
      return Effect.flatMap(
        Compacting.before(exchange, state, action.turn),
        (outcome) => outcome === undefined ? callModel(exchange, state, action.turn) : Effect.succeed(outcome)
      )
    case "Prepare":
      return Effect.mapEager(
        prepare(exchange.journal, turnOf(exchange, state), action.calls),
        (plans) => ({ _tag: "Prepared", plans })
      )
    case "Work":
      return work(exchange, turnOf(exchange, state), action.moves)
  }
}

const callModel = Effect.fnUntraced(function*(exchange: Exchange, state: AgentState, turn: number) {
  const { conversation } = state
  const { definition, first, journal, limits: { outputBytes, transcriptLength }, path } = exchange
  const key = ModelCall.keyOf({ path, turn })
  if (conversation.characters > transcriptLength && journal.recorded(key) === undefined) {
    return { _tag: "TooLong", allowed: transcriptLength } satisfies Outcome
  }
  const event = yield* ModelCall.perform(
    definition,
    {
      path,
      turn,
      purpose: "answer",
      outputBytes,
      canShorten: () => Compacting.canShorten(definition.compaction, state)
    },
    conversation,
    turn === 1 ? first : {}
  )
  const refused = event._tag === "LLMCallFailed" && event.reason === "Refused"
  const blocked = refused ? Verdicts.consequences(Verdicts.at(journal, key)).blocked : undefined
  return { _tag: "Answered", event, blocked } satisfies Outcome
})

const turnOf = (
  { began, definition, goal, instructions, limits, path, rules }: Exchange,
  { answer, conversation, made, turn }: AgentState
): Turn => ({
  agent: definition.agent,
  tools: definition.tools,
  began,
  finalAnswer: definition.finalAnswer,
  rules,
  path,
  turn,
  goal,
  instructions,
  made,
  outputBytes: limits.outputBytes,
  messages: () => answer?.message === undefined ? conversation.messages : [...conversation.messages, answer.message]
})

/** Begins what is not under way yet, all in one go so that it is one append, and waits for the first outcome. */
const work = Effect.fnUntraced(function*(exchange: Exchange, turn: Turn, moves: ReadonlyArray<Move>) {
  const { asked, calls, outcomes, scope } = exchange
  if (exchange.turn !== turn.turn) {
    exchange.turn = turn.turn
    asked.clear()
    calls.clear()
  }
  const isNew = ({ _tag, state: { call } }: Move) => _tag === "Ask" ? !asked.has(call.index) : !calls.has(call.index)
  const [only, another] = moves
  // Nothing else can have an outcome before it.
  if (only !== undefined && another === undefined && isNew(only)) return yield* carryOut(turn, only)
  for (const move of moves) {
    if (!isNew(move)) continue
    const { index } = move.state.call
    const fiber = yield* Effect.forkIn(
      Effect.flatMap(Effect.exit(carryOut(turn, move)), (exit) => Queue.offer(outcomes, exit)),
      scope,
      { startImmediately: true }
    )
    if (move._tag === "Run") calls.set(index, fiber)
    else asked.add(index)
  }
  return yield* Effect.flatten(Queue.take(outcomes))
})

const carryOut = (turn: Turn, { _tag, state }: Move): Effect.Effect<Outcome, never, Journal> =>
  _tag === "Run"
    ? ToolCall.run(turn, state)
    : Effect.map(
      ToolCall.ask(turn, state),
      (decision): Outcome => ({ _tag: "Decided", index: state.call.index, decision })
    )
