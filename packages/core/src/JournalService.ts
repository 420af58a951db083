/**
 * The journal as operations, waits and branches see it: turns what a program asks for into decisions, and answers into values.
 */
import { Effect, HashMap, Result, Schema } from "effect"
import type { AppendLine, Entry } from "./AppendLine.ts"
import type { Ask } from "./Ask.ts"
import * as Asks from "./Ask.ts"
import { OperationKey } from "./Ids.ts"
import type { Answer, Journal } from "./Journal.ts"
import * as Json from "./Json.ts"
import type { Mode, Options } from "./LiveJournal.ts"
import * as Payload from "./Payload.ts"
import type { Request } from "./RunDecision.ts"
import * as RunDecision from "./RunDecision.ts"
import type { KeyMismatch } from "./RunError.ts"
import type { RunEvent, RunEventOf } from "./RunEvent.ts"
import { cleanText, decode, encode } from "./RunEvent.ts"
import type { CompletedEvent, FailedEvent, Place, Position, RunState, Wait } from "./RunState.ts"
import { placeAt } from "./RunState.ts"

/**
 * A program used one key twice in one scope. Loops and branches name their iteration: `Step.scope`, `Step.forEach`.
 *
 * @category errors
 * @since 0.1.0
 */
export class KeyReused extends Schema.TaggedError<KeyReused>("@durable-agents/core/KeyReused")("KeyReused", {
  key: Schema.String
}) {
  override get message() {
    return `The key \`${this.key}\` is used twice; name each iteration with Step.scope or Step.forEach, and have a step tried again with its option \`retry\``
  }
}

/**
 * Something that a program asks for cannot be written down: a key that is empty or longer than 256 characters, a time that is
 * not finite.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotRecordable
  extends Schema.TaggedError<NotRecordable>("@durable-agents/core/NotRecordable")("NotRecordable", {
    key: Schema.String,
    detail: Schema.String
  })
{
  override get message() {
    return `\`${this.key.slice(0, 100)}\` cannot be recorded: ${this.detail}`
  }
}

const isKey: (key: string) => boolean = Schema.is(OperationKey)

/** Such text reads back as another one, so a replay would not find what it names. */
const isPlain = (text: string): boolean => {
  const json = JSON.stringify(text)
  return cleanText(json) === json
}

const notPlain = "U+0000 and half surrogate pairs cannot be kept"

/**
 * What the service needs of the live journal around it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Around {
  readonly options: Options
  readonly asks: Map<string, Ask>
  readonly sleepers: Map<Ask, number>
  readonly line: AppendLine
  readonly now: () => number
  readonly mode: () => Mode
  readonly isOver: () => boolean
  readonly plan: () => void
  readonly enqueue: (entry: Entry) => void
  /** A recorded place was asked for again. */
  readonly asked: () => void
  /** Gives an answer in its turn. */
  readonly due: (ask: Ask, position: Position | undefined) => void
  readonly hold: (ask: Ask, go: () => void) => void
  readonly drop: (ask: Ask) => void
  readonly abandon: (ask: Ask, hasActed: boolean) => void
  readonly interruptAsk: (ask: Ask) => void
  readonly setAlarm: () => void
  readonly acting: (key: string) => () => void
  readonly mismatch: (error: KeyMismatch) => void
  readonly stick: (stuck: Omit<RunEventOf<"RunStuck">, "_tag">) => void
  readonly putBack: (detail: string) => void
  /** Tells whoever reads the log of the process. */
  readonly failed: (event: FailedEvent) => void
  readonly restart: () => void
  readonly lose: () => void
}

