/**
 * Which fields a form needs for values of a JSON schema. What a form has no field for is edited as JSON.
 */
import type { Schema } from "effect"
import { visible } from "./Text.ts"

type Json = Schema.Json

interface Described {
  readonly title?: string | undefined
  readonly description?: string | undefined
}

export type Field =
  & Described
  & (
    | { readonly _tag: "Text"; readonly minLength: number; readonly maxLength?: number | undefined }
    | {
      readonly _tag: "Number"
      readonly whole: boolean
      readonly minimum?: number | undefined
      readonly maximum?: number | undefined
    }
    | { readonly _tag: "Boolean" }
    | { readonly _tag: "Choice"; readonly values: ReadonlyArray<Json> }
    | { readonly _tag: "Group"; readonly members: ReadonlyArray<Member> }
    | { readonly _tag: "List"; readonly item: Field }
    | { readonly _tag: "Raw" }
  )

export interface Member {
  readonly name: string
  readonly required: boolean
  readonly field: Field
}

interface JsonObject {
  readonly [key: string]: Json
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const numberOf = (value: Json | undefined): number | undefined => typeof value === "number" ? value : undefined
const textOf = (value: Json | undefined): string | undefined => typeof value === "string" ? value : undefined

/** The field for a schema; `root` is where `$ref` points into. Recursive schemas end as JSON. */
export const fieldOf = (schema: Json, root: Json = schema, depth = 0): Field => {
  const whole = isObject(schema) ? merged(schema, root) : undefined
  if (whole === undefined || depth > 8) return { _tag: "Raw" }
  const about = { title: textOf(whole["title"]), description: textOf(whole["description"]) }
  const { const: only, enum: values, type } = whole
  if (only !== undefined) return { ...about, _tag: "Choice", values: [only] }
  if (Array.isArray(values)) return { ...about, _tag: "Choice", values }
  const alternatives = whole["anyOf"] ?? whole["oneOf"]
  if (Array.isArray(alternatives)) return { ...about, ...alternative(alternatives, root, depth) }
  switch (type) {
    case "string":
      return {
        ...about,
        _tag: "Text",
        minLength: numberOf(whole["minLength"]) ?? 0,
        maxLength: numberOf(whole["maxLength"])
      }
    case "integer":
    case "number":
      return {
        ...about,
        _tag: "Number",
        whole: type === "integer",
        minimum: numberOf(whole["minimum"]),
        maximum: numberOf(whole["maximum"])
      }
    case "boolean":
      return { ...about, _tag: "Boolean" }
    case "array":
      return isObject(whole["items"])
        ? { ...about, _tag: "List", item: fieldOf(whole["items"], root, depth + 1) }
        : { ...about, _tag: "Raw" }
    case "object":
      return isObject(whole["properties"])
        ? { ...about, _tag: "Group", members: membersOf(whole, whole["properties"], root, depth) }
        : { ...about, _tag: "Raw" }
    default:
      return { ...about, _tag: "Raw" }
  }
}

const membersOf = (schema: JsonObject, properties: JsonObject, root: Json, depth: number): ReadonlyArray<Member> => {
  const required = Array.isArray(schema["required"]) ? schema["required"] : []
  return Object.entries(properties).map(([name, property]) => ({
    name,
    required: required.includes(name),
    field: fieldOf(property, root, depth + 1)
  }))
}

/** Literals are a choice; of the rest no form can know which is meant. */
const alternative = (schemas: ReadonlyArray<Json>, root: Json, depth: number): Field => {
  const fields = schemas.map((schema) => fieldOf(schema, root, depth + 1))
  const choices = fields.flatMap((field) => field._tag === "Choice" ? field.values : [])
  if (fields.length > 0 && fields.every(({ _tag }) => _tag === "Choice")) return { _tag: "Choice", values: choices }
  const [first] = fields
  return fields.length === 1 && first !== undefined ? first : { _tag: "Raw" }
}

/** A schema with what it refers to, and with all that must hold besides. */
const merged = (schema: JsonObject, root: Json, hops = 0): JsonObject | undefined => {
  if (hops > 16) return undefined
  const { $ref: ref, allOf, ...own } = schema
  const others = [
    ...(typeof ref === "string" ? [resolve(ref, root)] : []),
    ...(Array.isArray(allOf) ? allOf : [])
  ].map((other) => isObject(other) ? merged(other, root, hops + 1) : undefined)
  return others.reduce<JsonObject | undefined>(
    (all, other) => all === undefined || other === undefined ? undefined : { ...other, ...all },
    own
  )
}

const resolve = (ref: string, root: Json): Json | undefined =>
  ref.startsWith("#/")
    ? ref.slice(2).split("/").reduce<Json | undefined>(
      (at, part) => isObject(at) ? at[part.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined,
      root
    )
    : undefined

/** Whether a field can show this value without hiding any of it. */
export const fits = (field: Field, value: Json): boolean => {
  switch (field._tag) {
    case "Text":
      // A field of text drops what ends a line otherwise, and shows nothing of what cannot be seen.
      return typeof value === "string" && visible(value) === value
    case "Number":
      return typeof value === "number" || value === null
    case "Boolean":
      return typeof value === "boolean"
    case "Choice":
      return field.values.some((one) => same(one, value))
    case "List":
      return Array.isArray(value)
    case "Group":
      return isObject(value) && Object.keys(value).every((key) => field.members.some(({ name }) => name === key))
    case "Raw":
      return true
  }
}

export const same = (left: Json | undefined, right: Json | undefined): boolean =>
  JSON.stringify(left) === JSON.stringify(right)

/** What a field begins with when there is no value; a number has to be given. */
export const initial = (field: Field): Json => {
  switch (field._tag) {
    case "Text":
      return ""
    case "Number":
      return null
    case "Boolean":
      return false
    case "Choice":
      return field.values[0] ?? null
    case "List":
      return []
    case "Group":
      return Object
        .fromEntries(field.members.filter(({ required }) => required).map(({ field, name }) => [name, initial(field)]))
    case "Raw":
      return null
  }
}

/** What is wrong with a text or a number, in words; empty if nothing. */
export const problem = (field: Field, value: Json): string => {
  if (field._tag === "Text" && typeof value === "string") {
    if (value.length < field.minLength) {
      return field.minLength === 1
        ? "Must not be empty"
        : `At least ${field.minLength} characters`
    }
    if (field.maxLength !== undefined && value.length > field.maxLength) return `At most ${field.maxLength} characters`
  }
  if (field._tag === "Number") {
    if (typeof value !== "number" || !Number.isFinite(value)) return "Give a number"
    if (field.whole && !Number.isInteger(value)) return "Must be a whole number"
    if (field.whole && !Number.isSafeInteger(value)) return "Too large to be exact"
    if (field.minimum !== undefined && value < field.minimum) return `At least ${field.minimum}`
    if (field.maximum !== undefined && value > field.maximum) return `At most ${field.maximum}`
  }
  return ""
}
