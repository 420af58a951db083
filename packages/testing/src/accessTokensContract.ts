/**
 * What `AccessTokens` promises.
 */
import { AccessToken, AccessTokens, Namespace, NextRunId, type Role } from "@durable-agents/core"
import { assert } from "@effect/vitest"
import { Array, Effect, Option, Redacted } from "effect"
import { type Register, StoreControl } from "./StoreUnderTest.ts"

const upTo = (count: number) => Array.makeBy(count, (i) => i)

/** The port and the store's time, in a namespace that no other test has. */
const scene = Effect.gen(function*() {
  const tokens = yield* AccessTokens
  const control = yield* StoreControl
  const next = yield* NextRunId
  const namespace = `contract-${yield* next}`
  const added = Effect.fnUntraced(function*(holder: string, lifetimeMillis?: number) {
    const tokenId = yield* next
    const digest = `${tokenId}-digest`
    const roles: readonly [Role, ...ReadonlyArray<Role>] = ["approver", "viewer"]
    const lifetime = lifetimeMillis === undefined ? {} : { lifetimeMillis }
    const token = yield* tokens.add({ tokenId, digest, namespace, holder, roles, ...lifetime })
    return { digest, token }
  })
  return { added, control, namespace, next, tokens }
})

/**
 * Registers the contract of access tokens.
 *
 * @category contracts
 * @since 0.1.0
 */
export const accessTokensContract = ({ test }: Register): void => {
  test(
    "finds a token by its digest, as it was added, and by nothing else (D32)",
    Effect.gen(function*() {
      const { added, next, tokens } = yield* scene
      const { digest, token } = yield* added("Dana \"D\" O'Hara, 東京 🙂")
      assert.deepInclude(token, { holder: "Dana \"D\" O'Hara, 東京 🙂", roles: ["approver", "viewer"] })
      assert.notProperty(token, "expiresAt")
      assert.notProperty(token, "revokedAt")
      assert.deepStrictEqual(yield* tokens.find(digest), Option.some(token))
      for (const other of [yield* next, "", token.tokenId, `${digest} `, digest.toUpperCase(), "%"]) {
        assert.isTrue(Option.isNone(yield* tokens.find(other)), other)
      }
    })
  )

  test(
    "finds a token no longer once its time is over, by the store's clock",
    Effect.gen(function*() {
      const { added, control, namespace, tokens } = yield* scene
      const { digest, token } = yield* added("dana", 60_000)
      const { digest: lasting } = yield* added("erin")
      assert.strictEqual(token.expiresAt, token.createdAt + 60_000)
      yield* control.advance(50_000)
      assert.isTrue(Option.isSome(yield* tokens.find(digest)))
      yield* control.advance(10_001)
      assert.isTrue(Option.isNone(yield* tokens.find(digest)))
      assert.isTrue(Option.isSome(yield* tokens.find(lasting)))
      assert.deepStrictEqual((yield* tokens.list(namespace)).map(({ holder }) => holder).sort(), ["dana", "erin"])
    })
  )

  test(
    "takes a lifetime of any length",
    Effect.gen(function*() {
      const { added, tokens } = yield* scene
      for (const lifetimeMillis of [0.5, 1e9 + 0.25, 1e18]) {
        const { digest, token } = yield* added("dana", lifetimeMillis)
        assert.isAbove(token.expiresAt ?? 0, token.createdAt)
        if (lifetimeMillis > 1) assert.deepStrictEqual(yield* tokens.find(digest), Option.some(token))
      }
    })
  )

  test(
    "revokes a token at once and for good, and says when",
    Effect.gen(function*() {
      const { added, control, namespace, next, tokens } = yield* scene
      const { digest, token } = yield* added("dana")
      const { digest: other } = yield* added("erin")
      const revoked = Option.getOrUndefined(yield* tokens.revoke(namespace, token.tokenId))
      assert.deepInclude(revoked, { tokenId: token.tokenId, holder: "dana" })
      assert.isAtLeast(revoked?.revokedAt ?? 0, token.createdAt)
      assert.isTrue(Option.isNone(yield* tokens.find(digest)))
      assert.isTrue(Option.isSome(yield* tokens.find(other)))
      yield* control.advance(1_000)
      assert.deepStrictEqual(Option.getOrUndefined(yield* tokens.revoke(namespace, token.tokenId)), revoked)
      assert.isTrue(Option.isNone(yield* tokens.revoke(namespace, yield* next)))
      assert.isTrue(Option.isNone(yield* tokens.revoke(`${namespace}-2`, token.tokenId)))
      assert.deepStrictEqual(
        (yield* tokens.list(namespace)).filter(({ tokenId }) => tokenId === token.tokenId),
        [revoked]
      )
    })
  )

  test(
    "lists the tokens of a namespace, oldest first, and those of no other",
    Effect.gen(function*() {
      const { added, control, namespace, tokens } = yield* scene
      const expected = yield* Effect.forEach(
        upTo(5),
        (i) => Effect.tap(Effect.map(added(`holder ${i}`), ({ token }) => token), () => control.advance(1_000))
      )
      assert.deepStrictEqual(yield* tokens.list(namespace), expected)
      assert.deepStrictEqual(yield* tokens.list(`${namespace}-2`), [])
    })
  )

  test(
    "refuses an id and a digest that another token has, and keeps that one as it is",
    Effect.gen(function*() {
      const { added, namespace, next, tokens } = yield* scene
      const { digest, token } = yield* added("dana")
      const fresh = { namespace, holder: "mallory", roles: ["operator"] } as const
      for (const [tokenId, other] of [[token.tokenId, yield* next], [yield* next, digest]] as const) {
        const refused = yield* Effect.flip(tokens.add({ ...fresh, tokenId, digest: other }))
        assert.strictEqual(refused._tag, "StoreError")
      }
      assert.deepStrictEqual(yield* tokens.list(namespace), [token])
    })
  )

  test(
    "keeps no secret: what is issued opens the door once, in its namespace, and is shown nowhere (D32)",
    Effect.gen(function*() {
      const { namespace, tokens } = yield* scene
      const inPlace = Effect.provideService(Namespace, namespace)
      const { secret, token } = yield* inPlace(AccessToken.issue({ holder: "dana", roles: ["starter"] }))
      assert.match(Redacted.value(secret), /^dat_[0-9a-f]{64}$/)
      assert.notInclude(String(secret), Redacted.value(secret))
      assert.notInclude(JSON.stringify(yield* tokens.list(namespace)), Redacted.value(secret).slice(4, 12))
      assert.deepStrictEqual(yield* inPlace(AccessToken.authenticate(secret)), Option.some(token))
      assert.isTrue(Option.isNone(yield* AccessToken.authenticate(secret)))
      const { secret: another } = yield* inPlace(AccessToken.issue({ holder: "dana", roles: ["starter"] }))
      assert.notStrictEqual(Redacted.value(another), Redacted.value(secret))
      for (const text of ["", "dat_", `${Redacted.value(secret)}0`, ` ${Redacted.value(secret)}`]) {
        assert.isTrue(Option.isNone(yield* inPlace(AccessToken.authenticate(Redacted.make(text)))), text)
      }
      for (const holder of ["", " ", " dana", "a\nb", "x".repeat(201), "nul \u0000", "\ud800"]) {
        const refused = yield* Effect.flip(inPlace(AccessToken.issue({ holder, roles: ["viewer"] })))
        assert.strictEqual(refused._tag, "SchemaError", holder)
      }
    })
  )
}
