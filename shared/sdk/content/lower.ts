import {type Block, element, insideOf, isBeside, isBlock, isPart, itemsOf, simplerOf, startOf} from "./blocks.ts"
import {type Content, type Element, fileTypeOf, isElement, type Node, nodesOf} from "./elements.ts"
import {fileWord, plain} from "./plain.ts"

export interface LowerOptions {
  /** The blocks that the platform has. */
  readonly has: readonly Block[]
  /**
   * Returns whether the platform shows this file or button beside the text; all if left out. The others become text, a
   * button with an address a link.
   */
  readonly shows?: (element: Element) => boolean
}

/**
 * Returns content for a platform that has only some of the blocks: the others become ones that it has, or lines of
 * text. Everything that is no block stays, such as `b` and `img`; an element without children stays the same object.
 * Linear in the size of the result.
 *
 * If the platform has no `p`, each block, also one that it has, is on separate lines, which end in `"\n"`, but for the
 * last line of the message. If it has `p`, what is lowered is in paragraphs.
 */
export const lower = (content: Content, {has, shows}: LowerOptions): readonly Node[] =>
  lowered(content, new Set(has), shows && {shows})

interface Words {
  /** Writes each element without children as text, except links. */
  readonly word?: (element: Element) => string
  readonly shows?: (element: Element) => boolean
}

/** The same, with words for elements. */
export const lowered = (content: Content, has: ReadonlySet<string>, words: Words = {}): readonly Node[] => {
  const nodes = nodesOf(content)
  return nodes.some(isElement) ? new Lines(has, words).trimmed(nodes) : nodes
}

/** Writes nodes one after the other and knows where lines begin. */
class Lines {
  readonly #has: ReadonlySet<string>
  readonly #words: Words
  /** Nothing is on the line yet. */
  #isStart = true
  /** Begins the next line, once. */
  #marker: string | undefined
  /** Begins each further line. */
  #indent = ""
  /** How much was written. */
  #written = 0

  constructor(has: ReadonlySet<string>, words: Words) {
    this.#has = has
    this.#words = words
  }

  /** Returns nodes without the end of the last line, if they have lines. */
  trimmed(nodes: readonly Node[]): readonly Node[] {
    const out: Node[] = []
    this.#write(nodes, out)
    return this.#hasLines && nodes.some(isElement) ? withoutEnd(out) : out
  }

