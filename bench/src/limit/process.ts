/**
 * The limit as a process of its own.
 */
import { randomUUID } from "node:crypto"
import type { Client } from "pg"
import { serve } from "../Child.ts"
import { type Round, timed, wallMillis } from "../Round.ts"
import * as Log from "./Log.ts"
import { many, requested, run, start } from "./run.ts"

let clients: ReadonlyArray<Client> = []
let schema = ""

/**
 * @category models
 * @since 0.1.0
 */
export interface WentOn {
  readonly toldAt: number
  readonly storedAt: number
}

interface Outcome {
  readonly key: string
  readonly output: unknown
}

const wentOn = new Map<string, (at: WentOn) => void>()

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
  /** From now on goes on with a run as soon as it is told of its decision: appends what is next, and waits for the commit. */
  listen: async (): Promise<void> => {
    const [listener, writer] = clients
    if (listener === undefined || writer === undefined) throw new Error("not open")
    const next = Log.alone(writer, schema)
    listener.on("notification", ({ payload: runId = "" }) => {
      const toldAt = wallMillis()
      void next([{ runId, seq: 1, type: "StepRequested", payload: requested(0) }]).then(() => {
        wentOn.get(runId)?.({ toldAt, storedAt: wallMillis() })
        wentOn.delete(runId)
      })
    })
    await listener.query(`listen ${schema}`)
  },
  /** When this process was told of the decision about a run, and when what is next was stored. */
  wentOn: ({ runId }: { readonly runId: string }): Promise<WentOn> =>
    new Promise((resolve) => wentOn.set(runId, resolve)),
  /** Decides about a run and tells of it; when that was asked for. */
  decide: async ({ channel, runId }: { readonly runId: string; readonly channel: string }): Promise<number> => {
    const [client] = clients
    const at = wallMillis()
    await client?.query({
      name: "decide",
      text: `with decided as (
          insert into ${schema}.events (run_id, seq, created_at, type, payload)
          values ($1, 0, now(), 'SignalReceived', '{"name":"go","payload":null}') returning run_id
        )
        select pg_notify($2, run_id::text) from decided`,
      values: [runId, channel]
    })
    return at
  },
  /** Reads all events of a run in a schema of ours, and folds them; the milliseconds that it takes. */
  read: async ({ from, runId }: { readonly from: string; readonly runId: string }): Promise<number> => {
    const begun = performance.now()
    const found = await clients[0]?.query<{ readonly type: string; readonly payload: Outcome }>({
      name: "read",
      text: `select seq, type, payload from ${from}.events where run_id = $1 order by seq`,
      values: [runId]
    })
    const outcomes = new Map<string, unknown>()
    found?.rows.forEach(({ payload, type }) => type === "StepCompleted" && outcomes.set(payload.key, payload.output))
    return outcomes.size === 0 ? Number.NaN : performance.now() - begun
  },
  /** How long a page of 100 summaries of a status takes in a schema of ours, in milliseconds. */
  list: async ({ from, status, times }: {
    readonly from: string
    readonly status: string
    readonly times: number
  }): Promise<ReadonlyArray<number>> => {
    const durations: Array<number> = []
    for (let i = 0; i < times; i++) {
      const begun = performance.now()
      await clients[0]?.query({
        name: "list",
        text: `select run_id, summary from ${from}.run_summaries where status = $1
          order by started_at desc, run_id desc limit 100`,
        values: [status]
      })
      durations.push(performance.now() - begun)
    }
    return durations
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
