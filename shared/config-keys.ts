import {type TProperties, Type} from "./type.ts"

/** An object of the configuration has only the keys of its schema. */
export const closed = {additionalProperties: false}

/** A part of the configuration; without it, each of its keys has its default. */
export const section = <P extends TProperties>(properties: P) => Type.Object(properties, {...closed, default: {}})
