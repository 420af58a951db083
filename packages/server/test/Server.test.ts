import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, execute, memory, serve, tokenFor } from "./serving.ts"

/** A server, somebody who may do everything, and requests in their name. */
const desk = Effect.gen(function*() {
  const { url } = yield* serve()
  const token = yield* tokenFor("dana", "starter", "approver", "operator")
  const get = (path: string) => call(`${url}${path}`, { token })
  const post = (path: string, json?: unknown, headers: Record<string, string> = {}) =>
    call(`${url}${path}`, json === undefined ? { token, headers, method: "POST" } : { token, headers, json })
  const start = (body: object = {}) =>
    Effect.map(post("/runs", { program: "ship", input: "A-1", ...body }), ({ body }) => `${body.runId}`)
  const lines = (runId: string) =>
    Effect.map(
      get(`/runs/${runId}/events?limit=1000`),
      ({ body }): ReadonlyArray<Record<string, unknown>> => body.items
    )
  const types = (runId: string) => Effect.map(lines(runId), (items) => items.map(({ type }) => type))
  return { url, token, get, post, start, lines, types }
})

const test = <E>(title: string, body: Effect.Effect<void, E, Effect.Services<typeof desk>>) =>
  it.live(title, () => Effect.scoped(Effect.provide(body, memory())))