type Resume<A> = (effect: Effect.Effect<A>) => void

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = (around: Around): Journal["Service"] => {
  const { asks, enqueue, line, mode, now, options } = around
  const place = (key: string): Place | undefined => placeAt(line.state(), key)
  const due = (ask: Ask): void => around.due(ask, Asks.positionAt(line.state(), ask.key))
  const mayBegin = (): boolean => mode() === "live" || mode() === "unwinding"
  const shown = (): number => line.state().seq - 1

  /** Blocks the fiber on an ask; `begin` says what must happen. */
  const block = <A>(ask: Ask, begin: (resume: Resume<A>) => void): Effect.Effect<A> =>
    Effect.callback<A>((resume) => {
      if (around.isOver()) return resume(Effect.interrupt)
      ask.resume = resume
      begin((effect) => {
        ask.resume = undefined
        resume(effect)
      })
      around.plan()
      return Effect.sync(() => around.drop(ask))
    })

  const first = <A>(
    key: string,
    request: Request | undefined,
    begin: (ask: Ask, resume: Resume<A>) => void
  ): Effect.Effect<A> =>
    Effect.suspend(() => {
      if (around.isOver()) return Effect.interrupt
      if (asks.has(key)) return Effect.die(new KeyReused({ key }))
      if (!isKey(key)) {
        return Effect.die(new NotRecordable({ key, detail: `a key has 1 to 256 characters, not ${key.length}` }))
      }
      if (!isPlain(key)) return Effect.die(new NotRecordable({ key, detail: notPlain }))
      const ask = Asks.make(key, request)
      asks.set(key, ask)
      return block<A>(ask, (resume) => begin(ask, resume))
    })

  const known = (key: string): Ask => {
    const ask = asks.get(key) ?? Asks.make(key, undefined)
    asks.set(key, ask)
    return ask
  }

  const whenAllowed = (ask: Ask, go: () => void): void => mayBegin() ? go() : around.hold(ask, go)

  /** Puts a decision into the line that can be taken back until it leaves for the store. */
  const send = (ask: Ask, entry: Entry): void => {
    const own: Entry = {
      ...entry,
      sent: () => {
        ask.withdraw = undefined
        if (ask.phase === "queued") ask.phase = "stored"
      }
    }
    ask.phase = "queued"
    ask.dropped = false
    ask.withdraw = () => line.remove(own)
    enqueue(own)
  }

  /** A recorded answer is given in its turn; what a cancelled run asked for afterwards, only when it unwinds. */
  const giveRecorded = (ask: Ask, found: Place, give: () => void): void => {
    around.asked()
    ask.give = give
    const cancel = line.state().cancel
    if (cancel !== undefined && found.seq > cancel.seq && mode() !== "unwinding") {
      around.hold(ask, () => due(ask))
    } else {
      due(ask)
    }
  }

  const outcomeOf = (key: string): CompletedEvent | FailedEvent | undefined => {
    const found = place(key)
    return found?._tag === "Operation" ? found.outcome?.event : undefined
  }

  const giveOutcome = (ask: Ask, resume: Resume<Answer>): void => {
    ask.give = () => {
      const event = outcomeOf(ask.key)
      if (event !== undefined) resume(Effect.succeed({ _tag: "Outcome", event }))
    }
    due(ask)
  }

  /** The log holds a choice against this branch that its race has not been given yet, so nothing new of it may begin. */
  const isLosing = (state: RunState, key: string): boolean => {
    for (let end = key.indexOf("/"); end > 0; end = key.indexOf("/", end + 1)) {
      const path = key.slice(0, end)
      const branch = placeAt(state, path)
      if (branch?._tag !== "Branch" || key.startsWith(`${path}/${branch.winner}/`)) continue
      const phase = asks.get(path)?.phase
      if (phase === "waiting" || phase === "due") return true
    }
    return false
  }

  /** A decision that a losing branch does not get. What is left when its race has interrupted it (undo) asks once more. */
  const unlessLosing = (ask: Ask, entry: Entry, again: () => void): Entry => {
    let isLate = false
    return {
      ...entry,
      decide: (state) => {
        isLate = isLosing(state, ask.key)
        return isLate ? Result.succeed([]) : entry.decide(state)
      },
      stored: () => {
        if (!isLate || ask.dropped) return entry.stored?.()
        ask.give = () => whenAllowed(ask, again)
        around.due(ask, Asks.unstored(shown()))
      }
    }
  }

  const sendRequest = (ask: Ask, asked: Request, resume: Resume<Answer>): void => {
    const entry: Entry = {
      bytes: 4096 + Payload.sizeOf(asked.arguments) + sizeOfAll(asked.before),
      decide: (state) => RunDecision.request(asked, now())(state),
      stored: () => {
        if (ask.dropped) return around.abandon(ask, false)
        const found = place(ask.key)
        if (found?._tag === "Operation" && found.outcome !== undefined) return giveOutcome(ask, resume)
        const stuck = line.state().stuck
        if (stuck !== undefined && !(found?._tag === "Operation" && found.inFlight)) return around.stick(stuck)
        if (found?._tag !== "Operation") return
        ask.phase = "idle"
        resume(Effect.succeed({ _tag: "Attempt", operation: found }))
      },
      refused: () => giveOutcome(ask, resume)
    }
    send(ask, unlessLosing(ask, entry, () => sendRequest(ask, asked, resume)))
  }

  /** An operation that is in the log without an outcome. */
  const giveDoubtful = (ask: Ask, asked: Request, resume: Resume<Answer>): void => {
    around.asked()
    ask.give = () => {
      const found = place(ask.key)
      if (found?._tag !== "Operation") return
      if (found.outcome !== undefined) return giveOutcome(ask, resume)
      resume(Effect.succeed({ _tag: found.inFlight ? "InDoubt" : "Waiting", operation: found }))
    }
    const found = place(asked.key)
    const cancel = line.state().cancel
    if (mode() === "unwinding") return ask.give()
    if (cancel !== undefined && found !== undefined && found.seq > cancel.seq) return around.hold(ask, ask.give)
    ask.phase = "doubtful"
  }

  const note = (failure: FailedEvent): void => {
    around.failed(failure)
    enqueue({ bytes: 1024, decide: RunDecision.settle(failure, { shown: shown() }), refused: around.restart })
  }

  const settle = (event: CompletedEvent | FailedEvent, before: ReadonlyArray<RunEvent> = []) =>
    Effect.sync((): Effect.Effect<CompletedEvent | FailedEvent> => {
      if ("reason" in event) around.failed(event)
      const ask = known(event.key)
      let given = false
      let answer = event
      let resumeWith: Resume<CompletedEvent | FailedEvent> | undefined
      ask.give = () => {
        given = true
        resumeWith?.(Effect.succeed(answer))
      }
      around.due(ask, Asks.unstored(shown()))
      enqueue({
        bytes: sizeOf(event) + sizeOfAll(before),
        decide: RunDecision.settle(event, { shown: shown(), before }),
        stored: () => {
          ask.request = undefined
        },
        refused: () => {
          const recorded = outcomeOf(event.key)
          if (given || recorded === undefined) return around.restart()
          answer = recorded
        }
      })
      return block(ask, (resume) => {
        resumeWith = resume
      })
    })

  return {
    runId: options.state.runId,
    started: options.started,
    now,
    budget: () => line.state().budget,
    recorded: place,
    places: () => HashMap.values(line.state().places),
    verdicts: () => line.state().verdicts,
    ask: (asked) =>
      first<Answer>(asked.key, asked, (ask, resume) => {
        const found = place(asked.key)
        if (found === undefined) return whenAllowed(ask, () => sendRequest(ask, asked, resume))
        const fits = RunDecision.matches(line.state(), asked)
        if (Result.isFailure(fits)) return around.mismatch(fits.failure)
        const outcome = outcomeOf(asked.key)
        if (outcome === undefined) return giveDoubtful(ask, asked, resume)
        // Blocks until the program interrupts it again, as it did when this was recorded.
        if ("reason" in outcome && outcome.reason === "Interrupted") return around.asked()
        giveRecorded(ask, found, () => {
          ask.request = undefined
          resume(Effect.succeed({ _tag: "Outcome", event: outcome }))
        })
      }),
    again: (asked) =>
      Effect.suspend(() => {
        const ask = known(asked.key)
        const event = outcomeOf(asked.key)
        if (event !== undefined) return Effect.succeed({ _tag: "Outcome", event })
        return block<Answer>(ask, (resume) => whenAllowed(ask, () => sendRequest(ask, asked, resume)))
      }),
    untilDue: (key, wakeAt) => {
      const ask = known(key)
      return block<void>(ask, (resume) => {
        ask.phase = "waiting"
        ask.give = () => resume(Effect.void)
        around.sleepers.set(ask, wakeAt)
        around.setAlarm()
      })
    },
    note,
    beforeActing: Effect.suspend(() =>
      options.lease.isFresh() ? Effect.void : Effect.flatMap(options.lease.confirm, (isOurs) => {
        if (isOurs) return Effect.void
        around.lose()
        return Effect.interrupt
      })
    ),
    acting: around.acting,
    settle,
    settleStored: (key, build) => {
      const ask = known(key)
      return block<CompletedEvent | FailedEvent>(ask, (resume) => {
        ask.phase = "waiting"
        ask.give = () => {
          const event = outcomeOf(key)
          if (event !== undefined) resume(Effect.succeed(event))
        }
        enqueue({
          bytes: 4096,
          decide: RunDecision.settleStored(build, key),
          refused: () => ask.phase === "waiting" ? due(ask) : undefined
        })
      })
    },
    interrupted: (event) => enqueue({ bytes: 512, decide: RunDecision.stopWaiting(event, { shown: shown() }) }),
    wait: (event, before = []) =>
      first<Wait>(event.key, undefined, (ask, resume) => {
        const problem = problemOf(event)
        if (problem !== undefined) return resume(Effect.die(new NotRecordable({ key: event.key, detail: problem })))
        const give = () => {
          const found = place(event.key)
          if (found !== undefined && found._tag !== "Operation" && found._tag !== "Branch") {
            resume(Effect.succeed(found))
          }
        }
        const found = place(event.key)
        const open = (): void => {
          if (mode() === "unwinding") return around.interruptAsk(ask)
          ask.give = give
          const entry: Entry = {
            bytes: sizeOf(event) + sizeOfAll(before),
            decide: RunDecision.open(event, before),
            stored: () => {
              if (ask.dropped) return around.abandon(ask, false)
              ask.phase = "waiting"
              if (Asks.positionAt(line.state(), event.key) !== undefined) due(ask)
              around.setAlarm()
            }
          }
          send(ask, unlessLosing(ask, entry, open))
        }
        if (found === undefined) return whenAllowed(ask, open)
        const fits = RunDecision.matches(line.state(), { key: event.key, ...RunDecision.waitKind(event) })
        if (Result.isFailure(fits)) return around.mismatch(fits.failure)
        if (Asks.positionOf(found) !== undefined) return giveRecorded(ask, found, give)
        around.asked()
        ask.give = give
        ask.phase = "waiting"
        if (mode() === "unwinding") around.interruptAsk(ask)
      }),
    chosen: (key) =>
      first<string>(key, undefined, (ask, resume) => {
        const give = () => {
          const found = place(key)
          if (found?._tag === "Branch") resume(Effect.succeed(found.winner))
        }
        const found = place(key)
        if (found !== undefined) {
          const fits = RunDecision.matches(line.state(), { key, kind: "Branch", name: "" })
          return Result.isFailure(fits) ? around.mismatch(fits.failure) : giveRecorded(ask, found, give)
        }
        ask.phase = "waiting"
        ask.give = give
      }),
    choose: (key, winner) => {
      if (place(key) !== undefined) return
      enqueue({ bytes: 256, decide: RunDecision.open({ _tag: "BranchDecided", key, winner }) })
    },
    unchoose: (key) => {
      const ask = asks.get(key)
      if (ask?.phase === "waiting") around.interruptAsk(ask)
    },
    stick: (stuck) =>
      Effect.suspend(() => {
        if (line.state().cancel !== undefined) return Effect.void
        around.stick(stuck)
        return Effect.never
      }),
    putBack: (detail) =>
      Effect.suspend(() => {
        if (line.state().cancel !== undefined) return Effect.void
        around.putBack(detail)
        return Effect.never
      }),
    mismatch: (error) =>
      Effect.suspend(() => {
        around.mismatch(error)
        return Effect.never
      })
  }
}

