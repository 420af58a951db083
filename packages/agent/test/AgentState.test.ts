import { AgentState } from "@durable-agents/agent"
import type { RunEventOf } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Prompt } from "effect/ai"
import { lines } from "./fixtures.ts"

/** One call that a generated model asks for, what its tool and the people around it make of it. */
const CallSpec = Schema.Struct({
  id: Schema.Literals(["", " ", "a", "b", "call_1_1", "call_2_1"]),
  name: Schema.Literals(["read", "send", "ns:read", ""]),
  params: Schema.Literals(["object", "null", "text", "list"]),
  plan: Schema.Literals(["refused", "gated", "free"]),
  alone: Schema.Boolean,
  begun: Schema.Boolean,
  decision: Schema.Literals(["grant", "edit", "deny"]),
  result: Schema.Literals(["ok", "failure", "unknown", "nothing", "large"])
})

const TurnSpec = Schema.Struct({
  calls: Schema.Array(CallSpec).check(Schema.isMaxLength(5)),
  stop: Schema.Literals(["tool-calls", "stop", "length", "pause", "unknown"])
})

const Turns = Schema.Array(TurnSpec).check(Schema.isMaxLength(4))
/** Which of the moves under way ends next. */
const Picks = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))).check(Schema.isMaxLength(24))

type Turn = typeof TurnSpec.Type
type Spec = typeof CallSpec.Type

const params = { object: { page: "1" }, null: null, text: "{\"page\"", list: [1] }

const answer = (turn: number, { calls, stop }: Turn): RunEventOf<"LLMCallCompleted"> => ({
  _tag: "LLMCallCompleted",
  key: `turn-${turn}/model`,
  attempt: 1,
  turn,
  parts: [
    { type: "text", text: `Turn ${turn}.` },
    ...calls.map(({ id, name, params: kind }) => ({ type: "tool-call", id, name, params: params[kind] }))
  ],
  stopReason: stop,
  usage: {}
})

const planOf = (spec: Spec): AgentState.Plan => {
  const order = { arguments: { page: "1" }, alone: spec.alone, begun: spec.begun, verdicts: [] }
  return spec.plan === "refused"
    ? { _tag: "Refused", problem: "no such tool", ends: false, begun: false, verdicts: [] }
    : spec.plan === "gated"
    ? { _tag: "Gated", reason: "it is dear", asked: false, forced: false, ...order }
    : { _tag: "Free", ...order }
}

const decisionOf = ({ decision }: Spec): Extract<AgentState.Outcome, { _tag: "Decided" }>["decision"] => {
  const actor = { kind: "person" as const, id: "dana" }
  return decision === "deny"
    ? { _tag: "Denied", actor, reason: "no" }
    : { _tag: "Granted", actor, comment: undefined, arguments: decision === "edit" ? { page: "2" } : undefined }
}

const eventOf = (turn: number, index: number, spec: Spec) => {
  const common = { key: `turn-${turn}/call-${index}`, attempt: 1, turn, tool: spec.name, toolCallId: spec.id }
  return spec.plan === "refused"
    ? {
      _tag: "ToolCallFailed" as const,
      ...common,
      attempt: 0,
      reason: "Refused" as const,
      error: "no such tool",
      final: true
    }
    : spec.result === "unknown"
    ? {
      _tag: "ToolCallFailed" as const,
      ...common,
      reason: "Crashed" as const,
      error: "it died",
      final: true,
      outcome: "unknown" as const
    }
    : {
      _tag: "ToolCallCompleted" as const,
      ...common,
      result: spec.result === "nothing" ? null : spec.result === "large" ? "x".repeat(500) : { b: 1, a: [index] },
      ...(spec.result === "failure" ? { isFailure: true } : {})
    }
}

const last: Turn = { calls: [], stop: "stop" }

/** Plays a generated conversation to its end and calls `look` at every state. */
const played = (
  turns: ReadonlyArray<Turn>,
  picks: ReadonlyArray<number>,
  look: (state: AgentState.AgentState, action: AgentState.Action, before: AgentState.AgentState | undefined) => void =
    () => {}
) => {
  let state = AgentState.initial({ goal: "Go.", systemPrompt: "Be good.", shownBytes: 100 })
  const outcomes: Array<AgentState.Outcome> = []
  let before: AgentState.AgentState | undefined
  for (let step = 0; step < 500; step++) {
    const action = AgentState.next(state)
    look(state, action, before)
    if (action._tag === "Complete" || action._tag === "Fail" || action._tag === "Exceed") break
    const outcome = outcomeOf(state, action, turns, picks[step % Math.max(1, picks.length)] ?? 0)
    outcomes.push(outcome)
    before = state
    state = AgentState.evolve(state, outcome)
  }
  return { state, outcomes, end: AgentState.next(state) }
}

