import {Errors} from "typebox/schema"
import {Settings} from "typebox/system"
import {toJson} from "../../../shared/json.ts"
import type {Shape, TSchema} from "../../../shared/type.ts"
import type {Path} from "./path.ts"
import {didYouMean} from "./suggest.ts"

export interface Explanation {
  readonly path: Path
  readonly message: string
  readonly where: "key" | "value"
  /** How to write a value in YAML that was read as something other than text. */
  readonly quotes?: string
}

/** Returns the environment variables that the value at a path came from, if any. */
type Origins = (path: Path) => readonly string[] | undefined

/** Shows a value in an explanation. `names` are the variables that it came from. */
type Shown = (value: unknown, names: readonly string[] | undefined) => string

// At its limit TypeBox drops the later errors, such as the one that names the unknown keys.
Settings.Set({maxErrors: Number.MAX_SAFE_INTEGER})

/** How many unknown keys of one object are explained: one more than are shown. */
const mostKeys = 101

/** How many errors are explained. */
const mostExplained = 1000

const named: Record<string, string> = {
  integer: "an integer",
  number: "a number",
  string: "text",
  boolean: "true or false",
  object: "keys with values (a mapping)",
  array: "a list",
  null: "nothing",
}

const formats: Record<string, string> = {"date-time": "a date and time with time zone, such as 2026-12-01T18:00:00Z"}

/** Explains what is wrong with a value: what was expected, what was found, and what was probably meant. */
export const explain = (
  schema: TSchema,
  value: unknown,
  at: Path,
  origins: Origins,
  shown: Shown = show,
): readonly Explanation[] => {
  const [, errors] = Errors(schema, value)
  // A union reports each of its branches, then itself; a closed record reports each unknown key, then all of them.
  const unions = new Set(errors.filter(error => error.keyword === "anyOf").map(error => error.instancePath))
  return errors
    .filter(
      ({keyword, instancePath}) => keyword === "anyOf" || (keyword !== "boolean" && !isWithin(instancePath, unions)),
    )
    .slice(0, mostExplained)
    .flatMap(error => explainOne(schema, value, at, {origins, shown}, error))
}

/** Is one of the paths this path or around it? */
const isWithin = (path: string, paths: ReadonlySet<string>): boolean =>
  paths.has(path) || (path !== "" && isWithin(path.slice(0, path.lastIndexOf("/")), paths))

const explainOne = (
  schema: TSchema,
  root: unknown,
  at: Path,
  {origins, shown}: {readonly origins: Origins; readonly shown: Shown},
  error: ReturnType<typeof Errors>[1][number],
): Explanation[] => {
  const inner = partsOf(error.instancePath, root)
  const path = [...at, ...inner]
  const actual = valueAt(root, inner)
  const got = () => `, got ${shown(actual, origins(path))}`
  switch (error.keyword) {
    case "required":
      return error.params.requiredProperties.map(key => ({path: [...path, key], message: "is missing", where: "key"}))
    case "additionalProperties": {
      const shape = shapeAt(schema, inner)
      const known = Object.keys(shape?.properties ?? {})
      const pattern = Object.keys(shape?.patternProperties ?? {})[0]
      return error.params.additionalProperties.slice(0, mostKeys).map(key => ({
        path: [...path, key],
        message:
          pattern === undefined
            ? `unknown key${didYouMean(key, known) || knownKeys(known)}`
            : `expected a name that matches ${pattern}`,
        where: "key",
      }))
    }
    case "type": {
      const types = [error.params.type].flat()
      const message = `expected ${types.map(name => named[name] ?? name).join(" or ")}${got()}`
      return [{path, message, where: "value", ...quotesFor(actual, types.includes("string"))}]
    }
    case "enum": {
      const allowed = error.params.allowedValues.map(String)
      const quotes = quotesFor(actual, allowed.includes(String(actual)))
      const meant = typeof actual === "string" && shown === show ? didYouMean(actual, allowed) : ""
      return [{path, message: `expected one of ${allowed.join(", ")}${got()}${meant}`, where: "value", ...quotes}]
    }
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return [
        {path, message: `expected a number ${error.params.comparison} ${error.params.limit}${got()}`, where: "value"},
      ]
    case "minLength":
      return [{path, message: "expected text that is not empty", where: "value"}]
    case "pattern":
      return [{path, message: `expected text that matches ${error.params.pattern}${got()}`, where: "value"}]
    case "format":
      return [
        {path, message: `expected ${formats[error.params.format] ?? error.params.format}${got()}`, where: "value"},
      ]
    case "propertyNames":
      return [{path, message: `${error.message}: ${error.params.propertyNames.slice(0, 10).join(", ")}`, where: "key"}]
    default: {
      const branches = (shapeAt(schema, inner)?.anyOf ?? []) as readonly Shape[]
      const quotes = quotesFor(
        actual,
        branches.some(({type}) => type === "string"),
      )
      return [{path, message: `${error.message}${got()}`, where: "value", ...quotes}]
    }
  }
}

