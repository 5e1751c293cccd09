import type {Shape, TSchema} from "./type.ts"

type Strip = (value: unknown) => unknown

/**
 * Returns the projection for a demo token: a function that removes what the schema marks `private`, or undefined if it
 * marks nothing. All responses use it, so that nothing private is hidden in one place and shown in another.
 */
export const createProjection = (schema: TSchema): Strip | undefined => {
  const shape = schema as Shape
  if (shape.properties !== undefined) return projectObject(shape.properties)
  if (shape.items !== undefined) {
    const each = createProjection(shape.items)
    return each && (value => (Array.isArray(value) ? value.map(each) : value))
  }
  if (shape.anyOf !== undefined) {
    const [inner] = shape.anyOf.map(createProjection).filter(strip => strip !== undefined)
    return inner && (value => (value === null ? null : inner(value)))
  }
  return undefined
}

const projections = new WeakMap<TSchema, Strip | null>()

/** Returns the projection of a schema, made at its first use. */
export const projectionOf = (schema: TSchema): Strip | null => {
  const known = projections.get(schema)
  if (known !== undefined) return known
  const made = createProjection(schema) ?? null
  projections.set(schema, made)
  return made
}

const projectObject = (properties: Readonly<Record<string, TSchema>>): Strip | undefined => {
  const hidden = new Set(Object.keys(properties).filter(key => isPrivate(properties[key])))
  const inner = new Map<string, Strip>()
  for (const [key, schema] of Object.entries(properties)) {
    const strip = hidden.has(key) ? undefined : createProjection(schema)
    if (strip !== undefined) inner.set(key, strip)
  }
  if (hidden.size === 0 && inner.size === 0) return undefined
  return value => {
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => !hidden.has(key))
        .map(([key, item]) => [key, inner.get(key)?.(item) ?? item]),
    )
  }
}

/** Returns whether a demo token does not see a property with this schema. A nullable text is private if the text is. */
export const isPrivate = (schema: unknown): boolean => {
  if (typeof schema !== "object" || schema === null) return false
  const {private: own, anyOf = []} = schema as Shape
  return own === true || anyOf.some(branch => (branch as Shape).private === true)
}
