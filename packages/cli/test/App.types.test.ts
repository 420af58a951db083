// What must not compile is not wanted to pass the diagnostics either.
// @effect-diagnostics missingEffectError:off
// @effect-diagnostics missingEffectContext:off
// @effect-diagnostics missingLayerContext:off
import { Agent } from "@durable-agents/agent"
import { App } from "@durable-agents/cli"
import { Namespace, Program } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { Tool } from "effect/ai"

class Directory extends Context.Service<Directory, { readonly name: string }>()("Directory") {}

const Greet = Program.make("greet", { input: Schema.Struct({ id: Schema.Finite }), output: Schema.String })
const Look = Tool.make("look", { parameters: Schema.Struct({ page: Schema.String }), success: Schema.String })
const Reader = Agent.make("reader", { instructions: "", toolkit: [Look] })
const Writer = Agent.make("writer", { instructions: "", output: Schema.Struct({ line: Schema.String }) })

const greeting = Greet.toLayer(() => Effect.map(Directory, ({ name }) => name))

describe("App.make", () => {
  it("takes programs of any kind, and a layer that leaves open what the command line has", () => {
    const directory = Layer.succeed(Directory, { name: "sam" })
    // What it provides beyond that does no harm.
    const app = App.make({
      programs: [Greet, Reader, Writer],
      layer: Layer.mergeAll(greeting.pipe(Layer.provide(directory)), Writer.layer, directory),
      settings: Layer.succeed(Namespace, "staging")
    })
    assert.deepStrictEqual(app.programs.map(({ name }) => name), ["greet", "reader", "writer"])
  })

  it("does not compile when something else is left open", () => {
    // @ts-expect-error nobody provides the directory
    void App.make({ programs: [Greet], layer: greeting })
    // @ts-expect-error nobody handles the tool
    void App.make({ programs: [Reader], layer: Reader.layer })
    // @ts-expect-error no layer
    void App.make({ programs: [Greet] })
  })
})
