import {readCatalogue} from "./catalogue.ts"
import * as pages from "./en/pages.ts"

/** Every text of the console in English. If another language lacks a text, the console shows the English one. */
export const en = readCatalogue(pages, "en-GB")

/** Every text of the console. */
export type Texts = typeof en
