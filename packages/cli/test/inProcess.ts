/**
 * The command line inside the process of the test: the same program and layers, with streams, environment and folder of its own.
 * A process a command would take most of the time of these tests; what only a process shows is tested with `processesIn`.
 */
import { ConfigProvider, Console, Effect, Metric, Sink, Stdio, Stream } from "effect"
import * as DurableAgents from "../src/DurableAgents.ts"
import { exitCode } from "../src/Failure.ts"
import type { Ended } from "./processes.ts"

/** Runs one command at a time in a folder. `own` is also in the environment that apps read. */
export const commandsIn = (cwd: string, own: Readonly<Record<string, string>> = {}) =>
async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  input = ""
): Promise<Ended> => {
  let out = ""
  let err = ""
  const written = (chunk: string | Uint8Array) =>
    Effect.sync(() => {
      out += typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk)
    })
  const streams = Stdio.layerTest({
    args: Effect.succeed(args),
    stdin: Stream.make(new TextEncoder().encode(input)),
    stdout: () => Sink.forEach(written)
  })
  const saying: Console.Console = Object.assign(Object.create(console), {
    log: (text: unknown) => void (out += `${text}\n`),
    error: (text: unknown) => void (err += `${text}\n`)
  })
  const before = process.cwd()
  process.chdir(cwd)
  Object.assign(process.env, own)
  try {
    const exit = await Effect.runPromiseExit(DurableAgents.run.pipe(
      Effect.provide(streams),
      Effect.provide(DurableAgents.layer),
      Effect.provideService(Console.Console, saying),
      Effect.provideService(Metric.MetricRegistry, new Map()),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: { ...own, ...env } }))
    ))
    return { code: exitCode(exit), out, err }
  } finally {
    process.chdir(before)
  }
}
