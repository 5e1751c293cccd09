import {isElement, type Node} from "../../../shared/sdk/content/elements.ts"
import {textOf} from "../../../shared/sdk/content/text.ts"
import {grow, isHeading, type Leaf, leavesOf, sizeOf} from "./leaves.ts"

/** A leaf and its position in the text of all leaves. */
interface Placed extends Leaf {
  readonly from: number
  readonly to: number
}

/** Elements that show nothing but a line end if they are empty. */
const line: ReadonlySet<string> = new Set(["p", "message", "br"])

/** Elements behind which a cut is good. Behind the title of a text it is not. */
const block: ReadonlySet<string> = new Set([
  ...line,
  "hr",
  "pre",
  "blockquote",
  "ul",
  "ol",
  "li",
  "table",
  "tr",
  "card",
  "card-field",
])

/** Replaces one unsplittable element in the text in which cuts are looked for. */
const placeholder = "\uFFFC"

/**
 * Splits a message into parts of at most `limit` UTF-16 code units. Cuts behind a paragraph, a line or a word if one
 * ends in the second half of a part, otherwise between graphemes. Elements such as `at` and `img` stay whole; one that
 * is longer than the limit is a separate part. Other elements are closed and reopened around a cut: the numbers of a
 * list go on, a table repeats its header. The texts of all parts together are the text of the message; parts of only
 * white space are left out.
 */
export const splitContent = (content: readonly Node[], limit: number): readonly (readonly Node[])[] => {
  const heads = content.filter(isHeading)
  const body = content.filter(node => !isHeading(node))
  const first = Math.max(1, limit - sizeOf(heads))
  const plan = new Plan(leavesOf(body, [], first), first)
  const parts: (readonly Node[])[] = []
  for (let from = 0; from < plan.length; ) {
    const {part, to} = plan.take(from, parts.length === 0 ? first : limit)
    if (part.some(isVisible)) parts.push(parts.length === 0 ? [...heads, ...part] : part)
    from = to
  }
  // The message is only white space: one part of it, as long as the platform accepts.
  if (parts.length > 0) return parts
  return [[...heads, ...new Plan(leavesOf(body, [], first), first).take(0, first).part]]
}

const isVisible = (node: Node): boolean => {
  if (typeof node === "string") return /\S/.test(node)
  return node.children.length === 0 ? !line.has(node.type) : node.children.some(isVisible)
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

  readonly #limit: number

  constructor(leaves: readonly Leaf[], limit: number) {
    this.#limit = limit
    let end = 0
    this.#leaves = leaves.map(leaf => {
      const from = end
      end += typeof leaf.node === "string" ? leaf.node.length : 1
      return {...leaf, from, to: end}
    })
    this.#text = leaves.map(({node}) => (typeof node === "string" ? node : placeholder)).join("")
    this.#blocks = this.#leaves.flatMap((leaf, index) =>
      endsBlock(leaf, this.#leaves[index + 1]) ? [this.#linesFrom(leaf.to)] : [],
    )
    segmenter ??= new Intl.Segmenter(undefined, {granularity: "grapheme"})
    this.#graphemes = segmenter.segment(this.#text)
  }

  get length(): number {
    return this.#text.length
  }

  /** Returns the part that begins at `from` and has at most `room`, and its end. */
  take(from: number, room: number): {readonly part: readonly Node[]; readonly to: number} {
    for (let furthest = this.#furthest(from, room); ; ) {
      const border = furthest >= this.length ? furthest : this.#borderIn(from, furthest)
      const to = border > from ? border : this.#forced(from, furthest)
      const part = this.#slice(from, to)
      const size = textOf(part).length
      if (size <= room || furthest <= from) {
        while ((this.#leaves[this.#next]?.to ?? Infinity) <= to) this.#next++
        return {part, to}
      }
      // Elements add to the text, such as the marks of quoted lines.
      furthest = Math.min(to - 1, furthest - 1, from + Math.floor(((to - from) * room) / size))
    }
  }

  #slice(from: number, to: number): readonly Node[] {
    const pieces: Leaf[] = []
    for (let index = this.#next; index < this.#leaves.length; index++) {
      const leaf = this.#leaves[index]
      if (leaf === undefined || leaf.from >= to) break
      const {node, from: start} = leaf
      pieces.push({...leaf, node: typeof node === "string" ? node.slice(Math.max(0, from - start), to - start) : node})
    }
    return grow(pieces, this.#limit)
  }

  /** Returns how far the part can reach, regardless of borders and of what elements add. */
  #furthest(from: number, room: number): number {
    let left = room
    let at = from
    for (let index = this.#next; index < this.#leaves.length; index++) {
      const {node, to} = this.#leaves[index] ?? {node: "", to: at}
      const size = typeof node === "string" ? to - at : sizeOf([node])
      if (size > left) return typeof node === "string" ? at + left : at
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

  /** Returns the position behind the line ends at a position. */
  #linesFrom(at: number): number {
    let end = at
    while (this.#text.charAt(end) === "\n") end++
    return end
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

  /** Returns a cut where nothing fits whole: behind an element or in a long grapheme, never inside a character. */
  #forced(from: number, furthest: number): number {
    const to = Math.max(furthest, from + 1)
    const isInside = (this.#text.codePointAt(to - 1) ?? 0) > 0xffff
    if (!isInside) return to
    return to - 1 > from ? to - 1 : to + 1
  }
}

const endsBlock = (leaf: Placed, next: Placed | undefined): boolean =>
  (isElement(leaf.node) && block.has(leaf.node.type)) ||
  leaf.path.some(open => block.has(open.element.type) && next?.path.includes(open) !== true)
