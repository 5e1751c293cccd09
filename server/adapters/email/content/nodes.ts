import {type Element, isElement, type Node} from "../../../../shared/sdk/sdk.ts"
import {cleanText} from "./text.ts"

/**
 * Lines that stand for a quotation, and for the begin of one that lasts to the end. No text has their first character.
 */
export const signs = {quoted: "\0>", rest: `\0${"_".repeat(20)}`} as const

/** Removes elements that show nothing. */
export const pruned = (nodes: readonly Node[]): readonly Node[] =>
  nodes.flatMap(node => {
    if (!isElement(node) || node.attrs.cid !== undefined) return node === "" ? [] : [node]
    const children = pruned(node.children)
    return children.length === 0 ? [] : [{...node, children}]
  })

const linesOf = (nodes: readonly Node[]): string =>
  nodes.map(node => (isElement(node) ? linesOf(node.children) : node)).join("")

/** Returns the lines of nodes as those of a plain mail, where only signs and no texts have marks. */
export const plainLines = (nodes: readonly Node[]): readonly string[] =>
  linesOf(nodes)
    .split("\n")
    .map(line => (line.startsWith("\0") ? line.slice(1) : line.replace(/^>/, " >")))

/** Returns the nodes with the lines of these numbers alone. */
export const onLines = (nodes: readonly Node[], numbers: readonly number[]): readonly Node[] => {
  const kept = new Set(numbers)
  const last = numbers.at(-1) ?? -1
  let at = 0
  const walk = (node: Node): readonly Node[] => {
    if (isElement(node)) {
      if (node.children.length === 0) return kept.has(at) ? [node] : []
      return [{...node, children: node.children.flatMap(walk)}]
    }
    const pieces = node.split("\n").map((piece, index, {length}) => {
      const isKept = kept.has(at)
      const isLast = index === length - 1
      const end = isLast || at >= last ? "" : "\n"
      if (!isLast) at++
      return isKept ? `${piece}${end}` : ""
    })
    return [pieces.join("")]
  }
  return nodes.flatMap(walk)
}

/** Puts the pictures in; without one, its words. */
export const withImages = (nodes: readonly Node[], imageOf: (cid: string) => Element | undefined): readonly Node[] =>
  nodes.map(node => {
    if (!isElement(node)) return node
    const {cid, alt} = node.attrs
    if (typeof cid === "string") return imageOf(cid) ?? cleanText(String(alt))
    return {...node, children: withImages(node.children, imageOf)}
  })
