import type StringWidth from "string-width"
import {shown, shownInLine} from "../../shared/shown.ts"

/** The columns that a text takes in a terminal. Only letters beyond ASCII need the package, which takes Node 25 ms to load. */
export const widthOf = (text: string): number => {
  if (/^[ -~]*$/.test(text)) return text.length
  const {default: stringWidth}: {default: typeof StringWidth} = require("string-width")
  return stringWidth(text)
}

/** A text with spaces behind it, up to so many columns of a terminal: 日本 takes four, an accent of its own none. */
export const pad = (text: string, width: number): string => {
  const line = shown(text)
  return line + " ".repeat(Math.max(0, width - widthOf(line)))
}

/** Rows under their headings, columns aligned; each row in one line, whatever its cells hold. */
export const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string => {
  const lines = [headings, ...rows].map(cells => cells.map(shownInLine))
  const widths = headings.map((_, column) => Math.max(...lines.map(line => widthOf(line[column] ?? ""))))
  return lines
    .map(line =>
      line
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")
}

/** Names and values, values aligned; the further lines of a value begin where it does, so that they look like no name. */
export const facts = (entries: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...entries.map(([name]) => widthOf(name)))
  const below = `\n${" ".repeat(width + 2)}`
  return entries
    .map(([name, value]) => `${pad(name, width)}  ${shown(value).replaceAll("\n", below)}`.trimEnd())
    .join("\n")
}

/** `1 event`, `2 events`. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

/** Of a text, so many UTF-16 units a column are looked at: an emoji has a dozen, and a text without any width no end. */
const unitsPerColumn = 32

/** A text in one line of so many columns at most, cut between two letters where it is longer. */
export const shorten = (text: string, width: number): string => {
  const whole = text.replace(/\s+/g, " ")
  const line = whole.slice(0, width * unitsPerColumn)
  if (line === whole && widthOf(shown(line)) <= width) return shown(line)
  let kept = ""
  let free = width - 1
  for (const {segment} of new Intl.Segmenter().segment(line)) {
    const letter = shown(segment)
    free -= widthOf(letter)
    if (free < 0) break
    kept += letter
  }
  return `${kept}…`
}

/** A duration in words: `3 s`, `12 min`, `2 h 5 min`, `3 d`. */
export const duration = (seconds: number): string => {
  if (seconds < 60) return `${Math.round(seconds)} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
  return `${Math.floor(seconds / 86_400)} d`
}
