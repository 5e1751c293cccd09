import type {ConfigChange, ConfigPreview} from "../../../../../../shared/api/configuration/file.ts"
import {choicesOf, isMapping, type Schema} from "../schema.ts"

/** One setting in a form. */
export interface FormField {
  /** Its key below `config`, or below the account. */
  readonly path: readonly string[]
  readonly kind: "text" | "number" | "flag" | "choice" | "secret" | "list" | "yaml"
  /** The value in the file; undefined if the file has none. */
  readonly raw: unknown
  readonly choices: readonly unknown[]
  /** The default; undefined without one. */
  readonly fallback: unknown
  readonly description: string
  readonly isRequired: boolean
  /** Does the schema have it? */
  readonly isKnown: boolean
  /** Are the items of the list numbers? */
  readonly hasNumbers: boolean
  /** Does it name an endpoint? */
  readonly isEndpoint: boolean
}

/** Returns the settings of the schema, then the further ones of the file; objects are split into their keys. */
export const formFields = (schema: unknown, raw: unknown, path: readonly string[] = []): FormField[] => {
  const {properties = {}, required = []}: Schema = isMapping(schema) ? schema : {}
  const own = isMapping(raw) ? raw : {}
  const known = Object.entries(properties).flatMap(([key, each]): FormField[] => {
    const below = isMapping(each) ? (each as Schema) : {}
    const value = own[key]
    const at = [...path, key]
    if (isMapping(below.properties) && (value == null || isMapping(value))) return formFields(below, value, at)
    return [fieldOf(below, value, at, required.includes(key))]
  })
  const others = Object.entries(own)
    .filter(([key]) => !Object.hasOwn(properties, key))
    .map(([key, value]) => ({...fieldOf({}, value, [...path, key], false), isKnown: false}))
  return [...known, ...others]
}

const fieldOf = (schema: Schema, raw: unknown, path: readonly string[], isRequired: boolean): FormField => {
  const choices = choicesOf(schema)
  return {
    path,
    kind: kindOf(schema, raw, choices),
    raw,
    choices,
    fallback: schema.default,
    description: schema.description ?? "",
    isRequired,
    isKnown: true,
    hasNumbers: isMapping(schema.items) && ["integer", "number"].includes(String(schema.items.type)),
    isEndpoint: schema.format === "endpoint",
  }
}

const kindOf = (schema: Schema, raw: unknown, choices: readonly unknown[]): FormField["kind"] => {
  if (schema.secret === true) return "secret"
  const isWords = raw === undefined || raw === null || typeof raw !== "object"
  if (choices.length > 0) return isWords && (raw === undefined || choices.includes(raw)) ? "choice" : "yaml"
  // The value of a variable is text.
  if (schema.type === "boolean") return raw === undefined || typeof raw === "boolean" ? "flag" : "yaml"
  if (schema.type === "integer" || schema.type === "number") return isWords ? "number" : "yaml"
  if (schema.type === "string") return isLine(raw) ? "text" : "yaml"
  return schema.type === "array" && isScalarSchema(schema.items) && isList(raw) ? "list" : "yaml"
}

const isLine = (raw: unknown): boolean => raw === undefined || (typeof raw === "string" && !raw.includes("\n"))

const isScalarSchema = (schema: unknown): boolean =>
  isMapping(schema) &&
  (["string", "integer", "number"].includes(String(schema.type)) || Array.isArray(schema.enum)) &&
  schema.secret !== true

const isList = (raw: unknown): boolean =>
  raw === undefined ||
  (Array.isArray(raw) &&
    raw.every(item => typeof item === "number" || (isLine(item) && item !== "" && item !== undefined)))

const bare = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/

/** Returns the text of the field before the user types. */
export const textOf = ({kind, raw}: FormField): string => {
  if (raw === undefined) return ""
  if (kind === "secret") return typeof raw === "string" ? (bare.exec(raw)?.[1] ?? raw) : JSON.stringify(raw)
  if (kind === "list") return (raw as readonly unknown[]).join("\n")
  if (kind === "yaml") return JSON.stringify(raw, undefined, 2)
  return String(raw)
}

/** Returns the default as the form shows it. */
export const fallbackOf = ({fallback}: FormField): string | undefined =>
  fallback === undefined ? undefined : typeof fallback === "string" ? fallback : JSON.stringify(fallback)

type Set = Extract<ConfigChange, {change: "set"}>

const given = ({kind, choices, hasNumbers}: FormField, text: string): Pick<Set, "value" | "yaml"> => {
  switch (kind) {
    case "secret":
      return {value: /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) ? `\${${text}}` : text}
    case "number":
      return {value: numberIn(text)}
    case "flag":
      return {value: text === "true"}
    case "choice":
      return {value: choices.find(each => String(each) === text) ?? text}
    case "list":
      return {value: linesOf(text).map(line => (hasNumbers ? numberIn(line) : line))}
    case "yaml":
      return {yaml: text}
    default:
      return {value: text}
  }
}

/** Keeps a text that is not a number, such as `${NAME}`: the Host reports what is wrong with it. */
const numberIn = (text: string): unknown => (/^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text.trim())

const linesOf = (text: string): readonly string[] =>
  text
    .split("\n")
    .map(line => line.trim())
    .filter(line => line !== "")

/** The input by field; unchanged fields are missing. */
export type Typed = Readonly<Record<string, string>>

/** `account` is undefined for a setting of the plugin itself. */
export const keyOf = (account: string | undefined, {path}: FormField): string =>
  JSON.stringify([account ?? null, ...path])

export const changesOf = (
  plugin: string,
  account: string | undefined,
  fields: readonly FormField[],
  typed: Typed,
): ConfigChange[] =>
  fields.flatMap((field): ConfigChange[] => {
    const text = typed[keyOf(account, field)]
    if (text === undefined || text === textOf(field)) return []
    const about = {plugin, path: [...field.path], ...(account === undefined ? {} : {account})}
    return text === "" ? [{change: "remove", ...about}] : [{change: "set", ...about, ...given(field, text)}]
  })

/** Returns the path that the Host's findings use for this field. */
export const placeOf = (plugin: string, position: number | undefined, {path}: FormField): string =>
  [`plugins.${plugin}.${position === undefined ? "config" : `endpoints[${position}]`}`, ...path].join(".")

export const isAbout = (issue: string, place: string): boolean =>
  issue === place || issue.startsWith(`${place}.`) || issue.startsWith(`${place}[`)

export type ConfigIssue = ConfigPreview["issues"][number]
