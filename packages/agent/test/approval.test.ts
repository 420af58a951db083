import { Agent, AgentError, Guardrails, ScriptedModel, ToolPolicy } from "@durable-agents/agent"
import { MemoryStore, Program, Runs } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, pipe, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { TestClock } from "effect/testing"
import {
  approve,
  Clerk,
  clerk,
  deny,
  eventsOf,
  execute,
  executeUntil,
  lastPrompt,
  only,
  play,
  processOf,
  requests,
  start,
  world
} from "./fixtures.ts"

const pay = (cents: number, order = "7") => ({ name: "pay", params: { order, cents } })
const first = "turn-1/call-1/approval"
const second = "turn-1/call-2/approval"

describe("approval of a tool call", () => {
  it.effect("parks the run, in plain words (checks 43, 45, D34)", () => {
    const tools = world()
    return Effect.gen(function*() {
      const { view } = yield* play()
      assert.strictEqual(view.status, "AwaitingApproval")
      const [pending] = view.pendingApprovals
      assert.strictEqual(pending?.key, first)
      assert.strictEqual(pending?.tool, "pay")
      assert.deepStrictEqual(pending?.arguments, { order: "7", cents: 9000 })
      assert.strictEqual(
        pending?.subject,
        "The agent `clerk` wants to call `pay`: Pays back. Amounts are in cents."
      )
      assert.strictEqual(pending?.reason, "`pay` needs approval with these arguments")
      assert.strictEqual(tools.attempts.length, 0)
    }).pipe(Effect.provide(clerk([ScriptedModel.toolCalls([pay(9000)])], tools)))
  })

  it.effect("is decided by a predicate over the arguments: 5,000 no, 5,001 yes (check 44)", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* play("5000")).view.status, "Completed")
      assert.strictEqual((yield* play("5001")).view.status, "AwaitingApproval")
    }).pipe(Effect.provide(clerk(({ prompt, turn }) =>
      turn === 2
        ? "Done."
        : ScriptedModel.toolCalls([pay(JSON.stringify(prompt.content).includes("5001") ? 5001 : 5000)])
    ))))

  it.effect("records a grant only; the call runs once when the run goes on (checks 46, 47, H2)", () => {
    const tools = world()
    return Effect.gen(function*() {
      const { runId } = yield* play()
      yield* approve(runId, first)
      assert.strictEqual(tools.attempts.length, 0)
      const view = yield* execute(runId)
      yield* execute(runId)
      assert.strictEqual(view.output, "Done.")
      assert.strictEqual(tools.attempts.length, 1)
      const events = yield* eventsOf(runId)
      assert.strictEqual(only(events, "ApprovalRequested").length, 1)
      assert.strictEqual(only(events, "ToolCallRequested")[0]?.approval, first)
    }).pipe(Effect.provide(clerk([ScriptedModel.toolCalls([pay(9000)]), "Done."], tools)))
  })

  const denials: ReadonlyArray<readonly [string, string | undefined, string]> = [
    ["a long reason", "The customer has been paid by hand already.".repeat(20), " Reason: The customer has been paid"],
    ["one word", "no", " Reason: no"],
    ["no reason", undefined, ""]
  ]
  for (const [name, reason, said] of denials) {
    it.effect(`that is denied with ${name} tells the model so, also after a restart (check 48, AP-7)`, () => {
      const memory = MemoryStore.memory()
      const tools = world()
      const script = [ScriptedModel.toolCalls([pay(9000)]), "I see."]
      return Effect.gen(function*() {
        const { runId } = yield* Effect.provide(play(), clerk(script, tools, memory))
        yield* Effect.provide(deny(runId, first, reason), clerk(script, tools, memory))
        yield* Effect.gen(function*() {
          assert.strictEqual((yield* execute(runId)).output, "I see.")
          const answer = (yield* lastPrompt).at(-1) ?? ""
          assert.isTrue(
            answer.startsWith(`result call_1_1 failure This call was not executed: it was denied.${said}`),
            answer
          )
        }).pipe(Effect.provide(clerk(script, tools, memory)))
        assert.strictEqual(tools.attempts.length, 0)
      })
    })
  }

  it.effect("is refused on a run that is not parked, or unknown, with its status (checks 49, 50, AP-4)", () =>
    Effect.gen(function*() {
      const { runId } = yield* play()
      const events = yield* eventsOf(runId)
      const error = yield* Effect.flip(approve(runId, first))
      assert.strictEqual(error._tag, "ApprovalNotPending")
      assert.include(error.message, "Completed")
      assert.deepStrictEqual(yield* eventsOf(runId), events)
    }).pipe(Effect.provide(clerk(["Done."]))))

  it.effect("counts one of several decisions at the same moment (check 51, AP-1, AP-2)", () => {
    const tools = world()
    return Effect.gen(function*() {
      const { runId } = yield* play()
      const results = yield* Effect.all(
        [approve(runId, first), deny(runId, first, "no"), approve(runId, first)].map((one) => Effect.result(one)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(results.filter(({ _tag }) => _tag === "Success").length, 1)
      yield* execute(runId)
      const events = yield* eventsOf(runId)
      const granted = only(events, "ApprovalGranted").length
      assert.strictEqual(granted + only(events, "ApprovalDenied").length, 1)
      assert.strictEqual(tools.attempts.length, granted)
    }).pipe(Effect.provide(clerk([ScriptedModel.toolCalls([pay(9000)]), "Done."], tools)))
  })

  it.effect("of an earlier call never counts for a later one (check 52, AP-3, D31)", () => {
    const tools = world()
    return Effect.gen(function*() {
      const { runId } = yield* play()
      yield* approve(runId, first)
      assert.strictEqual((yield* execute(runId)).status, "AwaitingApproval")
      const error = yield* Effect.flip(approve(runId, first))
      assert.strictEqual(error._tag, "ApprovalNotPending")
      assert.strictEqual((yield* execute(runId)).pendingApprovals[0]?.key, "turn-2/call-1/approval")
      assert.strictEqual(tools.attempts.length, 1)
    }).pipe(Effect.provide(clerk([ScriptedModel.toolCalls([pay(9000)]), ScriptedModel.toolCalls([pay(9001)])], tools)))
  })

  it.effect("is asked again for a call that was approved or denied before, until the turns are used up (AP-8)", () => {
    const tools = world()
    return Effect.gen(function*() {
      const { runId } = yield* play("Go.", { budget: { turns: 3 } })
      yield* approve(runId, "turn-1/call-1/approval")
      yield* execute(runId)
      yield* deny(runId, "turn-2/call-1/approval")
      yield* execute(runId)
      yield* deny(runId, "turn-3/call-1/approval")
      const view = yield* execute(runId)
      assert.strictEqual(view.status, "Failed")
      assert.strictEqual(only(yield* eventsOf(runId), "ApprovalRequested").length, 3)
      assert.strictEqual(tools.attempts.length, 1)
    }).pipe(Effect.provide(clerk(() => ScriptedModel.toolCalls([pay(9000)]), tools)))
  })

  it.effect("lets a run wait a day, and another process finish it (check 10, AP-12)", () => {
    const memory = MemoryStore.memory()
    const script = [ScriptedModel.toolCalls([pay(9000)]), "Done."]
    return Effect.gen(function*() {
      const { runId } = yield* Effect.provide(play(), clerk(script, world(), memory))
      yield* TestClock.adjust("1 day")
      yield* Effect.provide(approve(runId, first), clerk(script, world(), memory))
      yield* TestClock.adjust("1 day")
      const view = yield* Effect.provide(execute(runId), clerk(script, world(), memory))
      assert.strictEqual(view.output, "Done.")
    })
  })
})

