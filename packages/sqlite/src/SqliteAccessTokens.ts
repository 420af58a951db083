/**
 * Access tokens in SQLite.
 */
import { AccessToken, AccessTokens, StoreError } from "@durable-agents/core"
import { Effect, Option, Result, Schema } from "effect"
import { type Database, millis } from "./Database.ts"
import { query } from "./Query.ts"

const Row = Schema.Struct({
  token_id: Schema.String,
  namespace: Schema.String,
  holder: Schema.String,
  roles: Schema.fromJsonString(AccessToken.AccessToken.fields.roles),
  created_at: Schema.Finite,
  expires_at: Schema.NullOr(Schema.Finite),
  revoked_at: Schema.NullOr(Schema.Finite)
})

const columns = `token_id, namespace, holder, roles, created_at, expires_at, revoked_at`

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = ({ connection, now, read, write }: Database): AccessTokens["Service"] => {
  const insert = query(
    connection,
    `insert into access_tokens (token_id, digest, namespace, holder, roles, created_at, expires_at)
    values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing returning ${columns}`,
    Row
  )
  const live = query(
    connection,
    `select ${columns} from access_tokens
    where digest = ? and revoked_at is null and (expires_at is null or expires_at > ?)`,
    Row
  )
  const all = query(
    connection,
    `select ${columns} from access_tokens where namespace = ? order by created_at, token_id`,
    Row
  )
  const revoke = query(
    connection,
    `update access_tokens set revoked_at = coalesce(revoked_at, ?)
    where namespace = ? and token_id = ? returning ${columns}`,
    Row
  )

  return AccessTokens.of({
    add: Effect.fn("AccessTokens.add")(({ digest, holder, lifetimeMillis, namespace, roles, tokenId }) =>
      write({
        operation: "add",
        body: (at) => {
          const expiresAt = lifetimeMillis === undefined ? null : millis(at + lifetimeMillis)
          const row = insert.first(tokenId, digest, namespace, holder, JSON.stringify(roles), at, expiresAt)
          return row === undefined
            ? Result.fail(new StoreError({ operation: "add", detail: `there is a token \`${tokenId}\` already` }))
            : Result.succeed(shown(row))
        }
      })
    ),
    find: Effect.fn("AccessTokens.find")((digest) =>
      read("find", () => Option.map(Option.fromNullishOr(live.first(digest, now())), shown))
    ),
    list: Effect.fn("AccessTokens.list")((namespace) => read("list", () => all.all(namespace).map(shown))),
    revoke: Effect.fn("AccessTokens.revoke")((namespace, tokenId) =>
      write({
        operation: "revoke",
        body: (at) => Result.succeed(Option.map(Option.fromNullishOr(revoke.first(at, namespace, tokenId)), shown))
      })
    )
  })
}

const shown = (row: typeof Row.Type): AccessToken.AccessToken => ({
  tokenId: row.token_id,
  namespace: row.namespace,
  holder: row.holder,
  roles: row.roles,
  createdAt: row.created_at,
  ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
  ...(row.revoked_at === null ? {} : { revokedAt: row.revoked_at })
})
