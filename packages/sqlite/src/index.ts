/**
 * The ports of the core on node:sqlite.
 */
export * as Sqlite from "./Sqlite.ts"
