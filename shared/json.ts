/**
 * JSON as the runtime has it, taken when the process starts and before any plugin is loaded: what the Host writes stays sound
 * if a plugin, or a package that it brings, replaces the functions of the global `JSON`.
 */
export const {parse: fromJson} = JSON
const {stringify} = JSON

/** `JSON.stringify`, for what no database is given: a log says what was, half a surrogate pair too. */
export const toExactJson = (value: unknown): string => stringify(value)

/** Half of a surrogate pair, as `JSON.stringify` writes it; what a text itself has of the kind begins with two backslashes. */
const halfPairs = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g

/**
 * `JSON.stringify`, whose texts are Unicode: half a pair is a replacement character, as `toWellFormed` makes it. SQLite would
 * make text of it that is no UTF-8, and its driver ends the process when it reads that.
 */
export const toJson = (value: unknown, replacer?: (key: string, value: unknown) => unknown, space?: number): string => {
  const json = stringify(value, replacer, space)
  return json?.includes("\\ud") ? json.replace(halfPairs, "$1\ufffd") : json
}
