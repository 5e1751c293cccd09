/** Addresses stay whole, so that they can be followed. */
const addresses = /https?:\/\/[^\s<>]+/gi

/** What could be markup in an address is written in another way, which means the same there. */
const safeAddress = (address: string): string =>
  address.replace(/[*|`[\]\\]|~~/g, found =>
    [...found].map(character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`).join(""),
  )

/**
 * What Discord may read as markup within a line. A few characters are plain where they cannot be: `_` within a word, one `~`
 * or `|`, `<` before what is no mention, emoji, time, command or address, and brackets without an address behind them. What
 * stands at an edge of the text may go on beyond it.
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

/** What it may read so at the begin of a line: headings, small print, quotations and lists. */
const beginnings = /^([ \t]*)([#>-]|\d+(?=[.)] ))/gm

const escapeMarks = (text: string): string =>
  text
    .replace(mark, "\\$&")
    .replace(beginnings, (_, space: string, found: string) =>
      /\d/.test(found) ? `${space}${found}\\` : `${space}\\${found}`,
    )

/** Text as it is shown: nothing in it is markup, a mention or an emoji of Discord's. */
export const escapeText = (text: string): string => {
  let escaped = ""
  let from = 0
  for (const {0: address, index} of text.matchAll(addresses)) {
    escaped += escapeMarks(text.slice(from, index)) + safeAddress(address)
    from = index + address.length
  }
  return escaped + escapeMarks(text.slice(from))
}

/** Text within backticks: it has no escapes, so a backtick in it becomes one that looks alike. */
export const escapeCode = (text: string): string => text.replaceAll("`", "ˋ")
