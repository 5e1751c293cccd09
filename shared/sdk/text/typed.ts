/** Text as people type it, with what keyboards and phones insert. docs/plugins/commands.md describes it for authors. */

/** For a character class: characters that show nothing, such as joiners, direction marks and variation selectors. */
export const invisible = String.raw`\p{Cf}\p{Default_Ignorable_Code_Point}`

/** For a character class: white space and invisible characters. */
export const blank = String.raw`\p{White_Space}${invisible}`

/** For a character class: dashes, and the minus sign, which is none for Unicode. */
export const dash = String.raw`\p{Pd}\u2212`

/** Longer texts are no names, and Unicode's normal forms take quadratic time on thousands of accents in disorder. */
const longestName = 256

const ascii = /^[\x20-\x7e]*$/
const hidden = new RegExp(`[${invisible}]`, "gu")
/** A character with its accents. */
const letter = new RegExp(String.raw`[^][\p{M}${invisible}]{0,64}`, "uy")

/** Returns where a sticky pattern that begins at `at` ends; `at` if it does not match there. */
export const past = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/** Returns a function that returns the end of these characters at a place of a text. */
const skipping = (characters: string) => {
  const pattern = new RegExp(`[${characters}]*`, "uy")
  return (text: string, at: number): number => past(pattern, text, at)
}
export const pastSpaces = skipping(String.raw`\p{White_Space}`)
export const pastInvisible = skipping(invisible)
export const pastBlanks = skipping(blank)

/** Returns a text without the white space of Unicode around it. */
export const trimSpace = (text: string): string => {
  let end = text.length
  while (end > 0 && /\p{White_Space}/u.test(text.charAt(end - 1))) end--
  return text.slice(pastSpaces(text, 0), end)
}

/**
 * Returns the form in which names and fixed words compare: the same whatever their case, their width, the parts of
 * their accents, the dot of an i, and what is invisible.
 */
export const keyOf = (text: string): string => {
  if (ascii.test(text)) return text.toLowerCase()
  const visible = text.replace(hidden, "")
  const parts = visible.length > longestName ? visible : visible.normalize("NFKD")
  return parts.toLowerCase().replaceAll("ς", "σ").replaceAll("i\u0307", "i").replaceAll("ı", "i")
}

/** Returns a text with composed accents (NFC). A letter with more than 30 accents leaves the whole text as it is. */
export const composed = (text: string): string => (/\p{M}{31}/u.test(text) ? text : text.normalize("NFC"))

/** Returns the end of the name with this key that begins at `at`, in any spelling; -1 if there is another text. */
export const pastName = (text: string, at: number, key: string): number => {
  let end = at
  for (let left = key; left !== ""; ) {
    const next = past(letter, text, end)
    const part = keyOf(text.slice(end, next))
    if (next === end || !left.startsWith(part)) return -1
    left = left.slice(part.length)
    end = next
  }
  return end
}

/** Returns a number, a time or a duration in ASCII: digits, signs and letters of any script or width. */
export const inAscii = (text: string): string =>
  ascii.test(text)
    ? text
    : text
        .replace(hidden, "")
        .replace(/[\uff01-\uff5e]/g, wide => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
        .replace(/\p{Nd}/gu, digitOf)
        .replace(new RegExp(`[${dash}]`, "gu"), "-")
        .replaceAll("\u066b", ".")

/** The digits of a script are ten neighbours in Unicode, so that a digit has as many before it as its value. */
const digitOf = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0
  let value = 0
  while (/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++
  return String(value % 10)
}
