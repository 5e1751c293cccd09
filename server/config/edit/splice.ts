import {isCollection, isMap, isScalar, isSeq, type Pair, type YAMLMap, type YAMLSeq} from "yaml"
import {asLines, inFlow, needsLines, onOneLine} from "./render.ts"

/** A node that is the value of a key or the item of a list. */
export interface Place {
  readonly node: unknown
  /** Undefined for the root of the file. */
  readonly holder:
    | {readonly is: "pair"; readonly pair: Pair; readonly map: YAMLMap}
    | {readonly is: "item"; readonly index: number; readonly seq: YAMLSeq}
    | undefined
  /** Is it between brackets? */
  readonly isFlow: boolean
}

/** Edits a text at the positions of its parsed nodes. Each method returns the new text, or undefined if it cannot. */
export class Splice {
  readonly #text: string
  readonly #lineEnd: string

  constructor(text: string) {
    this.#text = text
    this.#lineEnd = text.includes("\r\n") ? "\r\n" : "\n"
  }

  replace({node, holder, isFlow}: Place, value: unknown): string | undefined {
    if (holder === undefined) return isEmptyText(node) && needsLines(value) ? this.#atEnd(asLines(value)) : undefined
    const isShort = isFlow || !needsLines(value)
    const short = isFlow ? inFlow(value) : isShort ? onOneLine(value, node) : ""
    const start = startOf(node)
    const end = this.#withoutLineEnd(endOf(node))
    if (isEmptyText(node)) return isShort ? this.#behind(holder, ` ${short}`) : this.#below(holder, undefined, value)
    if (start === undefined || end === undefined) return undefined
    if (isShort) {
      const from = holder.is === "pair" && isBlock(node) ? this.#afterKey(holder.pair, start) : start
      if (from !== start) return this.#put(from, end, ` ${short}`)
      // Below a comment: the dashes of a list may be directly below its key, a value may not.
      return this.#put(start, end, isBlock(node) && holder.is === "pair" ? `  ${short}` : short)
    }
    return this.#below(holder, [start, end], value)
  }

  addPair(map: YAMLMap, key: string, value: unknown, isInside: boolean, isFirst = false): string | undefined {
    const items = map.items as Pair[]
    const [start] = map.range ?? []
    const last = items.at(-1)
    if (start === undefined || last === undefined) return undefined
    if (isInside || map.flow === true) {
      const entry = `${inFlow(key)}: ${inFlow(value)}`
      if (isFirst) return this.#put(start + 1, start + 1, `${entry}, `)
      const end = endOfPair(last)
      return end === undefined ? undefined : this.#put(end, end, `, ${entry}`)
    }
    const first = startOf(items[0]?.key)
    if (first === undefined) return undefined
    const indent = " ".repeat(this.#column(first))
    const head = `${onOneLine(key)}:`
    const entry = needsLines(value)
      ? [head, ...asLines(value).map(line => `  ${line}`)]
      : [`${head} ${onOneLine(value)}`]
    const lines = entry.map(line => `${indent}${line}`)
    if (isFirst) return this.#put(first, first, [...lines, indent].join(this.#lineEnd).slice(indent.length))
    const end = endOfPair(last)
    return end === undefined ? undefined : this.#addLines(end, lines)
  }

  addItem(seq: YAMLSeq, value: unknown, isInside: boolean): string | undefined {
    const last = seq.items.at(-1)
    const end = endOf(last)
    const [start] = seq.range ?? []
    if (start === undefined || end === undefined) return undefined
    if (isInside || seq.flow === true) return this.#put(end, end, `, ${inFlow(value)}`)
    const indent = " ".repeat(this.#column(start))
    const lines = needsLines(value) ? asLines(value) : [onOneLine(value)]
    return this.#addLines(
      end,
      lines.map((line, index) => `${indent}${index === 0 ? "-" : " "} ${line}`),
    )
  }

  removePair(map: YAMLMap, pair: Pair, isInside: boolean): string | undefined {
    const items = map.items as Pair[]
    const start = startOf(pair.key)
    const end = endOfPair(pair)
    if (start === undefined || end === undefined) return undefined
    const index = items.indexOf(pair)
    const next = startOf(items[index + 1]?.key)
    if (isInside || map.flow === true) return this.#removeFlow(start, end, endOfPair(items[index - 1]), next)
    return this.#removeLines(start, end, next)
  }

  removeItem(seq: YAMLSeq, index: number, isInside: boolean): string | undefined {
    const item = seq.items[index]
    const start = startOf(item)
    const end = endOf(item)
    const [first] = seq.range ?? []
    if (start === undefined || end === undefined || first === undefined) return undefined
    const next = seq.items[index + 1]
    if (isInside || seq.flow === true) return this.#removeFlow(start, end, endOf(seq.items[index - 1]), startOf(next))
    const dash = this.#dash(first, start)
    if (dash === undefined) return undefined
    const nextStart = startOf(next)
    return this.#removeLines(dash, end, nextStart === undefined ? undefined : this.#dash(first, nextStart))
  }

  /** Removes whole lines. If other entries share the first line, removes the text up to the next entry. */
  #removeLines(start: number, end: number, next: number | undefined): string | undefined {
    const line = this.#lineStart(start)
    if (this.#text.slice(line, start).trim() !== "") return next === undefined ? undefined : this.#put(start, next, "")
    return this.#put(line, this.#lineLimit(end), "")
  }

  #removeFlow(start: number, end: number, before: number | undefined, next: number | undefined): string {
    if (before !== undefined) return this.#put(before, end, "")
    return this.#put(start, next ?? end, "")
  }

