/**
 * The work of a run as the limit does it: the same payloads as in our logs, one append for each boundary between operations.
 */
import { randomUUID } from "node:crypto"
import { answer, receipt } from "../work.ts"
import type { Append, Row } from "./Log.ts"

const key = "0123456789abcdef".repeat(4)

const started = JSON.stringify({
  schemaVersion: 1,
  namespace: "default",
  program: "work",
  programVersion: "1",
  input: 20,
  inputDigest: `sha256:${key}`,
  tools: [],
  budget: { turns: 25, toolCalls: 100, costUsd: "1.00" },
  labels: {},
  requestedBy: { kind: "system", id: "unknown" },
  priority: 0
})

const completed = JSON.stringify({
  output: 20,
  usage: {
    turns: 0,
    toolCalls: 0,
    inputTokens: 0,
    cachedInputTokens: 0,
    outputTokens: 0,
    costUsd: "0",
    unreportedCalls: 0,
    possible: { tokens: 0, costUsd: "0" }
  }
})

const keyOf = (step: number): string => `${step % 2 === 0 ? "model" : "tool"}-${step}`

/**
 * The payload of a request.
 *
 * @category events
 * @since 0.1.0
 */
export const requested = (step: number): string => JSON.stringify({ key: keyOf(step), attempt: 1, idempotencyKey: key })

const outcome = (step: number): string =>
  JSON.stringify({ key: keyOf(step), attempt: 1, durationMillis: 0.01, output: step % 2 === 0 ? answer : receipt })

/**
 * The first event of a run.
 *
 * @category events
 * @since 0.1.0
 */
export const start = (runId: string): Row => ({ runId, seq: 0, type: "RunStarted", payload: started })

/**
 * A run from its first event to its last.
 *
 * @category runs
 * @since 0.1.0
 */
export const run = async (append: Append, steps: number): Promise<void> => {
  const runId = randomUUID()
  let seq = 1
  const event = (type: string, payload: string): Row => ({ runId, seq: seq++, type, payload })
  await append([start(runId), event("StepRequested", requested(0))])
  for (let step = 0; step < steps; step++) {
    const done = event("StepCompleted", outcome(step))
    const next = step + 1 < steps ? event("StepRequested", requested(step + 1)) : event("RunCompleted", completed)
    await append([done, next])
  }
}

/**
 * `count` times, `atOnce` of them at a time.
 *
 * @category runs
 * @since 0.1.0
 */
export const many = async (count: number, atOnce: number, one: () => Promise<void>): Promise<void> => {
  let left = count
  const worker = async () => {
    while (left-- > 0) await one()
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
