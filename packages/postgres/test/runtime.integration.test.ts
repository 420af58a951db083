import { Postgres } from "@durable-agents/postgres"
import { runtimeContract } from "@durable-agents/testing/runtimeContract"
import { Effect } from "effect"
import { emptied, sharedSchema, url } from "./fixtures/database.ts"

const schema = sharedSchema()

runtimeContract("Postgres", Effect.as(emptied(schema), Postgres.layer({ url, schema, maxConnections: 4 })))