  /** Writes a value on separate lines below its holder, and removes the previous value. */
  #below(
    holder: NonNullable<Place["holder"]>,
    old: readonly [number, number] | undefined,
    value: object,
  ): string | undefined {
    if (holder.is === "item") {
      if (old === undefined) return undefined
      const indent = " ".repeat(this.#column(old[0]))
      const lines = asLines(value).map((line, index) => (index === 0 ? line : `${indent}${line}`))
      return this.#put(old[0], old[1], lines.join(this.#lineEnd))
    }
    const {pair} = holder
    const keyStart = startOf(pair.key)
    const keyEnd = endOf(pair.key)
    if (keyStart === undefined || keyEnd === undefined) return undefined
    const indent = " ".repeat(this.#column(keyStart))
    const lines = asLines(value).map(line => `${indent}  ${line}`)
    const colon = this.#text.indexOf(":", keyEnd) + 1
    if (colon === 0) return undefined
    if (old === undefined) return this.#addLines(colon, lines)
    const [start, end] = old
    // A comment behind the key stays there.
    if (this.#text.slice(colon, start).includes("\n"))
      return this.#put(this.#lineStart(start), end, lines.join(this.#lineEnd))
    const rest = this.#text.slice(end, this.#lineLimit(end)).trim()
    if (rest !== "" && !rest.startsWith("#")) return undefined
    const before = this.#text.slice(0, start).trimEnd()
    const without = `${before}${rest === "" ? "" : ` ${rest}`}`
    const lineEnd = this.#text.slice(0, this.#lineLimit(end)).endsWith("\n") ? this.#lineEnd : ""
    return `${without}${this.#lineEnd}${lines.join(this.#lineEnd)}${lineEnd}${this.#text.slice(this.#lineLimit(end))}`
  }

  #behind(holder: NonNullable<Place["holder"]>, what: string): string | undefined {
    if (holder.is === "item") {
      const start = startOf(holder.seq.items[holder.index])
      const first = holder.seq.range?.[0]
      const dash = start === undefined || first === undefined ? undefined : this.#dash(first, start)
      return dash === undefined ? undefined : this.#put(dash + 1, dash + 1, what)
    }
    const end = endOf(holder.pair.key)
    if (end === undefined) return undefined
    const colon = this.#text.slice(end).match(/^\s*:/)?.[0].length
    return colon === undefined ? this.#put(end, end, `:${what}`) : this.#put(end + colon, end + colon, what)
  }

  /** Returns where a value may begin on the line of its key. If a comment is between them, the value stays below it. */
  #afterKey(pair: Pair, start: number): number {
    const end = endOf(pair.key)
    const between = end === undefined ? "" : this.#text.slice(end, start)
    return end !== undefined && /^\s*:\s*$/.test(between) ? end + between.indexOf(":") + 1 : start
  }

  #addLines(position: number, lines: readonly string[]): string {
    const text = this.#text
    const added = lines.join(this.#lineEnd)
    if (text[position - 1] === "\n") return this.#put(position, position, `${added}${this.#lineEnd}`)
    const limit = this.#lineLimit(position)
    const isOpen = limit === text.length && !text.endsWith("\n")
    return this.#put(limit, limit, isOpen ? `${this.#lineEnd}${added}${this.#lineEnd}` : `${added}${this.#lineEnd}`)
  }

  /** Text behind | or > ends with its line. */
  #withoutLineEnd(end: number | undefined): number | undefined {
    if (end === undefined || this.#text[end - 1] !== "\n") return end
    return this.#text.slice(0, end).replace(/[ \t\r\n]+$/, "").length
  }

  #atEnd(lines: readonly string[]): string {
    const before = this.#text === "" || this.#text.endsWith("\n") ? this.#text : `${this.#text}${this.#lineEnd}`
    return `${before}${lines.join(this.#lineEnd)}${this.#lineEnd}`
  }

  #put(start: number, end: number, what: string): string {
    return `${this.#text.slice(0, start)}${what}${this.#text.slice(end)}`
  }

  /** Returns the position of an item's dash: in the column of the list, on the item's line or above it. */
  #dash(first: number, start: number): number | undefined {
    const column = this.#column(first)
    for (let line = this.#lineStart(start); ; line = this.#lineStart(line - 1)) {
      const at = line + column
      if (at <= start && this.#text[at] === "-") return at
      if (line <= first) return undefined
    }
  }

  #column(position: number): number {
    return position - this.#lineStart(position)
  }

  #lineStart(position: number): number {
    return this.#text.lastIndexOf("\n", position - 1) + 1
  }

  /** Returns where the next line begins. */
  #lineLimit(position: number): number {
    if (position > 0 && this.#text[position - 1] === "\n") return position
    const end = this.#text.indexOf("\n", position)
    return end === -1 ? this.#text.length : end + 1
  }
}

const rangeOf = (node: unknown): readonly number[] | undefined =>
  typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range) ? node.range : undefined

const startOf = (node: unknown): number | undefined => rangeOf(node)?.[0]

/** Returns the position behind the last character of a node, without what follows the node. */
const endOf = (node: unknown): number | undefined => {
  if (isBlock(node) && node.items.length > 0) {
    const last = node.items.at(-1)
    return isMap(node) ? endOfPair(last as Pair) : endOf(last)
  }
  return rangeOf(node)?.[1]
}

const endOfPair = (pair: Pair | undefined): number | undefined =>
  pair === undefined ? undefined : (endOf(pair.value) ?? endOf(pair.key))

const isBlock = (node: unknown): node is YAMLMap | YAMLSeq =>
  isCollection(node) && node.flow !== true && (isMap(node) || isSeq(node))

/** True for a value without any text, as behind `key:`. */
const isEmptyText = (node: unknown): boolean =>
  node === null || node === undefined || (isScalar(node) && node.value === null && (node.source ?? "") === "")
