/**
 * Asks models what guardrails want to know, once: each question is a recorded model call, and its answer is never asked for again.
 */
import { Budget, type BudgetExceeded, Digest, Journal, type RunEventOf, type RunState } from "@durable-agents/core"
import { Context, Duration, Effect, Option, Result, Schedule, Schema, Stream } from "effect"
import { LanguageModel, Model } from "effect/ai"
import * as FinalAnswer from "./FinalAnswer.ts"
import type { Guardrail, Recorded, ToolResult } from "./Guardrails.ts"
import { ModelBoundary } from "./ModelBoundary.ts"
import * as ModelCall from "./ModelCall.ts"
import type { About, Found, Rules } from "./Rules.ts"
import { found as verdictOf, judged } from "./Rules.ts"
import type { Question, Screen, ScreenVerdict } from "./Screen.ts"
import * as Tools from "./Tools.ts"
import * as Transcript from "./Transcript.ts"

/**
 * Where it is asked.
 *
 * @category models
 * @since 0.1.0
 */
export interface Around {
  readonly agent: string
  readonly rules: Rules
  readonly path: string
  readonly outputBytes: number
}

/** The screens that have a question about something, with it. */
interface Asked {
  readonly guardrail: Guardrail
  readonly screen: Screen | undefined
  readonly question: Question
}

/**
 * Whether any guardrail asks a model.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isAsked = ({ rules: { profile, settings } }: Pick<Around, "rules">): boolean =>
  profile !== "off" && settings.guardrails.some(({ screen }) => screen !== undefined)

type QuestionOf = (screen: Screen) => Question | undefined

const askedBy = ({ rules: { profile, settings } }: Around, questionOf: QuestionOf): ReadonlyArray<Asked> =>
  profile === "off" ? [] : settings.guardrails.flatMap((guardrail) => {
    const { screen } = guardrail
    const question = screen === undefined ? undefined : questionOf(screen)
    return screen === undefined || question === undefined ? [] : [{ guardrail, screen, question }]
  })

/**
 * Asks about a goal or a call, and says what the answers mean. `at` is where the answers are recorded.
 *
 * @category operations
 * @since 0.1.0
 */
export const ask = Effect.fnUntraced(function*(
  around: Around,
  about: About,
  at: string,
  questionOf: QuestionOf
): Effect.fn.Return<ReadonlyArray<Found>, BudgetExceeded, Journal> {
  const journal = yield* Journal
  const asked = askedBy(around, questionOf)
  const found: Array<Found> = []
  for (const one of asked) {
    const before = answeredBefore(journal, one, keyOf(at, one.guardrail.name))
    const event = before?.event ?? (yield* call(around, about, at, one))
    found.push(...judge(about, one, yield* answerIn(event, one.question), event.key))
  }
  yield* again(around, about, at, asked)
  return found
})

/**
 * Asks again what the log says was asked, for a replay of what was decided.
 *
 * @category operations
 * @since 0.1.0
 */
export const again = Effect.fnUntraced(function*(
  around: Around,
  about: About,
  at: string,
  except: ReadonlyArray<{ readonly guardrail: Guardrail }> = []
): Effect.fn.Return<void, BudgetExceeded, Journal> {
  const journal = yield* Journal
  const done = new Set(except.map(({ guardrail }) => guardrail.name))
  for (const name of recordedAt(journal, at)) {
    if (!done.has(name)) yield* call(around, about, at, goneOf(name))
  }
})

/**
 * What is known of a result, and what it is to be shown as.
 *
 * @category models
 * @since 0.1.0
 */
export interface Screened {
  readonly found: ReadonlyArray<Found>
  readonly shown: Schema.Json | undefined
}

/**
 * Asks about a recorded result what is not known yet. The verdicts are recorded with the answers.
 *
 * @category operations
 * @since 0.1.0
 */
export const ofResult = Effect.fnUntraced(function*(
  around: Around,
  about: About,
  subject: () => ToolResult | undefined,
  /** What was found about the result when it was recorded. */
  said: ReadonlyArray<Recorded>
): Effect.fn.Return<Screened, BudgetExceeded, Journal> {
  const journal = yield* Journal
  const at = `${about.key}/result`
  const recorded = recordedAt(journal, at)
  const configured = around.rules.settings.guardrails.some(({ screen }) => screen?.result !== undefined)
  const judged = configured ? subject() : undefined
  const asked = judged === undefined ? [] : askedBy(around, ({ result }) => result?.(judged))
  const found: Array<Found> = []
  const events = new Map<string, Outcome>()
  const isSaid = (name: string) =>
    said.some(({ detail, guardrail }) => guardrail === name && byOf(detail) !== undefined)
  for (const one of asked) {
    const { name } = one.guardrail
    if (!recorded.has(name) && (isSaid(name) || isShown(journal, around, about))) continue
    const judged: Array<Found> = []
    const event = yield* call(around, about, at, one, (found) => judged.push(...found))
    events.set(event.key, event)
    // A failure that recovery recorded has no verdict beside it.
    const isLost = event._tag === "LLMCallFailed" && judged.length === 0 && !isSaid(name)
    found.push(...isLost ? judge(about, one, Result.fail(event.error), event.key) : judged)
  }
  yield* again(around, about, at, asked)
  const answerAt = (key: string) => {
    const event = events.get(key)
    return event?._tag === "LLMCallCompleted" ? event : completedAt(journal.recorded(key))
  }
  return { found, shown: shownBy([...said, ...found.map(({ event }) => event)], answerAt) }
})

