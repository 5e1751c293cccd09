/** One line of a page that people read as text: no code, no comment. */
export interface Line {
  readonly path: string
  /** Counted from 1. */
  readonly number: number
  readonly text: string
  /** Rows of tables hold several sentences, and as many characters as they need. */
  readonly isTable: boolean
}

/** The lines of a Markdown page without its code, its headings, its comments, and its empty lines. */
export const linesOfProse = (path: string, markdown: string): readonly Line[] => {
  let isCode = false
  return markdown.split("\n").flatMap((text, index) => {
    const isFence = /^\s*```/.test(text)
    if (isFence) isCode = !isCode
    if (isFence || isCode || text.trim() === "" || /^\s*(?:#|<|!\[)/.test(text)) return []
    return [{path, number: index + 1, text, isTable: text.trimStart().startsWith("|")}]
  })
}

/** The paragraphs of a page: lines of one paragraph or list item are joined, rows of tables are left out. */
export const paragraphsOf = (path: string, markdown: string): readonly Line[] => {
  const paragraphs: Line[] = []
  for (const line of linesOfProse(path, markdown)) {
    if (line.isTable) continue
    const last = paragraphs.at(-1)
    const follows = last !== undefined && line.number === ends.get(last) && !/^\s*(?:[-*]|\d+\.) /.test(line.text)
    const joined = follows ? {...last, text: `${last.text} ${line.text.trim()}`} : {...line, text: line.text.trim()}
    if (follows) paragraphs.pop()
    ends.set(joined, line.number + 1)
    paragraphs.push(joined)
  }
  return paragraphs
}

/** The line behind a paragraph. */
const ends = new WeakMap<Line, number>()

const withoutAddresses = (text: string) => text.replace(/\]\([^)]*\)/g, "]")

/** The characters of a line as a reader sees it: the addresses of links do not count. */
export const widthOf = (text: string): number => withoutAddresses(text).length

const markOfItem = /^\s*(?:[-*]|\d+\.)\s+/

const endOfSentence = /(?<=[a-z0-9`)\]"”*%][.!?]["”)*]*) +(?=[A-Z`[*"“])/g

/** The sentences of a text, without the mark of a list item. Full stops in code and in addresses end none. */
export const sentencesOf = (text: string): readonly string[] => {
  const item = text.replace(markOfItem, "")
  const masked = item
    .replace(/`[^`]*`/g, code => `\`${"x".repeat(code.length - 2)}\``)
    .replace(/\]\([^)]*\)/g, part => "x".repeat(part.length))
  const sentences: string[] = []
  let begin = 0
  for (const {index, 0: gap} of masked.matchAll(endOfSentence)) {
    sentences.push(item.slice(begin, index))
    begin = index + gap.length
  }
  return [...sentences, item.slice(begin)]
}

/** Phrases of the writing guide's list: they hide who acts, or what is meant. */
export const riddles =
  /\b(?:by then|so many|such a|goes by|go by|is told|are told|of its own|of their own|in whole|anew|as long as nothing|for itself|let go)\b/i
