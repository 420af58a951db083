/**
 * The parameters of a tool: the JSON schema that a model is told, and how the arguments it sends are read.
 */
import { JsonSchema, Result, Schema, SchemaRepresentation } from "effect"
import { Tool } from "effect/ai"
import { isList, isObject, toJson } from "./ToolResult.ts"

/**
 * The JSON schema of a value, as a model is told about it: the definition itself where the root only names one, and objects
 * closed, since members that they do not have are refused.
 *
 * @category descriptions
 * @since 0.1.0
 */
export const ofSchema = (schema: Schema.Constraint): Schema.Json =>
  closed(rooted(toJson(Tool.getJsonSchemaFromSchema(schema)).json))

/**
 * The JSON schema of a tool's parameters, as a model is told about them. One that the tool was given as such is passed on.
 *
 * @category descriptions
 * @since 0.1.0
 */
export const ofTool = (tool: Tool.Any): Schema.Json => {
  const given = givenBy(tool)
  return given !== undefined
    ? rooted(given)
    : Tool.isProviderDefined(tool)
    ? toJson(Tool.getJsonSchema(tool)).json
    : ofSchema(tool.parametersSchema)
}

/**
 * The schema by which a tool's arguments are read. Of a JSON schema, patterns are not checked, and if it says something that
 * cannot be checked here, any object fits.
 *
 * @category codecs
 * @since 0.1.0
 */
export const schemaOf = (tool: Tool.Any): Schema.Constraint => {
  const given = givenBy(tool)
  if (given === undefined) return Schema.isSchema(tool.parametersSchema) ? tool.parametersSchema : AnyObject
  for (const dialect of [JsonSchema.fromSchemaDraft2020_12, JsonSchema.fromSchemaDraft07]) {
    const imported = Result.try(() =>
      SchemaRepresentation.fromJsonSchemaDocument(dialect({ ...given }), { patterns: "ignore" })
    )
    if (Result.isSuccess(imported)) return imported.success
  }
  return AnyObject
}

const AnyObject = Schema.Record(Schema.String, Schema.Json)

const givenBy = (tool: Tool.Any): Schema.JsonObject | undefined => {
  if (!Tool.isDynamic(tool) || tool.jsonSchema === undefined) return undefined
  const { json } = toJson(tool.jsonSchema)
  return isObject(json) ? json : {}
}

const prefix = "#/$defs/"

/** What a reference to a definition stands for. */
const definition = (root: Schema.Json, schema: Schema.JsonObject): Schema.Json | undefined => {
  const { $ref } = schema
  if (typeof $ref !== "string" || !$ref.startsWith(prefix) || !isObject(root)) return undefined
  const { $defs } = root
  const name = $ref.slice(prefix.length).replaceAll("~1", "/").replaceAll("~0", "~")
  return isObject($defs) && Object.hasOwn($defs, name) ? $defs[name] : undefined
}

/** Providers want an object at the root. A definition that speaks of itself stays where it is as well. */
const rooted = (schema: Schema.Json): Schema.Json => {
  if (!isObject(schema)) return schema
  const root = definition(schema, schema)
  if (!isObject(root)) return schema
  const { $defs, $ref = null, ...own } = schema
  const all = isObject($defs) ? $defs : {}
  const others = Object.entries(all).filter(([, other]) => other !== root)
  const isNamed = JSON.stringify([root, others]).includes(JSON.stringify($ref))
  const kept = isNamed ? all : Object.fromEntries(others)
  return { ...root, ...own, ...(Object.keys(kept).length === 0 ? {} : { $defs: kept }) }
}

const closed = (schema: Schema.Json): Schema.Json => {
  if (!isObject(schema)) return schema
  if (isAnyObject(schema)) return { type: "object", properties: {}, additionalProperties: false }
  const inner = Object.fromEntries(Object.entries(schema).map(([word, value]) => [word, within(word, value)]))
  return isObject(inner["properties"]) && inner["additionalProperties"] === true
    ? { ...inner, additionalProperties: false }
    : inner
}

/** Schemas within a schema; what it says of values, such as `default`, is none. */
const within = (word: string, value: Schema.Json): Schema.Json => {
  switch (word) {
    case "properties":
    case "patternProperties":
    case "$defs":
      return isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, closed(schema)]))
        : value
    case "prefixItems":
    case "anyOf":
    case "oneOf":
    case "allOf":
      return isList(value) ? value.map(closed) : value
    case "items":
    case "additionalProperties":
      return closed(value)
    default:
      return value
  }
}

/** How the schema of a struct without fields reads. */
const isAnyObject = (schema: Schema.JsonObject): boolean =>
  Object.keys(schema).length === 1 && JSON.stringify(schema["not"]) === "{\"type\":\"null\"}"

/**
 * A parameter of which the model would be told nothing, other than one that may be any JSON on purpose.
 *
 * @category checks
 * @since 0.1.0
 */
export const untyped = (tool: Tool.Any, { properties }: Schema.JsonObject): string | undefined => {
  const schema = tool.parametersSchema
  if (!isObject(properties) || !Schema.isSchema(schema) || !("fields" in schema)) return undefined
  const fields: Readonly<Record<string, unknown>> = Object(schema.fields)
  return Object.entries(properties).find(([name, property]) => {
    const field = fields[name]
    return isObject(property) && Object.keys(property).every((word) => word === "title" || word === "description") &&
      !(Schema.isSchema(field) && isAnyJson(field))
  })?.[0]
}

const isAnyJson = (schema: Schema.Top): boolean =>
  Object(schema.ast.annotations?.["representation"]).id === Object(Schema.Json.ast.annotations?.["representation"]).id

/**
 * Whether parameters can have a value at a path, such as `lines.cents`. What is not described does not say no.
 *
 * @category checks
 * @since 0.1.0
 */
export const hasPath = (parameters: Schema.Json, path: string): boolean => has(parameters, parameters, path.split("."))

const has = (root: Schema.Json, schema: Schema.Json | undefined, path: ReadonlyArray<string>): boolean => {
  const [name, ...rest] = path
  if (name === undefined || !isObject(schema)) return true
  const named = definition(root, schema)
  if (named !== undefined) return has(root, named, path)
  if (schema["items"] !== undefined) return has(root, schema["items"], path)
  const { properties } = schema
  return !isObject(properties) || (Object.hasOwn(properties, name) && has(root, properties[name], rest))
}
