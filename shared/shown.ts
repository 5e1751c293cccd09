/** C0 except tab and line feed, DEL, C1, line and paragraph separators, and what changes the writing direction. */
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu

/**
 * Returns text that is safe to print on a terminal: each control character becomes its escape, such as `\u001b`. Line
 * feeds and tabs stay. The escapes are those of JSON, so JSON stays equivalent. Applying it twice changes nothing.
 */
export const shown = (text: string): string =>
  text.replace(unprintable, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** The same for JSON, which has escaped the C0 characters. In text of one byte a character, only DEL may be left. */
export const shownJson = (json: string): string =>
  Buffer.byteLength(json) === json.length && !json.includes("\u007f") ? json : shown(json)

/** The same on one line, so that chat text cannot fake a line of svc's output. */
export const shownInLine = (text: string): string => shown(text.replaceAll("\n", "\\u000a").replaceAll("\t", " "))
