import { killContract } from "@durable-agents/testing/killContract"
import { Effect, Redacted } from "effect"
import { sharedSchema, url } from "./fixtures/database.ts"
import { addressOf, module } from "./fixtures/killable.ts"

const schema = sharedSchema()

killContract("Postgres", {
  module,
  makeAddress: Effect.succeed(addressOf(Redacted.value(url), schema)),
  thorough: process.env["THOROUGH"] === "1"
})
