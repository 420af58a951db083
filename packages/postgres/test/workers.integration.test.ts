import { Program, type RunId, Runs, Runtime, Step, Worker } from "@durable-agents/core"
import { Postgres } from "@durable-agents/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { byHand, emptied, sharedSchema, url } from "./fixtures/database.ts"
import { proxyTo } from "./fixtures/proxy.ts"

const schema = sharedSchema()
const Work = Program.make("work", { input: Schema.String, output: Schema.String })

const WorkLayer = Work.toLayer((input) => Effect.succeed(input).pipe(Step.run("work", { output: Schema.String })))

/** A worker process, and a process that starts runs and waits for them. */
const processes = Effect.fnUntraced(function*(options: Worker.Options, at = url) {
  const stores = (url: Postgres.Options["url"]) =>
    Postgres.layer({ url, schema, maxConnections: 3, retryFor: "300 millis" })
  const context = yield* Layer
    .build(Layer
      .fresh(Worker.layer(options).pipe(
        Layer.provide(WorkLayer),
        Layer.provide(Runtime.layer),
        Layer.provide(stores(at))
      )))
  const runs = Context.get(yield* Layer.build(Layer.fresh(Layer.provide(Runs.layer, stores(url)))), Runs)
  return {
    worker: Context.get(context, Worker.Worker),
    start: runs.start(Work, "done"),
    end: (runId: RunId) => Effect.map(runs.await(runId), ({ output }) => output)
  }
})

/** The backend that hears notifications for a worker: the one that holds the lock of its name. */
const listenerOf = (owner: string) =>
  Effect.scoped(Effect.gen(function*() {
    const sql = yield* byHand
    const rows = yield* sql<{ pid: number }>`
      select pid from pg_locks where locktype = 'advisory' and granted and
        ((classid::bigint << 32) | objid::bigint) = hashtextextended('durable-agents worker ' || ${owner}, 0)`
    return rows[0]?.pid
  }))

/** The backend that listens now, and is not that one. */
const nextListener = Effect.fnUntraced(function*(owner: string, before?: number) {
  while (true) {
    const pid = yield* listenerOf(owner)
    if (pid !== undefined && pid !== before) return pid
    yield* Effect.sleep("10 millis")
  }
})

const terminate = (pid: number) =>
  Effect.scoped(Effect.flatMap(byHand, (sql) => sql`select pg_terminate_backend(${pid})`))

describe("a worker whose connection for notifications is dropped", () => {
  it.live("picks runs up at its next poll, and hears of them again soon (WR-7)", () =>
    Effect.gen(function*() {
      yield* emptied(schema)
      const { end, start, worker } = yield* processes({ poll: "200 millis" })
      let pid = yield* nextListener(worker.owner)
      for (const _ of [1, 2, 3]) {
        yield* terminate(pid)
        assert.strictEqual(yield* Effect.timeout(Effect.flatMap(start, end), "3 seconds"), "done")
        pid = yield* Effect.timeout(nextListener(worker.owner, pid), "3 seconds")
      }
    }), 30_000)

  it.live("hears again what it would otherwise find out a minute later (WR-7)", () =>
    Effect.gen(function*() {
      yield* emptied(schema)
      const { end, start, worker } = yield* processes({ poll: "1 minute" })
      const pid = yield* nextListener(worker.owner)
      yield* terminate(pid)
      yield* nextListener(worker.owner, pid)
      assert.strictEqual(yield* Effect.timeout(Effect.flatMap(start, end), "5 seconds"), "done")
    }), 30_000)

  it.live(
    "does not spin while no connection can be made, says that it does nothing, and goes on afterwards (WR-7, PG-11)",
    () =>
      Effect.gen(function*() {
        yield* emptied(schema)
        const proxy = yield* proxyTo(url)
        const { end, start, worker } = yield* processes({ poll: "50 millis", unhealthyAfter: "1 second" }, proxy.url)
        yield* nextListener(worker.owner)
        assert.strictEqual(worker.health().status, "Healthy")
        yield* proxy.refuse(true)
        const [before, begun] = [proxy.asked(), performance.now()]
        const runId = yield* start
        while (worker.health().status === "Healthy") yield* Effect.sleep("20 millis")
        // The last look that worked may have been one poll before.
        const seconds = (performance.now() - begun) / 1000
        assert.isAtLeast(seconds, 0.8)
        assert.isBelow(seconds, 4)
        assert.match(
          worker.health().reasons.join(),
          /^it has not been able to look for due runs for \ds: The store failed in `claim`: /
        )
        assert.isBelow((proxy.asked() - before) / seconds, 100)
        yield* proxy.refuse(false)
        assert.strictEqual(yield* Effect.timeout(end(runId), "10 seconds"), "done")
        assert.deepStrictEqual(worker.health().reasons, [])
      }),
    30_000
  )
})
