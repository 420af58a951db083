/**
 * All measures, in the order of the report.
 */
import type { Measure } from "../Measure.ts"
import { p13, p14 } from "./processor.ts"
import { p1, p2, p3, p4, p5 } from "./throughput.ts"

/**
 * @category measures
 * @since 0.1.0
 */
export const measures: ReadonlyArray<Measure> = [p1, p2, p3, p4, p5, p13, p14]
