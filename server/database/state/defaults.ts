import {isObject} from "../../../shared/json.ts"
import type {Shape, TSchema} from "../../../shared/type.ts"

/** Returns the value, with the schema's defaults for a missing value or missing keys of an object. */
export const withDefaults = (schema: TSchema, value: unknown): unknown => {
  const {type, default: fallback, properties = {}} = schema as Shape
  const given = value === undefined && fallback !== undefined ? structuredClone(fallback) : value
  if (type !== "object" || (given !== undefined && !isObject(given))) return given
  const filled = Object.entries(properties).flatMap(([key, of]) => {
    const found = withDefaults(of, given?.[key])
    return found === undefined || isEmptyOf(of, given?.[key], found) ? [] : [[key, found] as const]
  })
  return {...given, ...Object.fromEntries(filled)}
}

/** An object that was not given and has no defaults. */
const isEmptyOf = (schema: TSchema, given: unknown, found: unknown): boolean =>
  given === undefined && (schema as Shape).default === undefined && isObject(found) && Object.keys(found).length === 0
