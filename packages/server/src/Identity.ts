/**
 * Who asks: the name and the roles of a credential, and the middleware that finds them.
 */
import { Context, Schema } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { InvalidRequestProblem, UnauthenticatedProblem, UnavailableProblem } from "./Problem.ts"

/**
 * What a credential is for. Every role may read; `starter` starts runs and sends signals, `approver` decides about approvals,
 * `operator` does everything else that changes a run.
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
 * The name stands in the log as the actor of everything that the credential does.
 *
 * @category models
 * @since 0.1.0
 */
export const Identity = Schema.Struct({
  name: Schema.String,
  roles: Schema.Array(Role)
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
 * Turns a bearer token into the identity behind it, or refuses the request.
 *
 * @category services
 * @since 0.1.0
 */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: CurrentIdentity }>()(
  "@durable-agents/server/Authentication",
  {
    security: { bearer: HttpApiSecurity.bearer },
    error: [UnauthenticatedProblem, UnavailableProblem]
  }
) {}

/**
 * Gives a body to answers to requests that do not fit the definition.
 *
 * @category services
 * @since 0.1.0
 */
export class Validation extends HttpApiMiddleware.Service<Validation>()("@durable-agents/server/Validation", {
  error: InvalidRequestProblem
}) {}
