import { killContract } from "@durable-agents/testing/killContract"
import { makeAddress, module } from "./fixtures/killable.ts"

killContract("SQLite", { module, makeAddress, thorough: process.env["THOROUGH"] === "1" })