const outcomeOf = (
  state: AgentState.AgentState,
  action: Extract<AgentState.Action, { _tag: "CallModel" | "Prepare" | "Work" }>,
  turns: ReadonlyArray<Turn>,
  pick: number
): AgentState.Outcome => {
  const specs = turns[state.turn - 1]?.calls ?? []
  switch (action._tag) {
    case "CallModel":
      return { _tag: "Answered", event: answer(action.turn, turns[action.turn - 1] ?? last) }
    case "Prepare":
      return { _tag: "Prepared", plans: specs.map(planOf) }
    case "Work": {
      const move = action.moves[pick % action.moves.length]
      const index = move?.state.call.index ?? 0
      const spec = specs[index - 1]
      if (move === undefined || spec === undefined) {
        return assert.fail("there is nothing to do, and the turn is not over")
      }
      return move._tag === "Ask"
        ? { _tag: "Decided", index, decision: decisionOf(spec) }
        : { _tag: "Called", index, event: eventOf(state.turn, index, spec) }
    }
  }
}

/** What a strict provider checks: each call has one result, in order, directly after its message; ids are unique. */
const checkPrompt = ({ content }: Prompt.Prompt) => {
  const seen = new Set<string>()
  content.forEach((message, at) => {
    if (message.role !== "assistant") return
    const calls = message.content.flatMap((part) => part.type === "tool-call" ? [part] : [])
    const next = content[at + 1]
    const results = next?.role === "tool"
      ? next.content.flatMap((part) => part.type === "tool-result" ? [part] : [])
      : []
    assert.deepStrictEqual(results.map(({ id, name }) => [id, name]), calls.map(({ id, name }) => [id, name]))
    for (const { id, name, params } of calls) {
      assert.isFalse(seen.has(id) || id.trim() === "")
      seen.add(id)
      assert.match(name, /^[A-Za-z0-9_-]{1,64}$/)
      assert.isTrue(typeof params === "object" && params !== null && !Array.isArray(params))
    }
    for (const { result } of results) assert.isTrue(JSON.stringify(result).length > 2)
  })
}

