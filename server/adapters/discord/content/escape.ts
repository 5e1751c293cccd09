/** Addresses stay whole, so that users can follow them. */
const addresses = /https?:\/\/[^\s<>]+/gi

/** Percent-encodes markup characters in an address, which does not change its meaning. */
const safeAddress = (address: string): string =>
  address.replace(/[*|`[\]\\]|~~/g, found =>
    [...found].map(character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`).join(""),
  )

/**
 * Characters that Discord may read as markup within a line. A few stay plain where they cannot be markup: `_` within a
 * word, a single `~` or `|`, `<` if no mention, emoji, time, command or address follows, and brackets without an
 * address after them. A mark at an edge of the text may continue beyond it.
 */
const marks = [
  /[\\*`]/,
  /_(?![0-9A-Za-z])|(?<![0-9A-Za-z])_/,
  /~(?=~|$)|(?<=~|^)~/,
  /\|(?=\||$)|(?<=\||^)\|/,
  /<(?=[@#:/]|a:|t:|id:|https?:|$)/,
  /](?=\(|$)/,
  /@(?=everyone|here|$)/,
]

const mark = new RegExp(marks.map(({source}) => source).join("|"), "gi")

/** Marks at the beginning of a line: headings, small print, quotations and lists. */
const beginnings = /^([ \t]*)([#>-]|\d+(?=[.)] ))/gm

const escapeMarks = (text: string): string =>
  text
    .replace(mark, "\\$&")
    .replace(beginnings, (_, space: string, found: string) =>
      /\d/.test(found) ? `${space}${found}\\` : `${space}\\${found}`,
    )

/** Escapes text, so that Discord reads no part of it as markup, a mention or an emoji. */
export const escapeText = (text: string): string => {
  let escaped = ""
  let from = 0
  for (const {0: address, index} of text.matchAll(addresses)) {
    escaped += escapeMarks(text.slice(from, index)) + safeAddress(address)
    from = index + address.length
  }
  return escaped + escapeMarks(text.slice(from))
}

/** Escapes text within backticks. Backticks have no escape there, so a lookalike replaces them. */
export const escapeCode = (text: string): string => text.replaceAll("`", "ˋ")
