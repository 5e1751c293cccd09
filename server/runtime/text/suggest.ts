import {closest, distance} from "fastest-levenshtein"

/** How many edits still count as a typing error, by the word's length. */
const tolerance = (word: string) => (word.length <= 3 ? 1 : word.length <= 8 ? 2 : 3)

/** Longer words, and more candidates, would take long: edits cannot make up for another length. */
const longest = 100
const mostCandidates = 1000

/** Returns the candidate that was probably meant, if one is close enough. */
export const suggest = (word: string, candidates: readonly string[]): string | undefined => {
  const most = tolerance(word)
  const near = word.length > longest ? [] : candidates.filter(({length}) => Math.abs(length - word.length) <= most)
  if (near.length === 0) return undefined
  const best = closest(word, near.slice(0, mostCandidates))
  return distance(word, best) <= most ? best : undefined
}

/** ` (did you mean "port"?)`, or nothing. */
export const didYouMean = (word: string, candidates: readonly string[]): string => {
  const best = suggest(word, candidates)
  return best === undefined ? "" : ` (did you mean "${best}"?)`
}
