import * as typebox from "typebox"
import type {Secret as SecretValue} from "./secret.ts"

export type {Static, TObject, TProperties, TSchema} from "typebox"

/**
 * A string that only the environment may supply. The configuration contains a bare `${NAME}`; svc rejects a literal or
 * a default. The plugin receives a `Secret`, whose value never prints.
 */
const Secret = (options: {description?: string} = {}) =>
  typebox.Unsafe<SecretValue>({type: "string", minLength: 1, secret: true, ...options})

/** TypeBox's builders and `Type.Secret()`. */
export const Type = {...typebox.default, Secret}

/** An object that has only these properties. */
export const Closed = <P extends typebox.TProperties>(properties: P, options: typebox.TObjectOptions = {}) =>
  Type.Object(properties, {additionalProperties: false, ...options})

const optional =
  <A extends readonly unknown[], T extends typebox.TSchema>(build: (...args: A) => T) =>
  (...args: A) =>
    Type.Optional(build(...args))

/** The builders of properties that may be left out: `Optional.String(…)` is `Type.Optional(Type.String(…))`. */
export const Optional = {
  Array: optional(Type.Array),
  Boolean: optional(Type.Boolean),
  Enum: <const V extends string[]>(values: readonly [...V], options: typebox.TSchemaOptions = {}) =>
    Type.Optional(Type.Enum(values, options)),
  Integer: optional(Type.Integer),
  Number: optional(Type.Number),
  Object: optional(Type.Object),
  Record: optional(Type.Record),
  Secret: optional(Secret),
  String: optional(Type.String),
  Unknown: optional(Type.Unknown),
}

export const isSecretSchema = (schema: unknown): boolean =>
  typeof schema === "object" && schema !== null && "secret" in schema && schema.secret === true

/** Text that the configuration may contain literally. svc hides it like a secret if `${NAME}` supplied it. */
export const isHiddenSchema = (schema: unknown): boolean =>
  typeof schema === "object" && schema !== null && "hidden" in schema && schema.hidden === true
