/**
 * Personal data and secrets: recall by type, spans that are nobody's, and texts without any that get one.
 */
import { PersonalData } from "@durable-agents/guardrails"
import { Effect, Schema } from "effect"
import type { EvaluationSet } from "./EvaluationSet.ts"
import { kilobytes, share, timed } from "./measuring.ts"

const Span = Schema.Struct({
  start: Schema.Int,
  end: Schema.Int,
  type: Schema.String,
  sub: Schema.optionalKey(Schema.NullOr(Schema.String))
})

const Line = Schema.Struct({
  id: Schema.String,
  source: Schema.optionalKey(Schema.String),
  category: Schema.optionalKey(Schema.String),
  text: Schema.String,
  spans: Schema.Array(Span)
})

const decode = Schema.decodeUnknownEffect(Schema.Array(Line))

type Counts = { spans: number; found: number }

/**
 * The set `pii`.
 */
export const pii: EvaluationSet = {
  measure: (records) =>
    Effect.gen(function*() {
      const lines = yield* Effect.orDie(decode(records))
      const { result: found, took } = yield* timed(Effect.sync(() => lines.map(({ text }) => PersonalData.find(text))))
      const types = new Map<string, Counts>()
      const subtypes = new Map<string, Counts>()
      const missed: Array<string> = []
      const flagged: Array<string> = []
      let spurious = 0
      let negatives = 0
      let byCategory = new Map<string, { records: number; flagged: number }>()
      for (const [at, line] of lines.entries()) {
        const spans = found[at] ?? []
        for (const span of line.spans) {
          const isFound = spans.some((own) => own.kind === span.type && overlap(own, span) >= 0.8)
          count(types, span.type, isFound)
          if (typeof span.sub === "string" && span.type === "secret") count(subtypes, span.sub, isFound)
          if (!isFound) missed.push(line.id)
        }
        spurious += spans.filter((own) => !line.spans.some((span) => overlap(own, span) > 0)).length
        if (line.spans.length > 0) continue
        negatives++
        const category = byCategory.get(line.category ?? "") ?? { records: 0, flagged: 0 }
        byCategory = byCategory.set(line.category ?? "", {
          records: category.records + 1,
          flagged: category.flagged + (spans.length > 0 ? 1 : 0)
        })
        if (spans.length > 0) flagged.push(line.id)
      }
      return {
        set: "pii",
        records: lines.length,
        recall: Object.fromEntries(Array.from(types, ([type, counts]) => [type, recallOf(counts)])),
        recallOfSecrets: Object.fromEntries(Array.from(subtypes, ([type, counts]) => [type, recallOf(counts)])),
        negatives: { records: negatives, flagged: flagged.length, rate: share(flagged.length, negatives) },
        negativesByCategory: Object.fromEntries(byCategory),
        spuriousSpans: spurious,
        missed: missed.sort(),
        flagged: flagged.sort(),
        microsecondsPerKilobyte: took / kilobytes(lines.map(({ text }) => text))
      }
    }),
  table: (measures) => JSON.stringify(measures, null, 2)
}

const count = (counts: Map<string, Counts>, type: string, isFound: boolean): void => {
  const { found, spans } = counts.get(type) ?? { spans: 0, found: 0 }
  counts.set(type, { spans: spans + 1, found: found + (isFound ? 1 : 0) })
}

const recallOf = ({ found, spans }: Counts) => ({ spans, found, recall: share(found, spans) })

interface Range {
  readonly start: number
  readonly end: number
}

/** How much of both one has of the other. */
const overlap = (a: Range, b: Range): number =>
  Math.max(0, Math.min(a.end, b.end) - Math.max(a.start, b.start)) /
  (Math.max(a.end, b.end) - Math.min(a.start, b.start))
