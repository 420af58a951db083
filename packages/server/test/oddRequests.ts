/**
 * Requests made by chance from an OpenAPI document: most of them nearly right, so that they get far, and odd in one place.
 */
import { OpenApi } from "effect/http-api"
import { Api } from "../src/Api.ts"

type JsonSchema = { readonly [key: string]: ReturnType<typeof JSON.parse> }

const document: JsonSchema = JSON.parse(JSON.stringify(OpenApi.fromApi(Api)))

/** Numbers from 0 to 1, the same for the same seed. */
export const chanceOf = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
}

const oddTexts = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\udfffx",
  "💥",
  "\u202ereversed",
  "x".repeat(3_000),
  "9".repeat(400),
  "-1",
  "0",
  "1.5",
  "1e999",
  "NaN",
  "null",
  "undefined",
  "true",
  "[]",
  "{}",
  "__proto__",
  "constructor",
  "toString",
  "../../etc/passwd",
  "%00",
  "%zz",
  "' or 1=1 --",
  "<script>alert(1)</script>",
  "a=b=c",
  "2026-13-45T99:99:99Z",
  "+275760-09-13T00:00:00.001Z",
  "[1,\"00000000-0000-7000-8000-000000000000\"]",
  "[1e300,\"00000000-0000-7000-8000-000000000000\",\"x\"]",
  "[9007199254740993,\"\"]"
]

const oddValues: ReadonlyArray<string> = [
  "null",
  "true",
  "0",
  "-1",
  "-0",
  "1.5",
  "1e308",
  "1e999",
  "9007199254740993",
  "[]",
  "[[[[[[]]]]]]",
  "{}",
  "{\"__proto__\":{\"x\":1}}",
  "{\"constructor\":null,\"a\":1,\"a\":2}",
  "{\"\\u0000\":\"\\ud800\"}",
  `${"[".repeat(300)}${"]".repeat(300)}`
]

/** Values under which requests get further than to the border. */
const usual: Readonly<Record<string, ReadonlyArray<string>>> = {
  program: ["\"ship\""],
  input: ["\"A-1\"", "\"A-2\"", "{\"to\":3}"],
  approval: ["\"ship\""],
  startAt: ["\"2030-01-01T00:00:00Z\"", "0"]
}

/** What a request knows of the runs that there are. */
export interface Known {
  readonly runIds: ReadonlyArray<string>
  readonly keys: ReadonlyArray<string>
}

export interface OddRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
}

