import {type Element, fileTypes, isElement, type Node} from "./elements.ts"
import {alignedRows} from "./rows.ts"

const headings = ["h1", "h2", "h3", "h4", "h5", "h6"] as const

/** Elements on separate lines. */
export const blocks = [
  ...headings,
  "p",
  "message",
  "br",
  "hr",
  "pre",
  "blockquote",
  "ul",
  "ol",
  "table",
  "card",
  "markdown",
] as const
export type Block = (typeof blocks)[number]

export const isBlock: ReadonlySet<string> = new Set(blocks)

/** Parts of the blocks around them. */
export const isPart: ReadonlySet<string> = new Set(["li", "tr", "th", "td", "card-field"])

/** Elements that platforms show beside the text. */
export const isBeside: ReadonlySet<string> = new Set([...fileTypes, "button", "select", "form"])

export const element = (type: string, children: readonly Node[], attrs: Element["attrs"] = {}): Element => ({
  type,
  attrs,
  children,
})

const line = "———"

/** Returns simpler blocks for a block that is not lines. */
export const simplerOf = (node: Element, cellText: (cell: Element) => string): readonly Node[] | undefined => {
  const {type, children} = node
  if (type === "table") return [element("pre", [alignedRows(node, cellText)])]
  if (type === "hr") return [element("p", [line])]
  if (type === "card") return cardOf(node)
  return type.startsWith("h") ? [element("p", [element("b", children)])] : undefined
}

/** Returns the items of a list. What is no item becomes one, except white space. */
export const itemsOf = (nodes: readonly Node[]): readonly Element[] =>
  nodes.flatMap(node => {
    if (isElement(node) && node.type === "li") return [node]
    return typeof node === "string" && node.trim() === "" ? [] : [element("li", [node])]
  })

export const insideOf = ({type, children}: Element): readonly Node[] => {
  if (type === "ul" || type === "ol") return itemsOf(children)
  return type === "table" || type === "tr" ? children.filter(isElement) : children
}

export const startOf = ({start}: Element["attrs"]): number => {
  const number = Number(start ?? 1)
  return Number.isSafeInteger(number) ? number : 1
}

const cardOf = ({attrs: {title, href}, children}: Element): readonly Node[] => {
  const link = href === undefined ? undefined : element("a", title === undefined ? [] : [String(title)], {href})
  const named = link ?? (title === undefined ? undefined : String(title))
  const head = named === undefined ? [] : [element("p", [element("b", [named])])]
  return [...head, ...children.map(lineOfCard)]
}

const lineOfCard = (node: Node): Node => {
  if (!isElement(node)) return node
  if (node.type !== "card-field") return isBeside.has(node.type) ? element("p", [node]) : node
  const [first] = node.children
  const isBelow = isElement(first) && isBlock.has(first.type)
  return element("p", [element("b", [`${node.attrs.title ?? ""}:`]), ...(isBelow ? [] : [" "]), ...node.children])
}
