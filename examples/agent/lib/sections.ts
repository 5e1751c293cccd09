/** What stands under one heading of a page. */
export interface Section {
  /** With the headings above it: `Borrowing > How long`. */
  readonly heading: string
  readonly text: string
}

/** The sections of a page in Markdown, without those that have no text. */
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

/** What FTS5 is asked: any of these words, each in quotes, so that nothing of it is syntax. Empty for a text without words. */
export const queryOf = (text: string): string =>
  (text.match(/[\p{L}\p{N}]+/gu) ?? [])
    .slice(0, 20)
    .map(word => `"${word}"`)
    .join(" OR ")
