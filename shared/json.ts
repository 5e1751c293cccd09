import {Problem} from "./problems.ts"
import {tryOr} from "./try-or.ts"

/**
 * The runtime's JSON functions, saved at process start before any plugin loads. What the Host writes stays correct if a
 * plugin or one of its packages replaces the functions of the global `JSON`.
 */
export const {parse: fromJson} = JSON
const {stringify} = JSON

/** `JSON.stringify` for text outside a database: a log keeps the exact value, even half a surrogate pair. */
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

/** Is a value an object of JSON: neither null nor a list? */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The deepest nesting of JSON that somebody else wrote: the runtimes' own functions fail at different depths. */
export const deepestJson = 64

/** The deepest nesting of a platform's answer, one part of which may be any user's: both runtimes parse it. */
export const deepestAnswer = 50_000

/** Returns whether lists and objects in a JSON text nest deeper than this. Linear in the length of the text. */
export const nestsDeeper = (json: string, levels: number): boolean => {
  if (json.length <= levels || !/^\ufeff?\s*[[{]/.test(json)) return false
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case '"':
        at = endOfText(json, at)
        break
      case "[":
      case "{":
        if (++depth > levels) return true
        break
      case "]":
      case "}":
        depth--
    }
  }
  return false
}

/** Returns the position of the quote that ends the text which begins at `start`. */
const endOfText = (json: string, start: number): number => {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let from = end
    while (json[from - 1] === "\\") from--
    if ((end - from) % 2 === 0) return end
  }
  return json.length
}

/**
 * Parses JSON that somebody else wrote, with or without a byte order mark. Throws `request_invalid` if `what` is not
 * JSON, or nests lists and objects deeper than `levels`.
 */
export const parseJson = (text: string, what = "the body", levels = deepestJson): unknown => {
  if (nestsDeeper(text, levels)) throw new Problem("request_invalid", `${what} nests deeper than ${levels} levels`)
  try {
    return fromJson(text.startsWith("\ufeff") ? text.slice(1) : text)
  } catch (cause) {
    throw new Problem("request_invalid", `${what} is not JSON`, {cause})
  }
}

/** Returns the value of JSON; undefined for a text that is none. */
export const tryFromJson = (text: string): unknown => tryOr(() => fromJson(text), undefined)

/** Parses a platform's answer; undefined if it is not JSON, or nests deeper than 50,000 levels. */
export const tryParseJson = (text: string): unknown =>
  tryOr(() => parseJson(text, "the answer", deepestAnswer), undefined)

type Given<T> = {readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K]} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Returns the properties that have a value: for types whose optional properties may not be undefined. */
export const omitUndefined = <T extends Readonly<Record<string, unknown>>>(properties: T): Given<T> =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined)) as Given<T>
