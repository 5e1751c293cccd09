import {tryOr} from "../../try-or.ts"

/** The longest name, in characters. */
const longest = 200

/** Control characters, and characters that change the text direction and so could hide a name's extension. */
const hidden = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu

/** Returns whether a name shows something else than it is. */
export const isDeceptive = (name: string): boolean => name.search(hidden) >= 0

/** Returns a foreign file name without such characters and path separators, cut before its extension; maybe empty. */
export const cleanName = (text: string): string => {
  const name = text.replace(hidden, "").replace(/[/\\]/g, "_").trim()
  return /^\.*$/.test(name) ? "" : shorten(name)
}

const shorten = (name: string): string => {
  if (name.length <= longest) return name.toWellFormed()
  const [end = ""] = /\.[a-z0-9]{1,10}$/i.exec(name) ?? []
  return `${name.slice(0, longest - end.length)}${end}`.toWellFormed()
}

/**
 * Returns a name whose bytes, each given as one character, say no charset: UTF-8, or else GBK, which old programs write
 * in China, if all its high bytes are pairs and two pairs stand together, or else Latin-1.
 */
export const decodeName = (latin1: string): string => {
  const runs = latin1.match(/[\x80-\uffff]+/g) ?? []
  if (runs.length === 0 || /[^\0-\xff]/.test(latin1)) return latin1
  const arePairs = runs.every(({length}) => length % 2 === 0) && runs.some(({length}) => length >= 4)
  return decodeBytes(latin1, "utf-8") ?? (arePairs ? decodeBytes(latin1, "gbk") : undefined) ?? latin1
}

/** Returns undefined for bytes that the charset does not have, and for an unknown charset. */
export const decodeBytes = (latin1: string, charset: string): string | undefined => {
  const bytes = Uint8Array.from(latin1, character => character.charCodeAt(0))
  return tryOr(() => new TextDecoder(charset, {fatal: true}).decode(bytes), undefined)
}
