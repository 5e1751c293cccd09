import {type Element, isElement} from "./elements.ts"

/** A longer cell moves the rest of its row, so that one long text does not widen every row. */
const widest = 40

type Align = "left" | "center" | "right"

interface Cell {
  readonly text: string
  readonly width: number
}

const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F000}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u

let segmenter: Intl.Segmenter | undefined

/** Returns how many columns of a fixed-width font a text takes: two for a wide character, such as 中. */
export const widthOf = (text: string): number => {
  if (/^[\x20-\x7E]*$/.test(text)) return text.length
  segmenter ??= new Intl.Segmenter(undefined, {granularity: "grapheme"})
  let width = 0
  for (const {segment} of segmenter.segment(text)) width += wide.test(segment) ? 2 : 1
  return width
}

const elementsOf = ({children}: Element): readonly Element[] => children.filter(isElement)

/** Returns a table as lines with aligned columns, its header above a line. `textOf`: the text of a cell. */
export const alignedRows = (table: Element, textOf: (cell: Element) => string): string => {
  const rows = elementsOf(table).map(elementsOf)
  const cells = rows.map(row => row.map(cell => cellOf(textOf(cell))))
  const widths: number[] = []
  for (const row of cells)
    for (const [column, {width}] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, Math.min(width, widest))
  const aligns = (rows[0] ?? []).map(({attrs}) => attrs.align as Align | undefined)
  const lines = cells.map(row => row.map((cell, column) => padded(cell, widths[column], aligns[column])))
  const header = rows[0]?.some(({type}) => type === "th") === true ? [widths.map(width => "-".repeat(width))] : []
  return [...lines.slice(0, 1), ...header, ...lines.slice(1)].map(row => row.join("  ").trimEnd()).join("\n")
}

const cellOf = (text: string): Cell => {
  const shown = text.trim().replace(/\s*\n\s*/g, " ")
  return {text: shown, width: widthOf(shown)}
}

const padded = ({text, width}: Cell, room = 0, align: Align = "left"): string => {
  const left = Math.max(0, room - width)
  const before = align === "right" ? left : align === "center" ? Math.floor(left / 2) : 0
  return " ".repeat(before) + text + " ".repeat(left - before)
}
