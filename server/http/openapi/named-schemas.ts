import {fromJson, toJson} from "../../../shared/json.ts"
import {isPrivate} from "../../../shared/private.ts"

/** Returns a schema for the place of its use: a reference if it has a name, otherwise the schema itself. */
export type Place = (schema: unknown, audience: Audience) => unknown

/** The audience of a response: the full token alone, or also a demo token, which gets no private fields. */
export type Audience = "full" | "demo"

/** A name is a title of one word in constant form. Any other title is text for people. */
const namePattern = /^[A-Z][A-Za-z0-9]*$/

/** The keywords whose values are schemas by name, and those whose values are not schemas. */
const maps: ReadonlySet<string> = new Set(["properties", "patternProperties"])
const values: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"])

/**
 * Collects the named schemas of an OpenAPI document: each is defined once and referred to. `Item` is the promise to every token; if the full token gets more, that schema is `ItemFull`.
 * If plugins define two schemas under one name, the second one stays inline.
 */
export const createNamedSchemas = () => {
  const named = new Map<string, string>()
  const place: Place = (schema, audience) => {
    if (Array.isArray(schema)) return schema.map(each => place(each, audience))
    if (!isObject(schema)) return schema
    const {title, ...rest} = schema
    const inner = convert(rest, audience, place)
    if (typeof title !== "string" || !namePattern.test(title)) return title === undefined ? inner : {title, ...inner}
    const name = audience === "full" && promisesPrivate(schema) ? `${title}Full` : title
    const text = toJson(inner)
    if (!named.has(name)) named.set(name, text)
    return named.get(name) === text ? {$ref: `#/components/schemas/${name}`} : {title, ...inner}
  }
  return {
    place,
    /** For `components.schemas`, by name. */
    all: () => {
      const sorted = [...named].sort(([one], [other]) => (one < other ? -1 : 1))
      return Object.fromEntries(sorted.map(([name, text]) => [name, fromJson(text)]))
    },
  }
}

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null

/** Converts a JSON schema, with our own keyword as an extension. For a demo token, private fields are not required. */
const convert = (schema: Json, audience: Audience, place: Place): Json => {
  const inner = Object.entries(schema).map(([key, value]) => {
    if (key === "private") return ["x-private", value]
    if (key === "required" && audience === "demo") return [key, withoutPrivate(schema)]
    if (values.has(key)) return [key, value]
    if (!maps.has(key) || !isObject(value)) return [key, place(value, audience)]
    return [key, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, place(each, audience)]))]
  })
  return Object.fromEntries(inner)
}

const withoutPrivate = ({required, properties}: Json): unknown =>
  Array.isArray(required) && isObject(properties) ? required.filter(name => !isPrivate(properties[name])) : required

/** Whether any field is both private and required. */
const promisesPrivate = (schema: unknown): boolean => {
  if (!isObject(schema)) return false
  const {required, properties} = schema
  const isPromised = (name: unknown) => isObject(properties) && isPrivate(properties[String(name)])
  if (Array.isArray(required) && required.some(isPromised)) return true
  return schemasIn(schema).some(promisesPrivate)
}

const schemasIn = (schema: Json): readonly unknown[] =>
  Object.entries(schema).flatMap(([key, value]) => {
    if (values.has(key)) return []
    return maps.has(key) && isObject(value) ? Object.values(value) : [value]
  })
