import {type TSchema, Type} from "../type.ts"

/** What the schemas of API, events and files have in common. */

/** A time as the API writes it, in ISO 8601. */
export const Time = (description?: string) =>
  Type.String({format: "date-time", ...(description === undefined ? {} : {description})})

export const orNull = <T extends TSchema>(
  schema: T,
  options: {readonly description?: string; readonly private?: boolean} = {},
) => Type.Union([schema, Type.Null()], options)
