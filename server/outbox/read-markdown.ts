import {isElement, type Node} from "../../shared/sdk/content/elements.ts"
import {type OutboxDraft, shownBy, withShown} from "./draft.ts"
import type {elementsOf} from "./markdown/tree.ts"

const hasIn = (node: Node): boolean => isElement(node) && (node.type === "markdown" || node.children.some(hasIn))

/** Does a draft show Markdown that is not read yet? */
export const hasMarkdown = (draft: OutboxDraft): boolean => shownBy(draft).some(hasIn)

/** Returns the draft with elements instead of its Markdown. The parser is loaded on first use. */
export const readMarkdown = async (draft: OutboxDraft): Promise<OutboxDraft> => {
  if (!hasMarkdown(draft)) return draft
  const {elementsOf} = await import("./markdown/tree.ts")
  return withShown(draft, async nodes => replaced(nodes, elementsOf))
}

const replaced = (nodes: readonly Node[], read: typeof elementsOf): readonly Node[] =>
  nodes.flatMap((node): readonly Node[] => {
    if (!isElement(node) || !hasIn(node)) return [node]
    if (node.type !== "markdown") return [{...node, children: replaced(node.children, read)}]
    return read(String(node.children[0]))
  })