describe("Server", () => {
  test(
    "records a run and executes nothing: 201 with the body that GET gives (checks 81, 82, 86, 88)",
    Effect.gen(function*() {
      const { get, post, types } = yield* desk
      const started = yield* post("/runs", { program: "ship", input: "A-1", labels: { team: "shop" } })
      assert.strictEqual(started.status, 201)
      const { now, runId, ...body } = started.body
      assert.strictEqual(started.headers.get("location"), `/runs/${runId}`)
      assert.deepInclude(body, {
        program: "ship",
        status: "Pending",
        seq: 1,
        input: "A-1",
        labels: { team: "shop" },
        requestedBy: { kind: "person", id: "dana" },
        budget: { turns: 5, toolCalls: 100, costUsd: "1.00" },
        pendingApprovals: []
      })
      const read = yield* get(`/runs/${runId}`)
      assert.strictEqual(read.status, 200)
      assert.deepStrictEqual({ ...read.body, now }, started.body)
      assert.deepStrictEqual(yield* types(runId), ["RunStarted"])
      assert.strictEqual((yield* get(`/runs/${runId.toUpperCase()}`)).body.runId, runId)
      const unknown = yield* get("/runs/00000000-0000-7000-8000-000000000000")
      assert.strictEqual(unknown.status, 404)
      assert.strictEqual(unknown.type, "application/problem+json")
      assert.strictEqual((yield* get("/runs/not-a-uuid")).status, 422)
    })
  )

  test(
    "keeps the trace of whoever asks, whether the server is traced or not",
    Effect.gen(function*() {
      const { lines, post } = yield* desk
      const traceId = "0af7651916cd43dd8448eb211c80319c"
      const ask = (headers: Record<string, string>) =>
        Effect.flatMap(post("/runs", { program: "ship", input: "A-1" }, headers), ({ body }) => lines(body.runId))
      const [asked] = yield* ask({ traceparent: `00-${traceId}-b7ad6b7169203331-01` })
      assert.strictEqual(asked?.["traceparent"], `00-${traceId}-b7ad6b7169203331-01`)
      const [untraced] = yield* ask({})
      assert.notProperty(untraced, "traceparent")
    })
  )

  test(
    "refuses what cannot be a run: 422, and nothing is recorded (checks 84, 87, D38, HC-1)",
    Effect.gen(function*() {
      const { get, post } = yield* desk
      const bodies = [
        {},
        { program: "ship" },
        { program: "unknown", input: "A-1" },
        { program: "ship", input: "" },
        { program: "ship", input: " \n\t" },
        { program: "ship", input: 5 },
        { program: "ship", input: "x".repeat(100_001) },
        { program: "count", input: { to: -1 } },
        { program: "ship", input: "A-1", budget: { turns: 0 } },
        { program: "ship", input: "A-1", budget: { turns: -1 } },
        { program: "ship", input: "A-1", budget: { turns: 1.5 } },
        { program: "ship", input: "A-1", budget: { costUsd: "0.00" } },
        { program: "ship", input: "A-1", budget: { costUsd: "-1" } },
        { program: "ship", input: "A-1", budget: { costUsd: 1 } },
        { program: "ship", input: "A-1", guardrailProfile: "unheard-of" },
        { program: "ship", input: "A-1", labels: { team: 5 } },
        { program: "ship", input: "A-1", labels: { team: "x".repeat(2_001) } },
        { program: "ship", input: "A-1", startAt: "tomorrow" },
        { program: "ship", input: "A-1", startAt: "2030-01-01T09:00" },
        { program: "ship", input: "A-1", startAt: "1 Jan 2030" },
        { program: "ship", input: "A-1", startAt: "2030-02-30T09:00Z" },
        { program: "ship", input: "A-1", priority: 0.5 },
        [],
        null,
        "A-1"
      ]
      for (const body of bodies) {
        const answer = yield* post("/runs", body)
        assert.deepInclude({ status: answer.status, type: answer.type }, {
          status: 422,
          type: "application/problem+json"
        }, JSON.stringify(body)?.slice(0, 100))
        assert.isBelow(answer.body.detail.length, 1_000)
      }
      assert.deepStrictEqual((yield* get("/runs")).body.items, [])
    })
  )

  test(
    "leaves out what is not known of a run, and says null of nothing",
    Effect.gen(function*() {
      const { get, start } = yield* desk
      const runId = yield* start()
      yield* execute(runId)
      const { body } = yield* get(`/runs/${runId}`)
      const [approval] = body.pendingApprovals
      for (const name of ["output", "failure", "startKey", "model", "forkedFrom"]) assert.notProperty(body, name)
      for (const name of ["tool", "expiresAt", "argumentsSchema"]) assert.notProperty(approval, name)
      assert.deepStrictEqual(Object.values({ ...body, ...approval }).filter((value) => value === null), [])
    })
  )

  test(
    "lists approvals oldest first, within limits, each with its reference, who asked and since when (check 83, D37, AP-3)",
    Effect.gen(function*() {
      const { get, post, start } = yield* desk
      const runIds = [yield* start(), yield* start(), yield* start()]
      yield* Effect.forEach(runIds, execute)
      yield* start()
      const { body } = yield* get("/approvals")
      assert.deepStrictEqual(body.items.map(({ runId }: { runId: string }) => runId), runIds)
      assert.deepInclude(body.items[0], { program: "ship", requestedBy: { kind: "person", id: "dana" } })
      assert.deepInclude(body.items[0].approval, {
        key: "ship",
        subject: "Ship parcel A-1?",
        arguments: { parcel: "parcel A-1" }
      })
      const first = yield* get("/approvals?limit=2")
      assert.lengthOf(first.body.items, 2)
      const rest = yield* get(`/approvals?limit=2&cursor=${encodeURIComponent(first.body.next)}`)
      assert.deepStrictEqual(rest.body.items.map(({ runId }: { runId: string }) => runId), runIds.slice(2))
      assert.notProperty(rest.body, "next")
      for (const limit of ["0", "1001", "-1", "1.5", "x", ""]) {
        assert.strictEqual((yield* get(`/approvals?limit=${limit}`)).status, 422, limit)
      }
      assert.strictEqual((yield* get("/approvals?cursor=x")).status, 422)
      yield* post(`/runs/${runIds[0]}/deny`, { approval: "ship" })
      assert.lengthOf((yield* get("/approvals")).body.items, 2)
    })
  )

  test(
    "takes one decision, in the caller's name, and tells the next who decided (checks 84, AP-1, AP-4, D31, D32, HC-3)",
    Effect.gen(function*() {
      const { get, lines, post, start } = yield* desk
      const runId = yield* start()
      const approve = (json: unknown) => post(`/runs/${runId}/approve`, json)
      const early = yield* approve({ approval: "ship" })
      assert.deepInclude({ status: early.status, ...early.body }, { status: 409, runStatus: "Pending" })
      yield* execute(runId)
      for (const body of [undefined, {}, { approver: "eve" }, { approval: "" }, { approval: 1 }]) {
        assert.strictEqual((yield* approve(body)).status, 422, JSON.stringify(body))
      }
      assert.strictEqual((yield* approve({ approval: "another" })).status, 409)
      const granted = yield* approve({ approval: "ship", approver: "eve", actor: "eve", comment: "fine" })
      assert.deepStrictEqual([granted.status, granted.body], [204, ""])
      assert.deepInclude((yield* lines(runId)).at(-1), {
        type: "ApprovalGranted",
        key: "ship",
        actor: { kind: "person", id: "dana" },
        comment: "fine"
      })
      const decided = (yield* get(`/runs/${runId}`)).body
      assert.deepInclude(decided, { status: "Running", pendingApprovals: [] })
      for (const path of ["approve", "deny"]) {
        const again = yield* post(`/runs/${runId}/${path}`, { approval: "ship" })
        assert.strictEqual(again.status, 409)
        assert.deepStrictEqual(again.body.decision, { decision: "granted", actor: { kind: "person", id: "dana" } })
      }
      assert.strictEqual((yield* get(`/runs/${runId}`)).body.seq, decided.seq)
      assert.strictEqual(
        (yield* post("/runs/00000000-0000-7000-8000-000000000000/approve", { approval: "ship" })).status,
        404
      )
    })
  )

  test(
    "records one of many decisions that arrive at once, and the losers are told which (check 51, AP-1, AP-2)",
    Effect.gen(function*() {
      const { lines, post, start } = yield* desk
      const runId = yield* start()
      yield* execute(runId)
      const answers = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => index % 2 === 0 ? "approve" : "deny"),
        (path) => Effect.map(post(`/runs/${runId}/${path}`, { approval: "ship" }), (answer) => ({ path, ...answer })),
        { concurrency: "unbounded" }
      )
      const winner = answers.find(({ status }) => status === 204)
      const stands = winner?.path === "approve" ? "granted" : "denied"
      const losers = answers.filter((answer) => answer !== winner)
      for (const { body, status } of losers) {
        assert.deepStrictEqual([status, body.decision.decision], [409, stands])
      }
      const decisions = (yield* lines(runId)).filter(({ type }) => `${type}`.match(/Granted|Denied/))
      assert.lengthOf(decisions, 1)
    })
  )

  test(
    "denies with a reason, which ends in the log, and the run goes on without the call (checks 48, 85)",
    Effect.gen(function*() {
      const { get, lines, post, start } = yield* desk
      const runId = yield* start()
      yield* execute(runId)
      assert.strictEqual((yield* post(`/runs/${runId}/deny`, { approval: "ship", reason: "no" })).status, 204)
      assert.deepInclude((yield* lines(runId)).at(-1), { type: "ApprovalDenied", reason: "no" })
      yield* execute(runId)
      const { body } = yield* get(`/runs/${runId}`)
      assert.deepInclude(body, { status: "Completed", output: "kept: no" })
      const late = yield* post(`/runs/${runId}/deny`, { approval: "ship" })
      assert.deepStrictEqual([late.status, late.body.runStatus], [409, "Completed"])
      assert.strictEqual((yield* get(`/runs/${runId}`)).body.seq, body.seq)
    })
  )

  test(
    "sends a signal once for each Idempotency-Key",
    Effect.gen(function*() {
      const { get, post, start, types } = yield* desk
      const runId = yield* start()
      const send = (key: string) =>
        post(`/runs/${runId}/signals/pickup`, { payload: { by: "van" } }, { "idempotency-key": key })
      for (const key of ["a", "a", "b"]) assert.strictEqual((yield* send(key)).status, 204)
      assert.deepStrictEqual(yield* types(runId), ["RunStarted", "SignalReceived", "SignalReceived"])
      yield* execute(runId)
      yield* post(`/runs/${runId}/approve`, { approval: "ship" })
      yield* execute(runId)
      assert.strictEqual((yield* get(`/runs/${runId}`)).body.output, "shipped by {\"by\":\"van\"}")
      assert.deepInclude(yield* send("c"), { status: 409 })
      assert.strictEqual((yield* post(`/runs/${yield* start()}/signals/${"x".repeat(256)}`)).status, 204)
      assert.strictEqual((yield* post(`/runs/${yield* start()}/signals/${"x".repeat(257)}`)).status, 422)
    })
  )

  test(
    "pauses, resumes, changes the budget, cancels, and records who did it and why (D35)",
    Effect.gen(function*() {
      const { get, lines, post, start } = yield* desk
      const runId = yield* start()
      const statusAfter = Effect.fnUntraced(function*(path: string, json?: unknown) {
        const { status } = yield* post(`/runs/${runId}/${path}`, json)
        return [status, (yield* get(`/runs/${runId}`)).body.status]
      })
      assert.deepStrictEqual(yield* statusAfter("pause", { reason: "lunch" }), [204, "Paused"])
      assert.deepStrictEqual(yield* statusAfter("pause"), [204, "Paused"])
      assert.deepStrictEqual(yield* statusAfter("resume"), [204, "Pending"])
      assert.deepStrictEqual(yield* statusAfter("budget", { budget: { turns: 9 } }), [204, "Pending"])
      assert.deepStrictEqual(yield* statusAfter("release"), [409, "Pending"])
      assert.deepStrictEqual(
        yield* statusAfter("resolve", { key: "pack", outcome: "didNotHappen", error: "lost" }),
        [409, "Pending"]
      )
      assert.deepStrictEqual(yield* statusAfter("cancel", { reason: "no longer wanted" }), [204, "Cancelled"])
      assert.deepStrictEqual(yield* statusAfter("cancel"), [409, "Cancelled"])
      assert.deepStrictEqual((yield* get(`/runs/${runId}`)).body.budget.turns, 9)
      const actor = { kind: "person", id: "dana" }
      const acts = (yield* lines(runId)).slice(1)
      assert.deepStrictEqual(acts.map(({ type }) => type), [
        "RunPaused",
        "RunResumed",
        "BudgetChanged",
        "RunCancelRequested",
        "RunCancelled"
      ])
      for (const act of acts) assert.deepStrictEqual(act.actor, actor)
      assert.deepInclude(acts[0], { reason: "lunch" })
    })
  )

  test(
    "forks a run, which goes on by itself from there, once for each Idempotency-Key (D35)",
    Effect.gen(function*() {
      const { get, post, start, types } = yield* desk
      const runId = yield* start()
      yield* execute(runId)
      yield* post(`/runs/${runId}/deny`, { approval: "ship", reason: "no" })
      yield* execute(runId)
      const { seq } = (yield* get(`/runs/${runId}`)).body
      const at = (yield* types(runId)).indexOf("ApprovalDenied")
      const fork = (at: number | string, json?: unknown) =>
        post(`/runs/${runId}/fork?at=${at}`, json, { "idempotency-key": "again" })
      const forked = yield* fork(at, { reason: "ask again", labels: { round: "2" } })
      assert.strictEqual(forked.status, 201)
      assert.deepInclude(forked.body, {
        status: "AwaitingApproval",
        labels: { round: "2" },
        forkedFrom: { runId, seq: at, reason: "ask again" }
      })
      assert.strictEqual(forked.headers.get("location"), `/runs/${forked.body.runId}`)
      const again = yield* fork(at, { labels: { round: "2" }, reason: "ask again" })
      assert.deepStrictEqual([again.status, again.body.runId], [201, forked.body.runId])
      yield* post(`/runs/${forked.body.runId}/deny`, { approval: "ship", reason: "still no" })
      yield* execute(forked.body.runId)
      assert.strictEqual((yield* get(`/runs/${forked.body.runId}`)).body.output, "kept: still no")
      assert.strictEqual((yield* get(`/runs/${runId}`)).body.seq, seq)
      for (const [at, status] of [[0, 409], [seq, 409], [999, 409], [-1, 422], ["x", 422], ["", 422]] as const) {
        assert.strictEqual((yield* post(`/runs/${runId}/fork?at=${at}`)).status, status, `${at}`)
      }
      assert.strictEqual((yield* post(`/runs/${runId}/fork`)).status, 422)
    })
  )

  test(
    "lists runs by status, program, label, requester and time, page by page (D37)",
    Effect.gen(function*() {
      const { get, start, token, url } = yield* desk
      const listed = (query: string) =>
        Effect.map(get(`/runs?${query}`), ({ body }) => body.items.map(({ runId }: { runId: string }) => runId))
      const a = yield* start({ labels: { team: "shop", "a=b": "" } })
      const b = yield* start({ program: "count", input: { to: 3 }, labels: { team: "shop" } })
      const sam = yield* tokenFor("sam", "starter")
      const c = (yield* call(`${url}/runs`, { token: sam, json: { program: "ship", input: "x" } })).body.runId
      const { startedAt } = (yield* get(`/runs/${b}`)).body
      assert.deepStrictEqual(yield* listed(""), [c, b, a])
      assert.deepStrictEqual(yield* listed("program=ship"), [c, a])
      assert.deepStrictEqual(yield* listed("label=team%3Dshop"), [b, a])
      assert.deepStrictEqual(yield* listed("label=team%3Dshop&label=x%3Dy"), [])
      assert.deepStrictEqual(yield* listed("requestedBy=sam"), [c])
      assert.deepStrictEqual(yield* listed("status=Completed"), [])
      assert.deepStrictEqual(yield* listed("status=Pending&requestedBy=dana"), [b, a])
      assert.includeMembers(yield* listed(`startedFrom=${startedAt}`), [b])
      assert.notInclude(yield* listed(`startedBefore=${startedAt}`), b)
      const seen: Array<string> = []
      let next: string | undefined
      do {
        const page: Effect.Success<ReturnType<typeof get>> =
          yield* get(`/runs?limit=1${next === undefined ? "" : `&cursor=${encodeURIComponent(next)}`}`)
        seen.push(...page.body.items.map(({ runId }: { runId: string }) => runId))
        next = page.body.next
      } while (next !== undefined)
      assert.deepStrictEqual(seen, [c, b, a])
      for (const query of ["status=Odd", "label=x", "limit=0", "startedFrom=x", "cursor=%5B1e400%5D", "program=%00"]) {
        const answer = yield* call(`${url}/runs?${query}`, { token })
        assert.strictEqual(answer.status, 422, query)
      }
    })
  )

  test(
    "says why a run does not move, which programs there are, and who asks",
    Effect.gen(function*() {
      const { get, start } = yield* desk
      const runId = yield* start()
      yield* execute(runId)
      const { body } = yield* get(`/runs/${runId}/explain`)
      assert.deepInclude(body, { runId, program: "ship", status: "AwaitingApproval", mover: "approver" })
      assert.match(body.waitsFor[0].text, /Ship parcel A-1\?/)
      const programs = (yield* get("/programs")).body
      assert.deepStrictEqual(programs.map(({ name }: { name: string }) => name), ["ship", "count"])
      assert.deepInclude(programs[0], { budget: { turns: 5 }, input: { type: "string" } })
      assert.deepStrictEqual((yield* get("/me")).body, { name: "dana", roles: ["starter", "approver", "operator"] })
    })
  )

  test(
    "shows its definition, a page that loads nothing from elsewhere, its health and its measurements",
    Effect.gen(function*() {
      const { get, url } = yield* desk
      assert.deepStrictEqual((yield* call(`${url}/health`)).body, { status: "ok" })
      assert.deepStrictEqual((yield* call(`${url}/ready`)).body, { status: "ok" })
      const document = yield* call(`${url}/openapi.json`)
      assert.include(Object.keys(document.body.paths), "/runs/{runId}/approve")
      const page = yield* call(`${url}/docs`)
      assert.strictEqual(page.status, 200)
      assert.notMatch(page.body, /<(script|link|img|iframe)[^>]+(src|href)=/i)
      assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'; connect-src 'self'/)
      const metrics = yield* get("/metrics")
      assert.match(metrics.type ?? "", /^text\/plain/)
      assert.match(metrics.body, /^durable_agents_http_requests_total\{endpoint="health.health",status="200"\} \d+$/m)
      assert.match(metrics.body, /^durable_agents_approvals_waiting 0$/m)
      assert.strictEqual((yield* call(`${url}/metrics`)).status, 401)
    })
  )

  test(
    "answers in words where there is nothing, and where the method is another one",
    Effect.gen(function*() {
      const { get, post, token, url } = yield* desk
      for (const path of ["/", "/nothing", "/runs/", "/runs/x/y", "/runs/%E0%A4%A"]) {
        const answer = yield* get(path)
        assert.include([404, 422, 200], answer.status, path)
        if (answer.status !== 200) assert.strictEqual(answer.type, "application/problem+json", path)
      }
      const answer = yield* post("/approvals", {})
      assert.deepStrictEqual([answer.status, answer.headers.get("allow")], [405, "GET, HEAD"])
      assert.strictEqual((yield* get("/metrics?x=1")).status, 200)
      assert.strictEqual((yield* call(`${url}/runs`, { token, method: "DELETE" })).status, 405)
      assert.strictEqual((yield* call(`${url}/runs`, { token, method: "HEAD" })).status, 200)
      assert.strictEqual((yield* call(`${url}/runs`, { token, method: "HEAD" })).body, "")
      const measured = (yield* get("/metrics")).body
      assert.match(measured, /^durable_agents_http_requests_total\{endpoint="runs\.list",status="200"\} [1-9]/m)
    })
  )

  test(
    "has one address for each thing: neither other letters nor more slashes lead to it",
    Effect.gen(function*() {
      const { get, post, start } = yield* desk
      const runId = yield* start()
      for (const path of ["/RUNS", "//runs", `/runs//${runId}`, "/Metrics", "//metrics"]) {
        assert.strictEqual((yield* get(path)).status, 404, path)
      }
      assert.strictEqual((yield* get(`/runs/${runId.toUpperCase()}`)).body.runId, runId)
      const { headers } = yield* post("/runs/", { program: "ship", input: "A-2" })
      assert.match(headers.get("location") ?? "", /^\/runs\/[0-9a-f-]{36}$/)
    })
  )

  test(
    "says in words what does not fit a path or a query",
    Effect.gen(function*() {
      const { get, start } = yield* desk
      const runId = yield* start()
      const details = yield* Effect.forEach([
        "/runs/x",
        "/runs?limit=x",
        "/runs?label=x",
        "/runs?program=%00",
        `/runs/${runId}/events?from=-1`
      ], (path) => Effect.map(get(path), ({ body, status }) => `${status} ${body.detail}`))
      assert.deepStrictEqual(details, [
        "422 params.runId: Expected the id of a run, which is a UUID",
        "422 query.limit: Expected a whole number",
        "422 query.label.0: Expected a name, =, and a value",
        "422 query.program: Expected text that every store can hold",
        "422 query.from: Expected a whole number"
      ])
    })
  )
})
