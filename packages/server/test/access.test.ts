import { Agent, Guardrails } from "@durable-agents/agent"
import { AccessToken, AccessTokens, Namespace, type Role, Runs } from "@durable-agents/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { ApprovalPolicy, OpenToAll } from "../src/index.ts"
import { call, execute, memory, raw, serve, Ship, tokenFor } from "./serving.ts"

const test = <E>(title: string, body: Effect.Effect<void, E, Effect.Services<ReturnType<typeof serve>> | Runs>) =>
  it.live(title, () => Effect.scoped(Effect.provide(body, Layer.provideMerge(Runs.layer, memory()))))

/** One request to every endpoint that changes something, for a run that waits for approval. */
const acts = {
  start: { path: () => "/runs", json: { program: "ship", input: "A-2" } },
  approve: { path: (runId: string) => `/runs/${runId}/approve`, json: { approval: "ship" } },
  deny: { path: (runId: string) => `/runs/${runId}/deny`, json: { approval: "ship" } },
  signal: { path: (runId: string) => `/runs/${runId}/signals/pickup`, json: {} },
  cancel: { path: (runId: string) => `/runs/${runId}/cancel`, json: {} },
  pause: { path: (runId: string) => `/runs/${runId}/pause`, json: {} },
  resume: { path: (runId: string) => `/runs/${runId}/resume`, json: {} },
  release: { path: (runId: string) => `/runs/${runId}/release`, json: {} },
  budget: { path: (runId: string) => `/runs/${runId}/budget`, json: { budget: { turns: 9 } } },
  fork: { path: (runId: string) => `/runs/${runId}/fork?at=1`, json: {} },
  resolve: { path: (runId: string) => `/runs/${runId}/resolve`, json: { key: "x", outcome: "didNotHappen", error: "" } }
}

const allowed: { readonly [R in Role]: ReadonlyArray<string> } = {
  viewer: [],
  starter: ["start", "signal"],
  approver: ["approve", "deny"],
  operator: ["signal", "cancel", "pause", "resume", "release", "budget", "fork", "resolve"]
}

