/**
 * The testing kit: a contract for stores, crashes at every instant, for the library's own tests and for its users'.
 */
export * as CrashingStore from "./CrashingStore.ts"
export { everyPrefix, PrefixViolation, type Scenario } from "./everyPrefix.ts"
export * as FrozenStore from "./FrozenStore.ts"
