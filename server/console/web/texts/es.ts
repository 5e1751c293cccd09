import type {Lacking, Texts} from "./types.ts"

export const es: Lacking<Texts> = {}
