import {Check} from "typebox/schema"
import {type TSchema, Type} from "../../../shared/type.ts"

/** Hears of something that svc does not know, by the provider's word for it. */
export type OnUnknown = (what: string) => void

/** Returns a property of any value; undefined if it has none of that name. */
export const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

/** In characters: the name of something unknown. */
const longestName = 60

/** Returns the provider's word for the kind of a value. */
export const kindOf = (value: unknown): string => {
  const names = [field(value, "type"), field(value, "object"), Object.keys(Object(value))[0]]
  return (names.find(name => typeof name === "string") ?? typeof value).slice(0, longestName)
}

/**
 * Returns the parts of a JSON value that its schema names; undefined if a required one is missing or has another type.
 * It leaves out other properties, and what does not fit: items of a list and optional properties. A property with a
 * default gets it instead. `onUnknown` hears of what does not fit, and of a text that the schema's `known` does not
 * list, which is kept. null counts as missing.
 */
export const knownParts = (schema: TSchema, value: unknown, onUnknown: OnUnknown): unknown => {
  if (Type.IsUnion(schema)) {
    const fitting = schema.anyOf.find(each => knownParts(each, value, () => {}) !== undefined)
    return fitting === undefined ? undefined : knownParts(fitting, value, onUnknown)
  }
  if (Type.IsArray(schema)) return Array.isArray(value) ? value.flatMap(itemOf(schema.items, onUnknown)) : undefined
  if (Type.IsObject(schema)) return propertiesOf(schema.properties, value, onUnknown)
  if (!Check(schema, value)) return undefined
  const known = field(schema, "known")
  if (typeof value === "string" && Array.isArray(known) && !known.includes(value))
    onUnknown(value.slice(0, longestName))
  return value
}

const itemOf =
  (schema: TSchema, onUnknown: OnUnknown) =>
  (item: unknown): readonly unknown[] => {
    const parts = knownParts(schema, item, onUnknown)
    if (parts === undefined) onUnknown(kindOf(item))
    return parts === undefined ? [] : [parts]
  }

const propertiesOf = (
  properties: Readonly<Record<string, TSchema>>,
  value: unknown,
  onUnknown: OnUnknown,
): object | undefined => {
  const parts: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    const given = field(value, name) ?? undefined
    const known = given === undefined ? undefined : knownParts(schema, given, onUnknown)
    const part = known ?? field(schema, "default")
    if (part !== undefined) parts[name] = part
    else if (!Type.IsOptional(schema)) return undefined
    if (known === undefined && given !== undefined) onUnknown(name)
  }
  return parts
}
