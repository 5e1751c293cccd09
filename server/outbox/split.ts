import {type Element, isElement, type Node, textOf} from "../../shared/sdk/elements.ts"

/** One text or whole element of a tree, with the elements that it stands in, outermost first. */
interface Leaf {
  readonly path: readonly Element[]
  readonly node: Node
}

/** A leaf and its place in the text of all leaves. */
interface Placed extends Leaf {
  readonly from: number
  readonly to: number
}

/** What a cut goes around, never through. */
const whole: ReadonlySet<string> = new Set([
  "at",
  "sharp",
  "emoji",
  "img",
  "image",
  "audio",
  "video",
  "file",
  "button",
  "select",
  "form",
])

/** What says to whom a message answers or who speaks: it belongs to the first part. */
const heading: ReadonlySet<string> = new Set(["quote", "author"])

/** A new line follows these. */
const block: ReadonlySet<string> = new Set(["p", "message", "br"])

/** Stands for one whole element in the text in which cuts are looked for. */
const placeholder = "\uFFFC"

/**
 * Splits a message into parts of at most `limit` UTF-16 code units: behind a paragraph, a line or a word where the second
 * half of a part has one, else between graphemes. Elements such as `at` and `img` stay whole, one that alone is longer is a
 * part of its own; others are closed and opened again around a cut. The texts of the parts are the text of the message; a
 * part of white space alone is left out.
 */
export const splitContent = (content: readonly Node[], limit: number): readonly (readonly Node[])[] => {
  const heads = content.filter(isHeading)
  const body = content.filter(node => !isHeading(node))
  const first = Math.max(1, limit - sizeOf(heads))
  const plan = new Plan(leavesOf(body, [], first))
  const parts: (readonly Node[])[] = []
  for (let from = 0; from < plan.length; ) {
    const {part, to} = plan.take(from, parts.length === 0 ? first : limit)
    if (part.some(isVisible)) parts.push(parts.length === 0 ? [...heads, ...part] : part)
    from = to
  }
  // Of white space alone, as much as the platform takes.
  if (parts.length > 0) return parts
  return [[...heads, ...new Plan(leavesOf(body, [], first)).take(0, first).part]]
}

const isHeading = (node: Node): boolean => isElement(node) && heading.has(node.type)

const isVisible = (node: Node): boolean => {
  if (typeof node === "string") return /\S/.test(node)
  return node.children.length === 0 ? !block.has(node.type) : node.children.some(isVisible)
}

/** The length on a platform without markup, with the new line behind it. */
const sizeOf = (nodes: readonly Node[]): number => textOf([...nodes, "."]).length - 1

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)

const leavesOf = (nodes: readonly Node[], path: readonly Element[], limit: number): readonly Leaf[] =>
  nodes.flatMap((node): readonly Leaf[] => {
    if (typeof node === "string") return node === "" ? [] : [{path, node}]
    // A link is cut only where it has to be: its address would follow each of its pieces.
    const isLink = node.type === "a" && sizeOf([node]) + sumOf(path.map(overheadOf)) <= limit
    if (isLink || isHeading(node) || whole.has(node.type) || node.children.length === 0) return [{path, node}]
    // A copy: one element that stands twice in a tree is two.
    return leavesOf(node.children, [...path, {...node}], limit)
  })

/** What an element adds to each part that it is opened in, at most. */
const overheadOf = ({type, attrs}: Element): number => {
  if (block.has(type)) return 1
  return type === "a" && typeof attrs.href === "string" ? ` (${attrs.href})`.length : 0
}

/** The tree of leaves, each of whose elements is closed behind its last leaf. */
const grow = (leaves: readonly Leaf[], depth = 0): readonly Node[] => {
  const nodes: Node[] = []
  let children: Leaf[] = []
  for (const [index, leaf] of leaves.entries()) {
    const parent = leaf.path[depth]
    if (parent === undefined) nodes.push(leaf.node)
    else {
      children.push(leaf)
      if (leaves[index + 1]?.path[depth] === parent) continue
      nodes.push({...parent, children: grow(children, depth + 1)})
      children = []
    }
  }
  return nodes
}

let segmenter: Intl.Segmenter | undefined