const quotesFor = (actual: unknown, isText: boolean): Pick<Explanation, "quotes"> => {
  if (isText && (typeof actual === "number" || typeof actual === "boolean")) return {quotes: "write it in quotes"}
  return isText && actual === null ? {quotes: "write text that begins with # in quotes"} : {}
}

const knownKeys = (keys: readonly string[]) => (keys.length === 0 ? "" : `; the keys are ${keys.join(", ")}`)

/** Returns the parts of a JSON pointer. Indexes are numbers where the value is a list. */
const partsOf = (pointer: string, root: unknown): (string | number)[] => {
  const parts: (string | number)[] = []
  let value = root
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~")
    parts.push(Array.isArray(value) ? Number(key) : key)
    value = valueAt(value, [key])
  }
  return parts
}

/** Returns the value at a path; undefined if there is none. */
export const valueAt = (root: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, part) =>
      typeof value === "object" && value !== null ? (value as Record<string, unknown>)[part] : undefined,
    root,
  )

const show = (value: unknown, names: readonly string[] | undefined): string => {
  if (names !== undefined) return `the value of ${names.join(" and ")}`
  if (value === undefined || value === null) return "nothing"
  if (Array.isArray(value)) return "a list"
  if (typeof value === "object") return "keys with values"
  const text = toJson(typeof value === "string" ? value.slice(0, 60) : value)
  return text.length > 60 ? `${text.slice(0, 59)}…"` : text
}

const shapeAt = (schema: TSchema, path: Path): Shape | undefined =>
  path.reduce<Shape | undefined>(
    (shape, part) => shape && ((typeof part === "number" ? shape.items : schemaAt(shape, part)) as Shape | undefined),
    schema,
  )

/** Returns the schema of one key of an object. */
export const schemaAt = (shape: Shape, key: string): TSchema | undefined => {
  if (shape.properties && Object.hasOwn(shape.properties, key)) return shape.properties[key]
  const patterns = Object.entries(shape.patternProperties ?? {})
  const [, found] = patterns.find(([pattern]) => new RegExp(pattern).test(key)) ?? []
  return found ?? (typeof shape.additionalProperties === "object" ? shape.additionalProperties : undefined)
}

/** Explains what is wrong with a value that does not come from the configuration. Empty if the value fits. */
export const explainValue = (schema: TSchema, value: unknown): readonly Explanation[] =>
  explain(schema, value, [], () => undefined)

/** Returns where and why a value does not fit: `data.size: expected …`. Undefined if it fits or there is no schema. */
export const misfitOf = (name: string, schema: TSchema | undefined, value: unknown): string | undefined => {
  const [found] = schema === undefined ? [] : explainValue(schema, value)
  return found && `${[name, ...found.path].join(".")}: ${found.message}`
}

/** Like `explainValue`, for values that must not appear in a log: it says only that there is text or bytes. */
export const explainUnseen = (schema: TSchema, value: unknown): readonly Explanation[] =>
  explain(schema, value, [], () => undefined, showKind)

const showKind: Shown = (value, names) => {
  if (typeof value === "string") return "text"
  if (typeof value === "bigint") return String(value)
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value) ? "bytes" : show(value, names)
}
