import {Optional, type TProperties, type TSchema, Type} from "../type.ts"

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

/** The pages of lists in the HTTP API. */

/** A page as clients receive it. */
export interface Page<T> {
  readonly items: readonly T[]
  /** The cursor of the next page; null on the last page. */
  readonly next: string | null
}

/** A page of `JobView` is a `JobPage`. */
export const page = <T extends TSchema>(item: T) => {
  const {title} = item as {title?: string}
  return Type.Object(
    {
      items: Type.Array(item),
      next: orNull(Type.String(), {description: "The cursor of the next page; null on the last page"}),
    },
    title === undefined ? {} : {title: `${title.replace(/View$/, "")}Page`},
  )
}

export const PageQuery = Type.Object({
  limit: Optional.Integer({minimum: 1, maximum: 500, default: 50, description: "Items per page"}),
  cursor: Optional.String({pattern: "^[0-9]+$", description: "`next` of the previous page"}),
})
