import {type Element, isElement, type Node} from "../../../shared/sdk/content/elements.ts"
import {textOf} from "../../../shared/sdk/content/text.ts"

/** An element that is open around a leaf, and how many siblings stand before it. */
interface Open {
  readonly element: Element
  readonly place: number
}

/** One text or unsplittable element of a tree, with its ancestors, outermost first. */
export interface Leaf {
  readonly path: readonly Open[]
  readonly node: Node
  readonly place: number
}

/** Elements that are never split. */
const whole: ReadonlySet<string> = new Set("at sharp emoji img image audio video file button select form".split(" "))

/** Elements that are split only if they are longer than a part: each piece of a link would repeat its address. */
const wholeIfShort: ReadonlySet<string> = new Set(["a", "tr", "card-field"])

/** Elements that say who speaks or which message is answered. They belong to the first part. */
const heading: ReadonlySet<string> = new Set(["quote", "author"])

export const isHeading = (node: Node): boolean => isElement(node) && heading.has(node.type)

/** Returns the length on a platform without markup, including the new line at the end. */
export const sizeOf = (nodes: readonly Node[]): number => textOf([...nodes, "."]).length - 1

/** Returns the leaves of a tree. `limit` is the length of a part. */
export const leavesOf = (nodes: readonly Node[], path: readonly Open[], limit: number): readonly Leaf[] => {
  let place = 0
  return nodes.flatMap((node): readonly Leaf[] => {
    if (typeof node === "string") return node === "" ? [] : [{path, node, place: node.trim() === "" ? place : place++}]
    const leaf = {path, node, place: place++}
    if (isHeading(node) || whole.has(node.type) || node.children.length === 0) return [leaf]
    if (wholeIfShort.has(node.type) && textOf(grow([leaf], limit)).length <= limit) return [leaf]
    return leavesOf(node.children, [...path, {element: node, place: leaf.place}], limit)
  })
}

/** Builds the tree of leaves; each element is closed behind its last leaf. */
export const grow = (leaves: readonly Leaf[], limit: number, depth = 0): readonly Node[] => {
  const nodes: Node[] = []
  let children: Leaf[] = []
  for (const [index, leaf] of leaves.entries()) {
    const parent = leaf.path[depth]
    if (parent === undefined) nodes.push(leaf.node)
    else {
      children.push(leaf)
      if (leaves[index + 1]?.path[depth] === parent) continue
      const [first] = children
      const place = first?.path[depth + 1]?.place ?? first?.place ?? 0
      nodes.push(
        reopened({...parent.element, children: grow(children, limit, depth + 1)}, parent.element, place, limit),
      )
      children = []
    }
  }
  return nodes
}

/** Returns a piece of an element that begins with the child at `place`. */
const reopened = (piece: Element, {attrs, children}: Element, place: number, limit: number): Element => {
  if (place === 0) return piece
  if (piece.type === "ol") return {...piece, attrs: {...attrs, start: Number(attrs.start ?? 1) + place}}
  if (piece.type === "tr")
    return {...piece, children: [...children.slice(0, place).flatMap(emptied), ...piece.children]}
  const header = piece.type === "table" ? headerOf(children) : undefined
  // A long header would leave no room for the rows.
  if (header === undefined || sizeOf([{...piece, children: [header]}]) > limit / 2) return piece
  return {...piece, children: [header, ...piece.children]}
}

const emptied = (cell: Node): readonly Node[] =>
  isElement(cell) && ["th", "td"].includes(cell.type) ? [{...cell, children: []}] : []

const headerOf = (rows: readonly Node[]): Element | undefined => {
  const first = rows.find(isElement)
  return first?.children.some(cell => isElement(cell) && cell.type === "th") === true ? first : undefined
}
