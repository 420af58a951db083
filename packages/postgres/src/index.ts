/**
 * The ports of the core on PostgreSQL.
 */
export * as Postgres from "./Postgres.ts"