/**
 * What the answers that the run has already mean for a result, to be recorded with it.
 *
 * @category operations
 * @since 0.1.0
 */
export const known = (
  journal: Journal["Service"],
  around: Around,
  about: About,
  subject: ToolResult
): Effect.Effect<ReadonlyArray<Found>> =>
  Effect.map(
    Effect.forEach(askedBy(around, ({ result }) => result?.(subject)), (one) => {
      const before = answeredBefore(journal, one, keyOf(`${about.key}/result`, one.guardrail.name))
      return before === undefined
        ? Effect.succeed([])
        : Effect.map(answerIn(before.event, one.question), (answer) => {
          const found = judge(about, one, answer, before.key)
          // What stands there says that it is not to be asked again.
          return found.length > 0 ? found : [verdictOf(
            about,
            { rule: "screened_before", action: "ALLOW", message: same, detail: { by: before.key } },
            undefined,
            one.guardrail
          )]
        })
    }),
    (all) => all.flat()
  )

const same = "the same text was found to be fine before"

/**
 * What the model is shown in the place of a result, if an answer takes it.
 *
 * @category getters
 * @since 0.1.0
 */
export const shownBy = (
  verdicts: ReadonlyArray<Recorded>,
  answerAt: (key: string) => RunEventOf<"LLMCallCompleted"> | undefined
): Schema.Json | undefined => {
  for (const { action, detail, layer } of verdicts.toReversed()) {
    const key = byOf(detail)
    if (action !== "REDACT" || layer !== "L2_tool_result" || key === undefined || Object(detail).shows !== true) {
      continue
    }
    const event = answerAt(key)
    if (event !== undefined) return givenIn(event.parts)
  }
  return undefined
}

/**
 * The answer at a key, if there is one.
 *
 * @category getters
 * @since 0.1.0
 */
export const completedAt = (place: RunState.Place | undefined): RunEventOf<"LLMCallCompleted"> | undefined => {
  const event = place?._tag === "Operation" ? place.outcome?.event : undefined
  return event?._tag === "LLMCallCompleted" ? event : undefined
}

/** The model was asked for the next turn, so it was shown the result. */
const isShown = (journal: Journal["Service"], { path }: Around, { turn }: About): boolean =>
  journal.recorded(ModelCall.keyOf({ path, turn: turn + 1 })) !== undefined ||
  journal.recorded(ModelCall.keyOf({ path, turn: turn + 1, purpose: "compaction" })) !== undefined

/** The call of a model that a verdict is the answer of. */
const byOf = (detail: unknown): string | undefined => {
  const by: unknown = Object(detail).by
  return typeof by === "string" ? by : undefined
}

const segment = "/screening/"

const keyOf = (at: string, name: string): string => `${at}${segment}${name}`

/** Which screens the log had asked at a place when this process took the run, by their names. */
const recordedAt = (journal: Journal["Service"], at: string): ReadonlySet<string> => {
  let all = recorded.get(journal)
  if (all === undefined) {
    all = new Map<string, Set<string>>()
    for (const { key } of journal.places()) {
      const end = key.lastIndexOf(segment)
      if (end < 0) continue
      const names = all.get(key.slice(0, end)) ?? new Set()
      all.set(key.slice(0, end), names.add(key.slice(end + segment.length)))
    }
    recorded.set(journal, all)
  }
  return all.get(at) ?? none
}

const recorded = new WeakMap<Journal["Service"], Map<string, Set<string>>>()
const none: ReadonlySet<string> = new Set()

/** What a guardrail had asked that is not here any more: an answer that is recorded is taken, and no other one is asked for. */
const goneOf = (name: string): Asked => ({
  guardrail: { name },
  screen: undefined,
  question: { instructions: "", text: "", answer: Schema.Struct({}), verdicts: () => [] }
})

type Outcome = RunEventOf<"LLMCallCompleted" | "LLMCallFailed">

