import { Agent, AgentError, Guardrails, ScriptedModel, ToolCall, ToolPolicy, Verify } from "@durable-agents/agent"
import { type Budget, BudgetExceeded, Digest, Program } from "@durable-agents/core"
import { everyPrefix, People, runProgram, twoWorkers } from "@durable-agents/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, pipe, Schedule, Schema } from "effect"
import { AiError, Tool, Toolkit } from "effect/ai"

/** A small random number generator, so that a failing seed can be run again. */
const randomOf = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    state ^= state >>> 12
    return Math.abs(state) % below
  }
}

type Random = ReturnType<typeof randomOf>

const pick = <A>(random: Random, of: readonly [A, ...ReadonlyArray<A>]): A => of[random(of.length)] ?? of[0]

/** `mood`: what the guardrail says about a call, or about its result. */
const parameters = Schema.Struct({
  to: Schema.String,
  n: Schema.Int,
  mood: Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.succeed("plain")))
})

const common = { parameters, success: Schema.String, dependencies: [ToolCall] }

/** Processes die more often than any policy allows attempts. */
const patiently = ToolPolicy.attempts(Infinity)

const Look = patiently(Tool.make("look", common).annotate(Tool.Readonly, true))
const Pay = pipe(
  Tool.make("pay", { ...common, failure: Schema.Struct({ declined: Schema.String }) }).annotate(Tool.Idempotent, true),
  ToolPolicy.caps({ n: { max: 5 } }),
  patiently
)
const Gate =
  patiently(Tool.make("gate", { ...common, needsApproval: ({ n }) => n > 1 }).annotate(Tool.Idempotent, true))
const Busy = pipe(
  Tool.make("busy", { ...common, failure: Schema.Struct({ busy: Schema.String }) }).annotate(Tool.Idempotent, true),
  ToolPolicy.retry(Schedule.spaced("1 minute").pipe(Schedule.upTo({ times: 2 }))),
  patiently
)
const Tools = Toolkit.make(Look, Pay, Gate, Busy)

interface World {
  readonly effects: Set<string>
  /** Which idempotency keys each call has shown. */
  readonly keys: Map<string, Set<string>>
}

const handlersOf = ({ effects, keys }: World) => {
  const act = (tool: string, args: typeof parameters.Type) =>
    Effect.map(ToolCall, ({ idempotencyKey, key }) => {
      effects.add(`${key} ${tool} ${JSON.stringify(args)}`)
      keys.set(key, (keys.get(key) ?? new Set()).add(idempotencyKey))
      return `${tool} ${args.to} ${args.n}`
    })
  return Tools.toLayer({
    look: ({ to }) => Effect.succeed(`${to} is fine`),
    pay: (args) => args.n === 3 ? Effect.fail({ declined: "no" }) : act("pay", args),
    gate: (args) => act("gate", args),
    busy: (args) =>
      Effect.flatMap(ToolCall, ({ attempt }) => attempt === 1 ? Effect.fail({ busy: "yes" }) : act("busy", args))
  })
}

const moods: ReadonlyArray<string> = ["plain", "plain", "plain", "allow", "count", "doubt", "block", "odd", "withhold"]

const callOf = (random: Random) => {
  const mood = random(20) === 0 ? "end" : random(20) === 0 ? "endOver" : moods[random(moods.length)] ?? "plain"
  const fitting = { to: pick(random, ["ann", "bob"]), n: pick(random, [0, 1, 1, 2, 3, 9]), mood }
  const params = random(10) > 0
    ? fitting
    : pick<unknown>(random, [{ to: "ann" }, null, [], "x", { ...fitting, more: 1 }])
  return { name: pick(random, ["look", "pay", "pay", "gate", "gate", "busy", "unknown", "final_answer"]), params }
}

const answer = Schema.Struct({ ok: Schema.String })

const verdictsOf = (mood: string, about: "call" | "result"): ReadonlyArray<Guardrails.Verdict> => {
  const verdict = (action: Guardrails.Verdict["action"], more: Partial<Guardrails.Verdict> = {}) => [
    { rule: mood, action, message: `it is ${mood}`, ...more }
  ]
  switch (`${about} ${mood}`) {
    case "call allow":
      return verdict("ALLOW")
    case "call count":
      return verdict("ALLOW", { counts: true })
    case "call doubt":
    case "result odd":
      return verdict("ESCALATE")
    case "call block":
    case "result withhold":
      return verdict("BLOCK")
    case "call end":
    case "result endOver":
      return verdict("BLOCK", { ends: true })
    default:
      return []
  }
}

const moodOf = (args: Schema.Json): string => Schema.is(parameters)(args) ? args.mood : "plain"

const guardrailOf = (goal: Guardrails.Verdict["action"] | undefined): Guardrails.Guardrail => ({
  name: "own",
  goal: () => Effect.succeed(goal === undefined ? [] : [{ rule: "goal", action: goal, message: "a goal" }]),
  call: ({ arguments: args }) => Effect.succeed(verdictsOf(moodOf(args), "call")),
  result: ({ arguments: args }) => Effect.succeed(verdictsOf(moodOf(args), "result")),
  summary: () =>
    Effect.succeed([{ rule: "summary", action: goal === "ALLOW" ? "ESCALATE" : "ALLOW", message: "a summary" }])
})

