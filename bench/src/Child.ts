/**
 * Other processes of this command, each of which answers one kind of question: the work of one system, apart from the others
 * and from whoever measures.
 */
import { Effect, type Scope } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import process from "node:process"
import { fileURLToPath } from "node:url"

/**
 * What a process can be asked.
 *
 * @category models
 * @since 0.1.0
 */
export type Commands = Readonly<Record<string, (input: never) => Promise<unknown>>>

/**
 * @category models
 * @since 0.1.0
 */
export interface Child<C extends Commands> {
  /** Dies with what the process says went wrong, or when it ends without an answer. */
  readonly ask: <Name extends keyof C & string>(
    name: Name,
    ...input: Parameters<C[Name]>
  ) => Effect.Effect<Awaited<ReturnType<C[Name]>>>
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
}

interface Question {
  readonly id: number
  readonly name: string
  readonly input: unknown
}

type Reply = { readonly id: number; readonly output: unknown } | { readonly id: number; readonly problem: string }

/**
 * Starts a module of this folder as a process that can be asked `C`; it ends with the scope.
 *
 * @category constructors
 * @since 0.1.0
 */
export const start = <C extends Commands>(
  module: string,
  nodeOptions: ReadonlyArray<string> = []
): Effect.Effect<Child<C>, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        fork(fileURLToPath(new URL(module, import.meta.url)), {
          execArgv: [...nodeOptions],
          serialization: "advanced",
          stdio: ["ignore", "inherit", "inherit", "ipc"]
        })
      ),
      (started) =>
        Effect.callback<void>((resume) => {
          if (started.exitCode !== null || started.signalCode !== null) return resume(Effect.void)
          started.once("exit", () => resume(Effect.void))
          // Its own exit writes what was asked of Node, such as a profile.
          if (started.connected) started.disconnect()
          else started.kill("SIGKILL")
          setTimeout(() => started.kill("SIGKILL"), 5_000).unref()
        })
    ),
    (started) => ({
      ask: asking<C>(started),
      signal: (signal) =>
        Effect.sync(() => {
          started.kill(signal)
        })
    })
  )

const asking = <C extends Commands>(started: ChildProcess): Child<C>["ask"] => {
  const open = new Map<number, (effect: Effect.Effect<never> | Effect.Effect<unknown>) => void>()
  let asked = 0
  const gone = Effect.suspend(() => Effect.die(new Error("A process of the measurement has ended")))
  started.on("message", (reply: Reply) => {
    open.get(reply.id)?.("problem" in reply ? Effect.die(new Error(reply.problem)) : Effect.succeed(reply.output))
    open.delete(reply.id)
  })
  started.on("exit", () => open.forEach((resume) => resume(gone)))
  return (name, ...[input]) =>
    Effect.callback<unknown>((resume) => {
      if (!started.connected) return resume(gone)
      asked += 1
      open.set(asked, resume)
      const question: Question = { id: asked, name, input }
      started.send(question)
      // Both ends are of this folder: what a command returns is what arrives.
    }) as never
}

/**
 * Answers whoever has started this process, until it ends.
 *
 * @category constructors
 * @since 0.1.0
 */
export const serve = (commands: Commands): void => {
  const reply = (reply: Reply) => process.send?.(reply)
  process.on("message", ({ id, input, name }: Question) => {
    const command = commands[name] ?? (() => Promise.reject(new Error(`no such command: ${name}`)))
    command(input as never).then(
      (output) => reply({ id, output }),
      (problem: unknown) =>
        reply({ id, problem: problem instanceof Error ? problem.stack ?? problem.message : `${problem}` })
    )
  })
  process.on("disconnect", () => process.exit())
}
