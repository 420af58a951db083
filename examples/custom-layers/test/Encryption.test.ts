import { Budget, MemoryStore, PayloadCodec, RunEvent, Runs, Runtime } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Stream } from "effect"
import { randomBytes } from "node:crypto"
import { Correspondent } from "../src/Correspondence.ts"
import * as Encryption from "../src/Encryption.ts"

const key = () => Redacted.make<Uint8Array>(randomBytes(32))
const spring = key()
const ring = (current: string, keys: Record<string, Redacted.Redacted<Uint8Array>>): Encryption.KeyRing => ({
  current,
  keys: new Map(Object.entries(keys))
})
const own = ring("spring", { spring })

/** Uses the codec that a ring puts in place. */
const withCodec = <A, E>(
  keys: Encryption.KeyRing,
  f: (codec: NonNullable<typeof PayloadCodec.Service>) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  PayloadCodec.pipe(
    Effect.flatMap((codec) => codec === undefined ? Effect.die("no codec is in place") : f(codec)),
    Effect.provide(Encryption.layer(keys))
  )

const seal = (event: RunEvent.RunEvent) => withCodec(own, ({ encode }) => encode(event))
const unseal = (event: RunEvent.RunEvent, keys = own) => withCodec(keys, ({ decode }) => decode(event))

const denied: RunEvent.RunEvent = {
  _tag: "ApprovalDenied",
  key: "turn-1/call-1/approval",
  actor: { kind: "person", id: "dana@example.com" },
  reason: "the customer is in hospital"
}

describe("Encryption", () => {
  it.effect.prop("gives every event back as it was", [RunEvent.RunEvent], ([event]) =>
    Effect.gen(function*() {
      const { payload, type } = RunEvent.encode(event)
      const stored = RunEvent.encode(yield* seal(event))
      // As a store does: the event goes through its stored form.
      const read = yield* unseal(RunEvent.decode(stored.type, JSON.parse(stored.payload)))
      assert.strictEqual(stored.type, type)
      assert.deepStrictEqual(read, RunEvent.decode(type, JSON.parse(payload)))
    }))

  it.effect("hides what was said, and not who decided about what", () =>
    Effect.gen(function*() {
      const text = JSON.stringify(yield* seal(denied))
      assert.notInclude(text, "hospital")
      assert.include(text, "turn-1/call-1/approval")
      assert.include(text, "dana@example.com")
    }))

  it.effect("seals the same text differently every time", () =>
    Effect.gen(function*() {
      assert.notDeepEqual(yield* seal(denied), yield* seal(denied))
    }))

  it.effect("seals a text that looks sealed already", () =>
    Effect.gen(function*() {
      const odd = { ...denied, reason: "sealed:spring:AAAA" }
      assert.deepStrictEqual(yield* unseal(yield* seal(odd)), odd)
    }))

  it.effect("reads what was stored before it was in place, and what was sealed with an older key", () =>
    Effect.gen(function*() {
      const rotated = ring("summer", { spring, summer: key() })
      assert.deepStrictEqual(yield* unseal(denied, rotated), denied)
      assert.deepStrictEqual(yield* unseal(yield* seal(denied), rotated), denied)
    }))

  it.effect("fails with a store error without the key, and never says what is inside", () =>
    Effect.gen(function*() {
      const sealed = yield* seal(denied)
      for (const keys of [ring("summer", { summer: key() }), ring("spring", { spring: key() })]) {
        const error = yield* Effect.flip(unseal(sealed, keys))
        assert.strictEqual(error._tag, "StoreError")
        assert.strictEqual(
          error.message,
          "The store failed in `codec`: a sealed field of `ApprovalDenied` cannot be used"
        )
      }
    }))

  it.effect("opens nothing that was changed, or moved to another field", () =>
    Effect.gen(function*() {
      const sealed = yield* seal(denied)
      const reason = sealed._tag === "ApprovalDenied" ? sealed.reason : ""
      const flipped = reason.slice(0, -6) + (reason.at(-6) === "A" ? "B" : "A") + reason.slice(-5)
      yield* Effect.flip(unseal({ ...denied, reason: flipped }))
      yield* Effect.flip(unseal({ ...denied, reason: reason.slice(0, 20) }))
      yield* Effect.flip(unseal({ _tag: "RunCancelled", actor: denied.actor, reason, usage: Budget.noUsage }))
    }))

  it.effect("is between the runtime and the store: a start with the same key still gives the same run", () => {
    const memory = MemoryStore.memory()
    const App = Runtime.layer.pipe(Layer.provide(Layer.merge(MemoryStore.layerOf(memory), Encryption.layer(own))))
    return Effect.gen(function*() {
      const runs = yield* Runs
      const start = runs.start(Correspondent, "Write to Mia.", { startKey: "mia" })
      const runId = yield* start
      assert.strictEqual(yield* start, runId)
      const conflict = yield* Effect.flip(runs.start(Correspondent, "Write to Eve.", { startKey: "mia" }))
      assert.strictEqual(conflict._tag, "StartConflict")
      const [first] = yield* Stream.runCollect(runs.events(runId))
      assert.include(JSON.stringify(first), "Write to Mia.")
      assert.notInclude(JSON.stringify(memory.runs.get(runId)?.events), "Mia")
    }).pipe(Effect.provide(App))
  })
})
