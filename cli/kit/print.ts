import type StringWidth from "string-width"
import {shown, shownInLine} from "../../shared/shown.ts"

/** Returns the width of a text in terminal columns. Only text beyond ASCII needs the package, which Node loads in 25 ms. */
export const widthOf = (text: string): number => {
  if (/^[ -~]*$/.test(text)) return text.length
  const {default: stringWidth}: {default: typeof StringWidth} = require("string-width")
  return stringWidth(text)
}

/** Pads a text with spaces to a width in terminal columns: 日本 is four columns wide, a combining accent none. */
export const pad = (text: string, width: number): string => {
  const line = shown(text)
  return line + " ".repeat(Math.max(0, width - widthOf(line)))
}

/** Returns rows under their headings with aligned columns. Each row is one line, even if a cell has several. */
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

type Value = string | null | undefined

export type Facts = readonly (readonly [name: string, value: Value | readonly Value[]])[]

/** Returns names with aligned values: a line for each of several, none without. Further lines of one are indented. */
export const facts = (entries: Facts): string => {
  const known = entries.flatMap(([name, values]) =>
    [values].flat().flatMap(value => (value === null || value === undefined ? [] : [{name, value}])),
  )
  const width = Math.max(...known.map(({name}) => widthOf(name)))
  const below = `\n${" ".repeat(width + 2)}`
  return known
    .map(({name, value}) => `${pad(name, width)}  ${shown(value).replaceAll("\n", below)}`.trimEnd())
    .join("\n")
}

/** Returns, for example, `1 event` or `2 events`. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

/** The most UTF-16 units to read per column. An emoji has a dozen; text without width could have any number. */
const unitsPerColumn = 32

/** Returns a text as one line of at most `width` columns, cut between two letters. */
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

/** Formats a duration: `3 s`, `12 min`, `2 h 5 min`, `3 d`. */
export const duration = (seconds: number): string => {
  if (seconds < 60) return `${Math.round(seconds)} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
  return `${Math.floor(seconds / 86_400)} d`
}

const units = ["B", "KiB", "MiB", "GiB", "TiB"] as const

/** Formats a size: `512 B`, `1.5 MiB`, `-20 KiB`. */
export const bytes = (size: number): string => {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, Math.abs(size))) / 10)))
  const value = size / 1024 ** power
  return `${power === 0 ? value : Number(value.toFixed(1))} ${units[power]}`
}