describe("several approvals of one turn", () => {
  const both = [ScriptedModel.toolCalls([pay(9000, "7"), pay(9000, "8")]), "Done."]

  it.effect("are requested together, and decided each for itself (check 53, AP-5, H26, D65)", () => {
    const tools = world()
    return Effect.gen(function*() {
      const { runId, view } = yield* play()
      assert.deepStrictEqual(view.pendingApprovals.map(({ key }) => key), [first, second])
      yield* approve(runId, second)
      const half = yield* execute(runId)
      assert.deepStrictEqual(half.pendingApprovals.map(({ key }) => key), [first])
      assert.deepStrictEqual(tools.attempts.map(({ args }) => args), [{ order: "8", cents: 9000 }])
      assert.strictEqual((yield* requests).length, 1)
      yield* deny(runId, first, "paid")
      assert.strictEqual((yield* execute(runId)).output, "Done.")
      assert.strictEqual(tools.attempts.length, 1)
      assert.deepStrictEqual((yield* lastPrompt).slice(-2), [
        "result call_1_1 failure This call was not executed: it was denied. Reason: paid",
        "result call_1_2 success {\"receipt\":\"R-8\"}"
      ])
    }).pipe(Effect.provide(clerk(both, tools)))
  })

  it.effect("hold only themselves: the free calls run once, whatever is decided (AP-6)", () => {
    const memory = MemoryStore.memory()
    const tools = world()
    const script = [
      ScriptedModel.toolCalls([
        pay(9000),
        { name: "send", params: { to: "Ada" } },
        { name: "read", params: { page: "1" } },
        { name: "send", params: { to: "Bob" } }
      ]),
      "Done."
    ]
    return Effect.gen(function*() {
      const { runId } = yield* Effect.provide(play(), clerk(script, tools, memory))
      const free = ["read 1", "send Ada", "send Bob"]
      assert.deepStrictEqual(
        tools.attempts.map(({ args, tool }) => `${tool} ${Object.values(args as object).join()}`).sort(),
        free
      )
      yield* Effect.provide(execute(runId), clerk(script, tools, memory))
      yield* Effect.provide(deny(runId, first), clerk(script, tools, memory))
      const view = yield* Effect.provide(execute(runId), clerk(script, tools, memory))
      assert.strictEqual(view.output, "Done.")
      assert.strictEqual(tools.attempts.length, 3)
    })
  })

  it.effect("run in call order when both were granted before the run went on", () => {
    const tools = world()
    return Effect.gen(function*() {
      const { runId } = yield* play()
      yield* approve(runId, first)
      yield* approve(runId, second)
      yield* execute(runId)
      assert.deepStrictEqual(tools.attempts.map(({ args }) => args), [
        { order: "7", cents: 9000 },
        { order: "8", cents: 9000 }
      ])
    }).pipe(Effect.provide(clerk(both, tools)))
  })
})

