import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import { HttpApiClient, OpenApi } from "effect/http-api"
import { Api } from "../src/Api.ts"

const document = OpenApi.fromApi(Api)

describe("Api", () => {
  it("has the endpoints of the OpenAPI document, and no other (checks 81-85)", () => {
    const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
    )
    assert.sameMembers(endpoints, [
      "POST /runs",
      "GET /runs",
      "GET /runs/{runId}",
      "GET /runs/{runId}/explain",
      "GET /runs/{runId}/events",
      "POST /runs/{runId}/approve",
      "POST /runs/{runId}/deny",
      "POST /runs/{runId}/signals/{name}",
      "POST /runs/{runId}/cancel",
      "POST /runs/{runId}/pause",
      "POST /runs/{runId}/resume",
      "POST /runs/{runId}/release",
      "POST /runs/{runId}/resolve",
      "POST /runs/{runId}/budget",
      "POST /runs/{runId}/fork",
      "GET /approvals",
      "GET /programs",
      "GET /me",
      "GET /health",
      "GET /ready",
      "GET /metrics"
    ])
  })

  it("says that errors are problem details", () => {
    const statuses = new Set<string>()
    for (const { get, post } of Object.values(document.paths)) {
      for (const operation of [get, post]) {
        for (const [status, response] of Object.entries(operation?.responses ?? {})) {
          if (status < "400") continue
          statuses.add(status)
          assert.deepStrictEqual(Object.keys(response.content ?? {}), ["application/problem+json"])
        }
      }
    }
    assert.sameMembers([...statuses], ["400", "401", "403", "404", "409", "413", "415", "422", "500", "503"])
  })

  it.effect("has a typed client", () =>
    Effect.gen(function*() {
      const client = yield* HttpApiClient.make(Api, { baseUrl: "http://localhost" })
      assert.isFunction(client.runs.start)
      assert.isFunction(client.health)
    }).pipe(Effect.provide(FetchHttpClient.layer)))
})
