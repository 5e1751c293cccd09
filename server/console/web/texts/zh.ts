import type {Lacking, Texts} from "./types.ts"

export const zh: Lacking<Texts> = {}
