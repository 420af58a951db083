/**
 * A global setup for vitest: one PostgreSQL server for all test files of a project, which find it by `inject("databaseUrl")`.
 *
 * With `DATABASE_URL` in the environment that server is used instead, and nothing is started. Tests that share a server should
 * each use a schema of their own. In a project named `kill` commits wait for the disk.
 */
import { Effect, Exit, Scope } from "effect"
import process from "node:process"
import type { TestProject } from "vitest/node"
import * as PostgresServer from "./PostgresServer.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** A database for tests. */
    readonly databaseUrl: string
  }
}

/**
 * Starts the server; what it returns ends it.
 *
 * @category setups
 * @since 0.1.0
 */
export const setup = (project: TestProject): Promise<(() => Promise<void>) | undefined> =>
  Effect.runPromise(Effect.gen(function*() {
    const given = process.env["DATABASE_URL"]
    if (given !== undefined && given !== "") {
      project.provide("databaseUrl", given)
      return undefined
    }
    const scope = yield* Scope.make()
    const server = yield* Scope.provide(PostgresServer.make({ durable: project.name === "kill" }), scope)
    project.provide("databaseUrl", server.url)
    return () => Effect.runPromise(Scope.close(scope, Exit.void))
  }))
