/** A line of a page that people read as text, not code and not a comment. */
export interface Line {
  readonly path: string
  /** Counted from 1. */
  readonly number: number
  readonly text: string
  /** Table rows may contain several sentences and any number of characters. */
  readonly isTable: boolean
}

/** The lines of a Markdown page without code, headings, comments and empty lines. */
export const linesOfProse = (path: string, markdown: string): readonly Line[] => {
  let isCode = false
  return markdown.split("\n").flatMap((text, index) => {
    const isFence = /^\s*```/.test(text)
    if (isFence) isCode = !isCode
    if (isFence || isCode || text.trim() === "" || /^\s*(?:#|<|!\[)/.test(text)) return []
    return [{path, number: index + 1, text, isTable: text.trimStart().startsWith("|")}]
  })
}

const withoutAddresses = (text: string) => text.replace(/\]\([^)]*\)/g, "]")

/** The visible width of a line: link addresses do not count. */
export const widthOf = (text: string): number => withoutAddresses(text).length

/** The sentences of a line. Code and addresses end none. */
export const sentencesOf = (text: string): readonly string[] =>
  withoutAddresses(text)
    .replace(/`[^`]*`/g, "`")
    .replace(/^\s*(?:[-*]|\d+\.)\s+/, "")
    .split(/(?<=[a-z0-9`)\]"”*%][.!?]["”)*]*) +(?=[A-Z`[*"“])/)

/** Phrases of the writing guide's list: they hide who acts, or what is meant. */
export const riddles =
  /\b(?:by then|so many|such a|goes by|go by|is told|are told|of its own|of their own|in whole|anew|as long as nothing|for itself|let go)\b/i
