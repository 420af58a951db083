/**
 * The model that the environment names; without one a server on this machine that speaks like a model, so that this runs offline.
 */
import { OpenAi } from "@durable-agents/openai"
import * as FakeProvider from "@durable-agents/testing/FakeProvider"
import { Config, Effect, Layer, Option } from "effect"
import { FetchHttpClient } from "effect/http"

/** Says what a model would, piece by piece. */
export const script: FakeProvider.Script = [
  FakeProvider.reply({ toolCalls: [{ name: "stock", arguments: { item: "bolt" } }] }, { cut: 1 }),
  FakeProvider.reply("There are 12 bolts left.", { cut: 2 })
]

const StandIn = Layer
  .unwrap(Effect.map(FakeProvider.make(script), ({ baseUrl }) => OpenAi.layer({ model: "stand-in", baseUrl })))

/** With `LLM_MODEL`, and with `LLM_BASE_URL` such as `http://localhost:11434/v1` for Ollama. */
export const Model = Layer.unwrap(Effect.map(
  Config.option(Config.NonEmptyString("LLM_MODEL")),
  Option.match({ onNone: () => StandIn, onSome: () => OpenAi.layerConfig() })
)).pipe(Layer.provide(FetchHttpClient.layer))
