import type {Lacking, Texts} from "./types.ts"

export const de: Lacking<Texts> = {}
