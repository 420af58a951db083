import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { join } from "node:path"

describe("Daemon.run", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it.live(`stops in an orderly way on ${signal}, and at once on a second one (WR-3)`, () =>
      Effect.callback<void>((resume) => {
        const child = spawn(process.execPath, [join(import.meta.dirname, "daemon.ts")], {
          stdio: ["ignore", "pipe", "inherit"]
        })
        let second = 0
        child.stdout.setEncoding("utf8").on("data", (text: string) => {
          if (text.includes("running")) child.kill(signal)
          if (text.includes("stopping")) {
            second = performance.now()
            child.kill(signal)
          }
        })
        child.once("exit", (code) => {
          resume(Effect.sync(() => {
            assert.strictEqual(code, 130)
            assert.isAbove(second, 0)
            assert.isBelow(performance.now() - second, 2_000)
          }))
        })
        return Effect.sync(() => {
          child.kill("SIGKILL")
        })
      }))
  }
})
