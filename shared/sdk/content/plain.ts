import {type Element, fileTypeOf, type Node} from "./elements.ts"

/** Returns the text that stands for an element without children. */
export const wordOf = ({type, attrs}: Element): string => {
  if (type === "at") return `@${attrs.name ?? attrs.id ?? attrs.role ?? attrs.type ?? ""}`
  return type === "sharp" ? `#${attrs.name ?? attrs.id ?? ""}` : ""
}

/** Returns the text of a file: its title, and its address unless it is the Host's own. */
export const fileWord = (element: Element): string => {
  if (fileTypeOf(element) === undefined) return wordOf(element)
  const {title, src} = element.attrs
  return `[${title ?? element.type}] ${String(src ?? "").startsWith("internal:") ? "" : (src ?? "")}`.trimEnd()
}

/** Returns the text of nodes without blocks: a link with its address, no quoted message. */
export const plain = (nodes: readonly Node[]): string => nodes.map(plainNode).join("")

const plainNode = (node: Node): string => {
  if (typeof node === "string") return node
  if (node.type === "quote") return ""
  const text = node.children.length === 0 ? fileWord(node) : plain(node.children)
  const {href} = node.attrs
  if (node.type !== "a" || typeof href !== "string") return text
  return ["", "mailto:", "http://", "https://"].some(kind => href === kind + text)
    ? text
    : `${text} (${href})`.trimStart()
}
