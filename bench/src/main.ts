import { Effect } from "effect"
import * as agent from "./agent.ts"
import * as engine from "./engine.ts"

const measures = Effect.all({ engine: engine.measure, agent: agent.measure })

console.log(JSON.stringify(await Effect.runPromise(measures), null, 2))