describe("arguments edited by the approver", () => {
  const script = [ScriptedModel.toolCalls([pay(9000)]), "Done."]

  it.effect("replace those that were shown; both are in the log and the model is told", () => {
    const tools = world()
    return Effect.gen(function*() {
      const { runId } = yield* play()
      yield* approve(runId, first, { order: "7", cents: 4500 })
      assert.strictEqual((yield* execute(runId)).output, "Done.")
      assert.deepStrictEqual(tools.attempts.map(({ args }) => args), [{ order: "7", cents: 4500 }])
      const events = yield* eventsOf(runId)
      assert.deepStrictEqual(only(events, "ApprovalRequested")[0]?.arguments, { order: "7", cents: 9000 })
      assert.deepStrictEqual(only(events, "ApprovalGranted")[0]?.arguments, { order: "7", cents: 4500 })
      assert.deepStrictEqual(only(events, "ToolCallRequested")[0]?.arguments, { order: "7", cents: 4500 })
      assert.include((yield* lastPrompt).at(-1), "A person changed the arguments of this call before allowing it.")
      assert.include((yield* lastPrompt).at(-1), "\"cents\":4500")
    }).pipe(Effect.provide(clerk(script, tools)))
  })

  it.effect("are shown to the model up to a limit, like results (EV-7)", () => {
    const tools = world()
    return Effect.gen(function*() {
      const { runId } = yield* play()
      yield* approve(runId, first, { order: "7".repeat(500_000), cents: 1 })
      assert.strictEqual((yield* execute(runId)).output, "Done.")
      assert.strictEqual(tools.attempts.length, 1)
      assert.isBelow((yield* lastPrompt).at(-1)?.length ?? 0, 150_000)
      assert.include((yield* lastPrompt).at(-1), "[The result was cut here: these are the first")
    }).pipe(Effect.provide(clerk(script, tools)))
  })

  it.effect("are not taken if they do not fit the tool as it was when the run began, and may be given again", () => {
    const tools = world()
    return Effect.gen(function*() {
      const { runId } = yield* play()
      const events = yield* eventsOf(runId)
      for (const wrong of [{ order: "7", cents: "lots" }, { order: "7" }, { order: "7", cents: 1, to: "me" }, [], 7]) {
        const refused = yield* Effect.flip(approve(runId, first, wrong))
        assert.strictEqual(refused._tag, "InvalidRequest")
        assert.match(refused.message, /^`arguments` do not fit `pay`: /)
      }
      assert.deepStrictEqual(yield* eventsOf(runId), events)
      yield* approve(runId, first, { order: "7", cents: 1 })
      // What was decided comes before what is wrong with a decision that comes too late.
      const late = yield* Effect.flip(approve(runId, first, { cents: "lots" }))
      assert.deepInclude(late, { _tag: "ApprovalNotPending" })
      assert.strictEqual((yield* execute(runId)).output, "Done.")
      assert.deepStrictEqual(tools.attempts.map(({ args }) => args), [{ order: "7", cents: 1 }])
    }).pipe(Effect.provide(clerk(script, tools)))
  })

  it.effect("that are what was shown, written in another order, are no change", () => {
    const tools = world()
    return Effect.gen(function*() {
      const { runId } = yield* play()
      yield* approve(runId, first, { cents: 9000, order: "7" })
      assert.strictEqual((yield* execute(runId)).output, "Done.")
      assert.notProperty(only(yield* eventsOf(runId), "ApprovalGranted")[0], "arguments")
      assert.notInclude((yield* lastPrompt).at(-1), "A person changed")
    }).pipe(Effect.provide(clerk(script, tools)))
  })

  it.effect("are checked by the schema of an agent inside a program as well", () => {
    const tools = world()
    const Desk = Program.make("desk", { input: Schema.String, output: Schema.String, error: AgentError })
    return Effect.gen(function*() {
      const runId = yield* start(Desk, "Pay.")
      const [pending] = (yield* execute(runId)).pendingApprovals
      const approval = pending?.key ?? ""
      assert.strictEqual(approval, `inside/${first}`)
      assert.strictEqual(
        (yield* Effect.flip(approve(runId, approval, { order: "7", cents: -6 })))._tag,
        "InvalidRequest"
      )
      yield* approve(runId, approval, { order: "7", cents: 6 })
      assert.strictEqual((yield* execute(runId)).output, "Done.")
      assert.deepStrictEqual(tools.attempts.map(({ args }) => args), [{ order: "7", cents: 6 }])
    }).pipe(Effect.provide(processOf(
      Desk.toLayer((goal) => Effect.catchTag(Clerk.run("inside", goal), "BudgetExceeded", Effect.die)),
      Layer.merge(ScriptedModel.layer(script), tools.layer)
    )))
  })

  /** What a JSON schema cannot say, the rule of the tool and its guardrails have the last word about. */
  const judged = (rule: (n: number) => boolean, guardrails: ReadonlyArray<Guardrails.Guardrail> = []) => {
    const made: Array<number> = []
    const asked: Array<number> = []
    const Even = Schema.Int.check(Schema.makeFilter((n) => n % 2 === 0 || "an even number is wanted"))
    const Note = Tool.make("note", {
      parameters: Schema.Struct({ n: Even }),
      needsApproval: ({ n }) => {
        asked.push(n)
        return rule(n)
      }
    })
    const One = Agent.make("one", { instructions: "", toolkit: [Note] })
    const process = processOf(
      One.layer.pipe(Layer.provide(Guardrails.layer({ guardrails }))),
      Layer.merge(
        ScriptedModel.layer([ScriptedModel.toolCall("note", { n: 2 }), "Done."]),
        Toolkit.make(Note).toLayer({ note: ({ n }) => Effect.sync(() => void made.push(n)) })
      )
    )
    const edited = (n: number) =>
      Effect.gen(function*() {
        const runId = yield* start(One, "Go.")
        yield* execute(runId)
        yield* approve(runId, first, { n })
        assert.strictEqual((yield* execute(runId)).output, "Done.")
        return { made, asked, events: yield* eventsOf(runId), told: (yield* lastPrompt).at(-1) ?? "" }
      }).pipe(Effect.provide(process))
    return { edited }
  }

  it.effect("are refused by the worker if they do not fit what no JSON schema says", () =>
    Effect.gen(function*() {
      const { events, made, told } = yield* judged(() => true).edited(3)
      assert.deepStrictEqual(made, [])
      const [failed] = only(events, "ToolCallFailed")
      assert.deepInclude(failed, { attempt: 0, reason: "Refused", final: true })
      assert.include(failed?.error, "after the change, its arguments do not fit: an even number is wanted")
      assert.include(told, "an even number is wanted")
    }))

  it.effect("are shown to the rule again, whose yes the approver has given, and whose failure lets nothing through", () =>
    Effect.gen(function*() {
      const allowed = yield* judged((n) => n < 100).edited(4)
      assert.deepStrictEqual([allowed.made, allowed.asked.at(-1)], [[4], 4])
      const failed = yield* judged((n) => {
        if (n > 2) throw new Error("no rule for that")
        return true
      }).edited(6)
      assert.deepStrictEqual(failed.made, [])
      assert.include(failed.told, "after the change, the rule that says whether `note` needs approval failed")
    }))

  it.effect("are shown to guardrails again, which may refuse them", () =>
    Effect.gen(function*() {
      const { events, made, told } = yield* judged(() => true, [{
        name: "own",
        call: ({ arguments: args }) =>
          Effect.succeed(Object(args).n > 10 ? [{ rule: "much", action: "BLOCK", message: "that is too much" }] : [])
      }]).edited(12)
      assert.deepStrictEqual(made, [])
      assert.include(told, "after the change, that is too much")
      assert.strictEqual(only(events, "GuardrailTriggered").at(-1)?.rule, "much")
    }))
})

