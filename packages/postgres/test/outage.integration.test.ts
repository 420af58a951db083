import {
  CurrentStep,
  Program,
  Runs,
  Runtime,
  RuntimeSettings,
  Step,
  type StoreError,
  Worker
} from "@durable-agents/core"
import type { EventStore, RunIndex, RunQueue } from "@durable-agents/core"
import { Postgres } from "@durable-agents/postgres"
import * as PostgresServer from "@durable-agents/testing/PostgresServer"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Duration, Effect, Fiber, Layer, Redacted, Schema, Stream } from "effect"
import process from "node:process"
import { inspect } from "node:util"
import { upTo } from "./fixtures/stores.ts"

const password = "correct horse/battery@staple#1"
const server = Effect.orDie(PostgresServer.make({ durable: true, password }))

const open = (url: string, options: Partial<Postgres.Options> = {}) =>
  Layer.build(Layer.fresh(Postgres.layer({ url: Redacted.make(url), maxConnections: 2, ...options })))

/** Seconds. */
const outage = Number(process.env["OUTAGE"] ?? 5)

const Long = Program.make("long", { input: Schema.String, output: Schema.Finite })

describe("a server that goes away", () => {
  it.live(
    "and comes back, twice, stops no run, repeats no operation, and moves no run elsewhere (PG-1, check 61)",
    () =>
      Effect.gen(function*() {
        const here = yield* server
        const stores = Postgres.layer({ url: Redacted.make(here.url) })
        const effects: Array<number> = []
        const half = yield* Deferred.make<void>()
        const settings = Layer.succeed(RuntimeSettings, { ...RuntimeSettings.defaultValue(), lease: "30 seconds" })
        const worker = Worker.layer({ poll: "50 millis" }).pipe(
          Layer.provide(Long.toLayer(() =>
            Effect.gen(function*() {
              for (const i of upTo(60)) {
                yield* Effect.suspend(() => {
                  effects.push(i)
                  return i === 5 ? Deferred.succeed(half, undefined) : Effect.void
                }).pipe(
                  Effect.andThen(Effect.sleep("20 millis")),
                  Effect.as(i),
                  Step.run(`step-${i}`, { output: Schema.Finite }),
                  Effect.orDie
                )
              }
              return effects.length
            })
          )),
          Layer.provide(Runtime.layer),
          Layer.provide(settings)
        )
        const processOn = (stores: Layer.Layer<EventStore | RunQueue | RunIndex, StoreError>) =>
          Layer.build(Layer.fresh(Layer.provide(worker, stores)))
        const outside = yield* Layer.build(Layer.provide(Runs.layer, stores))
        const runs = Context.get(outside, Runs)
        const runId = yield* runs.start(Long, "go")
        yield* processOn(stores)
        yield* processOn(stores)
        yield* Deferred.await(half)
        for (const how of ["fast", "crash"] as const) {
          yield* here.stop(how)
          yield* Effect.sleep("200 millis")
          yield* here.start
          yield* Effect.sleep("100 millis")
        }
        const end = yield* runs.await(runId)
        assert.strictEqual(end.output, 60)
        assert.deepStrictEqual(effects, upTo(60))
        const events = yield* Stream.runCollect(runs.events(runId))
        assert.deepStrictEqual(new Set(events.flatMap(({ epoch }) => epoch === undefined ? [] : [epoch])), new Set([1]))
      }),
    60_000
  )

  it.live(
    `and is away for ${outage} seconds, longer than any retry, fails no run, turns health red, and they go on by themselves (PG-11)`,
    () =>
      Effect.gen(function*() {
        const here = yield* server
        const effects = new Map<string, number>()
        const under = yield* Deferred.make<void>()
        const work = Effect.fnUntraced(function*(i: number) {
          const { idempotencyKey } = yield* CurrentStep
          effects.set(idempotencyKey, (effects.get(idempotencyKey) ?? 0) + 1)
          if (i === 2) yield* Deferred.succeed(under, undefined)
          yield* Effect.sleep("20 millis")
          return i
        })
        const layer = Long.toLayer(() =>
          Effect.as(
            Effect.forEach(upTo(30), (i) => Effect.orDie(Step.run(`step-${i}`, { output: Schema.Finite })(work(i)))),
            30
          )
        )
        const stores = Postgres.layer({ url: Redacted.make(here.url), retryFor: "500 millis" })
        const built = yield* Layer.build(Worker.layer({ poll: "50 millis", unhealthyAfter: "1 second" }).pipe(
          Layer.provide(layer),
          Layer.provide(Runtime.layer),
          Layer.provide(Layer.fresh(stores))
        ))
        const { health } = Context.get(built, Worker.Worker)
        const outside = yield* Layer.build(Layer.provide(Runs.layer, Layer.fresh(stores)))
        const runs = Context.get(outside, Runs)
        const ids = yield* Effect.forEach(upTo(3), () => runs.start(Long, "go"))
        yield* Deferred.await(under)
        yield* here.stop("crash")
        assert.strictEqual(health().status, "Healthy")
        yield* Effect.sleep(Duration.seconds(outage))
        assert.match(
          health().reasons.join("; "),
          /^it has not been able to look for due runs for [\dms ]+: The store failed in `claim`: /
        )
        yield* here.start
        for (const runId of ids) {
          const end = yield* Effect.retry(runs.await(runId), { while: ({ _tag }) => _tag === "StoreError" })
          assert.strictEqual(end.output, 30)
        }
        assert.deepStrictEqual(health().reasons, [])
        assert.strictEqual(effects.size, 90)
        // Only what was under way when the server went can have been done again, under the same key.
        assert.isAtMost(Array.from(effects.values()).filter((times) => times > 1).length, ids.length)
      }),
    30_000 + 1_000 * outage
  )

  it.live("and is not there at start-up is waited for, and not for ever (PG-11)", () =>
    Effect.gen(function*() {
      const here = yield* server
      yield* here.stop()
      const refused = yield* Effect.flip(open(here.url, { retryFor: "200 millis" }))
      assert.strictEqual(
        refused.message,
        "The store failed in `open`: there is no connection to the database (ECONNREFUSED)"
      )
      const patient = yield* Effect.forkChild(open(here.url))
      yield* here.start
      yield* Fiber.join(patient)
    }), 60_000)
})

