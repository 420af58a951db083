import { Runs, Runtime } from "@durable-agents/core"
import { OpenAi } from "@durable-agents/openai"
import * as FakeProvider from "@durable-agents/testing/FakeProvider"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Keeper, listen, ToolsLayer } from "../src/Keeper.ts"

describe("the example of a local model", () => {
  it("prints what its page says", () => {
    const { LLM_MODEL: _, ...env } = process.env
    const { stdout } = spawnSync(process.execPath, [join(import.meta.dirname, "../src/main.ts")], {
      encoding: "utf8",
      env
    })
    const page = readFileSync(join(import.meta.dirname, "../README.md"), "utf8")
    assert.include(page, `\`\`\`\n${stdout}\`\`\``)
  })

  it.live("takes back what a torn answer said, and tells the next", () =>
    Effect.gen(function*() {
      const provider = yield* FakeProvider.make([
        FakeProvider.reply("There are a thous", { cut: 1, after: 900, end: "close" }),
        FakeProvider.reply("There are none.")
      ])
      const model = OpenAi.layer({ model: "m", baseUrl: provider.baseUrl }).pipe(Layer.provide(FetchHttpClient.layer))
      const said: Array<string> = []
      const { output } = yield* Effect.gen(function*() {
        const runId = yield* (yield* Runs).start(Keeper, "Any nuts?")
        const listening = yield* Effect.forkChild(listen(runId, (text) => said.push(text)))
        const view = yield* (yield* Runtime).execute(runId)
        yield* Fiber.join(listening)
        return view
      }).pipe(Effect.provide(Keeper.layer.pipe(
        Layer.provideMerge(Runtime.layerMemory),
        Layer.provide([model, ToolsLayer])
      )))
      assert.strictEqual(output, "There are none.")
      assert.match(said.join(""), /^There.*\n\(that does not count\)There are none\.\n$/)
      assert.strictEqual(provider.requests.length, 2)
    }))
})
