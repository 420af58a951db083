import { chaosContract } from "@durable-agents/testing/chaosContract"
import * as PostgresServer from "@durable-agents/testing/PostgresServer"
import { Effect } from "effect"
import { addressOf, module } from "./fixtures/killable.ts"

const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise)

chaosContract("Postgres", {
  module,
  makeDatabase: Effect.map(PostgresServer.make({ durable: true }), (server) => ({
    address: addressOf(server.url, "chaos"),
    server
  }))
}, {
  seed: number("SEED", 1),
  runs: number("RUNS", 24),
  moves: number("KILLS", 10),
  minutes: number("CHAOS_MINUTES", 0)
})