/** One model call. With `told` the verdicts are recorded with its outcome, and told if that is recorded now. */
const call = Effect.fnUntraced(function*(
  { agent, outputBytes, path }: Around,
  about: About,
  at: string,
  one: Asked,
  told?: (found: ReadonlyArray<Found>) => void
): Effect.fn.Return<Outcome, BudgetExceeded, Journal> {
  const { guardrail: { name }, question, screen } = one
  const key = keyOf(at, name)
  const beside = (answer: Result.Result<Schema.Json, string>): ReadonlyArray<Recorded> => {
    const found = judge(about, one, answer, key)
    told?.(found)
    return found.map(({ event }) => event)
  }
  const boundary = yield* ModelBoundary
  const event = yield* ModelCall.perform(
    {
      agent,
      tools: Result.getOrThrow(Tools.make(agent, [], answerOf(question))),
      toolChoice: "required",
      model: screen?.modelName,
      retry: patience,
      // The death of a worker is no failure of the model.
      attempts: screen === undefined ? 1 : 100,
      blind: 2,
      timeout: Duration.fromInputUnsafe(screen?.timeout ?? "30 seconds"),
      stream: false,
      maxOutputTokens: screen?.maxOutputTokens ?? 1024
    },
    {
      path,
      turn: about.turn,
      purpose: "screening",
      key,
      outputBytes,
      ...(told === undefined ? {} : {
        judge: (parts) => Effect.map(read(parts, question), beside),
        failed: ({ error }) => beside(Result.fail(error))
      })
    },
    conversationOf(one)
  ).pipe(
    Effect.provideService(ModelBoundary, boundary ?? screen?.boundary),
    Effect.provideContext(screen?.model ?? (yield* nobody))
  )
  return event._tag === "LLMCallFailed" && event.reason === "BudgetExceeded"
    ? yield* Effect.flatMap(Effect.orDie(Budget.decodeRefusal(event.failure)), Effect.fail)
    : event
})

/** Two tries more are enough for what somebody waits for. */
const patience = Schedule.exponential("1 second").pipe(Schedule.jittered, Schedule.upTo({ times: 2 }))

const gone = "the guardrail that asked is not here any more"

const nobody = Effect.map(
  LanguageModel.make({ generateText: () => Effect.die(gone), streamText: () => Stream.die(gone) }),
  (model) => Context.make(LanguageModel.LanguageModel, model)
)

const answerOf = ({ answer }: Question): FinalAnswer.FinalAnswer => Result.getOrThrow(FinalAnswer.make(answer))

const conversationOf = ({ guardrail: { name, version = "" }, question, screen }: Asked) => {
  const conversation = Transcript.begin(question.instructions, question.text)
  const model = screen === undefined
    ? undefined
    : Option.getOrElse(
      Context.getOption(screen.model as Context.Context<never>, Model.ModelName),
      () => screen.modelName
    )
  const about = [name, version, model ?? "", answerOf(question).parameters, conversation.digest]
  return { ...conversation, digest: Digest.digest(JSON.stringify(about)) }
}

/** The answer to the same question to the same model, elsewhere in the run. */
const answeredBefore = (journal: Journal["Service"], one: Asked, own: string) => {
  if (journal.recorded(own) !== undefined) return undefined
  const { digest } = conversationOf(one)
  for (const place of journal.places()) {
    if (!place.key.includes(segment) || place._tag !== "Operation") continue
    const event = completedAt(place)
    if (event !== undefined && place.request?._tag === "LLMCallRequested" && place.request.promptDigest === digest) {
      return { key: place.key, event }
    }
  }
  return undefined
}

const answerIn = (event: Outcome, question: Question): Effect.Effect<Result.Result<Schema.Json, string>> =>
  event._tag === "LLMCallCompleted" ? read(event.parts, question) : Effect.succeed(Result.fail(event.error))

/** What was answered, as the schema has it; or why that is no answer. */
const read = (
  parts: ReadonlyArray<Schema.Json>,
  question: Question
): Effect.Effect<Result.Result<Schema.Json, string>> =>
  Effect.suspend(() => {
    // What it said instead may be what the text wanted it to say.
    const problem = "the model gave no answer of the shape that was asked for"
    const given = givenIn(parts)
    return given === undefined
      ? Effect.succeed(Result.fail(problem))
      : Effect.match(answerOf(question).read(given), {
        onFailure: () => Result.fail(problem),
        onSuccess: (answer) => Result.succeed(answer)
      })
  })

/** The arguments of the one call in an answer. */
const givenIn = (parts: ReadonlyArray<Schema.Json>): Schema.Json | undefined => {
  const { calls: [only, another] } = Transcript.read(parts, 0, new Set())
  return only?.tool === FinalAnswer.toolName && another === undefined ? only.params : undefined
}

const judge = (
  about: About,
  { guardrail, question }: Asked,
  answer: Result.Result<Schema.Json, string>,
  from: string
): ReadonlyArray<Found> =>
  judged(
    about,
    guardrail,
    () =>
      question.verdicts(answer).map(({ showsAnswer = false, ...verdict }: ScreenVerdict) => ({
        ...verdict,
        detail: { ...verdict.detail, by: from, ...(showsAnswer ? { shows: true } : {}) }
      }))
  )
