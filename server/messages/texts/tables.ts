import de from "./de.json" with {type: "json"}
import en from "./en.json" with {type: "json"}
import es from "./es.json" with {type: "json"}
import zhHans from "./zh-hans.json" with {type: "json"}

/** The key of one of svc's own texts. A text has only words, and names in braces: no language needs a library. */
export type HostText = keyof typeof en
export type HostTable = Readonly<Record<HostText, string>>

/** svc's own chat texts by language. */
export const builtInTables = {en, de, "zh-Hans": zhHans, es} as const satisfies Readonly<Record<string, HostTable>>
