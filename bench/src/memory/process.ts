/**
 * What needs no database, in a process of its own: nothing else has been compiled there.
 */
import { Effect } from "effect"
import { serve } from "../Child.ts"
import * as agent from "./agent.ts"
import * as branches from "./branches.ts"
import * as engine from "./engine.ts"

const commands = {
  engine: (): Promise<Effect.Success<typeof engine.measure>> => Effect.runPromise(engine.measure),
  agent: (): Promise<Effect.Success<typeof agent.measure>> => Effect.runPromise(agent.measure),
  branches: ({ count }: { readonly count: number }): Promise<number> => branches.measure(count)
}

/**
 * @category models
 * @since 0.1.0
 */
export type Memory = typeof commands

serve(commands)
