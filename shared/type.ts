import * as typebox from "typebox"
import {durationPattern} from "./duration.ts"
import type {Secret as SecretValue} from "./secret.ts"

export type {TObject, TProperties, TSchema} from "typebox"

interface Typed<T extends typebox.TSchema> {
  readonly value: typebox.TSchema extends T ? unknown : typebox.Static<T>
}

/**
 * The type of the values that fit a schema; for `TSchema` itself, `unknown`.
 *
 * It equals TypeBox's `Static`, and costs nothing for a schema that is a type parameter: behind an index that depends on
 * the parameter, the compiler neither infers into TypeBox's type nor relates it, which takes a million instantiations.
 */
export type Static<T extends typebox.TSchema> = Typed<T>[T extends unknown ? "value" : never]

/**
 * A string that only the environment may supply. The configuration contains a bare `${NAME}`; svc rejects a literal or
 * a default. The plugin receives a `Secret`, whose value never prints.
 */
const Secret = (options: {description?: string} = {}) =>
  typebox.Unsafe<SecretValue>({type: "string", minLength: 1, secret: true, ...options})

/** A string that names an endpoint, such as `telegram~main`. The Host refuses a configuration with an unknown one. */
const Endpoint = (options: typebox.TStringOptions = {}) =>
  typebox.default.String({minLength: 1, ...options, format: "endpoint"})

/** TypeBox's builders, `Type.Secret()` and `Type.Endpoint()`. */
export const Type = {...typebox.default, Secret, Endpoint}

/** An object that has only these properties. */
export const Closed = <P extends typebox.TProperties>(properties: P, options: typebox.TObjectOptions = {}) =>
  Type.Object(properties, {additionalProperties: false, ...options})

/** The same with a description, for a part of the configuration that has no default. */
export const Part = <P extends typebox.TProperties>(description: string, properties: P) =>
  Closed(properties, {description})

/** A part of the configuration; without it, each of its keys has its default. */
export const section = <P extends typebox.TProperties>(properties: P, options: typebox.TObjectOptions = {}) =>
  Closed(properties, {default: {}, ...options})

type Optionally<T extends typebox.TSchema> = ReturnType<typeof typebox.Optional<T>>

/** A property that may be left out, and then has its default. Only the type has the mark. */
type Defaulted<T extends typebox.TSchema> = Optionally<T> & {readonly "~default": true}

interface Default {
  readonly default: unknown
}

/** Returns the schema of a property with options `O`. */
const leftOut = <T extends typebox.TSchema, O>(schema: T) =>
  Type.Optional(schema) as O extends Default ? Defaulted<T> : Optionally<T>

/** The builders of properties that may be left out: `Optional.String(…)` is `Type.Optional(Type.String(…))`. */
export const Optional = {
  Array: <T extends typebox.TSchema, O extends typebox.TArrayOptions>(items: T, options?: O) =>
    leftOut<typebox.TArray<T>, O>(Type.Array(items, options)),
  Boolean: <O extends typebox.TSchemaOptions>(options?: O) => leftOut<typebox.TBoolean, O>(Type.Boolean(options)),
  Duration: (fallback: string, description: string) =>
    leftOut<typebox.TString, Default>(Type.String({default: fallback, pattern: durationPattern, description})),
  Enum: <const V extends string[], O extends typebox.TSchemaOptions>(values: readonly [...V], options?: O) =>
    leftOut<typebox.TEnum<V>, O>(Type.Enum(values, options)),
  Integer: <O extends typebox.TNumberOptions>(options?: O) => leftOut<typebox.TInteger, O>(Type.Integer(options)),
  Number: <O extends typebox.TNumberOptions>(options?: O) => leftOut<typebox.TNumber, O>(Type.Number(options)),
  /** Without it, there are no keys. */
  Record: <T extends typebox.TSchema>(key: typebox.TString, value: T, options: typebox.TObjectOptions) =>
    leftOut<typebox.TRecord<string, T>, Default>(Type.Record(key, value, {default: {}, ...options})),
  Section: <P extends typebox.TProperties>(properties: P, options?: typebox.TObjectOptions) =>
    leftOut<typebox.TObject<P>, Default>(section(properties, options)),
  Secret: (options?: {description?: string}): Optionally<ReturnType<typeof Secret>> => Type.Optional(Secret(options)),
  String: <O extends typebox.TStringOptions>(options?: O) => leftOut<typebox.TString, O>(Type.String(options)),
}

/** The names of the properties that have no value if they are left out. */
type Absent<P> = {
  [K in keyof P]-?: NonNullable<P[K]> extends {"~default": true}
    ? never
    : NonNullable<P[K]> extends Optionally<typebox.TSchema>
      ? K
      : never
}[keyof P]

/** The values of a schema after expansion: every property with a default is present. */
export type Filled<S> =
  S extends typebox.TObject<infer P>
    ? {readonly [K in Exclude<keyof P, Absent<P>>]: Filled<P[K]>} & {readonly [K in Absent<P>]?: Filled<P[K]>}
    : S extends typebox.TArray<infer I>
      ? readonly Filled<I>[]
      : S extends typebox.TRecord<string, infer V>
        ? Readonly<Record<string, Filled<V>>>
        : S extends typebox.TSchema
          ? typebox.Static<S>
          : never

/** An object schema that the OpenAPI document refers to by this name. */
export const Named = <P extends typebox.TProperties>(
  name: string,
  properties: P,
  options: {readonly additionalProperties?: boolean; readonly description?: string; readonly private?: boolean} = {},
) => Type.Object(properties, {title: name, ...options})

/** The same for an object that has only these properties. */
export const NamedClosed = <P extends typebox.TProperties>(
  name: string,
  properties: P,
  options: {readonly description?: string; readonly private?: boolean} = {},
) => Named(name, properties, {additionalProperties: false, ...options})

/** A time as the API writes it, in ISO 8601. */
export const Time = (description?: string) =>
  Type.String({format: "date-time", ...(description === undefined ? {} : {description})})

export const orNull = <T extends typebox.TSchema>(
  schema: T,
  options: {readonly description?: string; readonly private?: boolean} = {},
) => Type.Union([schema, Type.Null()], options)

/** The parts of a JSON schema that walks over schemas read. */
export interface Shape {
  readonly type?: string
  readonly format?: string
  readonly const?: unknown
  readonly default?: unknown
  readonly private?: boolean
  readonly secret?: boolean
  /** Text that the configuration may contain literally. svc hides it like a secret if `${NAME}` supplied it. */
  readonly hidden?: boolean
  /** The configuration may also contain the word `none`, for a part without keys in place of the default. */
  readonly none?: boolean
  readonly properties?: Readonly<Record<string, typebox.TSchema>>
  readonly patternProperties?: Readonly<Record<string, typebox.TSchema>>
  readonly additionalProperties?: boolean | typebox.TSchema
  readonly items?: typebox.TSchema
  readonly anyOf?: readonly typebox.TSchema[]
  readonly allOf?: readonly typebox.TSchema[]
}

/** Returns a name of the OpenAPI document: `JobUnknown` for `job_unknown`. */
export const schemaName = (text: string): string =>
  text.replace(/(^|[-._])(\w)/g, (_, __, letter: string) => letter.toUpperCase())
