import { Postgres } from "@durable-agents/postgres"
import { resumeContract } from "@durable-agents/testing/runtimeContract"
import { Effect } from "effect"
import { emptied, sharedSchema, url } from "./fixtures/database.ts"

const schema = sharedSchema()

/** Empty tables for each trial; every process connects anew. */
const stores = Effect.as(emptied(schema), Postgres.layer({ url, schema, maxConnections: 2, clock: "context" }))

resumeContract("PostgreSQL", stores)
