import {type Element, isElement, type Node} from "../../shared/sdk/content/elements.ts"
import {textOf} from "../../shared/sdk/content/text.ts"

/** One text or unsplittable element of a tree, with its ancestors, outermost first. */
interface Leaf {
  readonly path: readonly Element[]
  readonly node: Node
}

/** A leaf and its position in the text of all leaves. */
interface Placed extends Leaf {
  readonly from: number
  readonly to: number
}

/** Elements that are never split. */
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

/** Elements that say who speaks or which message is answered. They belong to the first part. */
const heading: ReadonlySet<string> = new Set(["quote", "author"])

/** Elements that a new line follows. */
const block: ReadonlySet<string> = new Set(["p", "message", "br"])

/** Replaces one unsplittable element in the text in which cuts are looked for. */
const placeholder = "\uFFFC"

/**
 * Splits a message into parts of at most `limit` UTF-16 code units. Cuts behind a paragraph, a line or a word if one
 * ends in the second half of a part, otherwise between graphemes. Elements such as `at` and `img` stay whole; one that
 * is longer than the limit is a separate part. Other elements are closed and reopened around a cut. The texts of all
 * parts together are the text of the message; parts of only white space are left out.
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
  // The message is only white space: one part of it, as long as the platform accepts.
  if (parts.length > 0) return parts
  return [[...heads, ...new Plan(leavesOf(body, [], first)).take(0, first).part]]
}

const isHeading = (node: Node): boolean => isElement(node) && heading.has(node.type)

const isVisible = (node: Node): boolean => {
  if (typeof node === "string") return /\S/.test(node)
  return node.children.length === 0 ? !block.has(node.type) : node.children.some(isVisible)
}

/** Returns the length on a platform without markup, including the new line at the end. */
const sizeOf = (nodes: readonly Node[]): number => textOf([...nodes, "."]).length - 1

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)

const leavesOf = (nodes: readonly Node[], path: readonly Element[], limit: number): readonly Leaf[] =>
  nodes.flatMap((node): readonly Leaf[] => {
    if (typeof node === "string") return node === "" ? [] : [{path, node}]
    // A link is cut only if necessary, since each piece would repeat its address.
    const isLink = node.type === "a" && sizeOf([node]) + sumOf(path.map(overheadOf)) <= limit
    if (isLink || isHeading(node) || whole.has(node.type) || node.children.length === 0) return [{path, node}]
    // A copy, so that an element that occurs twice in a tree counts as two.
    return leavesOf(node.children, [...path, {...node}], limit)
  })

/** Returns the most that an element adds to each part in which it is opened. */
const overheadOf = ({type, attrs}: Element): number => {
  if (block.has(type)) return 2
  return type === "a" && typeof attrs.href === "string" ? ` (${attrs.href})`.length : 0
}

/** Builds the tree of leaves; each element is closed behind its last leaf. */
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

/** A tree as one text, in which each unsplittable element is one character. Parts are taken in order. */
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

  /** Returns the part that begins at `from` and has at most `room`, and its end. */
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

  /** Returns how far the part can reach, regardless of borders. */
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

  /** Returns the best position for a cut up to `to`; `from` if there is none. */
  #borderIn(from: number, to: number): number {
    const text = this.#text.slice(from, to)
    const after = (border: string) => text.lastIndexOf(border) + border.length
    const paragraph = Math.max(after("\n\n"), (this.#blocks.findLast(end => end <= to) ?? from) - from)
    const borders = [paragraph, after("\n"), this.#wordEnd(text, to)]
    return this.#graphemeAt(from + (borders.find(border => border > text.length / 2) ?? text.length))
  }

  /** Returns the position behind the last white space; the end if white space follows. */
  #wordEnd(text: string, to: number): number {
    if (/\s/.test(this.#text.charAt(to))) return text.length
    for (let end = text.length; end > text.length / 2; end--) if (/\s/.test(text.charAt(end - 1))) return end
    return 0
  }

  /** Returns the grapheme border at or before a position. */
  #graphemeAt(at: number): number {
    return this.#graphemes.containing(at)?.index ?? at
  }

  /**
   * Returns a cut where nothing fits whole: behind one element, or inside a grapheme that is longer than a part, but
   * never inside a character.
   */
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
