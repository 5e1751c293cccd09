/** The longest name, in characters. */
const longest = 200

/** Control characters, and characters that change the text direction and so could hide a name's extension. */
const hidden = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu

/** Returns whether a name shows something else than it is. */
export const isDeceptive = (name: string): boolean => name.search(hidden) >= 0

/**
 * Returns a file name from elsewhere without such characters and without path separators, shortened before its
 * extension; empty if nothing is left.
 */
export const cleanName = (text: string): string => {
  const name = text.replace(hidden, "").replace(/[/\\]/g, "_").trim()
  return /^\.*$/.test(name) ? "" : shorten(name)
}

const shorten = (name: string): string => {
  if (name.length <= longest) return name.toWellFormed()
  const [end = ""] = /\.[a-z0-9]{1,10}$/i.exec(name) ?? []
  return `${name.slice(0, longest - end.length)}${end}`.toWellFormed()
}
