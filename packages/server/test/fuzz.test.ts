import { describe, it } from "@effect/vitest"
import { anyRequest } from "./anyRequest.ts"
import { memory } from "./serving.ts"

const count = Number(process.env["FUZZ_REQUESTS"] ?? 800)
const seed = Number(process.env["SEED"] ?? 1)

describe("any request", () => {
  it.live(
    `is answered, never with 5xx, and appends nothing if it is refused (HC-1; ${count} requests, seed ${seed})`,
    () => anyRequest(memory(), { count, seed }),
    600_000
  )
})
