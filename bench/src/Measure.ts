/**
 * One question of the report.
 */
import type { Effect, Scope } from "effect"
import type { Figure } from "./Figure.ts"
import type { Server } from "./Server.ts"
import type { Throughput } from "./Throughput.ts"

/**
 * @category models
 * @since 0.1.0
 */
export interface Measure {
  readonly id: string
  readonly title: string
  readonly figures: Effect.Effect<ReadonlyArray<Figure>, never, Server | Throughput | Scope.Scope>
}

/**
 * @category constructors
 * @since 0.1.0
 */
export const measure = (id: string, title: string, figures: Measure["figures"]): Measure => ({ id, title, figures })
