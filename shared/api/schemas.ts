import {type TProperties, type TSchema, Type} from "../type.ts"

/** Parts shared by the schemas of the API, events and files. */

/** An object schema that the OpenAPI document refers to by this name. */
export const Named = <P extends TProperties>(
  name: string,
  properties: P,
  options: {readonly additionalProperties?: boolean; readonly description?: string; readonly private?: boolean} = {},
) => Type.Object(properties, {title: name, ...options})

/** The same for an object that has only these properties. */
export const NamedClosed = <P extends TProperties>(
  name: string,
  properties: P,
  options: {readonly description?: string; readonly private?: boolean} = {},
) => Named(name, properties, {additionalProperties: false, ...options})

/** A time as the API writes it, in ISO 8601. */
export const Time = (description?: string) =>
  Type.String({format: "date-time", ...(description === undefined ? {} : {description})})

export const orNull = <T extends TSchema>(
  schema: T,
  options: {readonly description?: string; readonly private?: boolean} = {},
) => Type.Union([schema, Type.Null()], options)
