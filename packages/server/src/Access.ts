/**
 * Who is behind a request: the holder of a bearer token, or, on the own machine and as long as there are no tokens, a local user.
 */
import { AccessToken, AccessTokens, EventStore, Namespace, type Role } from "@durable-agents/core"
import { Context, Effect, Layer, Option, Redacted, References } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Authentication, CurrentIdentity, type Identity, StillIn } from "./Identity.ts"
import { ForbiddenProblem, UnauthenticatedProblem } from "./Problem.ts"
import { unavailable } from "./Refusal.ts"

/**
 * The name under which requests without a token act, as long as the store has no token; `undefined`, the default: nobody. Only
 * for servers that no other machine can reach.
 *
 * @category references
 * @since 0.1.0
 */
export const LocalUser = Context.Reference<string | undefined>("@durable-agents/server/LocalUser", {
  defaultValue: () => undefined
})

/**
 * Finds identities by the tokens of the store, asking it at every request, and at each heartbeat of a feed: a revoked token opens
 * nothing any more.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Authentication, never, AccessTokens | EventStore> = Layer.effect(
  Authentication,
  Effect.gen(function*() {
    const tokens = yield* AccessTokens
    const store = yield* EventStore
    const namespace = yield* Namespace
    const localUser = yield* LocalUser

    const ofToken = Effect.fnUntraced(function*(secret: Redacted.Redacted) {
      const found = yield* unavailable(AccessToken.authenticate(secret).pipe(
        Effect.provideService(AccessTokens, tokens),
        Effect.provideService(Namespace, namespace)
      ))
      return Option.isSome(found)
        ? { name: found.value.holder, roles: found.value.roles }
        : yield* unauthenticated("This token opens nothing")
    })

    const ofNobody = Effect.fnUntraced(function*() {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      if (headers["authorization"] !== undefined || localUser === undefined) {
        return yield* unauthenticated("Send `Authorization: Bearer TOKEN`")
      }
      const now = yield* unavailable(store.now)
      const all = yield* unavailable(tokens.list(namespace))
      if (all.some((token) => AccessToken.isLive(token, now))) {
        return yield* unauthenticated("Send `Authorization: Bearer TOKEN`: there are tokens, so nobody is let in without")
      }
      const problem = foreign(headers)
      if (problem !== undefined) return yield* new ForbiddenProblem({ detail: problem })
      return { name: localUser, roles: AccessToken.Role.literals }
    })

    return Authentication.of({
      bearer: Effect.fnUntraced(function*(answer, { credential }) {
        const asked = Redacted.value(credential) === "" ? ofNobody() : ofToken(credential)
        const identity: Identity = yield* asked
        const request = yield* HttpServerRequest.HttpServerRequest
        // What a store that is away would say nobody knows; that it is away others say, and once.
        const stillIn = Effect.match(asked, {
          onFailure: ({ _tag }) => _tag === "UnavailableProblem",
          onSuccess: () => true
        }).pipe(
          Effect.provideService(HttpServerRequest.HttpServerRequest, request),
          Effect.provideService(References.MinimumLogLevel, "None")
        )
        return yield* answer.pipe(
          Effect.provideService(CurrentIdentity, identity),
          Effect.provideService(StillIn, stillIn)
        )
      })
    })
  })
)

/**
 * The caller, who must have one of these roles.
 *
 * @category accessors
 * @since 0.1.0
 */
export const withRole = Effect.fnUntraced(function*(...roles: ReadonlyArray<Role>) {
  const identity = yield* CurrentIdentity
  return identity.roles.some((role) => roles.includes(role)) ? identity : yield* lacking(roles)
})

/**
 * @category errors
 * @since 0.1.0
 */
export const lacking = (roles: ReadonlyArray<Role>) =>
  new ForbiddenProblem({ detail: `This wants the role ${roles.map((role) => `\`${role}\``).join(" or ")}` })

const unauthenticated = (detail: string) =>
  Effect.andThen(
    HttpEffect.appendPreResponseHandler((_, response) =>
      Effect.succeed(HttpServerResponse.setHeader(response, "www-authenticate", "Bearer"))
    ),
    Effect.fail(new UnauthenticatedProblem({ detail }))
  )

/**
 * What keeps a request without a token out. A page of another site that the user's browser shows can send requests to this machine
 * too, under a name of its own that it points here (`Host`), or to `localhost` (`Origin`, `Sec-Fetch-Site`); and a proxy on this machine sends
 * what comes from others.
 */
const foreign = (headers: Readonly<Record<string, string | undefined>>): string | undefined => {
  const host = headers["host"] ?? ""
  const { origin, "sec-fetch-site": site } = headers
  if (proxied.some((name) => headers[name] !== undefined)) return "Without a token, nobody is let in through a proxy"
  if (!loopbackHost.test(host)) return "Without a token, the server is reached as `localhost` only"
  const isOwn = origin === undefined || origin === `http://${host}`
  return isOwn && (site === undefined || site === "same-origin" || site === "none")
    ? undefined
    : "Without a token, the server answers no page but its own"
}

/** What a proxy says of whom it speaks for; its own connection comes from this machine. */
const proxied = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"]

const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i
