/**
 * All measures, in the order of the report.
 */
import type { Measure } from "../Measure.ts"
import { p9 } from "./creating.ts"
import { p10 } from "./crowd.ts"
import { p11 } from "./dying.ts"
import { p6, p8 } from "./long.ts"
import { p13, p14 } from "./processor.ts"
import { p12 } from "./sqlite.ts"
import { p1, p2, p3, p4, p5 } from "./throughput.ts"
import { p7 } from "./waking.ts"

/**
 * @category measures
 * @since 0.1.0
 */
export const measures: ReadonlyArray<Measure> = [p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14]