  get #hasLines(): boolean {
    return !this.#has.has("p")
  }

  #write(nodes: readonly Node[], out: Node[]): void {
    for (const node of nodes) {
      if (!isElement(node)) this.#text(node, out)
      else if (node.type === "quote") out.push(node)
      else if (this.#isBeside(node)) this.#beside(node, out)
      else if (node.type === "button" && node.attrs.href !== undefined)
        this.#write([element("a", node.children, {href: node.attrs.href})], out)
      else if (isPart.has(node.type)) out.push(this.#inside(node))
      else if (!isBlock.has(node.type)) this.#inline(node, out)
      else if (this.#has.has(node.type)) this.#kept(node, out)
      else this.#lowered(node, out)
    }
  }

  #inline(node: Element, out: Node[]): void {
    if (beginsLine(node)) this.#begin(out)
    if (node.children.length > 0) {
      const children: Node[] = []
      this.#write(node.children, children)
      out.push({...node, children})
      return
    }
    this.#written++
    const word = this.#words.word ?? (fileTypeOf(node) === undefined ? undefined : fileWord)
    if (word !== undefined && node.type !== "a") this.#text(word(node), out)
    else {
      this.#begin(out)
      out.push(node)
    }
  }

  #isBeside(node: Element): boolean {
    const {word, shows} = this.#words
    const isShown = shows === undefined || (fileTypeOf(node) === undefined && node.type !== "button") || shows(node)
    return word === undefined && isBeside.has(node.type) && isShown
  }

  #beside(node: Element, out: Node[]): void {
    this.#written++
    out.push(node)
  }

  /** Returns an element whose children begin at the start of a line. */
  #inside(node: Element): Element {
    return {...node, children: new Lines(this.#has, this.#words).trimmed(insideOf(node))}
  }

  #kept(node: Element, out: Node[]): void {
    this.#written++
    if (!this.#hasLines) {
      out.push(this.#inside(node))
      return
    }
    this.#startLine(out)
    if (this.#marker !== undefined) this.#newLine(out)
    out.push(this.#inside(node))
    add(out, "\n")
  }

  #lowered(node: Element, out: Node[]): void {
    const {type, attrs, children} = node
    const simpler = simplerOf(node, cellText)
    if (type === "br") this.#newLine(out)
    else if (simpler !== undefined) this.#simpler(simpler, out)
    else if (!this.#hasLines) out.push(element("p", type === "message" ? this.#inside(node).children : asText(node)))
    else
      this.#block(out, () => {
        if (type === "blockquote") this.#nest("> ", "> ", out, children)
        else if (type === "ul" || type === "ol") this.#list(children, type === "ul" ? undefined : startOf(attrs), out)
        else this.#write(children, out)
      })
  }

  #simpler(nodes: readonly Node[], out: Node[]): void {
    if (this.#hasLines) this.#block(out, () => this.#write(nodes, out))
    else this.#write(nodes, out)
  }

  #list(items: readonly Node[], start: number | undefined, out: Node[]): void {
    let number = start
    for (const {children} of itemsOf(items)) {
      const marker = number === undefined ? "- " : `${number++}. `
      this.#block(out, () => this.#nest(marker, "  ", out, children))
    }
  }

  /** Writes nodes whose first line begins with `first`, the others with `rest`. */
  #nest(first: string, rest: string, out: Node[], nodes: readonly Node[]): void {
    const indent = this.#indent
    this.#marker = (this.#marker ?? indent) + first
    this.#indent = indent + rest
    this.#block(out, () => this.#write(nodes, out))
    this.#indent = indent
  }

  #block(out: Node[], write: () => void): void {
    this.#startLine(out)
    const before = this.#written
    write()
    if (!this.#isStart || this.#written === before) this.#newLine(out)
  }

  #text(text: string, out: Node[]): void {
    const [first = "", ...others] = text.split("\n")
    this.#piece(first, out)
    for (const each of others) {
      this.#newLine(out)
      this.#piece(each, out)
    }
  }

  #piece(text: string, out: Node[]): void {
    if (text === "") return
    this.#begin(out)
    add(out, text)
  }

  #begin(out: Node[]): void {
    this.#written++
    if (!this.#isStart) return
    add(out, this.#marker ?? this.#indent)
    this.#marker = undefined
    this.#isStart = false
  }

  #startLine(out: Node[]): void {
    if (!this.#isStart) this.#newLine(out)
  }

  #newLine(out: Node[]): void {
    this.#written++
    if (this.#isStart) add(out, (this.#marker ?? this.#indent).trimEnd())
    this.#marker = undefined
    add(out, "\n")
    this.#isStart = true
  }
}

/** Whether an element with children begins with something that stands on the line, so that a mark precedes it. */
const beginsLine = ({children: [first]}: Element): boolean => {
  if (!isElement(first)) return first !== undefined && /^[^\n]/.test(first)
  const isInline = !isBlock.has(first.type) && !isBeside.has(first.type) && first.type !== "quote"
  return isInline && (first.children.length === 0 || beginsLine(first))
}

const none: ReadonlySet<string> = new Set()

/** Returns a block as lines, which stand in a paragraph. */
const asText = (node: Element): readonly Node[] => lowered(node, none)

const cellText = ({children}: Element): string => plain(lowered(children, none, {word: fileWord}))

/** Appends text to the text at the end. */
const add = (out: Node[], text: string): void => {
  if (text === "") return
  const last = out.at(-1)
  if (typeof last === "string") out[out.length - 1] = last + text
  else out.push(text)
}

/** Removes the end of the last line. */
const withoutEnd = (nodes: readonly Node[]): readonly Node[] => {
  const last = nodes.at(-1)
  if (last === undefined) return nodes
  const before = nodes.slice(0, -1)
  if (!isElement(last)) return last === "\n" ? before : [...before, last.replace(/\n$/, "")]
  return isBlock.has(last.type) || last.children.length === 0
    ? nodes
    : [...before, {...last, children: withoutEnd(last.children)}]
}
