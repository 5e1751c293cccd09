import {toJson} from "../../../shared/json.ts"
import {sha256Of} from "../../runtime/files.ts"

/** The most words of a query, and the most characters of a word. */
const mostWords = 12
const longestWord = 64

/** A shorter word matches only itself, because too many words start with it. */
const shortestBeginning = 3

/** Scripts without spaces between words: each of their characters is a word in the index. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu
const endsUnspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u

/** Matches a word of FTS5. */
const word = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{Co}\p{M}]*/gu

/** Returns the mark of a channel in the index: a single word, so that a search can select by it. */
export const markOf = (endpoint: string, channel: string): string =>
  `c${sha256Of(toJson([endpoint, channel])).slice(0, 24)}`

/** Returns a text for the index. */
export const spaced = (text: string): string => text.replace(/\p{Cc}+/gu, " ").replace(unspaced, " $& ")

/**
 * Returns a query for FTS5 in a channel: all words, or any of them; each may be the beginning of a longer word. None of
 * the question is read as syntax. Undefined if it has no word.
 */
export const matchOf = (mark: string, query: string, join: "AND" | "OR"): string | undefined => {
  const words = [...new Set(query.match(word))].slice(0, mostWords).map(quoted)
  return words.length === 0 ? undefined : `place : "${mark}" AND text : (${words.join(` ${join} `)})`
}

/** The most words of a question for which memories are searched: each costs a look at all rows that have it. */
const mostAsked = 8

/**
 * Returns queries for FTS5: the longest words of a question, which say the most; of a script without spaces, each pair of
 * characters.
 */
export const wordsOf = (question: string): readonly string[] => {
  const words = (question.match(word) ?? []).flatMap(given => {
    const signs = given.match(unspaced)
    if (signs === null) return [...given].length < shortestBeginning && !/\p{N}/u.test(given) ? [] : [given]
    return signs.length === 1 ? signs : signs.slice(1).map((sign, index) => `${signs[index]} ${sign}`)
  })
  const longest = [...new Set(words)].sort((one, other) => other.length - one.length).slice(0, mostAsked)
  return longest.map(each => `"${[...each].slice(0, longestWord).join("")}"`)
}

/** Words contain only letters, digits and marks, so nothing needs escaping. */
const quoted = (given: string): string => {
  const cut = [...given].slice(0, longestWord)
  const isBeginning = cut.length >= shortestBeginning && !endsUnspaced.test(given)
  return `"${spaced(cut.join("")).trim()}"${isBeginning ? " *" : ""}`
}
