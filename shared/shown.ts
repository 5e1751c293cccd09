/** C0 but tab and line feed, DEL, C1, the line and paragraph separators, and what turns the direction of writing. */
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu

/**
 * A text that a terminal shows and does not obey: each control character becomes its escape, as `\u001b`. Lines and
 * tabs stay. The escapes are those of JSON, so JSON stays JSON and says the same. A shown text stays as it is.
 */
export const shown = (text: string): string =>
  text.replace(unprintable, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** The same in one line: a text of a chat cannot begin a line that looks like one of svc's. */
export const shownInLine = (text: string): string => shown(text.replaceAll("\n", "\\u000a").replaceAll("\t", " "))
