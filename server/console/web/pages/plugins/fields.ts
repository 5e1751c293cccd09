import {place} from "../../texts/format.ts"
import {choicesOf, isMapping, type Schema} from "./schema.ts"

/** One setting of a plugin, read-only. */
export interface Field {
  /** Its key below `config`, with dots. */
  readonly path: string
  readonly kind: "text" | "number" | "flag" | "choice" | "secret" | "other"
  /** Undefined if it is not set, or hidden. */
  readonly value: unknown
  readonly choices: readonly string[]
  readonly description: string
  readonly isRequired: boolean
  /** `file:line:column` of the value; undefined for a default. */
  readonly place: string | undefined
}

export interface Written {
  readonly path: string
  readonly file: string
  readonly line: number
  readonly column: number
}

/** Returns the settings of a JSON Schema with their values, in its order; objects are split into their keys. */
export const fieldsOf = (schema: unknown, config: unknown, written: readonly Written[]): Field[] =>
  below(isMapping(schema) ? schema : {}, config, written, "")

const below = ({properties = {}, required = []}: Schema, value: unknown, written: readonly Written[], at: string) =>
  Object.entries(properties).flatMap(([key, schema]): Field[] => {
    if (!isMapping(schema)) return []
    const path = at === "" ? key : `${at}.${key}`
    const own = isMapping(value) ? value[key] : undefined
    if (isMapping(schema.properties)) return below(schema, own, written, path)
    return [fieldOf(schema, own, {path, isRequired: required.includes(key), place: placeOf(path, written)})]
  })

const fieldOf = (schema: Schema, value: unknown, about: Pick<Field, "path" | "isRequired" | "place">): Field => {
  const choices = choicesOf(schema).map(String)
  return {...about, kind: kindOf(schema, choices), value, choices, description: schema.description ?? ""}
}

const kindOf = (schema: Schema, choices: readonly string[]): Field["kind"] => {
  if (schema.secret === true) return "secret"
  if (choices.length > 0) return "choice"
  if (schema.type === "boolean") return "flag"
  if (schema.type === "integer" || schema.type === "number") return "number"
  return schema.type === "string" ? "text" : "other"
}

/** Returns the place of the value, or of its first part. */
const placeOf = (path: string, written: readonly Written[]): string | undefined => {
  const found = written.find(each => each.path === path || each.path.startsWith(`${path}.`))
  return found && place(found)
}
