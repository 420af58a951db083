/**
 * The limit as a process of its own.
 */
import { randomUUID } from "node:crypto"
import type { Client } from "pg"
import { serve } from "../Child.ts"
import { type Round, timed } from "../Round.ts"
import * as Log from "./Log.ts"
import { many, run, start } from "./run.ts"

let clients: ReadonlyArray<Client> = []
let schema = ""

const append = (atOnce: number): Log.Append => {
  const [first] = clients
  if (first === undefined) throw new Error("not open")
  return atOnce === 1 ? Log.alone(first, schema) : Log.shared(clients, schema)
}

const commands = {
  open: async (options: { readonly url: string; readonly schema: string }): Promise<void> => {
    const { url } = options
    schema = options.schema
    clients = [await Log.connect(url), await Log.connect(url)]
    const [first] = clients
    if (first !== undefined) await Log.createTable(first, schema)
  },
  /** Runs to their ends, `atOnce` at a time. */
  work: ({ atOnce, runs, steps }: {
    readonly atOnce: number
    readonly runs: number
    readonly steps: number
  }): Promise<Round> => {
    const to = append(atOnce)
    return timed(() => many(runs, atOnce, () => run(to, steps)))
  },
  /** First events only. */
  create: ({ atOnce, runs }: { readonly atOnce: number; readonly runs: number }): Promise<Round> => {
    const to = append(atOnce)
    return timed(() => many(runs, atOnce, () => to([start(randomUUID())])))
  },
  close: async (): Promise<void> => {
    for (const client of clients) await client.end()
    clients = []
  }
}

/**
 * @category models
 * @since 0.1.0
 */
export type Limit = typeof commands

serve(commands)
