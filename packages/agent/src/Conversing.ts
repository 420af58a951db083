/**
 * One conversation of an agent: does what the protocol of turns says, and tells it what came of that.
 */
import type { BudgetExceeded, ToolDescription } from "@durable-agents/core"
import { Budget, Journal, Limits, Path } from "@durable-agents/core"
import type { Exit, Schema, Scope } from "effect"
import { Effect, Fiber, Queue, Result } from "effect"
import type { LanguageModel } from "effect/ai"
import type { AgentError } from "./AgentError.ts"
import * as AgentSpan from "./AgentSpan.ts"
import type { Action, AgentState, Move, Outcome } from "./AgentState.ts"
import { evolve, initial, next } from "./AgentState.ts"
import * as Compacting from "./Compacting.ts"
import type * as Compaction from "./Compaction.ts"
import type * as FinalAnswer from "./FinalAnswer.ts"
import * as Framing from "./Framing.ts"
import * as GoalCheck from "./GoalCheck.ts"
import * as Guardrails from "./Guardrails.ts"
import * as ModelCall from "./ModelCall.ts"
import type { Rules } from "./Rules.ts"
import { found } from "./Rules.ts"
import * as ToolCall from "./ToolCall.ts"
import type { Turn } from "./ToolCheck.ts"
import { prepare } from "./ToolCheck.ts"
import * as Verdicts from "./Verdicts.ts"

/**
 * What an agent is, whatever it is asked to do.
 *
 * @category models
 * @since 0.1.0
 */
export interface Definition extends ModelCall.Options {
  readonly compaction: Compaction.Settings | undefined
  readonly finalAnswer: FinalAnswer.FinalAnswer | undefined
}

/**
 * What a conversation begins with, as it was recorded.
 *
 * @category models
 * @since 0.1.0
 */
export interface Beginning {
  readonly goal: string
  readonly systemPrompt: string
  readonly tools: ReadonlyArray<ToolDescription>
  readonly guardrailProfile?: string | undefined
}

/**
 * Goes through the turns until there is an answer, or none is to come.
 *
 * @category operations
 * @since 0.1.0
 */
export const converse = (
  definition: Definition,
  beginning: Beginning
): Effect.Effect<Schema.Json, AgentError | BudgetExceeded, Journal | LanguageModel.LanguageModel> =>
  Effect.flatMap(
    Journal,
    ({ runId }) => AgentSpan.invocation(conversing(definition, beginning), { runId, agent: definition.agent })
  )

const conversing = (
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
    const around = { agent: definition.agent, rules, path, outputBytes: limits.outputBytes }
    const begun = yield* GoalCheck.check(around, goal, limits.goalLength)
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
      outcomes: yield* Queue.unbounded<Exit.Exit<Outcome, BudgetExceeded>>(),
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
          state = evolve(
            state,
            yield* Effect.tapError(interpret(exchange, state, action), () => Fiber.awaitAll(exchange.calls.values()))
          )
      }
    }
  }))

/** Logs of older builds name none, and were under none of ours. One of a later build is for a worker that knows it. */
const profileNamed = (name: string | undefined): Effect.Effect<Guardrails.Profile, never, Journal> =>
  name === undefined ? Effect.succeed("off") : Result.match(Guardrails.profile(name), {
    onSuccess: Effect.succeed,
    onFailure: (error) =>
      Effect.andThen(Effect.flatMap(Journal, (journal) => journal.putBack(unknownHere(name))), Effect.die(error))
  })

/**
 * Why this build does not take a run of this profile.
 *
 * @category words
 * @since 0.1.0
 */
export const unknownHere = (profile: string): string => `the guardrail profile \`${profile}\` is not known here`

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
  readonly outcomes: Queue.Queue<Exit.Exit<Outcome, BudgetExceeded>>
  /** Of the current turn: the calls that a person was asked about, and the fibers of those that were begun, by their places. */
  turn: number
  readonly asked: Set<number>
  readonly calls: Map<number, Fiber.Fiber<unknown>>
}

const interpret = (
  exchange: Exchange,
  state: AgentState,
  action: Extract<Action, { readonly _tag: "CallModel" | "Prepare" | "Work" }>
): Effect.Effect<Outcome, BudgetExceeded, Journal | LanguageModel.LanguageModel> => {
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

const carryOut = (turn: Turn, { _tag, state }: Move): Effect.Effect<Outcome, BudgetExceeded, Journal> =>
  _tag === "Run"
    ? ToolCall.run(turn, state)
    : Effect.map(
      ToolCall.ask(turn, state),
      (decision): Outcome => ({ _tag: "Decided", index: state.call.index, decision })
    )
