/**
 * What happens when somebody leaves: a person agrees, three days pass, the accounts are disabled, and a note is written.
 */
import { Agent } from "@durable-agents/agent"
import { Approval, Program, Step, Timer } from "@durable-agents/core"
import { Duration, Effect, Schedule, Schema } from "effect"
import { Directory, DirectoryBusy } from "./Directory.ts"

const Accounts = Schema.Array(Schema.String)

/** The definition: all that is needed to start an offboarding, to decide about it, or to read how it ended. */
export const Offboarding = Program.make("offboarding", {
  input: Schema.Struct({
    employee: Schema.String,
    /** Who has to agree. */
    manager: Schema.String,
    /** How long the accounts stay after the decision, in case somebody changes their mind. Default: three days. */
    graceMillis: Schema.optionalKey(Schema.Natural)
  }),
  output: Schema.Struct({ disabled: Accounts, note: Schema.String }),
  error: DirectoryBusy
})

/** An agent as a part of the program. It has no tools, so it answers in one turn. */
const Writer = Agent.make("note-writer", {
  instructions: "You write one friendly sentence to the manager of somebody who has left."
})

/** Continued where it was after a crash: the attempts, and when the next one is due, are in the log. */
const patient = Schedule.exponential("1 second").pipe(Schedule.jittered, Schedule.upTo({ times: 5 }))

const threeDays = Duration.toMillis("3 days")

/** What the program does. What it uses (the directory, the model) becomes a requirement of the layer. */
const offboard = Effect.fn("Offboarding")(function*(input: typeof Offboarding.input.Type) {
  const { employee, graceMillis = threeDays, manager } = input
  const directory = yield* Directory

  // A step's failure is recorded with its schema, too, and fed to the schedule. The program sees the last outcome only.
  const accounts = yield* directory.accounts(employee)
    .pipe(Step.run("list-accounts", { output: Accounts, error: DirectoryBusy, retry: patient }))

  // The run leaves memory here until somebody decides, however long that takes.
  const decision = yield* Approval.request("disable-accounts", {
    subject: `Disable the accounts of ${employee}: ${accounts.join(", ")}`,
    reason: "nobody is locked out unless their manager agrees",
    approvers: [manager]
  })
  if (decision._tag === "Denied") return { disabled: [], note: `Nothing was disabled: ${decision.reason}` }

  // And here again. The time is fixed when the timer starts; a process that takes over does not begin it anew.
  yield* Timer.sleep("grace-period", graceMillis)

  // Side by side. Every account has keys of its own (`mail/disable`), and every step an idempotency key of its own, which is the
  // same for all its attempts: whatever dies in between, the directory makes one change for each account.
  const disable = (account: string) =>
    Effect.flatMap(Step.idempotencyKey, (key) => directory.disable(employee, account, key))
      .pipe(Step.run("disable", { output: Schema.String, error: DirectoryBusy, retry: patient }))
  yield* Step.forEach(accounts, { key: (account) => account, concurrency: "unbounded" }, disable)

  // The note is nice to have. What keeps the agent from writing it must not fail the offboarding.
  const note = yield* Writer.run("note", `${employee} has left. We disabled: ${accounts.join(", ")}.`).pipe(
    Effect.catchTag("BudgetExceeded", ({ limit }) => Effect.succeed(`No note: the limit of ${limit} is reached.`)),
    Effect.catch(({ message }) => Effect.succeed(`No note: ${message}`))
  )
  return { disabled: accounts, note }
})

/** Registers the program in a process that executes runs. */
export const OffboardingLayer = Offboarding.toLayer(offboard)