describe("a rule that says whether approval is needed", () => {
  const gated = (rule: NonNullable<Tool.Any["needsApproval"]>) => {
    let asked = 0
    const Gated = Tool.make("gated", {
      parameters: Schema.Struct({ n: Schema.optional(Schema.Number) }),
      needsApproval: (args, context) => {
        asked += 1
        return typeof rule === "function" ? rule(args, context) : rule
      }
    }).annotate(Tool.Idempotent, true)
    const G = Agent.make("gated", { instructions: "", toolkit: [Gated] })
    const Handlers = Toolkit.make(Gated).toLayer({ gated: () => Effect.void })
    const script = ScriptedModel.layer([ScriptedModel.toolCall("gated", {}), "Done."])
    return {
      agent: G,
      asked: () => asked,
      process: (memory?: MemoryStore.Memory) => processOf(G.layer, Layer.merge(script, Handlers), memory)
    }
  }

  const failing: ReadonlyArray<readonly [string, NonNullable<Tool.Any["needsApproval"]>]> = [
    ["throws", () => {
      throw new Error("no such member")
    }],
    ["dies", () => Effect.die(new Error("no such member"))],
    ["dies of what no JSON can hold", () => Effect.die({ toString: () => "no such member", at: 7n })]
  ]
  for (const [how, rule] of failing) {
    it.effect(`and ${how} lets nothing through and poisons nothing (check 42, D7)`, () => {
      const { agent, process } = gated(rule)
      return Effect.gen(function*() {
        const runId = yield* start(agent, "Go.")
        const view = yield* execute(runId)
        assert.strictEqual(
          view.pendingApprovals[0]?.reason,
          "the rule that says whether `gated` needs approval failed (no such member), so a person has to decide"
        )
        yield* approve(runId, first)
        assert.strictEqual((yield* execute(runId)).output, "Done.")
      }).pipe(Effect.provide(process()))
    })
  }

  for (
    const [how, rule, words] of [
      ["interrupts itself", () => Effect.interrupt, "interrupt"],
      ["answers with a promise", () => Promise.resolve(false) as never, "with these arguments"]
    ] as const
  ) {
    it.effect(`and ${how} lets nothing through (check 42, D7)`, () => {
      const { agent, process } = gated(rule)
      return Effect.gen(function*() {
        const view = yield* execute(yield* start(agent, "Go."))
        assert.include(view.pendingApprovals[0]?.reason, words)
      }).pipe(Effect.provide(process()))
    })
  }

  it.effect("and never answers is given up after a while (D26)", () => {
    const begun = Deferred.makeUnsafe<void>()
    const { agent, process } = gated(() => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
    return Effect.gen(function*() {
      const runId = yield* start(agent, "Go.")
      const fiber = yield* Effect.forkChild(execute(runId))
      yield* Deferred.await(begun)
      yield* TestClock.adjust("30 seconds")
      assert.include((yield* Fiber.join(fiber)).pendingApprovals[0]?.reason, "(it said nothing within 30s)")
    }).pipe(Effect.provide(process()))
  })

  it.effect("may answer with an effect, even one that takes its time while a log is replayed", () => {
    const { agent, asked, process } = gated(() =>
      Effect.promise(() => new Promise((done) => setTimeout(() => done(false), 40)))
    )
    return Effect.gen(function*() {
      const runId = yield* start(agent, "Go.")
      assert.strictEqual((yield* execute(runId)).output, "Done.")
      assert.strictEqual(asked(), 1)
    }).pipe(Effect.provide(process()))
  })

  it.effect("is not asked again once its answer is recorded, and what it says later changes nothing (AP-9, AP-13)", () => {
    const memory = MemoryStore.memory()
    const before = gated(() => true)
    const after = gated(() => false)
    return Effect.gen(function*() {
      const runId = yield* Effect.provide(start(before.agent, "Go."), before.process(memory))
      yield* Effect.provide(execute(runId), before.process(memory))
      const parked = yield* Effect.provide(execute(runId), after.process(memory))
      assert.strictEqual(parked.status, "AwaitingApproval")
      yield* Effect.provide(deny(runId, first), after.process(memory))
      const view = yield* Effect.provide(execute(runId), after.process(memory))
      assert.strictEqual(view.output, "Done.")
      assert.strictEqual(after.asked(), 0)
      assert.strictEqual(before.asked(), 1)
    })
  })
})

describe("what a tool says about its approval", () => {
  const Wire = pipe(
    Tool.make("wire", { parameters: Schema.Struct({ cents: Schema.Natural }), needsApproval: true }),
    ToolPolicy.reason(({ cents }) => `it moves ${cents} cents out of the house`),
    ToolPolicy.approval({ approvers: ["kim"], expiresIn: "1 hour" })
  )
  const Bank = Agent.make("bank", { instructions: "", toolkit: [Wire] })
  const process = processOf(
    Bank.layer,
    Layer.merge(
      ScriptedModel.layer([ScriptedModel.toolCall("wire", { cents: 12 }), "Done."]),
      Toolkit.make(Wire).toLayer({ wire: () => Effect.void })
    )
  )

  it.effect("is shown: the reason, who may decide, until when", () =>
    Effect.gen(function*() {
      const runId = yield* start(Bank, "Go.")
      const [pending] = (yield* execute(runId)).pendingApprovals
      assert.strictEqual(pending?.reason, "it moves 12 cents out of the house")
      assert.deepStrictEqual(pending?.approvers, ["kim"])
      assert.strictEqual(pending?.onExpiry, "deny")
      assert.strictEqual((yield* Effect.flip(approve(runId, first)))._tag, "NotAnApprover")
    }).pipe(Effect.provide(process)))

  it.effect("denies by itself when nobody decides in time", () =>
    Effect.gen(function*() {
      const runId = yield* start(Bank, "Go.")
      yield* execute(runId)
      yield* TestClock.adjust("2 hours")
      assert.strictEqual((yield* execute(runId)).output, "Done.")
      assert.strictEqual(
        (yield* lastPrompt).at(-1),
        "result call_1_1 failure This call was not executed: it was denied. Reason: nobody decided in time"
      )
    }).pipe(Effect.provide(process)))
})

describe("an approval that keeps waiting", () => {
  const Wire = pipe(
    Tool.make("wire", { parameters: Schema.Struct({}), needsApproval: true }),
    ToolPolicy.approval({ expiresIn: "1 hour", onExpiry: "wait", notByRequester: true })
  )
  const Bank = Agent.make("bank", { instructions: "", toolkit: [Wire] })
  const process = processOf(
    Bank.layer,
    Layer.merge(
      ScriptedModel.layer([ScriptedModel.toolCall("wire", {}), "Done."]),
      Toolkit.make(Wire).toLayer({ wire: () => Effect.void })
    )
  )

  it.effect("says until when a decision is wanted, and takes one later", () =>
    Effect.gen(function*() {
      const runId = yield* start(Bank, "Go.")
      const parked = yield* execute(runId)
      assert.isUndefined(parked.wakeAt)
      assert.strictEqual(parked.waits[0]?.expiresAt, 3_600_000)
      assert.notProperty(parked.waits[0], "until")
      yield* TestClock.adjust("2 hours")
      assert.strictEqual((yield* execute(runId)).status, "AwaitingApproval")
      yield* approve(runId, first)
      assert.strictEqual((yield* execute(runId)).output, "Done.")
    }).pipe(Effect.provide(process)))

  it.effect("is not allowed by the one who started the run, who may deny it (D32)", () =>
    Effect.gen(function*() {
      const runs = yield* Runs
      const runId = yield* runs.start(Bank, "Go.", { requestedBy: "sam" })
      yield* execute(runId)
      const events = yield* eventsOf(runId)
      const refused = yield* Effect.flip(runs.approve(runId, { approval: first, actor: "sam" }))
      assert.strictEqual(refused._tag, "OwnRequest")
      assert.deepStrictEqual(yield* eventsOf(runId), events)
      assert.isTrue((yield* runs.state(runId)).pendingApprovals[0]?.notByRequester)
      yield* runs.deny(runId, { approval: first, actor: "sam", reason: "not any more" })
      assert.strictEqual((yield* execute(runId)).output, "Done.")
      const other = yield* runs.start(Bank, "Go.", { requestedBy: "sam" })
      yield* execute(other)
      yield* runs.approve(other, { approval: first, actor: "kim" })
      assert.strictEqual((yield* execute(other)).output, "Done.")
    }).pipe(Effect.provide(process)))
})

describe("an approval that is given by itself when nobody decides in time", () => {
  const waiting = (rule: NonNullable<Tool.Any["needsApproval"]>, guardrails: Partial<Guardrails.Settings>) => {
    const made: Array<number> = []
    const Note = pipe(
      Tool.make("note", { parameters: Schema.Struct({ n: Schema.Int }), needsApproval: rule }),
      ToolPolicy.approval({ expiresIn: "1 hour", onExpiry: "approve" })
    )
    const One = Agent.make("one", { instructions: "", toolkit: [Note] })
    const process = processOf(
      One.layer.pipe(Layer.provide(Guardrails.layer(guardrails))),
      Layer.merge(
        ScriptedModel.layer([ScriptedModel.toolCall("note", { n: 1 }), "Done."]),
        Toolkit.make(Note).toLayer({ note: ({ n }) => Effect.sync(() => void made.push(n)) })
      )
    )
    return Effect.gen(function*() {
      const runId = yield* start(One, "Go.")
      yield* execute(runId)
      yield* TestClock.adjust("2 hours")
      assert.strictEqual((yield* execute(runId)).output, "Done.")
      return { made, events: yield* eventsOf(runId) }
    }).pipe(Effect.provide(process))
  }

  it("is refused where its time is no time", () => {
    const Note = Tool.make("note")
    assert.throws(
      () => ToolPolicy.approval({ expiresIn: NaN, onExpiry: "approve" })(Note),
      "ToolPolicy.approval: `NaN` is no duration"
    )
    assert.throws(() => ToolPolicy.timeout({ hours: NaN })(Note), "is no duration")
  })

  it.effect("is what its tool wants", () =>
    Effect.gen(function*() {
      const { events, made } = yield* waiting(true, {})
      assert.deepStrictEqual(made, [1])
      assert.deepStrictEqual(only(events, "ApprovalGranted")[0]?.actor, { kind: "policy", id: "expiry" })
    }))

  const doubt: Guardrails.Guardrail = {
    name: "own",
    call: () => Effect.succeed([{ rule: "odd", action: "ESCALATE", message: "it looks odd" }])
  }
  for (
    const [why, rule, guardrails] of [
      ["a guardrail wants a person to decide", false, [doubt]],
      ["a guardrail does so beside the tool", true, [doubt]],
      ["the rule of the tool failed", () => Effect.die("a bug"), []]
    ] as const
  ) {
    it.effect(`is a refusal if ${why} (check 78, D7)`, () =>
      Effect.gen(function*() {
        const { events, made } = yield* waiting(rule, { guardrails })
        assert.deepStrictEqual(made, [])
        assert.strictEqual(only(events, "ApprovalDenied")[0]?.reason, "nobody decided in time")
      }))
  }
})

describe("a call that was granted before its tool changed", () => {
  const Before = Tool.make("note", { parameters: Schema.Struct({ n: Schema.Int }), needsApproval: true })
  const After = Tool.make("note", { parameters: Schema.Struct({ n: Schema.Int, to: Schema.String }) })

  it.effect("is refused if its arguments do not fit any more: nothing was done, and the model is told so", () => {
    const memory = MemoryStore.memory()
    let ran = 0
    const note = () => Effect.sync(() => void (ran += 1))
    const script = ScriptedModel.layer([ScriptedModel.toolCall("note", { n: 1 }), "Done."])
    const old = Agent.make("one", { instructions: "", toolkit: [Before] })
    const changed = Agent.make("one", { instructions: "", toolkit: [After] })
    const before = processOf(old.layer, Layer.merge(script, Toolkit.make(Before).toLayer({ note })), memory)
    const after = processOf(changed.layer, Layer.merge(script, Toolkit.make(After).toLayer({ note })), memory)
    return Effect.gen(function*() {
      const runId = yield* Effect.provide(start(old, "Go."), before)
      yield* Effect.provide(execute(runId), before)
      yield* Effect.provide(approve(runId, first), before)
      yield* Effect.gen(function*() {
        assert.strictEqual((yield* execute(runId)).output, "Done.")
        assert.deepInclude(only(yield* eventsOf(runId), "ToolCallFailed")[0], { attempt: 0, reason: "Refused" })
        assert.include(
          (yield* lastPrompt).at(-1),
          "This call was not executed: its arguments do not fit any more: Missing key at [\"to\"]"
        )
      }).pipe(Effect.provide(after))
      assert.strictEqual(ran, 0)
    })
  })
})

describe("a tool that this worker does not have", () => {
  const Small = Agent.make("clerk", { instructions: "You are a clerk." })
  const small = (memory: MemoryStore.Memory) => processOf(Small.layer, ScriptedModel.layer(["-", "Done."]), memory)
  const script = [ScriptedModel.toolCalls([pay(9000)]), "Done."]

  it.effect("keeps a run with a granted call for a worker that has it (AP-10)", () => {
    const memory = MemoryStore.memory()
    const tools = world()
    return Effect.gen(function*() {
      const { runId } = yield* Effect.provide(play(), clerk(script, tools, memory))
      yield* Effect.provide(approve(runId, first), clerk(script, tools, memory))
      const refused = yield* Effect.flip(Effect.provide(execute(runId), small(memory)))
      assert.strictEqual(refused._tag, "NotExecutable")
      assert.include(refused.message, "the tool `pay` is not available here")
      assert.strictEqual((yield* Effect.provide(execute(runId), clerk(script, tools, memory))).output, "Done.")
      assert.strictEqual(tools.attempts.length, 1)
    })
  })

  it.effect("does not matter for a call that was denied", () => {
    const memory = MemoryStore.memory()
    return Effect.gen(function*() {
      const { runId } = yield* Effect.provide(play(), clerk(script, world(), memory))
      yield* Effect.provide(deny(runId, first), small(memory))
      assert.strictEqual((yield* Effect.provide(execute(runId), small(memory))).output, "Done.")
    })
  })

  it.effect("keeps a run whose model calls a tool that the run began with (D19, D20)", () => {
    const memory = MemoryStore.memory()
    const tools = world()
    const calls = [ScriptedModel.toolCalls([pay(1)]), "Done."]
    const without = processOf(Small.layer, ScriptedModel.layer(calls), memory)
    return Effect.gen(function*() {
      const runId = yield* Effect.provide(start(Clerk, "Go."), without, { local: true })
      const refused = yield* Effect.flip(Effect.provide(execute(runId), without, { local: true }))
      assert.include(refused.message, "the tool `pay` is not available here (`turn-1/call-1`)")
      const events = yield* Effect.provide(eventsOf(runId), without, { local: true })
      assert.strictEqual(events.at(-1)?._tag, "LLMCallCompleted")
      const done = yield* Effect.provide(execute(runId), clerk(calls, tools, memory), { local: true })
      assert.strictEqual(done.output, "Done.")
      assert.strictEqual(tools.attempts.length, 1)
      assert.strictEqual(done.usage.turns, 2)
    })
  })

  it.effect("keeps a run of a program with an agent inside, asked, in flight or granted (AP-10)", () => {
    const Outer = Program.make("outer", { input: Schema.String, output: Schema.String, error: AgentError })
    return Effect.forEach(["asked", "in flight", "granted"] as const, (when) => {
      const memory = MemoryStore.memory()
      const begun = Deferred.makeUnsafe<void>()
      const tools = world({
        pay: (_, { attempt }) =>
          when === "in flight" && attempt === 1
            ? Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
            : Effect.succeed({ receipt: "R-1" })
      })
      const calls = [ScriptedModel.toolCalls([pay(when === "granted" ? 9000 : 1)]), "Done."]
      const with_ = processOf(
        Outer.toLayer((goal) => Clerk.run("inner", goal)),
        Layer.merge(ScriptedModel.layer(calls), tools.layer),
        memory
      )
      const without = processOf(Outer.toLayer((goal) => Small.run("inner", goal)), ScriptedModel.layer(calls), memory)
      const one = { local: true }
      return Effect.gen(function*() {
        const runId = yield* Effect.provide(start(Outer, "Go."), with_, one)
        if (when === "granted") {
          yield* Effect.provide(execute(runId), with_, one)
          yield* Effect.provide(approve(runId, "inner/turn-1/call-1/approval"), without, one)
        } else if (when === "in flight") {
          yield* Effect.provide(executeUntil(runId, begun), with_, one)
        } else {
          // The agent has been told what it begins with, by a worker that died before it called the model.
          yield* Effect.exit(Effect.provide(
            execute(runId),
            processOf(
              Outer.toLayer((goal) => Clerk.run("inner", goal)),
              Layer.merge(
                ScriptedModel.layer([Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)]),
                tools.layer
              ),
              memory
            ),
            one
          ).pipe(Effect.raceFirst(Deferred.await(begun))))
        }
        const refused = yield* Effect.flip(Effect.provide(execute(runId), without, one))
        assert.include(refused.message, "the tool `pay` is not available here (`inner/turn-1/call-1`)", when)
        const done = yield* Effect.provide(execute(runId), with_, one)
        assert.strictEqual(done.output, "Done.", when)
        assert.isTrue(done.state.stuck === undefined)
      })
    })
  })
})