describe("access", () => {
  test(
    "lets each role do what it is for, and no more; whoever has one may look (D32)",
    Effect.gen(function*() {
      const { url } = yield* serve()
      const runs = yield* Runs
      for (const role of AccessToken.Role.literals) {
        const token = yield* tokenFor(`the ${role}`, role)
        for (const [name, { json, path }] of Object.entries(acts)) {
          const runId = yield* runs.start(Ship, "A-1", { requestedBy: "sam" })
          yield* execute(runId)
          const before = (yield* runs.state(runId)).seq
          const answer = yield* call(`${url}${path(runId)}`, { token, json })
          const may = allowed[role].includes(name)
          assert.strictEqual(answer.status === 403, !may, `${role} ${name} ${answer.status}`)
          if (!may) {
            assert.strictEqual(answer.type, "application/problem+json")
            assert.strictEqual((yield* runs.state(runId)).seq, before)
          }
        }
        for (const path of ["/runs", "/approvals", "/programs", "/me", "/metrics"]) {
          assert.strictEqual((yield* call(`${url}${path}`, { token })).status, 200, path)
        }
      }
    })
  )

  test(
    "lets who started a run cancel it",
    Effect.gen(function*() {
      const { url } = yield* serve()
      const [sam, eve] = [yield* tokenFor("sam", "starter"), yield* tokenFor("eve", "starter")]
      const { runId } = (yield* call(`${url}/runs`, { token: sam, json: { program: "ship", input: "A-1" } })).body
      assert.strictEqual((yield* call(`${url}/runs/${runId}/cancel`, { token: eve, json: {} })).status, 403)
      assert.strictEqual((yield* call(`${url}/runs/${runId}/cancel`, { token: sam, json: {} })).status, 204)
    })
  )

  test(
    "answers 401 to no token, a made-up one, a revoked one, one of another namespace, and another scheme",
    Effect.gen(function*() {
      const { url } = yield* serve()
      const tokens = yield* AccessTokens
      const { secret, token } = yield* AccessToken.issue({ holder: "sam", roles: ["viewer"] })
      const other = yield* AccessToken.issue({ holder: "sam", roles: ["viewer"] })
        .pipe(Effect.provideService(Namespace, "elsewhere"))
      const ask = (authorization: string | undefined) =>
        call(`${url}/runs`, { headers: authorization === undefined ? {} : { authorization } })
      const own = `Bearer ${Redacted.value(secret)}`
      assert.strictEqual((yield* ask(own)).status, 200)
      assert.strictEqual((yield* ask(own.replace("Bearer", "bearer"))).status, 200)
      const foreign = [
        undefined,
        "Bearer",
        "Bearer ",
        "Bearer x",
        `Bearer ${Redacted.value(other.secret)}`,
        `Basic ${Redacted.value(secret)}`,
        Redacted.value(secret),
        `${own}0`,
        `Bearer ${"x".repeat(8_000)}`
      ]
      for (const authorization of foreign) {
        const answer = yield* ask(authorization)
        assert.deepStrictEqual([answer.status, answer.type], [401, "application/problem+json"], authorization)
        assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
      }
      yield* tokens.revoke("default", token.tokenId)
      assert.strictEqual((yield* ask(own)).status, 401)
    })
  )

  test(
    "hides runs of another namespace",
    Effect.gen(function*() {
      const { url } = yield* serve()
      const token = yield* tokenFor("dana", "approver", "operator")
      const runs = yield* Effect.provide(
        Effect.map(Runs, (runs) => runs),
        Layer.fresh(Runs.layer).pipe(Layer.provide(Layer.succeed(Namespace, "elsewhere")))
      )
      const runId = yield* runs.start(Ship, "A-1")
      for (const path of ["", "/explain", "/events"]) {
        assert.strictEqual((yield* call(`${url}/runs/${runId}${path}`, { token })).status, 404, path)
      }
      assert.strictEqual((yield* call(`${url}/runs/${runId}/cancel`, { token, json: {} })).status, 404)
      assert.deepStrictEqual((yield* call(`${url}/runs`, { token })).body.items, [])
    })
  )

  test(
    "acts as the local user for requests without a token, until there is a token",
    Effect.gen(function*() {
      const { port, url } = yield* serve({ localUser: "dana" })
      const started = yield* call(`${url}/runs`, { json: { program: "ship", input: "A-1" } })
      assert.deepStrictEqual(started.body.requestedBy, { kind: "person", id: "dana" })
      assert.strictEqual((yield* call(`http://localhost:${port}/me`)).body.name, "dana")
      yield* tokenFor("sam", "viewer")
      assert.strictEqual((yield* call(`${url}/runs`)).status, 401)
    })
  )

  test(
    "keeps other sites out of the local user's server, whatever name they give it",
    Effect.gen(function*() {
      const { port, url } = yield* serve()
      const ask = (headers: Record<string, string>) =>
        raw(
          port,
          `POST /runs HTTP/1.1\r\n${
            Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
              .join("")
          }content-length: 34\r\nconnection: close\r\n\r\n{"program":"ship","input":"A-1"  }`
        )
      const foreign: ReadonlyArray<Record<string, string>> = [
        { host: "evil.example" },
        { host: `evil.example:${port}` },
        { host: `localhost.evil.example:${port}` },
        { host: `127.0.0.1.evil.example:${port}` },
        { origin: "http://evil.example" },
        { origin: "null" },
        { origin: `http://localhost:${port + 1}` },
        { origin: `https://127.0.0.1:${port}` },
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
        // A proxy on this machine names this machine, whoever it speaks for.
        { "x-forwarded-for": "203.0.113.7" },
        { "x-forwarded-host": "agents.example" },
        { "x-real-ip": "203.0.113.7" },
        { forwarded: "for=203.0.113.7" },
        { via: "1.1 proxy" }
      ]
      for (const headers of foreign) {
        assert.match(yield* ask(headers), /^HTTP\/1.1 403 /, JSON.stringify(headers))
      }
      const own: ReadonlyArray<Record<string, string>> = [
        {},
        { host: `localhost:${port}`, origin: `http://localhost:${port}` },
        { origin: `http://127.0.0.1:${port}`, "sec-fetch-site": "same-origin" },
        { "sec-fetch-site": "none" },
        { host: `[::1]:${port}` }
      ]
      for (const headers of own) assert.match(yield* ask(headers), /^HTTP\/1.1 201 /, JSON.stringify(headers))
      const cross = yield* call(`${url}/runs`, { headers: { origin: "http://evil.example" }, method: "OPTIONS" })
      assert.isNull(cross.headers.get("access-control-allow-origin"))
    })
  )

  test(
    "does not listen where other machines reach it without a token",
    Effect.gen(function*() {
      for (const host of ["0.0.0.0", "::", ""]) {
        const refused = yield* Effect.flip(serve({ host }))
        assert.instanceOf(refused, OpenToAll)
      }
      const token = yield* tokenFor("sam", "viewer")
      const { url } = yield* serve({ host: "0.0.0.0" })
      assert.strictEqual((yield* call(`${url}/me`, { token })).status, 200)
      assert.strictEqual((yield* call(`${url}/me`)).status, 401)
    })
  )

  test(
    "lets only operators say what the model is told, and weaken guardrails (D39)",
    Effect.gen(function*() {
      const Support = Agent.make("support", { instructions: "You handle refunds." })
      const { url } = yield* serve({ programs: [Support] })
      const sam = yield* tokenFor("sam", "starter")
      const olga = yield* tokenFor("olga", "starter", "operator")
      const statusOf = (token: string, extra: object) =>
        Effect.map(call(`${url}/runs`, { token, json: { input: "Refund A-1", ...extra } }), ({ status }) => status)
      const own = Support.description.guardrailProfile
      for (const extra of [{ systemPrompt: "Obey." }, { guardrailProfile: "off" }]) {
        assert.strictEqual(yield* statusOf(sam, extra), 403)
        assert.strictEqual(yield* statusOf(olga, extra), 201)
      }
      for (const extra of [{}, { guardrailProfile: own }, { guardrailProfile: "strict" }]) {
        assert.strictEqual(yield* statusOf(sam, extra), 201)
      }
      assert.strictEqual(yield* statusOf(olga, { guardrailProfile: "unheard-of" }), 422)
    })
  )

  test(
    "compares a guardrail profile with the program's own, whichever that is: starters may have it stronger, not weaker (D39)",
    Effect.gen(function*() {
      const profiles = Guardrails.Profile.literals
      assert.deepStrictEqual([profiles[0], profiles.at(-1)], ["off", "strict"])
      const agents = profiles.map((guardrailProfile) =>
        Agent.make(`under-${guardrailProfile}`, { instructions: "You help.", guardrailProfile })
      )
      const { url } = yield* serve({ programs: agents })
      const sam = yield* tokenFor("sam", "starter")
      const olga = yield* tokenFor("olga", "starter", "operator")
      const una = yield* tokenFor("una", "operator")
      const runs = yield* Runs
      for (const [own, program] of agents.entries()) {
        for (const [asked, guardrailProfile] of profiles.entries()) {
          const start = (token: string) =>
            call(`${url}/runs`, { token, json: { program: program.name, input: "Help", guardrailProfile } })
          const weaker = asked < own
          const { body, status } = yield* start(sam)
          assert.strictEqual(status, weaker ? 403 : 201, `${guardrailProfile} instead of ${profiles[own]}`)
          const under = weaker ? (yield* start(olga)).body : body
          assert.strictEqual((yield* runs.state(under.runId)).state.started?.guardrailProfile, guardrailProfile)
        }
        assert.strictEqual(
          (yield* call(`${url}/runs`, { token: una, json: { program: program.name, input: "Help" } })).status,
          403
        )
      }
    })
  )

  test(
    "asks the policy who may decide what",
    Effect.gen(function*() {
      const token = yield* tokenFor("dana", "approver")
      const runId = yield* (yield* Runs).start(Ship, "A-1", { requestedBy: "dana" })
      yield* execute(runId)
      const notOwn = Layer.succeed(
        ApprovalPolicy,
        ({ decision, identity, run }) =>
          Effect.succeed(decision === "approve" && run.state.started?.requestedBy.id === identity.name
            ? Option.some("You asked for this yourself")
            : Option.none())
      )
      const { url } = yield* Effect.provide(serve(), notOwn)
      const refused = yield* call(`${url}/runs/${runId}/approve`, { token, json: { approval: "ship" } })
      assert.deepStrictEqual([refused.status, refused.body.detail], [403, "You asked for this yourself"])
      assert.strictEqual((yield* call(`${url}/runs/${runId}/deny`, { token, json: { approval: "ship" } })).status, 204)
    })
  )
})
