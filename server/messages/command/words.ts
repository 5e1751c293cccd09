/** One word as a shell reads it: quotes keep spaces together, a backslash keeps the next character. */
const word = String.raw`(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\]|["'\\])+`
const firstWord = new RegExp(`^${word}`, "s")
const allWords = new RegExp(word, "gs")
const eachWord = new RegExp(`(?=["'])${word}|\\S+`, "gs")

/**
 * Returns the first word of a text and the rest; undefined if there is none. Only a word that starts with a quote is
 * read as a shell reads it. Other quotes and backslashes are plain characters.
 */
export const takeWord = (text: string): [word: string | undefined, rest: string] => {
  const trimmed = text.trimStart()
  if (trimmed === "") return [undefined, ""]
  const isQuoted = trimmed[0] === '"' || trimmed[0] === "'"
  const end = isQuoted ? endOfQuoted(trimmed) : trimmed.search(/\s/)
  const raw = end < 0 ? trimmed : trimmed.slice(0, end)
  return [isQuoted ? unquote(raw) : raw, trimmed.slice(raw.length)]
}

/** Returns all words of a text, each read as `takeWord` reads it. */
export const takeWords = (text: string): string[] =>
  [...text.matchAll(eachWord)].map(([raw]) => (/^["']/.test(raw) ? unquote(raw) : raw))

/** Returns all words of a text, each as a shell reads it. */
export const splitWords = (text: string): string[] => [...text.matchAll(allWords)].map(([raw]) => unquote(raw))

const endOfQuoted = (text: string): number => firstWord.exec(text)?.[0].length ?? -1

const unquote = (raw: string): string =>
  raw.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gs, (_, double, single, escaped) =>
    double === undefined ? (single ?? escaped) : double.replace(/\\(.)/gs, "$1"),
  )
