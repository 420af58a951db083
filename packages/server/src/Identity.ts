/**
 * Who asks: the name and the roles of a credential, and the middleware that finds them.
 */
import { AccessToken } from "@durable-agents/core"
import { Context, Effect, Schema } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import {
  BadRequestProblem,
  ForbiddenProblem,
  InternalProblem,
  InvalidRequestProblem,
  TooLargeProblem,
  UnauthenticatedProblem,
  UnavailableProblem,
  UnsupportedProblem
} from "./Problem.ts"

/**
 * The name stands in the log as the actor of everything that the credential does. Every role may read.
 *
 * @category models
 * @since 0.1.0
 */
export const Identity = Schema.Struct({
  name: Schema.String,
  roles: Schema.Array(AccessToken.Role)
}).annotate({ identifier: "Identity" })

/**
 * @category models
 * @since 0.1.0
 */
export type Identity = typeof Identity.Type

/**
 * Who sent the request that is being answered.
 *
 * @category services
 * @since 0.1.0
 */
export class CurrentIdentity
  extends Context.Service<CurrentIdentity, Identity>()("@durable-agents/server/CurrentIdentity")
{}

/**
 * Whether the credential of the request that is being answered would still be let in: for answers that go on. Default: yes.
 *
 * @category references
 * @since 0.1.0
 */
export const StillIn = Context.Reference<Effect.Effect<boolean>>("@durable-agents/server/StillIn", {
  defaultValue: () => Effect.succeed(true)
})

/**
 * Turns a bearer token into the identity behind it, or refuses the request.
 *
 * @category services
 * @since 0.1.0
 */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: CurrentIdentity }>()(
  "@durable-agents/server/Authentication",
  {
    security: { bearer: HttpApiSecurity.bearer },
    error: [UnauthenticatedProblem, ForbiddenProblem, UnavailableProblem]
  }
) {}

/**
 * Reads the body within its limits, and answers what does not fit the definition.
 *
 * @category services
 * @since 0.1.0
 */
export class Border extends HttpApiMiddleware.Service<Border>()("@durable-agents/server/Border", {
  error: [
    BadRequestProblem,
    InternalProblem,
    InvalidRequestProblem,
    TooLargeProblem,
    UnavailableProblem,
    UnsupportedProblem
  ]
}) {}