/** Why a wait cannot be written down, or not be read again. */
const problemOf = (event: RunEventOf<"TimerStarted" | "SignalAwaited" | "ApprovalRequested">): string | undefined => {
  if (!isFinite(timeOf(event))) return "its time is not finite"
  switch (event._tag) {
    case "TimerStarted":
      return undefined
    case "SignalAwaited":
      return isPlain(event.name) ? undefined : notPlain
    case "ApprovalRequested": {
      const odd = Payload.notFinite(event.arguments)
      if (odd !== undefined) return `its arguments hold ${odd}, which JSON cannot say`
      const read = Result.try(() => {
        const { payload, type } = encode(event)
        return decode(type, Json.parse(payload))
      })
      if (Result.isFailure(read)) return Payload.describe(read.failure)
      return read.success._tag === "UnknownEvent" ? read.success.problem : undefined
    }
  }
}

const timeOf = (event: RunEventOf<"TimerStarted" | "SignalAwaited" | "ApprovalRequested">): number =>
  event._tag === "TimerStarted" ? event.untilMillis : "expiresAtMillis" in event ? event.expiresAtMillis ?? 0 : 0

const sizeOfAll = (events: ReadonlyArray<RunEvent> = []): number =>
  events.length === 0 ? 0 : JSON.stringify(events).length

/** A little more than the event takes in the store. */
const sizeOf = (event: RunEvent): number => {
  switch (event._tag) {
    case "StepCompleted":
      return 512 + Payload.sizeOf(event.output)
    case "ToolCallCompleted":
      return 512 + Payload.sizeOf(event.result)
    case "LLMCallCompleted":
      return 512 + Payload.sizeOf(event.parts)
    case "ApprovalRequested":
      return 4096 + Payload.sizeOf(event.arguments ?? null)
    default:
      return 4096
  }
}
