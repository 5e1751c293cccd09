/** One word as a shell would see it: quotes keep spaces together, a backslash keeps the next character. */
const word = /(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\]|["'\\])+/sy

/** The first word of a text, without its quotes, and what stands behind it; undefined where there is none. */
export const takeWord = (text: string): [word: string | undefined, rest: string] => {
  const start = text.search(/\S/)
  if (start < 0) return [undefined, ""]
  word.lastIndex = start
  const raw = word.exec(text)?.[0] ?? ""
  return [unquote(raw), text.slice(start + raw.length)]
}

/** All words of a text. */
export const splitWords = (text: string): string[] => {
  const words: string[] = []
  for (let [first, rest] = takeWord(text); first !== undefined; [first, rest] = takeWord(rest)) words.push(first)
  return words
}

const unquote = (raw: string): string =>
  raw.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gs, (_, double, single, escaped) =>
    double === undefined ? (single ?? escaped) : double.replace(/\\(.)/gs, "$1"),
  )
