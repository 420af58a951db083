/**
 * What answers the endpoints that are not about one run.
 */
import type { EventStore, RunIndex } from "@durable-agents/core"
import { Effect, Result, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "./Api.ts"
import { type Definition, Definitions } from "./Definitions.ts"
import { CurrentIdentity } from "./Identity.ts"
import * as Listing from "./Listing.ts"
import { present } from "./RunRead.ts"

/**
 * @category layers
 * @since 0.1.0
 */
export const layer = HttpApiBuilder.group(Api, "desk", (handlers) =>
  Effect.gen(function*() {
    const services = yield* Effect.context<RunIndex | EventStore>()
    const { all } = yield* Definitions
    const programs = all.map(infoOf)
    return handlers
      .handle("approvals", ({ query }) => Effect.provideContext(Listing.approvals(query), services))
      .handle("programs", () => Effect.succeed(programs))
      .handle("me", () => CurrentIdentity)
  }))

const infoOf = ({ budget, description, input, name, version }: Definition) =>
  present({
    name,
    version,
    input: jsonSchemaOf(input),
    budget,
    model: description.model,
    guardrailProfile: description.guardrailProfile,
    guardrailProfiles: description.guardrailProfiles ?? [],
    tools: description.tools ?? []
  })

/** A schema that JSON Schema has no words for takes, as far as it says, anything. */
const jsonSchemaOf = (input: Definition["input"]): Schema.Json =>
  Result.getOrElse(
    Result.try(() => {
      const { definitions, schema } = Schema.toJsonSchemaDocument(Schema.toCodecJson(input))
      return decodeJson({ ...schema, ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }) })
    }),
    () => ({})
  )

const decodeJson = Schema.decodeUnknownSync(Schema.Json)
