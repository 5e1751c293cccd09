import {Closed, type TProperties} from "./type.ts"

/** A part of the configuration; without it, each of its keys has its default. */
export const section = <P extends TProperties>(properties: P) => Closed(properties, {default: {}})
