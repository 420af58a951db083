/**
 * In what endpoints for chat completions differ, as data.
 */

/**
 * What one kind of endpoint wants and can do.
 *
 * @category models
 * @since 0.1.0
 */
export interface Dialect {
  /** The provider's name in OpenTelemetry's conventions for generative AI; the conventions allow others than they list. */
  readonly provider: string
  /** The header that takes the key by itself; undefined for a bearer token. */
  readonly keyHeader: string | undefined
  /** The field for the most tokens of an answer. */
  readonly maxTokens: "max_tokens" | "max_completion_tokens"
  /** Whether usage at the end of a stream must be asked for, by `stream_options`. Where it need not be, that may be refused. */
  readonly asksForUsage: boolean
  /** What an answer must look like is told by its schema; or else as text, and the endpoint is only asked for JSON. */
  readonly output: "json_schema" | "json_object"
  /** What is sent back of what was received beside the answer itself, since it is wanted there. Others may refuse these fields. */
  readonly sendsBack: ReadonlyArray<Kept>
  /** The ids of calls that it takes; those of other endpoints are replaced by ones of nine letters and digits. */
  readonly callIds: RegExp
  /** Whether `usage.cost` is what the answer cost in US dollars. */
  readonly reportsCost: boolean
}

/**
 * Fields of a message, and `extra_content` of its calls, that are no part of the answer.
 *
 * @category models
 * @since 0.1.0
 */
export type Kept = "reasoning_content" | "reasoning" | "reasoning_details" | "thinking_blocks" | "extra_content"

/**
 * What most endpoints take, such as vLLM, SGLang, LiteLLM, llama.cpp, Ollama and LM Studio.
 *
 * @category tables
 * @since 0.1.0
 */
export const compatible: Dialect = {
  provider: "openai",
  keyHeader: undefined,
  maxTokens: "max_tokens",
  asksForUsage: true,
  output: "json_schema",
  sendsBack: ["reasoning_content", "reasoning", "reasoning_details", "thinking_blocks", "extra_content"],
  callIds: /^/,
  reportsCost: false
}

/**
 * @category tables
 * @since 0.1.0
 */
export const openai: Dialect = {
  ...compatible,
  maxTokens: "max_completion_tokens",
  sendsBack: [],
  callIds: /^.{1,40}$/
}

/**
 * Azure OpenAI. API versions before 2024-09-01 take `max_tokens` instead.
 *
 * @category tables
 * @since 0.1.0
 */
export const azure: Dialect = { ...openai, provider: "azure.ai.openai", keyHeader: "api-key" }

/**
 * @category tables
 * @since 0.1.0
 */
export const groq: Dialect = {
  ...compatible,
  provider: "groq",
  maxTokens: "max_completion_tokens",
  sendsBack: []
}

/**
 * @category tables
 * @since 0.1.0
 */
export const together: Dialect = { ...compatible, provider: "together_ai", sendsBack: ["reasoning"] }

/**
 * @category tables
 * @since 0.1.0
 */
export const openRouter: Dialect = {
  ...compatible,
  provider: "openrouter",
  sendsBack: ["reasoning", "reasoning_details"],
  reportsCost: true
}

/**
 * @category tables
 * @since 0.1.0
 */
export const deepSeek: Dialect = {
  ...compatible,
  provider: "deepseek",
  output: "json_object",
  sendsBack: ["reasoning_content"]
}

/**
 * @category tables
 * @since 0.1.0
 */
export const gemini: Dialect = { ...compatible, provider: "gcp.gemini", sendsBack: ["extra_content"] }

/**
 * @category tables
 * @since 0.1.0
 */
export const mistral: Dialect = {
  ...compatible,
  provider: "mistral_ai",
  asksForUsage: false,
  sendsBack: [],
  callIds: /^[A-Za-z0-9]{9}$/
}

/**
 * @category tables
 * @since 0.1.0
 */
export const cerebras: Dialect = { ...compatible, provider: "cerebras", sendsBack: [] }

/**
 * The hosts whose dialect is known, themselves and all below them.
 *
 * @category tables
 * @since 0.1.0
 */
export const hosts: ReadonlyArray<readonly [host: string, dialect: Dialect]> = [
  ["api.openai.com", openai],
  ["openai.azure.com", azure],
  ["cognitiveservices.azure.com", azure],
  ["services.ai.azure.com", azure],
  ["api.groq.com", groq],
  ["api.cerebras.ai", cerebras],
  ["api.together.ai", together],
  ["api.together.xyz", together],
  ["openrouter.ai", openRouter],
  ["api.deepseek.com", deepSeek],
  ["generativelanguage.googleapis.com", gemini],
  ["api.mistral.ai", mistral]
]

/**
 * The dialect of a URL, by its host; that of most endpoints if it is none of these.
 *
 * @category readers
 * @since 0.1.0
 */
export const of = ({ hostname }: URL): Dialect =>
  hosts.find(([host]) => hostname === host || hostname.endsWith(`.${host}`))?.[1] ?? compatible
