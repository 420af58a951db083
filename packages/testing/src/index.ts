/**
 * The testing kit: runs programs to their ends with scripted people and signals, kills and races their processes at every
 * instant, and replays stored logs. For the library's own tests and for its users'.
 */

// Running a program
export { NotMoving } from "./NotMoving.ts"
export * as Observer from "./Observer.ts"
export { type Outside, type Outsider, type Script, ScriptFailed } from "./Outside.ts"
export * as People from "./People.ts"
export { type Finished, runProgram } from "./runProgram.ts"
export type { Scenario, Stores } from "./Scenario.ts"
export * as Signals from "./Signals.ts"

// Doing harm to its processes
export * as CrashingStore from "./CrashingStore.ts"
export { type Deaths, everyPrefix, PrefixViolation } from "./everyPrefix.ts"
export * as FrozenStore from "./FrozenStore.ts"
export { type Races, RaceViolation, twoWorkers } from "./twoWorkers.ts"

// Changing code
export { LogsDiverge, Replayed, replayLogs, replayReport, type StoredLog } from "./replayLogs.ts"
