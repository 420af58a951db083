/**
 * Editing the arguments of a request in the editor of the user.
 */
import { type RunId, Runs } from "@durable-agents/core"
import { Config, Effect, FileSystem, Option, Path } from "effect"
import { spawn } from "node:child_process"
import process from "node:process"
import { wrong } from "./Failure.ts"
import * as ProgramInput from "./ProgramInput.ts"

const editor = Config.all([
  Config.withDefault(Config.String("VISUAL"), ""),
  Config.withDefault(Config.String("EDITOR"), "")
]).pipe(Config.map(([visual, plain]) => visual === "" ? plain : visual))

/**
 * What the user makes of the arguments that wait for a decision. An empty file means that nothing is to be recorded. What cannot be
 * read stays in its file, whose name is said.
 *
 * @category readers
 * @since 0.1.0
 */
export const argumentsOf = Effect.fnUntraced(function*(run: RunId, approval: string) {
  const command = yield* Effect.orDie(editor)
  if (command.trim() === "") return yield* wrong("--edit needs an editor: set VISUAL or EDITOR")
  const { pendingApprovals } = yield* (yield* Runs).state(run)
  const request = pendingApprovals.find(({ key }) => key === approval)
  // What does not wait is for the decision to refuse.
  if (request === undefined) return Option.none()
  if (request.arguments === undefined) return yield* wrong(`\`${approval}\` shows no arguments that could be changed`)
  const files = yield* FileSystem.FileSystem
  const folder = yield* Effect.orDie(files.makeTempDirectory({ prefix: "durable-agents-" }))
  const file = (yield* Path.Path).join(folder, "arguments.json")
  yield* Effect.orDie(files.writeFileString(file, `${JSON.stringify(request.arguments, null, 2)}\n`, { mode: 0o600 }))
  const code = yield* open(command, file)
  const text = yield* Effect.orElseSucceed(files.readFileString(file), () => "")
  const remove = Effect.ignore(files.remove(folder, { recursive: true }))
  if (code !== 0 || text.trim() === "") {
    yield* remove
    return yield* wrong(code === 0
      ? "The file is empty: nothing was recorded"
      : `The editor ended with ${code}: nothing was recorded`)
  }
  const args = yield* Effect.mapError(
    Effect.fromResult(ProgramInput.parse(text)),
    (problem) => wrong(`Bad arguments: ${problem}; they are still in ${file}`)
  )
  yield* remove
  return Option.some(args)
})

/** The variable may hold flags as well, so a shell reads it; the file is never part of what is read. */
const open = (command: string, file: string): Effect.Effect<number> =>
  Effect.callback((resume) => {
    const started = process.platform === "win32"
      ? spawn(`${command} "${file}"`, { stdio: "inherit", shell: true })
      : spawn("sh", ["-c", `${command} "$1"`, "sh", file], { stdio: "inherit" })
    started.on("error", () => resume(Effect.succeed(127)))
    started.on("exit", (code) => resume(Effect.succeed(code ?? 1)))
    return Effect.sync(() => void started.kill())
  })
