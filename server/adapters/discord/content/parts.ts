import {type Element, isElement, type Node, textOf} from "../../../../shared/sdk/sdk.ts"
import {type Written, writeMarkdown} from "./write.ts"

/** The longest text of one message. Discord counts it with its markup. */
export const longestText = 2000

/** Splits the content into parts that fit into one Discord message, or into `most` characters, including escapes. */
export const writeParts = (
  content: readonly Node[],
  isShown: (file: Element) => boolean,
  most: number = longestText,
): readonly {readonly content: readonly Node[]; readonly written: Written}[] => {
  const written = writeMarkdown(content, isShown)
  const length = textOf(content).length
  if (written.text.length <= most || length < 2) return [{content, written}]
  const [first, rest] = cut(content, Math.floor(length / 2))
  // What has no more parts, such as a table's single cell, is cut as text.
  const isCut = textOf(first).length < length && textOf(rest).length < length
  const halves = isCut ? [first, rest] : cut([textOf(content)], Math.floor(length / 2))
  return halves.flatMap(half => writeParts(half, isShown, most))
}

/**
 * Splits content in two. The first part has `at` characters of the text. A node without text joins the part after the
 * cut if it comes after the cut.
 */
const cut = (nodes: readonly Node[], at: number): readonly [Node[], Node[]] => {
  const first: Node[] = []
  const rest: Node[] = []
  let left = at
  for (const node of nodes) {
    const length = textOf(node).length
    if (left <= 0) rest.push(node)
    else if (length <= left) first.push(node)
    else if (isElement(node)) {
      const [before, behind] = cut(node.children, left)
      if (before.length > 0) first.push({...node, children: before})
      const start = Number(node.attrs.start ?? 1) + node.children.length - behind.length
      rest.push({...node, attrs: node.type === "ol" ? {...node.attrs, start} : node.attrs, children: behind})
    } else {
      const place = placeIn(node, left)
      first.push(node.slice(0, place))
      rest.push(node.slice(place))
    }
    left -= length
  }
  return [first, rest]
}

/** Returns the place after a word near the wanted one, otherwise the wanted one; never within a surrogate pair. */
const placeIn = (text: string, wanted: number): number => {
  const space = text.lastIndexOf(" ", wanted)
  if (space > wanted / 2) return space + 1
  return /[\uDC00-\uDFFF]/.test(text[wanted] ?? "") ? wanted + 1 : wanted
}