const tooLong = ScriptedModel
  .failure(new AiError.InvalidRequestError({
    description: "too long",
    metadata: { failure: { kind: "context-too-long" } }
  }))

const Failure = Schema.Union([AgentError, BudgetExceeded])

/** A conversation, the guardrails and the people around it, all by a seed. */
const scenarioOf = (seed: number) => {
  const random = randomOf(seed)
  const structured = random(3) === 0
  /** It has to be summarised after every turn or two. */
  const isLong = seed % 3 > 0
  const script: ScriptedModel.Script = [
    ...Array.from({ length: 1 + random(4) }, () =>
      structured && random(5) === 0
        ? pick(random, ["no JSON", "{\"ok\":1}", ""])
        : ScriptedModel.toolCalls(
          Array.from({ length: 1 + random(5) }, () => callOf(random)),
          { ...(random(12) === 0 ? { finishReason: "length" } : {}), ...(isLong ? { text: "Hm. ".repeat(950) } : {}) }
        )),
    structured ? ScriptedModel.toolCall("final_answer", { ok: "yes" }) : "Done."
  ]
  /** Now and then it is the provider that finds it too long. */
  const isRefused = isLong && seed % 4 > 1
  const said = isRefused ? script.toSpliced(2, 0, tooLong) : script
  const profile = pick(random, ["validation", "validation", "off", "lenient", "strict"] as const)
  const guardrails = {
    guardrails: [guardrailOf(pick(random, [undefined, undefined, undefined, "ALLOW", "ESCALATE", "BLOCK"]))]
  }
  const budget: Budget.Budget = pick(random, [{}, {}, { toolCalls: 1 + random(4) }, { turns: 1 + random(3) }])
  const options = {
    instructions: "Work.",
    toolkit: Tools,
    guardrailProfile: profile,
    stream: seed % 2 === 0,
    ...(isLong ? { compaction: { above: isRefused ? 100_000 : 1000, keepTurns: 1 } } : {})
  }
  // Only what stands in the log is compared, and that is JSON either way.
  const Worker = (structured
    ? Agent.make("worker", { ...options, output: answer })
    : Agent.make("worker", options)) as unknown as Agent.Agent<Agent.Services<typeof Tools>, Schema.Json>
  const Outer = Program.make("outer", { input: Schema.String, output: Schema.Json, error: Failure })
  // One after the other: side by side, what the guardrails of one find out counts for the other when it happens to come.
  const inside = Outer.toLayer(() => Effect.forEach(["one", "two"], (name) => Worker.run(name, "Do it.")))
  const outer = random(3) === 0
  return {
    program: (outer ? Outer : Worker) as Program.Program<string, Schema.Json, unknown>,
    input: "Do it.",
    start: { budget },
    world: (): World => ({ effects: new Set(), keys: new Map() }),
    layer: (world: World) =>
      (outer ? inside : Worker.layer).pipe(
        Layer.provide(Guardrails.layer(guardrails)),
        Layer.provide([ScriptedModel.layer(said), handlersOf(world)])
      ),
    effects: ({ effects, keys }: World) => {
      for (const [key, shown] of keys) assert.strictEqual(shown.size, 1, key)
      return [...effects].sort()
    },
    /** What is said to each request depends on its key alone. */
    outside: People.make(({ arguments: shown, key }) => {
      const said = { actor: "dana", afterMillis: 0 }
      const choice = parseInt(Digest.digest(`${key} ${seed}`).slice(-4), 16) % 6
      const allowed = { ...said, _tag: "Approve" as const, comment: undefined }
      // Of a goal there are no arguments to change.
      if (shown === undefined && choice > 0) return { ...allowed, arguments: undefined }
      switch (choice) {
        case 0:
          return { ...said, _tag: "Deny", reason: "no" }
        case 1:
          return { ...allowed, arguments: { to: "cleo", n: 1 } }
        case 2:
          return { ...allowed, arguments: { ...Object(shown), n: 7, mood: "end" } }
        default:
          return { ...allowed, arguments: undefined }
      }
    })
  }
}

/** More of them by `SEEDS=200`. */
const seeds = Number(process.env["SEEDS"] ?? 6)

describe("generated conversations", () => {
  for (let seed = 1; seed <= seeds; seed++) {
    it.effect(
      `end the same from every instant, with the same effects under the same keys (CH-1, WR-9, seed ${seed})`,
      () => everyPrefix({ ...scenarioOf(seed * 7919), stride: 2, deaths: 1 + seed % 3 }),
      120_000
    )
  }

  for (let seed = 1; seed <= seeds; seed++) {
    it.effect(`leave a log from which every prompt can be built anew (seed ${seed})`, () =>
      Effect.gen(function*() {
        const { log } = yield* runProgram(scenarioOf(seed * 15_485_863))
        for (const { key, rebuilt, recorded } of Verify.prompts(log)) assert.strictEqual(rebuilt, recorded, key)
      }))
  }

  for (let seed = 1; seed <= seeds; seed++) {
    it.effect(
      `end the same by two workers as by one (seed ${seed})`,
      () => twoWorkers({ ...scenarioOf(seed * 104_729), stride: 4, races: 4, seed }),
      120_000
    )
  }
})
