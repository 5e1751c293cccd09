import {closest, distance} from "fastest-levenshtein"

/** How many edits still count as a typing error, by the word's length. */
const tolerance = (word: string) => (word.length <= 3 ? 1 : word.length <= 8 ? 2 : 3)

/**
 * Returns the candidate that was probably meant, if one is close enough. A word of a megabyte is not compared: edits
 * cannot make up for the length.
 */
export const suggest = (word: string, candidates: readonly string[]): string | undefined => {
  const most = tolerance(word)
  const near = candidates.filter(({length}) => Math.abs(length - word.length) <= most)
  if (near.length === 0) return undefined
  const best = closest(word, near)
  return distance(word, best) <= most ? best : undefined
}

/** ` (did you mean "port"?)`, or nothing. */
export const didYouMean = (word: string, candidates: readonly string[]): string => {
  const best = suggest(word, candidates)
  return best === undefined ? "" : ` (did you mean "${best}"?)`
}
