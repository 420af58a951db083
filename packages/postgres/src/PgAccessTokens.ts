/**
 * Access tokens in PostgreSQL.
 */
import { AccessToken, AccessTokens, StoreError } from "@durable-agents/core"
import { Effect, Option, Schema } from "effect"
import { latestMillis, millis, millisOf, texts, timeOf } from "./Columns.ts"
import { type Database, rowsOf } from "./Database.ts"

const Row = Schema.Struct({
  token_id: Schema.String,
  namespace: Schema.String,
  holder: Schema.String,
  roles: Schema.fromJsonString(AccessToken.AccessToken.fields.roles),
  created_at: Schema.Finite,
  expires_at: Schema.NullOr(Schema.Finite),
  revoked_at: Schema.NullOr(Schema.Finite)
})

const tokenRows = rowsOf(Row)

/**
 * @category constructors
 * @since 0.1.0
 */
export const make = ({ now, read, sql, tables, write }: Database): AccessTokens["Service"] => {
  const time = (column: string) => millisOf(sql, sql.literal(column))
  const columns = sql`token_id, namespace, holder, to_json(roles)::text as roles, ${time("created_at")} as created_at,
    ${time("expires_at")} as expires_at, ${time("revoked_at")} as revoked_at`

  /** Asked again after a broken connection, it finds what it has added. */
  const add = Effect.fnUntraced(function*(token: Parameters<AccessTokens["Service"]["add"]>[0]) {
    const { digest, holder, lifetimeMillis, namespace, roles, tokenId } = token
    const expiresAt = lifetimeMillis === undefined
      ? sql.literal("null")
      : timeOf(sql, sql`least(${millisOf(sql, now())} + ${millis(Math.ceil(lifetimeMillis))}, ${millis(latestMillis)})`)
    const [row] = yield* write(
      "add",
      () =>
        tokenRows(sql`
          with added as (
            insert into ${tables.access_tokens} (token_id, digest, namespace, holder, roles, created_at, expires_at)
            values (${tokenId}, ${digest}, ${namespace}, ${holder}, ${
          texts(sql, roles)
        }::text[], ${now()}, ${expiresAt})
            on conflict do nothing returning *
          )
          select ${columns} from (
            select * from added
            union all
            select * from ${tables.access_tokens} where token_id = ${tokenId} and digest = ${digest}
          ) t`)
    )
    if (row !== undefined) return shown(row)
    return yield* new StoreError({ operation: "add", detail: `there is a token \`${tokenId}\` already` })
  })

  return AccessTokens.of({
    add: Effect.fn("AccessTokens.add")(add),
    find: Effect.fn("AccessTokens.find")((digest) =>
      read(
        "find",
        Effect.map(
          tokenRows(sql`
            select ${columns} from ${tables.access_tokens}
            where digest = ${digest} and revoked_at is null and (expires_at is null or expires_at > ${now()})`),
          ([row]) => Option.map(Option.fromNullishOr(row), shown)
        )
      )
    ),
    list: Effect.fn("AccessTokens.list")((namespace) =>
      read(
        "list",
        Effect.map(
          tokenRows(sql`
            select ${columns} from ${tables.access_tokens} a
            where namespace = ${namespace} order by a.created_at, a.token_id`),
          (rows) => rows.map(shown)
        )
      )
    ),
    revoke: Effect.fn("AccessTokens.revoke")((namespace, tokenId) =>
      write("revoke", () =>
        Effect.map(
          tokenRows(sql`
            update ${tables.access_tokens} set revoked_at = coalesce(revoked_at, ${now()})
            where namespace = ${namespace} and token_id = ${tokenId} returning ${columns}`),
          ([row]) => Option.map(Option.fromNullishOr(row), shown)
        ))
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
