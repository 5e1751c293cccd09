import {Check} from "typebox/schema"
import type {Issue} from "../../shared/problems.ts"
import {Secret} from "../../shared/secret.ts"
import type {Shape, TSchema} from "../../shared/type.ts"
import {explain, schemaAt} from "../runtime/text/explain.ts"
import {formatPath, type Path} from "../runtime/text/path.ts"
import {expand, expandSecret, type Variables} from "./expand.ts"
import type {Source} from "./text/source.ts"
import {most} from "./text/yaml-value.ts"

export interface Checked {
  /** Frozen, with defaults and wrapped secrets. Meaningless if there are issues. */
  readonly value: unknown
  readonly issues: readonly Issue[]
  /** The values of the secrets, for masking. */
  readonly secrets: readonly string[]
}

/**
 * Expands one part of a configuration and checks it against its schema. Reports all findings at once, each with its
 * position. Values without a schema stay as they were written, for the plugin whose schema knows them.
 */
export const check = (source: Source, variables: Variables, schema: TSchema, raw: unknown, at: Path = []): Checked => {
  const walk = new Walk(source, variables)
  const plain = walk.visit(schema, raw, at)
  const isBroken = (path: Path) => path.some((_, index) => walk.broken.has(formatPath(path.slice(0, index + 1))))
  // Checking whether the value fits is much faster than finding out what is wrong with it.
  const wrong = fits(schema, plain) ? [] : explain(schema, plain, at, path => walk.origins.get(formatPath(path)))
  const errors = wrong
    .filter(error => !isBroken(error.path))
    .map(({path, message, where, quotes}) =>
      source.issue(path, quotes === undefined ? message : `${message}; ${quotes}`, where),
    )
  const issues = [...walk.issues, ...errors].sort((a, b) => a.line - b.line || a.column - b.column)
  return {value: freeze(wrap(schema, plain)), issues, secrets: walk.secrets}
}

/** Returns the findings about unset variables in a part of a configuration that no schema has been applied to. */
export const findUnset = (source: Source, variables: Variables, raw: unknown, at: Path): readonly Issue[] => {
  if (typeof raw === "string") {
    const expansion = expand(raw, variables)
    return expansion.is === "unset" ? [source.issue(at, expansion.message)] : []
  }
  if (typeof raw !== "object" || raw === null) return []
  const keyOf = (key: string) => (Array.isArray(raw) ? Number(key) : key)
  return Object.entries(raw).flatMap(([key, item]) => findUnset(source, variables, item, [...at, keyOf(key)]))
}

class Walk {
  readonly issues: Issue[] = []
  /** The paths of all values that could not be expanded, of which only some have an issue. */
  readonly broken = new Set<string>()
  readonly secrets: string[] = []
  /** The variables that a value came from, by path. These values are never shown. */
  readonly origins = new Map<string, readonly string[]>()
  readonly #source: Source
  readonly #variables: Variables

  constructor(source: Source, variables: Variables) {
    this.#source = source
    this.#variables = variables
  }

  visit(schema: TSchema, raw: unknown, path: Path): unknown {
    const shape = schema as Shape
    if (shape.secret === true) return this.#secret(raw, path)
    if (isUnknown(shape)) return raw
    if (raw === "none" && shape.none === true) return {}
    if (typeof raw === "string") return this.#text(shape, raw, path)
    if (Array.isArray(raw)) {
      return shape.items === undefined
        ? raw
        : raw.map((item, index) => this.visit(shape.items as TSchema, item, [...path, index]))
    }
    // A key without a value means its defaults.
    return typeof raw === "object" && shape.type === "object"
      ? this.#object(shape, raw ?? shape.default ?? {}, path)
      : raw
  }

  #object(shape: Shape, raw: object, path: Path): unknown {
    const entries = Object.entries(raw).map(([key, item]): [string, unknown] => {
      const schema = schemaAt(shape, key)
      return [key, schema === undefined ? item : this.visit(schema, item, [...path, key])]
    })
    for (const [key, schema] of Object.entries(shape.properties ?? {})) {
      const fallback = (schema as Shape).default
      if (!Object.hasOwn(raw, key) && fallback !== undefined)
        entries.push([key, this.visit(schema, fallback, [...path, key])])
    }
    // An assignment would drop the key __proto__, so that it would not be reported as unknown.
    return Object.fromEntries(entries)
  }

  #text(shape: Shape, raw: string, path: Path): unknown {
    const expansion = expand(raw, this.#variables)
    if (expansion.is === "unset") return this.#refuse(path, expansion.message)
    if (expansion.names.length > 0) {
      this.origins.set(formatPath(path), expansion.names)
      if (shape.hidden === true) this.secrets.push(expansion.text)
    }
    return raw.includes("${") ? fromText(shape, expansion.text) : expansion.text
  }

  #secret(raw: unknown, path: Path): unknown {
    const expansion = expandSecret(raw, this.#variables)
    if (expansion.is === "refused") return this.#refuse(path, expansion.message)
    this.origins.set(formatPath(path), [expansion.name])
    this.secrets.push(expansion.value)
    return expansion.value
  }

  #refuse(path: Path, message: string): undefined {
    this.broken.add(formatPath(path))
    if (this.issues.length <= most.findings) this.issues.push(this.#source.issue(path, message))
  }
}

/** True for a schema with only annotations, which allows any value. */
const isUnknown = (shape: Shape) =>
  shape.type === undefined && !("anyOf" in shape) && !("enum" in shape) && !("const" in shape)

/** A variable is always text. Converts it if the schema wants a number or a boolean and the text is one. */
const fromText = ({type}: Shape, text: string): unknown => {
  if ((type === "integer" || type === "number") && text.trim() !== "" && Number.isFinite(Number(text)))
    return Number(text)
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true"
  return text
}

const wrap = (schema: TSchema, value: unknown): unknown => {
  const shape = schema as Shape
  if (shape.secret === true) return typeof value === "string" ? new Secret(value) : value
  if (Array.isArray(value))
    return shape.items === undefined ? value : value.map(item => wrap(shape.items as TSchema, item))
  if (typeof value !== "object" || value === null || shape.type !== "object") return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const inner = schemaAt(shape, key)
      return [key, inner === undefined ? item : wrap(inner, item)]
    }),
  )
}

const freeze = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null || value instanceof Secret) return value
  for (const item of Object.values(value)) freeze(item)
  return Object.freeze(value)
}

/** Returns whether a value fits the schema. For data that is not a configuration. */
export const fits = (schema: TSchema, value: unknown): boolean => Check(schema, value)
