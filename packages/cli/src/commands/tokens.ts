/**
 * `durable-agents tokens`: who may use a server of this store.
 */
import { AccessToken, AccessTokens, EventStore, Namespace } from "@durable-agents/core"
import { Array, DateTime, Effect, Option, Redacted } from "effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { TokenNotFound, wrong } from "../Failure.ts"
import * as FlagValue from "../FlagValue.ts"
import * as Output from "../Output.ts"
import * as Printable from "../Printable.ts"
import * as Store from "../Store.ts"

const namespace = Flag.String("namespace").pipe(
  Flag.withMetavar("NAME"),
  Flag.withDescription("The namespace of the server, if its app sets another one than the default"),
  Flag.optional
)

const roles = AccessToken.Role.literals

const inNamespace = <A, E, R>(given: Option.Option<string>, effect: Effect.Effect<A, E, R>) =>
  Option.match(given, {
    onNone: () => effect,
    onSome: (name) => Effect.provideService(effect, Namespace, name)
  })

const create = Command
  .make("create", {
    holder: Argument.String("holder")
      .pipe(Argument.withDescription("Who gets it: the name under which everything done with it is recorded")),
    roles: Flag.String("role").pipe(
      Flag.withMetavar(roles.join("|")),
      Flag.withDescription("What the holder may do, beside looking; may be given more than once"),
      Flag.mapEffect((role) => {
        const known = roles.find((name) => name === role)
        return known === undefined
          ? Effect.fail(wrong(`Bad value for --role: \`${role}\` is no role; there are ${roles.join(", ")}`))
          : Effect.succeed(known)
      }),
      Flag.between(1, roles.length)
    ),
    expires: FlagValue.flag("expires", FlagValue.duration).pipe(
      Flag.withMetavar("DURATION"),
      Flag.withDescription("How long it is good, such as 12h or 90d; without it, until it is revoked"),
      Flag.optional
    ),
    store: Store.flag,
    namespace,
    json: Output.json
  }, ({ expires, holder, json, namespace, roles, store }) =>
    Effect.gen(function*() {
      const unique = Array.dedupe(roles)
      if (!Array.isArrayNonEmpty(unique)) return yield* wrong("A token has at least one --role")
      const issued = AccessToken.issue({
        holder: holder.trim(),
        roles: unique,
        ...FlagValue.given(expires, (lifetime) => ({ lifetime }))
      }).pipe(Effect.catchTag("SchemaError", () =>
        Effect.fail(wrong("The holder is a name of 1 to 200 characters on one line"))))
      const { secret, token } = yield* inNamespace(namespace, issued)
      // This is the one place where a secret is shown.
      yield* Output.print(json
        ? [Printable.jsonText(JSON.stringify({ ...token, secret: Redacted.value(secret) }))]
        : [Redacted.value(secret)])
      if (!json) {
        yield* Effect
          .logInfo(`Token ${token.tokenId} of ${token.holder}: ${token.roles.join(", ")}${
            until(token)
          }. It is shown this once; keep it where only they can read it`)
      }
    }).pipe(Effect.provide(Store.layer(store, "write"))))
  .pipe(
    Command
      .withDescription("Makes a token for somebody, and prints it on standard output, this once: the store keeps a digest. Clients send it as " +
        "`Authorization: Bearer dat_...`."),
    Command.withShortDescription("Make a token for somebody"),
    Command.withExamples([{
      command: "durable-agents tokens create dana@example.com --role approver --role starter --expires 90d"
    }])
  )

const list = Command
  .make(
    "list",
    { store: Store.flag, namespace, json: Output.json },
    ({ json, namespace, store }) =>
      Effect.gen(function*() {
        const tokens = yield* inNamespace(
          namespace,
          Effect.flatMap(Namespace, (name) => Effect.flatMap(AccessTokens, (port) => port.list(name)))
        )
        const now = yield* (yield* EventStore).now
        yield* Output.print(json ? [Printable.jsonText(JSON.stringify({ items: tokens }))] : [
          ...tokens.map((token) =>
            [
              token.tokenId,
              state(token, now).padEnd("expired".length),
              Printable.inline(token.holder),
              token.roles.join(","),
              `since ${instant(token.createdAt)}${until(token)}`
            ].join("  ")
          ),
          ...(tokens.length === 0 ? ["no tokens"] : [])
        ])
      }).pipe(Effect.provide(Store.layer(store, "read")))
  )
  .pipe(
    Command
      .withDescription("Lists the tokens, oldest first, also those that open nothing any more; never the secrets."),
    Command.withShortDescription("List tokens")
  )

const revoke = Command
  .make("revoke", {
    tokenId: Argument.String("token").pipe(Argument.withDescription("The id of the token, as `tokens list` shows it")),
    store: Store.flag,
    namespace,
    json: Output.json
  }, ({ json, namespace, store, tokenId }) =>
    Effect.gen(function*() {
      const revoked = yield* inNamespace(
        namespace,
        Effect.flatMap(Namespace, (name) => Effect.flatMap(AccessTokens, (port) => port.revoke(name, tokenId)))
      )
      if (Option.isNone(revoked)) return yield* new TokenNotFound({ tokenId })
      const { holder } = revoked.value
      yield* Output.print([
        json
          ? Printable.jsonText(JSON.stringify(revoked.value))
          : `revoked ${tokenId} of ${Printable.inline(holder)}: it opens nothing any more`
      ])
    }).pipe(Effect.provide(Store.layer(store, "write"))))
  .pipe(
    Command.withDescription("From now on the token opens nothing. It stays in the list, with when it was revoked."),
    Command.withShortDescription("Make a token open nothing"),
    Command.withExamples([{ command: "durable-agents tokens revoke 3f9a1c0b77de --store sqlite:runs.db" }])
  )

/**
 * @category commands
 * @since 0.1.0
 */
export const tokens = Command.make("tokens").pipe(
  Command.withDescription("Who may use a server of this store, and as what."),
  Command.withShortDescription("Who may use a server"),
  Command.withSubcommands([create, list, revoke])
)

const instant = (millis: number): string =>
  Option.match(DateTime.make(millis), { onNone: () => "the end of time", onSome: DateTime.formatIso })

const until = ({ expiresAt, revokedAt }: AccessToken.AccessToken): string =>
  revokedAt !== undefined
    ? `, revoked ${instant(revokedAt)}`
    : expiresAt === undefined
    ? ""
    : `, until ${instant(expiresAt)}`

const state = (token: AccessToken.AccessToken, now: number): string =>
  token.revokedAt !== undefined ? "revoked" : AccessToken.isLive(token, now) ? "good" : "expired"
