import { Effect } from "effect"
import * as engine from "./engine.ts"

console.log(JSON.stringify(await Effect.runPromise(engine.measure), null, 2))
