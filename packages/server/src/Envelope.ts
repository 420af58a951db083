/**
 * What goes around every answer of a server of its own: headers that keep browsers from misusing it, measurements, and words for
 * what no endpoint answers.
 */
import { Clock, Deferred, Duration, Effect } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Api } from "./Api.ts"
import { Draining } from "./FeedHttp.ts"
import * as Measure from "./Measure.ts"

/**
 * @category layers
 * @since 0.1.0
 */
export const layer = HttpRouter.use((router) =>
  Effect.gen(function*() {
    const draining = yield* Draining
    yield* router.addGlobalMiddleware((answer) =>
      Effect.gen(function*() {
        const request = yield* HttpServerRequest.HttpServerRequest
        const begun = yield* Clock.currentTimeMillis
        const response = yield* Effect.catchIf(answer, isRouteNotFound, () => Effect.succeed(unknown(request)))
        const elapsed = Duration.millis((yield* Clock.currentTimeMillis) - begun)
        yield* Measure.request(endpointOf(request)?.name ?? "other", response.status, elapsed)
        return HttpServerResponse.setHeaders(response, {
          ...headers,
          ...(Deferred.isDoneUnsafe(draining) ? { connection: "close" } : {}),
          // What a page says of itself counts.
          ...response.headers
        })
      })
    )
  })
)

const headers = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}

const isRouteNotFound = (error: unknown): error is HttpServerError.HttpServerError =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"

const endpoints = Object.values(Api.groups).flatMap((group) =>
  Object.values(group.endpoints).map(({ identifier, method, path }) => ({
    name: `${group.identifier}.${identifier}`,
    method: `${method}`,
    path: new RegExp(`^${path.replace(/:[^/]+/g, "[^/]+")}/?$`)
  }))
)

const endpointOf = ({ method, url }: HttpServerRequest.HttpServerRequest) => {
  const path = url.split(/[?#]/, 1)[0] ?? ""
  // Whoever answers GET answers HEAD, without the body.
  const asked = method === "HEAD" ? "GET" : method
  return endpoints.find((endpoint) => endpoint.method === asked && endpoint.path.test(path))
}

const unknown = ({ method, url }: HttpServerRequest.HttpServerRequest): HttpServerResponse.HttpServerResponse => {
  const path = url.split(/[?#]/, 1)[0] ?? ""
  const methods = new Set(endpoints
    .filter((endpoint) => endpoint.path.test(path))
    .flatMap(({ method }) => method === "GET" ? [method, "HEAD"] : [method]))
  const isKnown = methods.size > 0 && !methods.has(method)
  const status = isKnown ? 405 : 404
  return HttpServerResponse.jsonUnsafe({
    type: "about:blank",
    status,
    title: isKnown ? "Method not allowed" : "Not found",
    detail: isKnown ? `Allowed: ${[...methods].join(", ")}` : "There is nothing at this path"
  }, {
    status,
    contentType: "application/problem+json",
    ...(isKnown ? { headers: { allow: [...methods].join(", ") } } : {})
  })
}
