/**
 * Language models over Anthropic's Messages API.
 */
export * as Anthropic from "./Anthropic.ts"
