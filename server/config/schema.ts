import {ProjectConfig} from "../../shared/config/config.ts"

/** A variable may replace a scalar: editors must accept `${NAME}`. */
const variable = {type: "string", pattern: "\\$\\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\\}"}

/** The JSON Schema of `svc.config.yml` as it is written, before expansion. */
export const configSchema = (): object => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "svc.config.yml",
  ...(asWritten(ProjectConfig) as object),
})

/** Converts a schema of expanded values to a schema of what the file may contain instead. */
export const asWritten = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(asWritten)
  if (typeof schema !== "object" || schema === null) return schema
  const {secret, none, ...shape} = schema as Record<string, unknown>
  const {description, default: fallback} = shape
  if (secret === true) return {description, type: "string", pattern: "^\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}$"}
  if (none === true) return {anyOf: [asWritten(shape), {const: "none"}], default: fallback}
  if (isScalar(shape)) {
    const {description: _, default: __, ...type} = shape
    return {description, ...(fallback === undefined ? {} : {default: fallback}), anyOf: [type, variable]}
  }
  return Object.fromEntries(Object.entries(shape).map(([key, value]) => [key, asWrittenKey(key, value)]))
}

const asWrittenKey = (key: string, value: unknown): unknown => {
  if (key === "properties" || key === "patternProperties") {
    return Object.fromEntries(Object.entries(value as object).map(([name, schema]) => [name, asWritten(schema)]))
  }
  return key === "items" || key === "additionalProperties" ? asWritten(value) : value
}

const isScalar = (shape: Record<string, unknown>) =>
  "enum" in shape || ["string", "integer", "number", "boolean"].includes(String(shape.type))
