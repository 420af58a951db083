/**
 * What `RunIndex` promises.
 */
import type { RunId, RunSummary, WaitSummary } from "@durable-agents/core"
import { assert } from "@effect/vitest"
import { Array, Effect, Option } from "effect"
import { cleanOddText, oddJson, oddText, sampleEvents } from "./sampleEvents.ts"
import { end, scene, step } from "./Scene.ts"
import type { Register } from "./StoreUnderTest.ts"

const upTo = (count: number) => Array.makeBy(count, (i) => i)
const ids = (items: ReadonlyArray<{ readonly runId: RunId }>) => items.map(({ runId }) => runId)

const oddName = "odd \"quoted\" 'name' \\ $.x[0] \u2028"

const approval = (key: string, since: number): WaitSummary => ({
  kind: "approval",
  key,
  since,
  subject: `May I do ${key}?`,
  reason: "above the limit",
  tool: "issue_refund",
  arguments: oddJson
})

const timer = (key: string, since: number): WaitSummary => ({ kind: "timer", key, since, subject: "a timer" })

/**
 * Registers the contract of the index.
 *
 * @category contracts
 * @since 0.1.0
 */
export const indexContract = ({ test }: Register): void => {
  test(
    "shows nothing of an unknown run, and of a known one the summary that came with its last append or release",
    Effect.gen(function*() {
      const { append, claimOne, index, nextId, queue, start, summary } = yield* scene
      assert.isTrue(Option.isNone(yield* index.get(yield* nextId)))
      const runId = yield* start({ labels: { team: "billing" } })
      const started = Option.getOrUndefined(yield* index.get(runId))
      assert.deepInclude(started, { runId, program: "mail", status: "Pending", labels: { team: "billing" }, seq: 1 })
      const { epoch } = yield* claimOne("w1")
      const waiting = summary(runId, { seq: 2, status: "Sleeping", waits: [timer("grace", 5)], wakeAt: 7 })
      yield* append(runId, { epoch, events: [step()], next: { summary: waiting } })
      assert.deepStrictEqual(Option.getOrUndefined(yield* index.get(runId)), waiting)
      const parked = summary(runId, { seq: 2, status: "AwaitingApproval", waits: [approval("ship", 5)] })
      yield* queue.release({ owner: "w1", runId, epoch, seq: 2, wakeAt: null, summary: parked })
      assert.deepStrictEqual(Option.getOrUndefined(yield* index.get(runId)), parked)
    })
  )

  test(
    "shows a run that a worker has taken and that has recorded nothing yet as running",
    Effect.gen(function*() {
      const { claimOne, index, listed, queue, start } = yield* scene
      const runId = yield* start()
      assert.deepStrictEqual(ids(yield* listed({ status: "Pending" })), [runId])
      const { epoch } = yield* claimOne("w1")
      assert.strictEqual(Option.getOrUndefined(yield* index.get(runId))?.status, "Running")
      assert.deepStrictEqual(ids(yield* listed({ status: "Running" })), [runId])
      assert.deepStrictEqual(ids(yield* listed({ status: "Pending" })), [])
      yield* queue.release({ owner: "w1", runId, epoch, seq: 1, wakeAt: null })
      assert.deepStrictEqual(ids(yield* listed({ status: "Pending" })), [runId])
      assert.deepStrictEqual(ids(yield* listed({ status: "Running" })), [])
    })
  )

  test(
    "lists runs newest first, whatever happens to them later",
    Effect.gen(function*() {
      const { append, control, listed, start, summary } = yield* scene
      const runIds: Array<RunId> = []
      for (const _ of upTo(5)) {
        runIds.unshift(yield* start())
        yield* control.advance(1_000)
      }
      for (const runId of [...runIds].reverse()) {
        yield* append(runId, {
          events: [end],
          next: { summary: summary(runId, { status: "Completed", updatedAt: 9 }) }
        })
      }
      assert.deepStrictEqual(ids(yield* listed()), runIds)
    })
  )

  test(
    "lists a run by its start, also if it gets its first summary later than others",
    Effect.gen(function*() {
      const { append, control, listed, namespace, nextId, start, store, summary } = yield* scene
      const early = yield* nextId
      yield* store.append(early, { expected: 0, events: [{ ...sampleEvents.RunStarted, namespace }] })
      yield* control.advance(5_000)
      const late = yield* start()
      assert.deepStrictEqual(ids(yield* listed()), [late])
      yield* append(early, { events: [step()], next: { summary: summary(early) } })
      assert.deepStrictEqual(ids(yield* listed()), [late, early])
    })
  )

  test(
    "filters by namespace, program, status and labels, alone and together",
    Effect.gen(function*() {
      const { control, index, listed, namespace, start } = yield* scene
      const runIds: Array<RunId> = []
      const begin = Effect
        .fnUntraced(function*(program: string, status: RunSummary["status"], labels: Record<string, string>) {
          const runId = yield* start({ program, labels, summary: { status } })
          runIds.push(runId)
          yield* control.advance(1_000)
          return runId
        })
      const a = yield* begin("mail", "Completed", { team: "billing", [oddName]: "1" })
      const b = yield* begin("mail", "Sleeping", { team: "billing" })
      const c = yield* begin("report", "Sleeping", { team: "ops" })
      const d = yield* begin("report", "Completed", { team: "billing", urgent: "" })
      const elsewhere = yield* start({ namespace: `${namespace}-2` })
      assert.deepStrictEqual(ids(yield* listed()), [d, c, b, a])
      assert.deepStrictEqual(ids(yield* listed({ namespace: `${namespace}-2` })), [elsewhere])
      assert.deepStrictEqual(ids(yield* listed({ program: "mail" })), [b, a])
      assert.deepStrictEqual(ids(yield* listed({ program: "unknown" })), [])
      assert.deepStrictEqual(ids(yield* listed({ status: "Sleeping" })), [c, b])
      assert.deepStrictEqual(ids(yield* listed({ labels: { team: "billing" } })), [d, b, a])
      assert.deepStrictEqual(ids(yield* listed({ labels: { team: "billing", urgent: "" } })), [d])
      assert.deepStrictEqual(ids(yield* listed({ labels: { [oddName]: "1" } })), [a])
      assert.deepStrictEqual(ids(yield* listed({ labels: { team: "bill" } })), [])
      assert.deepStrictEqual(ids(yield* listed({ program: "report", status: "Completed" })), [d])
      assert.deepStrictEqual(
        ids(yield* listed({ program: "mail", status: "Sleeping", labels: { team: "billing" } })),
        [b]
      )
      assert.includeMembers(ids((yield* index.list({ limit: 1000 })).items), [a, b, c, d, elsewhere])
    })
  )

  test(
    "filters by who requested a run and by when it was started, also page by page (D37)",
    Effect.gen(function*() {
      const { control, listed, start, store } = yield* scene
      const begin = Effect.fnUntraced(function*(id: string, program = "mail") {
        yield* control.advance(1_000)
        const runId = yield* start({ program, labels: { team: "a" }, summary: { requestedBy: { kind: "person", id } } })
        yield* control.advance(1_000)
        return { runId, after: yield* store.now }
      })
      const first = yield* begin("sam")
      const second = yield* begin(oddName, "report")
      const third = yield* begin("sam", "report")
      assert.deepStrictEqual(ids(yield* listed({ requestedBy: "sam" })), [third.runId, first.runId])
      assert.deepStrictEqual(ids(yield* listed({ requestedBy: oddName })), [second.runId])
      assert.deepStrictEqual(ids(yield* listed({ requestedBy: "sa" })), [])
      assert.deepStrictEqual(ids(yield* listed({ startedFrom: first.after })), [third.runId, second.runId])
      assert.deepStrictEqual(ids(yield* listed({ startedBefore: second.after })), [second.runId, first.runId])
      assert.deepStrictEqual(
        ids(yield* listed({ startedFrom: first.after, startedBefore: second.after, labels: { team: "a" } })),
        [second.runId]
      )
      assert.deepStrictEqual(
        ids(yield* listed({ requestedBy: "sam", program: "report", startedBefore: third.after, limit: 1 })),
        [third.runId]
      )
      assert.deepStrictEqual(ids(yield* listed({ startedFrom: third.after })), [])
      assert.deepStrictEqual(ids(yield* listed({ startedBefore: 0 })), [])
    })
  )

  test(
    "filters by who started a run and by when, alone, together and with other conditions, page by page",
    Effect.gen(function*() {
      const { control, listed, start } = yield* scene
      const people = ["dana@example.com", "o'hara \"o\" 東京", "dana@example.com", "dana@example"]
      const runIds: Array<RunId> = []
      const times: Array<number> = []
      for (const [i, id] of people.entries()) {
        const requestedBy = { kind: i === 2 ? "program" : "person", id } as const
        runIds
          .push(yield* start({
            labels: { n: `${i % 2}` },
            summary: { status: i < 2 ? "Sleeping" : "Completed", requestedBy }
          }))
        yield* control.advance(1_000)
      }
      const [a, b, c, d] = runIds
      for (const run of (yield* listed()).toReversed()) times.push(run.startedAt)
      const [first = 0, second = 0, third = 0] = times
      assert.deepStrictEqual(ids(yield* listed({ requestedBy: "dana@example.com" })), [c, a])
      assert.deepStrictEqual(ids(yield* listed({ requestedBy: "dana@example.com", limit: 1 })), [c, a])
      assert.deepStrictEqual(ids(yield* listed({ requestedBy: people[1] ?? "" })), [b])
      assert.deepStrictEqual(ids(yield* listed({ requestedBy: "dana" })), [])
      assert.deepStrictEqual(ids(yield* listed({ requestedBy: "nul \u0000 %" })), [])
      assert.deepStrictEqual(ids(yield* listed({ startedFrom: second })), [d, c, b])
      assert.deepStrictEqual(ids(yield* listed({ startedBefore: second })), [a])
      assert.deepStrictEqual(ids(yield* listed({ startedFrom: second, startedBefore: third + 1, limit: 1 })), [c, b])
      assert.deepStrictEqual(ids(yield* listed({ startedFrom: first, startedBefore: first })), [])
      assert.deepStrictEqual(ids(yield* listed({ startedFrom: -Infinity, startedBefore: Infinity })), [d, c, b, a])
      assert.deepStrictEqual(
        ids(yield* listed({ requestedBy: "dana@example.com", startedFrom: second, status: "Completed" })),
        [c]
      )
      assert.deepStrictEqual(
        ids(yield* listed({
          requestedBy: "dana@example.com",
          labels: { n: "0" },
          program: "mail",
          status: "Sleeping"
        })),
        [a]
      )
    })
  )

  test(
    "pages through a list without a gap or a duplicate, also among runs of one moment and while others come and go",
    Effect.gen(function*() {
      const { append, index, listed, namespace, start, summary } = yield* scene
      const runIds = yield* Effect.forEach(upTo(50), () => start({ summary: { status: "Sleeping" } }), {
        concurrency: "unbounded"
      })
      const whole = ids(yield* listed({ limit: 1000 }))
      assert.sameMembers(whole, runIds)
      const seen: Array<RunId> = []
      let cursor: string | undefined
      do {
        const page = yield* index.list({
          namespace,
          status: "Sleeping",
          limit: 7,
          ...(cursor === undefined ? {} : { cursor })
        })
        assert.isAtMost(page.items.length, 7)
        seen.push(...ids(page.items))
        cursor = page.next
        // The last one of the page, from which the next page goes on, no longer belongs to the list.
        const last = page.items.at(-1)
        if (last !== undefined) {
          const done = summary(last.runId, { status: "Completed" })
          yield* append(last.runId, { events: [end], next: { summary: done } })
        }
      } while (cursor !== undefined)
      assert.deepStrictEqual(seen, whole)
    })
  )

  test(
    "pages through a list that is filtered by labels and through runs that workers have taken",
    Effect.gen(function*() {
      const { claim, listed, start } = yield* scene
      const runIds = yield* Effect.forEach(
        upTo(30),
        (i) =>
          start({
            labels: { parity: i % 2 === 0 ? "even" : "odd" },
            summary: { status: i < 15 ? "Running" : "Pending" }
          }),
        { concurrency: "unbounded" }
      )
      yield* claim("w1")
      const even = runIds.filter((_, i) => i % 2 === 0)
      assert.sameMembers(ids(yield* listed({ labels: { parity: "even" }, limit: 4 })), even)
      assert.sameMembers(ids(yield* listed({ status: "Running", limit: 4 })), runIds)
      assert.sameMembers(ids(yield* listed({ status: "Running", labels: { parity: "even" }, limit: 4 })), even)
      assert.deepStrictEqual(ids(yield* listed({ status: "Running", limit: 4 })), ids(yield* listed({ limit: 1000 })))
    })
  )

  test(
    "takes limits from 1 to 1,000, and says on the last page that it is the last",
    Effect.gen(function*() {
      const { index, namespace, start } = yield* scene
      yield* Effect.forEach(upTo(3), () => start())
      const page = (limit: number) => index.list({ namespace, limit })
      assert.lengthOf((yield* page(0)).items, 1)
      assert.lengthOf((yield* page(2)).items, 2)
      assert.property(yield* page(2), "next")
      assert.notProperty(yield* page(3), "next")
      assert.notProperty(yield* page(1_000_000), "next")
      assert.notProperty(yield* index.list({ namespace: `${namespace}-none` }), "next")
    })
  )

  test(
    "refuses a cursor that it has not made",
    Effect.gen(function*() {
      const { index, namespace } = yield* scene
      const refused = yield* Effect.flip(index.list({ namespace, cursor: "yesterday" }))
      assert.strictEqual(refused._tag, "StoreError")
      const alike = yield* Effect.flip(index.pendingApprovals({ namespace, cursor: "yesterday" }))
      assert.strictEqual(alike._tag, "StoreError")
    })
  )

  test(
    "lists the approvals that wait, oldest first over all runs, with who asks and for what",
    Effect.gen(function*() {
      const { index, namespace, start } = yield* scene
      const a = yield* start({ summary: { waits: [approval("first", 10), timer("t", 1), approval("last", 40)] } })
      const b = yield* start({ program: "report", summary: { program: "report", waits: [approval("middle", 20)] } })
      yield* start({ summary: { waits: [timer("other", 5)] } })
      const elsewhere = yield* start({
        namespace: `${namespace}-2`,
        summary: { waits: [approval("elsewhere", 15)] }
      })
      const requestedBy = { kind: "person", id: "dana@example.com" } as const
      assert.deepStrictEqual((yield* index.pendingApprovals({ namespace })).items, [
        { runId: a, program: "mail", requestedBy, approval: approval("first", 10) },
        { runId: b, program: "report", requestedBy, approval: approval("middle", 20) },
        { runId: a, program: "mail", requestedBy, approval: approval("last", 40) }
      ])
      assert.includeMembers(ids((yield* index.pendingApprovals({ limit: 1000 })).items), [a, b, elsewhere])
    })
  )

  test(
    "lists an approval no longer once it is decided",
    Effect.gen(function*() {
      const { append, index, namespace, start, summary } = yield* scene
      const waits = [approval("ship", 1), approval("bill", 2)]
      const runId = yield* start({ summary: { status: "AwaitingApproval", waits } })
      const keys = Effect.map(
        index.pendingApprovals({ namespace }),
        ({ items }) => items.map((item) => item.approval.key)
      )
      assert.deepStrictEqual(yield* keys, ["ship", "bill"])
      const decided = summary(runId, { seq: 2, status: "AwaitingApproval", waits: [approval("bill", 2)] })
      yield* append(runId, { events: [step()], next: { summary: decided } })
      assert.deepStrictEqual(yield* keys, ["bill"])
      yield* append(runId, { events: [end], next: { summary: summary(runId, { status: "Completed" }) } })
      assert.deepStrictEqual(yield* keys, [])
    })
  )

  test(
    "pages through waiting approvals without a gap or a duplicate, also of one run and of one moment, while some are decided",
    Effect.gen(function*() {
      const { append, index, namespace, start, summary } = yield* scene
      yield* Effect.forEach(upTo(20), (i) =>
        start({
          summary: { waits: [approval("turn-1/call-1", 7), approval("turn-1/call-2", 7 + (i % 3)), approval("x/y", 9)] }
        }), { concurrency: "unbounded" })
      const name = ({ approval, runId }: { readonly approval: WaitSummary; readonly runId: RunId }) =>
        `${approval.since} ${runId} ${approval.key}`
      const whole = (yield* index.pendingApprovals({ namespace, limit: 1000 })).items
      assert.lengthOf(whole, 60)
      const undisturbed: Array<string> = []
      let next: string | undefined
      do {
        const page = yield* index.pendingApprovals({
          namespace,
          limit: 9,
          ...(next === undefined ? {} : { cursor: next })
        })
        undisturbed.push(...page.items.map(name))
        next = page.next
      } while (next !== undefined)
      assert.deepStrictEqual(undisturbed, whole.map(name))
      const seen: Array<string> = []
      let cursor: string | undefined
      do {
        const page = yield* index.pendingApprovals({
          namespace,
          limit: 7,
          ...(cursor === undefined ? {} : { cursor })
        })
        seen.push(...page.items.map(name))
        cursor = page.next
        const last = page.items.at(-1)
        if (last !== undefined) {
          const rest = whole.filter(({ approval, runId }) => runId === last.runId && approval.key !== last.approval.key)
          const waits = rest.map((item) => item.approval)
          yield* append(last.runId, { events: [step()], next: { summary: summary(last.runId, { waits }) } })
        }
      } while (cursor !== undefined)
      assert.deepStrictEqual(seen, [...new Set(seen)])
      assert.includeMembers(seen, whole.map(name))
    })
  )

  test(
    "keeps summaries with any text and any JSON as a log would, and finds them by either (EV-1, EV-10)",
    Effect.gen(function*() {
      const { index, listed, start, summary } = yield* scene
      const waits = (text: string): ReadonlyArray<WaitSummary> => [
        { ...approval("ship", 1), subject: text, reason: text, arguments: { [text]: oddJson } }
      ]
      const fields = (text: string) => ({ reason: text, waits: waits(text), labels: { team: text, [text]: "odd" } })
      const runId = yield* start({ summary: fields(oddText) })
      const kept = Option.getOrUndefined(yield* index.get(runId))
      const expected = summary(runId, { ...fields(cleanOddText), startedAt: kept?.startedAt ?? -1 })
      assert.deepStrictEqual(kept, expected)
      for (const text of [oddText, cleanOddText]) {
        assert.deepStrictEqual(ids(yield* listed({ labels: { team: text, [text]: "odd" } })), [runId])
      }
    })
  )
}
