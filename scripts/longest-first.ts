/**
 * Begins with the test files that take longest, so that no worker is left with one of them at the end. By itself vitest goes by how
 * long they took last time, which a fresh clone does not know, and then by their size; but most of these are a few lines that run a
 * suite of `packages/testing`, or wait.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Ten seconds and more on two cores, the longest first. */
const longest = [
  "postgres/test/outage.integration",
  "postgres/test/runtime.integration",
  "postgres/test/partitioned.integration",
  "postgres/test/Postgres.integration",
  "postgres/test/resume.integration",
  "sqlite/test/resume.integration",
  "dashboard/test/page.integration",
  "cli/test/executing.integration",
  "postgres/test/agent.integration",
  "cli/test/postgres.integration",
  "server/test/stores.integration",
  "scripts/test/packages.integration",
  "sqlite/test/Sqlite",
  "core/test/random",
  "agent/test/random",
  "sqlite/test/runtime",
  "core/test/runtime",
  "core/test/resume",
  "offboarding/test/main.kill",
  "refund/test/refund.kill",
  "postgres/test/Postgres.kill",
  "sqlite/test/Sqlite.kill",
  "postgres/test/chaos.kill"
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
      return found < 0 ? longest.length : found
    }
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other))
  }
}
