import type {Shape, TSchema} from "../../shared/type.ts"
import {oncePer} from "../runtime/flow/remember.ts"

/**
 * Returns the same schema, except that an object with named keys accepts no others unless it says so. This makes a
 * mistyped key an error. An intersection stays open, since each part does not know the keys of the other parts.
 */
export const closed: (schema: TSchema) => TSchema = oncePer(schema => close(schema))

const close = (schema: TSchema): TSchema => {
  const {properties, patternProperties, additionalProperties, items, anyOf} = schema as Shape
  const isOpen = properties !== undefined && additionalProperties === undefined && patternProperties === undefined
  const changes = {
    ...(properties === undefined ? {} : {properties: closeEach(properties)}),
    ...(patternProperties === undefined ? {} : {patternProperties: closeEach(patternProperties)}),
    ...(items === undefined ? {} : {items: closed(items)}),
    ...(anyOf === undefined ? {} : {anyOf: anyOf.map(closed)}),
    ...(typeof additionalProperties === "object" ? {additionalProperties: closed(additionalProperties)} : {}),
    ...(isOpen ? {additionalProperties: false} : {}),
  }
  return Object.keys(changes).length === 0 ? schema : ({...schema, ...changes} as TSchema)
}

const closeEach = (schemas: Readonly<Record<string, TSchema>>): Readonly<Record<string, TSchema>> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, closed(schema)]))
