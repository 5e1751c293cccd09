/** The text under one heading of a page. */
export interface Section {
  /** The heading with those above it: `Borrowing > How long`. */
  readonly heading: string
  readonly text: string
}

/** Returns the sections of a Markdown page, without sections that have no text. */
export const sectionsOf = (markdown: string): readonly Section[] => {
  const sections: {heading: string; lines: string[]}[] = [{heading: "", lines: []}]
  const above: string[] = []
  let isCode = false
  for (const line of markdown.split(/\r?\n/)) {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode
    const [, marks = "", title = ""] = (isCode ? null : /^(#{1,6})\s+(.*?)\s*#*$/.exec(line)) ?? []
    if (marks === "") {
      sections.at(-1)?.lines.push(line)
      continue
    }
    above.length = Math.min(above.length, marks.length - 1)
    above.push(title)
    sections.push({heading: above.join(" > "), lines: []})
  }
  return sections.map(({heading, lines}) => ({heading, text: lines.join("\n").trim()})).filter(({text}) => text !== "")
}

/**
 * Returns a query for FTS5 that matches any of these words. Each word is in quotes, so none is read as syntax. Empty
 * for a text without words.
 */
export const queryOf = (text: string): string =>
  (text.match(/[\p{L}\p{N}]+/gu) ?? [])
    .slice(0, 20)
    .map(word => `"${word}"`)
    .join(" OR ")
