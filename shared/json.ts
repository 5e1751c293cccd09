/**
 * The runtime's JSON functions, saved at process start before any plugin loads. What the Host writes stays correct if a
 * plugin or one of its packages replaces the functions of the global `JSON`.
 */
export const {parse: fromJson} = JSON
const {stringify} = JSON

/**
 * `JSON.stringify` for text that does not go into a database. A log keeps the exact value, even half a surrogate pair.
 */
export const toExactJson = (value: unknown): string => stringify(value)

/** Half of a surrogate pair as `JSON.stringify` escapes it. A literal `\ud…` in the text itself has two backslashes. */
const halfPairs = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g

/**
 * `JSON.stringify` with well-formed Unicode: half a surrogate pair becomes a replacement character, as with
 * `toWellFormed`. SQLite would otherwise store text that is not UTF-8, and its driver ends the process when it reads
 * that.
 */
export const toJson = (value: unknown, replacer?: (key: string, value: unknown) => unknown, space?: number): string => {
  const json = stringify(value, replacer, space)
  return json?.includes("\\ud") ? json.replace(halfPairs, "$1\ufffd") : json
}
