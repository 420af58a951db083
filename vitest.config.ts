import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { ClosingLineReporter } from "./scripts/closing-line-reporter.ts"
import { LongestFirst } from "./scripts/longest-first.ts"

const integration = "**/*.integration.test.ts"
const kill = "**/*.kill.test.ts"

// Starts a server of PostgreSQL for the projects that need one, or takes the one of DATABASE_URL.
const postgres = ["packages/testing/src/postgresSetup.ts"]

// Most of what takes long waits: for disks, processes, servers and time-outs. By default vitest would use one worker on two cores,
// and with two of them half of the processor's time is left over.
const cores = Math.max(2, availableParallelism())

// Workers, and the processes that tests start, load the same modules again and again. Both have it from this process.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "durable-agents-compile-cache")

// Files share the modules of their worker: to load them anew for each file would take a third of the time. None keeps state there.
const isolate = false

export default defineConfig({
  test: {
    reporters: ["default", new ClosingLineReporter()],
    sequence: { sequencer: LongestFirst },
    // One kind after the other: kill tests measure time, and want no more than each other on the machine.
    // Not from 0: on a machine of one worker, vitest puts that group last.
    projects: [
      {
        test: {
          name: "unit",
          isolate,
          maxWorkers: cores + 1,
          include: ["packages/*/test/**/*.test.ts", "examples/*/test/**/*.test.ts", "scripts/test/*.test.ts"],
          exclude: ["**/node_modules/**", integration, kill],
          setupFiles: ["scripts/no-network.ts"],
          // Most take milliseconds; a machine with other work must not make them fail.
          testTimeout: 30_000,
          sequence: { groupOrder: 1 }
        }
      },
      {
        test: {
          name: "integration",
          isolate,
          maxWorkers: 2 * cores + 1,
          globalSetup: postgres,
          include: [`{packages,examples}/*/test/${integration}`, `{scripts,bench}/test/${integration}`],
          exclude: ["**/node_modules/**"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 2 }
        }
      },
      {
        test: {
          name: "kill",
          isolate,
          maxWorkers: cores + 1,
          globalSetup: postgres,
          include: [`{packages,examples}/*/test/${kill}`],
          exclude: ["**/node_modules/**"],
          testTimeout: 300_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 3 }
        }
      }
    ]
  }
})
