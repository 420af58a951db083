/**
 * Language models over the chat completions interface, as OpenAI and the many compatible endpoints speak it.
 */
export * as Dialect from "./Dialect.ts"
export * as OpenAi from "./OpenAi.ts"
