import { chaosContract } from "@durable-agents/testing/chaosContract"
import { Effect } from "effect"
import { makeAddress, module } from "./fixtures/killable.ts"

const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise)

chaosContract("SQLite", { module, makeDatabase: Effect.map(makeAddress, (address) => ({ address })) }, {
  seed: number("SEED", 1),
  runs: number("RUNS", 24),
  moves: number("KILLS", 10),
  minutes: number("CHAOS_MINUTES", 0)
})