describe("errors", () => {
  it.live("hold neither the password nor the URL, whatever is wrong with it", () =>
    Effect.gen(function*() {
      const here = yield* server
      const secret = encodeURIComponent(password)
      const port = new URL(here.url).port
      const wrong = "wrong-password-4711"
      const urls = [
        `postgres://postgres:${wrong}@127.0.0.1:${port}/postgres`,
        `postgres://postgres:${secret}@127.0.0.1:${port}/no-such-database`,
        `postgres://postgres:${wrong}@127.0.0.1:1/postgres`,
        `postgres://postgres:${wrong}@no-such-host.invalid/postgres`,
        `postgres://postgres:${wrong}/half@127.0.0.1:${port}/postgres`,
        `postgres://postgres:${wrong}%zz@127.0.0.1:${port}/postgres`,
        `postgres://postgres:${wrong}@127.0.0.1:${port}/postgres?sslmode=${wrong}`,
        `postgres://postgres:${secret}@127.0.0.1:${port}/postgres?sslmode=require`,
        `https://postgres:${wrong}@127.0.0.1:${port}/postgres`,
        wrong,
        ""
      ]
      for (const url of urls) {
        const refused = yield* Effect.flip(open(url, { retryFor: 0 }))
        assert.strictEqual(refused._tag, "StoreError")
        const told = `${refused.message} ${inspect(refused, { depth: 20 })} ${JSON.stringify(refused)}`
        for (const part of [wrong, secret, password, port]) assert.notInclude(told, part, url)
      }
    }), 60_000)
})