describe("AgentState", () => {
  it.prop("gives every call exactly one result, in order, in every prompt (CH-1, MR-7)", {
    turns: Turns,
    picks: Picks
  }, ({ picks, turns }) => {
    const { end } = played(turns, picks, (state, action) => {
      if (action._tag === "CallModel") checkPrompt(AgentState.transcript(state))
    })
    assert.isTrue(end._tag === "Complete" || end._tag === "Fail")
  })

  it.prop("asks the model again only when all calls of the turn have outcomes", { turns: Turns, picks: Picks }, (
    { picks, turns }
  ) => {
    played(turns, picks, (state, action) => {
      if (action._tag === "CallModel") assert.isTrue(state.calls.every(({ outcome }) => outcome !== undefined))
    })
  })

  it.prop("begins calls with an effect one at a time, in order among those that are free", {
    turns: Turns,
    picks: Picks
  }, ({ picks, turns }) => {
    const orderOf = ({ plan }: AgentState.CallState) =>
      plan?._tag === "Free" || plan?._tag === "Gated" ? plan : undefined
    const isAlone = (call: AgentState.CallState) => orderOf(call)?.alone === true
    const isBegun = (call: AgentState.CallState) => orderOf(call)?.begun === true
    played(turns, picks, (state, _, before) => {
      const busy = state.calls.filter((call) =>
        call.underWay && call.outcome === undefined && isAlone(call) && !isBegun(call)
      )
      assert.isTrue(busy.length <= 1)
      for (const call of busy) {
        const wasUnderWay = before?.calls.some((other) => other.call.id === call.call.id && other.underWay)
        if (wasUnderWay === true) continue
        for (const earlier of state.calls.slice(0, call.call.index - 1)) {
          const waits = earlier.plan?._tag === "Gated" && earlier.decision === undefined
          assert.isTrue(earlier.outcome !== undefined || earlier.underWay || waits)
        }
      }
    })
  })

  it.prop("lets a call that waits for a person hold only itself, and asks for all at once", {
    turns: Turns,
    picks: Picks
  }, ({ picks, turns }) => {
    played(turns, picks, (state, action) => {
      if (action._tag !== "Work") return
      const asked = action.moves.flatMap((move) => move._tag === "Ask" ? [move.state.call.index] : [])
      assert.deepStrictEqual(
        asked,
        state.calls.flatMap(({ call, decision, plan }) =>
          plan?._tag === "Gated" && decision === undefined ? [call.index] : []
        )
      )
      const free = state.calls.filter(({ decision, outcome, plan }) =>
        outcome === undefined && plan !== undefined && (plan._tag !== "Gated" || decision !== undefined)
      )
      assert.isTrue(free.length === 0 || action.moves.some(({ _tag }) => _tag === "Run"))
    })
  })

  it.prop("begins nothing more once a call ends the run, and goes on with what is in the log", {
    calls: Schema.NonEmptyArray(CallSpec).check(Schema.isMaxLength(6)),
    ending: Schema.Natural,
    picks: Picks
  }, ({ calls, ending, picks }) => {
    const at = ending % calls.length
    const plans = calls.map((spec, index): AgentState.Plan => {
      const plan = planOf(spec)
      if (index === at) return { _tag: "Refused", problem: "no", ends: true, begun: false, verdicts: [] }
      // What is begun after a question was asked before.
      if (plan._tag === "Gated") return { ...plan, asked: spec.begun || spec.alone }
      return plan._tag === "Accepted" ? plan : { ...plan, begun: spec.begun }
    })
    const inLog = (index: number) => {
      const plan = plans[index - 1]
      return plan?._tag === "Gated" ? plan.asked : plan !== undefined && plan._tag !== "Accepted" && plan.begun
    }
    let state = AgentState.initial({ goal: "Go.", systemPrompt: "", shownBytes: 100 })
    state = AgentState.evolve(state, { _tag: "Answered", event: answer(1, { calls, stop: "tool-calls" }) })
    state = AgentState.evolve(state, { _tag: "Prepared", plans })
    for (let step = 0; step < 50; step++) {
      const action = AgentState.next(state)
      assert.strictEqual(action._tag, "Work")
      if (action._tag !== "Work") return
      for (const { state: { call } } of action.moves) assert.isTrue(call.index === at + 1 || inLog(call.index))
      const others = action.moves.filter(({ state: { call } }) => call.index !== at + 1)
      const move = others[(picks[step] ?? 0) % others.length]
      if (move === undefined) break
      const spec = calls[move.state.call.index - 1]
      if (spec === undefined) return
      const { index } = move.state.call
      state = AgentState.evolve(
        state,
        move._tag === "Ask"
          ? { _tag: "Decided", index, decision: decisionOf(spec) }
          : { _tag: "Called", index, event: eventOf(1, index, spec) }
      )
    }
    for (const { call, outcome, plan } of state.calls) {
      const isBegun = plan !== undefined && plan._tag !== "Accepted" && plan.begun
      if (call.index !== at + 1 && isBegun && inLog(call.index)) assert.isDefined(outcome)
    }
  })

  it.prop("comes to the same prompts in whatever order the outcomes of a turn come", {
    turns: Turns,
    left: Picks,
    right: Picks
  }, ({ left, right, turns }) => {
    const one = played(turns, left).state.conversation
    const other = played(turns, right).state.conversation
    assert.deepStrictEqual(one, other)
  })

  it.prop("comes to the same state from the same outcomes, and takes the first of two for one call", {
    turns: Turns,
    picks: Picks
  }, ({ picks, turns }) => {
    const { outcomes, state } = played(turns, picks)
    let again = AgentState.initial({ goal: "Go.", systemPrompt: "Be good.", shownBytes: 100 })
    for (const outcome of outcomes) {
      again = AgentState.evolve(again, outcome)
      if (outcome._tag === "Called" && again.calls.length > 0) again = AgentState.evolve(again, outcome)
    }
    assert.deepStrictEqual(again, state)
  })

  it.prop("runs no call of an answer that was cut off (MR-5)", { turns: Turns, picks: Picks }, ({ picks, turns }) => {
    const cut = turns.map((turn) => ({ ...turn, stop: "length" as const }))
    played(cut, picks, (_, action) => assert.isFalse(action._tag === "Work" || action._tag === "Prepare"))
  })

  it("shows results with their keys in one order, so that every store gives the same text (EV-12)", () => {
    const turn: Turn = {
      calls: [{
        id: "a",
        name: "read",
        params: "object",
        plan: "free",
        alone: false,
        begun: false,
        decision: "grant",
        result: "ok"
      }],
      stop: "tool-calls"
    }
    assert.deepStrictEqual(lines(AgentState.transcript(played([turn], []).state)).slice(-1), [
      "result a success {\"a\":[1],\"b\":1}"
    ])
  })
})
