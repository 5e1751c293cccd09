import {en, type Texts} from "./en.ts"
import {table} from "./language.ts"
import {spoken} from "./spoken.ts"

/** Every text of the console, by page, in the current language. */
export const texts = spoken(en, table) as Texts
