import {place} from "../../format.ts"

/** One setting of a plugin, as a form shows it. */
export interface Field {
  /** Its key below `config`, with dots. */
  readonly path: string
  readonly kind: "text" | "number" | "flag" | "choice" | "secret" | "other"
  /** Undefined where it is not set, or hidden. */
  readonly value: unknown
  readonly choices: readonly string[]
  readonly description: string
  readonly isRequired: boolean
  /** `file:line:column` of what was written; undefined for a default. */
  readonly place: string | undefined
}

export interface Written {
  readonly path: string
  readonly file: string
  readonly line: number
  readonly column: number
}

interface Schema {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly unknown[]
  readonly const?: unknown
  readonly description?: string
  readonly secret?: boolean
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The settings that a JSON Schema asks for with their values, in its order; those of objects by their keys. */
export const fieldsOf = (schema: unknown, config: unknown, written: readonly Written[]): Field[] =>
  below(isObject(schema) ? schema : {}, config, written, "")

const below = ({properties = {}, required = []}: Schema, value: unknown, written: readonly Written[], at: string) =>
  Object.entries(properties).flatMap(([key, schema]): Field[] => {
    if (!isObject(schema)) return []
    const path = at === "" ? key : `${at}.${key}`
    const own = isObject(value) ? value[key] : undefined
    if (isObject(schema.properties)) return below(schema, own, written, path)
    return [fieldOf(schema, own, {path, isRequired: required.includes(key), place: placeOf(path, written)})]
  })

const fieldOf = (schema: Schema, value: unknown, about: Pick<Field, "path" | "isRequired" | "place">): Field => {
  const choices = choicesOf(schema)
  return {...about, kind: kindOf(schema, choices), value, choices, description: schema.description ?? ""}
}

const kindOf = (schema: Schema, choices: readonly string[]): Field["kind"] => {
  if (schema.secret === true) return "secret"
  if (choices.length > 0) return "choice"
  if (schema.type === "boolean") return "flag"
  if (schema.type === "integer" || schema.type === "number") return "number"
  return schema.type === "string" ? "text" : "other"
}

const choicesOf = (schema: Schema): readonly string[] => {
  if (schema.enum !== undefined) return schema.enum.map(String)
  const all = schema.anyOf ?? []
  return all.every(each => isObject(each) && "const" in each)
    ? all.map(each => (isObject(each) ? String(each.const) : ""))
    : []
}

/** Where it stands, or the first of what it is made of. */
const placeOf = (path: string, written: readonly Written[]): string | undefined => {
  const found = written.find(each => each.path === path || each.path.startsWith(`${path}.`))
  return found && place(found)
}
