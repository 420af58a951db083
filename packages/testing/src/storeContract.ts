/**
 * The promises of the store's ports as a suite of tests. Every store passes it.
 */
import type { StoreError } from "@durable-agents/core"
import { describe, it } from "@effect/vitest"
import type { Layer } from "effect"
import { Effect } from "effect"
import { accessTokensContract } from "./accessTokensContract.ts"
import { indexContract } from "./indexContract.ts"
import { logContract } from "./logContract.ts"
import { modelContract } from "./modelContract.ts"
import { queueContract } from "./queueContract.ts"
import { quotaContract } from "./quotaContract.ts"
import type { Register, StoreUnderTest } from "./StoreUnderTest.ts"

export { StoreControl } from "./StoreUnderTest.ts"
export type { StoreUnderTest } from "./StoreUnderTest.ts"

/**
 * Registers the contract of `EventStore`, `RunQueue`, `RunIndex`, `AccessTokens` and `Quotas` as suites of vitest.
 *
 * **Details**
 *
 * `makeLayer` is called for every test. The stores that it makes may share a database: each test has runs, owners and a namespace
 * of its own. `timeoutMillis` is the limit of one test, 30 seconds by default; `runs` is how many values are tried where something
 * holds for any value, 60 by default; `waiting` is how many runs that are not due stand beside those that are, 10,000 by default.
 *
 * @category contracts
 * @since 0.1.0
 */
export const storeContract = (
  name: string,
  makeLayer: () => Layer.Layer<StoreUnderTest, StoreError>,
  options: { readonly timeoutMillis?: number; readonly runs?: number; readonly waiting?: number } = {}
): void => {
  const timeout = options.timeoutMillis ?? 30_000
  const register: Register = {
    waiting: options.waiting ?? 10_000,
    test: (title, body) => it.effect(title, () => Effect.provide(body, makeLayer()), timeout),
    law: (title, { runs, size, values }, body) =>
      it.effect.prop(title, { value: values }, ({ value }) => Effect.provide(body(value), makeLayer()), {
        timeout,
        arbitrary: { runs: options.runs ?? runs, size }
      })
  }

  describe(`${name}: EventStore`, () => logContract(register))
  describe(`${name}: RunQueue`, () => queueContract(register))
  describe(`${name}: RunIndex`, () => indexContract(register))
  describe(`${name}: AccessTokens`, () => accessTokensContract(register))
  describe(`${name}: Quotas`, () => quotaContract(register))
  describe(`${name}: all ports`, () => modelContract(register))
}
