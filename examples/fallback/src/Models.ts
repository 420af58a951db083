/**
 * Two providers in the place of one model.
 */
import { type ModelError, ModelPlan } from "@durable-agents/agent"
import { Anthropic } from "@durable-agents/anthropic"
import { OpenAi } from "@durable-agents/openai"
import { ExecutionPlan, Layer, Redacted, Schedule } from "effect"
import { FetchHttpClient } from "effect/http"

/** Where the two are. */
export interface Addresses {
  readonly anthropic: string
  readonly openai: string
}

/** Anthropic first: three requests at most, and none after it says to come back in more than half a minute. Then OpenAI. */
export const layer = ({ anthropic, openai }: Addresses) =>
  ModelPlan.layer(ExecutionPlan.make(
    {
      provide: Anthropic.layer({
        model: "claude-opus-5-5",
        apiKey: Redacted.make("sk-ant-example"),
        baseUrl: anthropic
      }),
      attempts: 3,
      schedule: Schedule.exponential("100 millis"),
      while: ({ retryAfterMillis = 0 }: ModelError) => retryAfterMillis < 30_000
    },
    {
      provide: OpenAi.layer({ model: "gpt-5.4-mini", apiKey: Redacted.make("sk-example"), baseUrl: openai }),
      attempts: 10
    }
  )).pipe(Layer.provide(FetchHttpClient.layer))