/** A tree as one text: each whole element is one character of it. Parts are taken in order. */
class Plan {
  readonly #leaves: readonly Placed[]
  readonly #text: string
  readonly #graphemes: Intl.Segments
  /** Where blocks end. */
  readonly #blocks: readonly number[]
  /** The leaf in which the next part begins. */
  #next = 0

  constructor(leaves: readonly Leaf[]) {
    let end = 0
    this.#leaves = leaves.map(leaf => {
      const from = end
      end += typeof leaf.node === "string" ? leaf.node.length : 1
      return {...leaf, from, to: end}
    })
    this.#text = leaves.map(({node}) => (typeof node === "string" ? node : placeholder)).join("")
    this.#blocks = this.#leaves.filter((leaf, index) => endsBlock(leaf, this.#leaves[index + 1])).map(({to}) => to)
    segmenter ??= new Intl.Segmenter(undefined, {granularity: "grapheme"})
    this.#graphemes = segmenter.segment(this.#text)
  }

  get length(): number {
    return this.#text.length
  }

  /** The part that begins at `from` and has at most `room`, and where it ends. */
  take(from: number, room: number): {readonly part: readonly Node[]; readonly to: number} {
    const furthest = this.#furthest(from, room)
    const border = furthest >= this.length ? furthest : this.#borderIn(from, furthest)
    const to = border > from ? border : this.#forced(from, furthest)
    return {part: this.#slice(from, to), to}
  }

  #slice(from: number, to: number): readonly Node[] {
    const pieces: Leaf[] = []
    for (let leaf = this.#leaves[this.#next]; leaf !== undefined && leaf.from < to; leaf = this.#leaves[this.#next]) {
      const {path, node, from: start} = leaf
      pieces.push({path, node: typeof node === "string" ? node.slice(Math.max(0, from - start), to - start) : node})
      if (leaf.to > to) break
      this.#next++
    }
    return grow(pieces)
  }

  /** How far what fits reaches, without regard to borders. */
  #furthest(from: number, room: number): number {
    const opened = new Set<Element>()
    let left = room
    let at = from
    for (let index = this.#next; index < this.#leaves.length; index++) {
      const {path, node, to} = this.#leaves[index] ?? {path: [], node: "", to: at}
      for (const element of path) if (!opened.has(element)) left -= overheadOf(element)
      for (const element of path) opened.add(element)
      const size = typeof node === "string" ? to - at : sizeOf([node])
      if (size > left) return typeof node === "string" ? at + Math.max(0, left) : at
      left -= size
      at = to
    }
    return at
  }

  /** The best place for a cut up to `to`; `from` where there is none. */
  #borderIn(from: number, to: number): number {
    const text = this.#text.slice(from, to)
    const after = (border: string) => text.lastIndexOf(border) + border.length
    const paragraph = Math.max(after("\n\n"), (this.#blocks.findLast(end => end <= to) ?? from) - from)
    const borders = [paragraph, after("\n"), this.#wordEnd(text, to)]
    return this.#graphemeAt(from + (borders.find(border => border > text.length / 2) ?? text.length))
  }

  /** Behind the last white space; the end where the text goes on with white space. */
  #wordEnd(text: string, to: number): number {
    if (/\s/.test(this.#text.charAt(to))) return text.length
    for (let end = text.length; end > text.length / 2; end--) if (/\s/.test(text.charAt(end - 1))) return end
    return 0
  }

  /** The border of graphemes at a place, or before it. */
  #graphemeAt(at: number): number {
    return this.#graphemes.containing(at)?.index ?? at
  }

  /** Where nothing fits whole: behind one element, or inside a grapheme that is longer than a part, not inside a character. */
  #forced(from: number, furthest: number): number {
    const to = Math.max(furthest, from + 1)
    const isInside = (this.#text.codePointAt(to - 1) ?? 0) > 0xffff
    if (!isInside) return to
    return to - 1 > from ? to - 1 : to + 1
  }
}

const endsBlock = (leaf: Placed, next: Placed | undefined): boolean =>
  (isElement(leaf.node) && block.has(leaf.node.type)) ||
  leaf.path.some(element => block.has(element.type) && next?.path.includes(element) !== true)
