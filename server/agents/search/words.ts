import {toJson} from "../../../shared/json.ts"
import {sha256Of} from "../../runtime/hash.ts"

/** The most words of a question, and characters of a word. */
const mostWords = 12
const longestWord = 64

/** A word of fewer characters is looked for as it is: the words that begin with it are too many. */
const shortestBeginning = 3

/** Scripts that put no space between words: each of their characters is a word of the index. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu
const endsUnspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u

/** What FTS5 takes for a word. */
const word = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{Co}\p{M}]*/gu

/** The mark of a channel in the index: one word, so that a search selects by it. */
export const markOf = (endpoint: string, channel: string): string =>
  `c${sha256Of(toJson([endpoint, channel])).slice(0, 24)}`

/** A text as it is indexed. */
export const spaced = (text: string): string => text.replace(/\p{Cc}+/gu, " ").replace(unspaced, " $& ")

/**
 * What FTS5 looks for in a channel: all of the words, or any of them; each may be the beginning of one. Nothing of the question is syntax.
 * Undefined where it has no word.
 */
export const matchOf = (mark: string, query: string, join: "AND" | "OR"): string | undefined => {
  const words = [...new Set(query.match(word))].slice(0, mostWords).map(quoted)
  return words.length === 0 ? undefined : `place : "${mark}" AND text : (${words.join(` ${join} `)})`
}

/** Letters, digits and marks only: there is nothing to escape. */
const quoted = (given: string): string => {
  const cut = [...given].slice(0, longestWord)
  const isBeginning = cut.length >= shortestBeginning && !endsUnspaced.test(given)
  return `"${spaced(cut.join("")).trim()}"${isBeginning ? " *" : ""}`
}