export const requestsOf = (chance: () => number) => {
  const pick = <A>(from: ReadonlyArray<A>): A => from[Math.floor(chance() * from.length)] ?? (from[0] as A)
  const often = (part: number): boolean => chance() < part
  const quoted = (text: string): string => JSON.stringify(text)

  const resolved = (schema: JsonSchema): JsonSchema =>
    typeof schema.$ref === "string"
      ? resolved(schema.$ref.slice(2).split("/").reduce((at: JsonSchema, part: string) => at[part], document))
      : schema

  /** JSON text for a schema, now and then something else. */
  const valueOf = (given: JsonSchema, known: Known, depth = 0): string => {
    if (often(0.06)) return often(0.5) ? quoted(pick(oddTexts)) : pick(oddValues)
    const schema = resolved(given)
    const choices = schema.anyOf ?? schema.oneOf
    if (choices !== undefined) return valueOf(pick(choices), known, depth + 1)
    if (schema.enum !== undefined) return quoted(`${pick(schema.enum)}`)
    if (schema.const !== undefined) return JSON.stringify(schema.const)
    switch (schema.type) {
      case "string":
        return quoted(pick([
          "A-1",
          "ship",
          "count",
          "1.00",
          "off",
          "2026-11-30T00:00:00Z",
          ...known.keys,
          ...oddTexts.slice(0, 8)
        ]))
      case "integer":
      case "number":
        return pick(["1", "2", "5", "100", ...oddValues.slice(2, 9)])
      case "boolean":
        return pick(["true", "false"])
      case "null":
        return "null"
      case "array":
        return `[${
          Array.from({ length: Math.floor(chance() * 3) }, () => valueOf(schema.items ?? {}, known, depth + 1))
        }]`
      case "object": {
        const fields = Object.entries<JsonSchema>(schema.properties ?? {}).flatMap(([name, field]) =>
          (schema.required ?? []).includes(name) ?
            (often(0.05) ? [] : [[name, field] as const])
            : often(name === "program" || name === "input" ? 0.95 : 0.3)
            ? [[name, field] as const]
            : []
        )
        const extra = schema.properties === undefined || often(0.05) ? [[pick(oddTexts), {}] as const] : []
        return `{${
          [...fields, ...extra].map(([name, field]) => {
            const hints = usual[name]
            return `${quoted(name)}:${
              hints !== undefined && often(0.9) ? pick(hints) : valueOf(field, known, depth + 1)
            }`
          })
        }}`
      }
      default:
        return depth > 6 ? "1" : pick([
          quoted("A-1"),
          "{\"to\":3}",
          "{\"by\":\"van\"}",
          quoted(pick(oddTexts)),
          ...oddValues
        ])
    }
  }

  const textOf = (schema: JsonSchema, known: Known): string => {
    const json = valueOf(schema, known)
    return json.startsWith("\"") ? JSON.parse(json) : json
  }

  const encoded = (text: string): string =>
    often(0.03) ? pick(["%", "%zz", "%00", "%2e%2e", "%E0%A4%A", ";", "//"]) : encodeURIComponent(text.toWellFormed())

  const operations = Object.entries<JsonSchema>(document.paths).flatMap(([path, methods]) =>
    Object.entries<JsonSchema>(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation
    }))
  )

  return (known: Known): OddRequest => {
    const { method, operation, path } = pick(operations)
    const parameters: ReadonlyArray<JsonSchema> = operation.parameters ?? []
    const segment = (name: string): string =>
      name === "runId" && !often(0.1)
        ? pick([...known.runIds, "00000000-0000-7000-8000-000000000000", pick(known.runIds).toUpperCase()])
        : encoded(pick(["pickup", ...oddTexts]))
    const at = path.replace(/\{(\w+)\}/g, (_, name: string) => segment(name))
    const query = parameters.filter((each) => each.in === "query" && (each.required === true || often(0.4))).flatMap((
      { name, schema }
    ) => Array.from({ length: often(0.1) ? 2 : 1 }, () => `${name}=${encoded(textOf(schema, known))}`))
    if (often(0.03)) query.push(`${encoded(pick(oddTexts))}=${encoded(pick(oddTexts))}`)
    const headers: Record<string, string> = {}
    for (const { in: place, name, schema } of parameters) {
      if (place !== "header" || !often(0.4)) continue
      // Node refuses to send what is no header.
      const value = textOf(schema, known).replace(/[^\t\x20-\x7e\x80-\xff]/g, "").slice(0, 4_000)
      headers[name] = name === "accept" ? "application/json" : value
    }
    const schema: JsonSchema | undefined = operation.requestBody?.content?.["application/json"]?.schema
    const json = schema === undefined || often(0.03) ? "" : valueOf(schema, known)
    const broken = often(0.04) ? json.slice(0, Math.floor(chance() * json.length)) : json
    const bytes = Buffer.from(broken)
    if (often(0.03) && bytes.length > 0) bytes[Math.floor(chance() * bytes.length)] = Math.floor(chance() * 256)
    const isPost = method === "POST"
    if (isPost && !often(0.03)) headers["content-type"] = "application/json"
    if (often(0.02)) headers["content-type"] = pick(["text/plain", "application/json;charset=utf-16", "x", ""])
    if (often(0.02)) headers["content-encoding"] = pick(["gzip", "identity", "x"])
    return {
      method: often(0.02) ? pick(["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "QUERY"]) : method,
      path: `${at}${query.length === 0 ? "" : `?${query.join("&")}`}`,
      headers,
      body: isPost || often(0.02) ? bytes : undefined
    }
  }
}
