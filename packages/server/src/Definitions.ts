/**
 * The programs that can be started through the API: definitions only, since the server executes nothing.
 */
import type { Program } from "@durable-agents/core"
import { Context, Layer } from "effect"

/**
 * The definition of a program, whatever it takes and returns.
 *
 * @category models
 * @since 0.1.0
 */
export type Definition = Omit<Program.Program<unknown, unknown, unknown>, "toLayer">

/**
 * @category services
 * @since 0.1.0
 */
export class Definitions extends Context.Service<Definitions, {
  readonly all: ReadonlyArray<Definition>
  /** By name; without one, the only program if there is just one. */
  readonly find: (name: string | undefined) => Definition | undefined
}>()("@durable-agents/server/Definitions") {
  /**
   * Without programs, runs can be looked at and decided about, and none can be started.
   */
  static readonly layer = (programs: ReadonlyArray<Definition>): Layer.Layer<Definitions> =>
    Layer.succeed(Definitions, {
      all: programs,
      find: (name) =>
        name === undefined
          ? programs.length === 1 ? programs[0] : undefined
          : programs.find((program) => program.name === name)
    })
}
