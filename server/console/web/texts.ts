import {table} from "./language.ts"
import {en} from "./texts/en.ts"
import {spoken} from "./texts/spoken.ts"
import type {Texts} from "./texts/types.ts"

/** Every text of the console, by page, in the current language. */
export const texts = spoken(en, table) as Texts
