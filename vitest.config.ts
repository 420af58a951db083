import { defineConfig } from "vitest/config"
import { ClosingLineReporter } from "./scripts/closing-line-reporter.ts"

const integration = "**/*.integration.test.ts"
const kill = "**/*.kill.test.ts"

// Starts a server of PostgreSQL for the projects that need one, or takes the one of DATABASE_URL.
// The Postgres store is not finished: its tests, and the server that they need, run with POSTGRES=1 only.
const withPostgres = process.env["POSTGRES"] === "1"
const postgres = withPostgres ? ["packages/testing/src/postgresSetup.ts"] : []
const unfinished = withPostgres
  ? []
  : ["packages/postgres/**", "packages/testing/test/PostgresServer.integration.test.ts"]

export default defineConfig({
  test: {
    reporters: ["default", new ClosingLineReporter()],
    // One kind after the other: kill tests measure time and want the machine for themselves.
    // Not from 0: on a machine of one worker, vitest puts that group last.
    projects: [
      {
        test: {
          name: "unit",
          include: ["packages/*/test/**/*.test.ts", "examples/*/test/**/*.test.ts", "scripts/test/*.test.ts"],
          exclude: ["**/node_modules/**", integration, kill, ...unfinished],
          setupFiles: ["scripts/no-network.ts"],
          // Most take milliseconds; a machine with other work must not make them fail.
          testTimeout: 30_000,
          sequence: { groupOrder: 1 }
        }
      },
      {
        test: {
          name: "integration",
          globalSetup: postgres,
          include: [`{packages,examples}/*/test/${integration}`, `scripts/test/${integration}`],
          exclude: ["**/node_modules/**", ...unfinished],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 2 }
        }
      },
      {
        test: {
          name: "kill",
          globalSetup: postgres,
          include: [`{packages,examples}/*/test/${kill}`],
          exclude: ["**/node_modules/**", ...unfinished],
          testTimeout: 300_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 3 }
        }
      }
    ]
  }
})
