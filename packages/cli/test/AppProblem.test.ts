import { Program } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Layer, Schema } from "effect"
import * as AppProblem from "../src/AppProblem.ts"

const Echo = Program.make("echo", { input: Schema.String, output: Schema.String })

describe("AppProblem.ofApp", () => {
  it("has nothing against an app", () => {
    assert.isUndefined(AppProblem.ofApp({ programs: [Echo], layer: Layer.empty }))
    assert.isUndefined(AppProblem.ofApp({ programs: [], layer: Layer.empty, settings: Layer.empty }))
  })

  it("says in words what is not as it should be", () => {
    const cases: ReadonlyArray<readonly [app: unknown, why: RegExp]> = [
      [1, /is not an object with `programs` and `layer`/],
      [{ layer: Layer.empty }, /has no `programs`: list what/],
      [{ programs: Echo, layer: Layer.empty }, /`programs` of its `app` are not a list$/],
      [{ programs: [Echo, {}], layer: Layer.empty }, /^`programs\[1\]` of its `app` is not a program/],
      [{ programs: [Echo] }, /has no `layer`: give the layer/],
      [{ programs: [Echo], layer: 1 }, /`layer` of its `app` is not a Layer$/],
      [{ programs: [Echo], layer: Layer.empty, settings: {} }, /`settings` of its `app` are not a Layer$/]
    ]
    for (const [app, why] of cases) assert.match(AppProblem.ofApp(app) ?? "", why)
  })
})
