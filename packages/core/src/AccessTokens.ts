/**
 * The port to access tokens: who may use a server, and as what. Of a token's secret only a digest is kept.
 */
import { Context, Duration, Effect, Option, Redacted, Schema } from "effect"
import { sha256Hex } from "./Digest.ts"
import type { StoreError } from "./EventStore.ts"
import { hex, Namespace } from "./Ids.ts"

/**
 * What the holder of a token may do.
 *
 * **Details**
 *
 * Whoever has any role may look. A `viewer` may do nothing else; a `starter` starts runs; an `approver` decides what waits for a
 * person; an `operator` cancels, pauses, releases, settles, forks and sends signals.
 *
 * @category models
 * @since 0.1.0
 */
export const Role = Schema.Literals(["viewer", "starter", "approver", "operator"])

/**
 * @category models
 * @since 0.1.0
 */
export type Role = typeof Role.Type

/**
 * The name of a token's holder, which becomes the actor of what is done with it: 1 to 200 characters on one line.
 *
 * @category models
 * @since 0.1.0
 */
export const Holder = Schema.Trimmed.check(Schema.isMaxLength(200), Schema.isPattern(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u))

/**
 * A token as it is known to everyone but its holder: without its secret.
 *
 * @category models
 * @since 0.1.0
 */
export const AccessToken = Schema.Struct({
  /** Names the token in lists and in `revoke`; it opens nothing. */
  tokenId: Schema.String,
  namespace: Schema.String,
  holder: Holder,
  roles: Schema.NonEmptyArray(Role),
  createdAt: Schema.Finite,
  /** From then on it opens nothing; absent: it does not end by itself. */
  expiresAt: Schema.optionalKey(Schema.Finite),
  revokedAt: Schema.optionalKey(Schema.Finite)
})

/**
 * @category models
 * @since 0.1.0
 */
export type AccessToken = typeof AccessToken.Type

/**
 * What a store keeps of a new token.
 *
 * @category models
 * @since 0.1.0
 */
export interface NewToken {
  readonly tokenId: string
  /** Hex SHA-256 of the secret. */
  readonly digest: string
  readonly namespace: string
  readonly holder: string
  readonly roles: readonly [Role, ...ReadonlyArray<Role>]
  /** How long it is good, from the store's time on; absent: until it is revoked. */
  readonly lifetimeMillis?: number
}

/**
 * Keeps access tokens. All times are the store's.
 *
 * @category services
 * @since 0.1.0
 */
export class AccessTokens extends Context.Service<AccessTokens, {
  /** Keeps a new token. Fails if its id or its digest is another one's. */
  readonly add: (token: NewToken) => Effect.Effect<AccessToken, StoreError>
  /** The token with this digest, unless it is revoked or its time is over. */
  readonly find: (digest: string) => Effect.Effect<Option.Option<AccessToken>, StoreError>
  /** All tokens of a namespace, oldest first, also those that open nothing any more. */
  readonly list: (namespace: string) => Effect.Effect<ReadonlyArray<AccessToken>, StoreError>
  /** From now on it opens nothing; nothing changes if it was revoked before. None if there is no such token. */
  readonly revoke: (namespace: string, tokenId: string) => Effect.Effect<Option.Option<AccessToken>, StoreError>
}>()("@durable-agents/core/AccessTokens") {}

/**
 * Makes a token for someone, in the namespace that is in place. The secret is given out here and nowhere else.
 *
 * **Details**
 *
 * A secret is `dat_` and 64 hex digits: 256 bits from the platform's secure random source.
 *
 * @category constructors
 * @since 0.1.0
 */
export const issue = Effect.fn("AccessTokens.issue")(function*(options: {
  readonly holder: string
  readonly roles: readonly [Role, ...ReadonlyArray<Role>]
  readonly lifetime?: Duration.Input
}): Effect.fn.Return<
  { readonly token: AccessToken; readonly secret: Redacted.Redacted },
  StoreError | Schema.SchemaError,
  AccessTokens
> {
  const { lifetime, roles } = options
  const holder = yield* Schema.decodeEffect(Holder)(options.holder)
  const tokenId = randomHex(6)
  const secret = `dat_${randomHex(32)}`
  const tokens = yield* AccessTokens
  const token = yield* tokens.add({
    tokenId,
    digest: sha256Hex(secret),
    namespace: yield* Namespace,
    holder,
    roles,
    ...(lifetime === undefined ? {} : { lifetimeMillis: Duration.toMillis(Duration.fromInputUnsafe(lifetime)) })
  })
  return { token, secret: Redacted.make(secret, { label: "access token" }) }
})

/**
 * The token that this secret opens in the namespace that is in place; none for any other text, and for a token that is revoked or
 * whose time is over.
 *
 * @category accessors
 * @since 0.1.0
 */
export const authenticate = Effect.fn("AccessTokens.authenticate")(function*(
  secret: Redacted.Redacted
): Effect.fn.Return<Option.Option<AccessToken>, StoreError, AccessTokens> {
  const text = Redacted.value(secret)
  if (!secretForm.test(text)) return Option.none()
  const namespace = yield* Namespace
  const found = yield* (yield* AccessTokens).find(sha256Hex(text))
  return Option.filter(found, (token) => token.namespace === namespace)
})

/**
 * Whether a token is good for what takes one of these roles.
 *
 * @category predicates
 * @since 0.1.0
 */
export const hasRole = ({ roles }: AccessToken, ...wanted: ReadonlyArray<Role>): boolean =>
  wanted.some((role) => role === "viewer" || roles.includes(role))

/**
 * Whether a token still opens something at this time.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isLive = ({ expiresAt, revokedAt }: AccessToken, now: number): boolean =>
  revokedAt === undefined && (expiresAt === undefined || expiresAt > now)

const secretForm = /^dat_[0-9a-f]{64}$/

const randomHex = (bytes: number): string => hex(globalThis.crypto.getRandomValues(new Uint8Array(bytes)))
