/**
 * The HTTP API: its definition, and what answers it.
 */
export { Api } from "./Api.ts"
export * as Problem from "./Problem.ts"
